/* view_pca.c - the plane in which the rows spread most: rows and components on it. */
#include "data/pca.h"
#include "run/answer.h"

#include <math.h>

enum { WIDE = 200, FEW = 400 /* rows that give the axes of wide tables */ };

/* Middle and standard deviation of each column; a constant column counts in its own units. */
static mb_status scales(mb_arena *a, int64_t n, int32_t D, const double *rows, sim_view *v,
                        mb_err *err)
{
    MB_NEW(v->scale, a, D, err);
    MB_NEW(v->middle, a, D, err);
    for (int64_t j = 0; j < n; j++)
        for (int32_t d = 0; d < D; d++)
            v->middle[d] += rows[j * D + d] / (double)n;
    for (int32_t d = 0; d < D; d++) {
        double sum = 0;

        for (int64_t j = 0; j < n; j++)
            sum += pow(rows[j * D + d] - v->middle[d], 2);
        v->scale[d] = sqrt(sum / (double)n);
        if (!(v->scale[d] > 1e-12 * fabs(v->middle[d])))
            v->scale[d] = 1;
    }
    return MB_OK;
}

mb_status sim_view_axes(const sim_job *job, const sim_rows *of, int64_t n, double *rows,
                        sim_view *v, mb_err *err)
{
    const int32_t D = of->data.d;
    const int64_t used = D > WIDE && n > FEW ? FEW : n;
    double       *z;
    pca           p;
    mb_status     st;

    if (D < 3 || n < 3)
        return MB_OK;
    MB_TRY(scales(job->a, n, D, rows, v, err));
    MB_NEW(z, job->a, (size_t)used * (size_t)D, err);
    for (int64_t j = 0; j < used; j++)
        for (int32_t d = 0; d < D; d++)
            z[j * D + d] = (rows[j * n / used * D + d] - v->middle[d]) / v->scale[d];
    st = pca_fit(job->a, used, D, z, 2, 0, &p, err);
    if (st == MB_E_NUMERIC)
        return MB_OK; /* equal rows: nothing to see */
    MB_TRY(st);
    v->axis = p.axis;
    for (int k = 0; k < 2; k++)
        v->share[k] = p.variance[k] / p.total;
    return MB_OK;
}

double sim_view_on(const sim_rows *of, const sim_view *v, int32_t k, const double *x)
{
    const int32_t D = of->data.d;
    double        sum = 0;

    for (int32_t d = 0; d < D; d++)
        sum += v->axis[k * D + d] * (x[d] - v->middle[d]) / v->scale[d];
    return sum;
}

/* Adds column pair (i, j) of every component to its covariance on the axes. */
static void add_pair(const sim_view *v, int32_t D, int32_t i, int32_t j, int32_t K,
                     const mb_component *part, double *cov)
{
    const double ui = v->axis[i] / v->scale[i], uj = v->axis[j] / v->scale[j];
    const double wi = v->axis[D + i] / v->scale[i], wj = v->axis[D + j] / v->scale[j];
    const double twice = i == j ? 1 : 2;

    for (int32_t k = 0; k < K; k++) {
        const double c = part[k].cov[1];

        cov[3 * k] += twice * c * ui * uj;
        cov[3 * k + 1] += i == j ? c * ui * wi : c * (ui * wj + uj * wi);
        cov[3 * k + 2] += twice * c * wi * wj;
    }
}

mb_status sim_view_parts(const sim_job *job, const sim_rows *of, const sim_answer *a,
                         const sim_view *v, double *mean, double *cov, mb_err *err)
{
    const mb_posterior *p = &a->posterior;
    const int32_t       D = of->data.d, K = p->size.K;
    mb_component       *part;
    double             *x;

    MB_NEW(part, job->a, K, err);
    MB_NEW(x, job->a, (size_t)K * (size_t)D, err);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++) {
            p->kind->components_on(&p->size, p->par, i, j, part);
            add_pair(v, D, i, j, K, part, cov);
            for (int32_t k = 0; k < K && i == j; k++)
                x[k * D + i] = part[k].mean[0];
        }
    for (int32_t k = 0; k < K; k++)
        for (int32_t axis = 0; axis < 2; axis++)
            mean[2 * k + axis] = sim_view_on(of, v, axis, x + (int64_t)k * D);
    return MB_OK;
}
