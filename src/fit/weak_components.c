/* weak_components.c - components of an answer that few rows describe (docs/math.md, section 13). */
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double half = .5; /* of a component's precision: more of it is not the rows' */
static const double none = .5; /* rows: a component with fewer is empty                    */

/* The field of the parameters that scatters the prior's and the rows' together, component by
 * component: W^-1 of a matrix, or the rate of each variance. 0: there is none. */
static int scatter_field(const mb_case *c, mb_field *out)
{
    mb_field      all[MB_FIELDS_MAX];
    const int32_t n = mb_kind_has_components(c->kind) ? mb_kind_fields(c->kind, &c->size, all) : 0;

    for (int32_t k = 0; k < n; k++)
        if (!strcmp(all[k].key, "w_inverse") || !strcmp(all[k].key, "rate")) {
            *out = all[k];
            return !all[k].absent && all[k].ndim > 0 && all[k].shape[0] == c->size.K;
        }
    return 0;
}

/* x'Ax of the first n rows and columns of a symmetric A, whose lower triangle has the stride D. */
static double quadratic(int32_t D, const double *A, const double *x, int32_t n)
{
    double  sum = 0;
    int32_t i = 0;

    for (; i + MB_DOTS_ <= n; i += MB_DOTS_) {
        const double *y[MB_DOTS_];
        double        left[MB_DOTS_];

        for (int32_t u = 0; u < MB_DOTS_; u++)
            y[u] = A + (size_t)(i + u) * (size_t)D;
        mb_dots_(x, y, i, left);
        for (int32_t u = 0; u < MB_DOTS_; u++)
            sum += x[i + u] * (2 * left[u] + y[u][i + u] * x[i + u]);
    }
    for (; i < n; i++) {
        const double *y = A + (size_t)i * (size_t)D;

        for (int32_t j = 0; j < i; j++)
            sum += 2 * x[i] * y[j] * x[j];
        sum += x[i] * y[i] * x[i];
    }
    return sum;
}

/* tr(W W0^-1)/D of lower triangles by rows. room: 3 D^2. */
static mb_status matrix_share(const mb_field *f, int32_t k, const double *par, const double *prior,
                              double *room, double *share, mb_err *err)
{
    const int32_t D = f->shape[1];
    const size_t  whole = (size_t)D * (size_t)D;
    double       *A = room, *C = A + whole, *inverse = C + whole, sum = 0;

    for (int32_t i = 0, l = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++, l++)
            A[i * D + j] = par[mb_field_at(f, (size_t)k, (size_t)l)];
    MB_TRY(mb_cholesky(D, A, C, inverse, err));
    for (int32_t i = 0, l = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++, l++)
            A[i * D + j] = prior[mb_field_at(f, (size_t)k, (size_t)l)];
    for (int32_t r = 0; r < D; r++)
        sum += quadratic(D, A, inverse + r * D, r + 1);
    *share = sum / D;
    return MB_OK;
}

/* The mean over the variances of component k. */
static double rate_share(const mb_field *f, int32_t k, const double *par, const double *prior)
{
    const size_t n = mb_field_stored(f);
    double       sum = 0;

    for (size_t l = 0; l < n; l++) {
        const size_t at = mb_field_at(f, (size_t)k, l);

        sum += prior[at] / par[at];
    }
    return sum / (double)n;
}

/* The answer phi, whose parameters are found once somebody wants them. */
typedef struct answer {
    const mb_case  *c;
    mb_arena       *a;
    const double   *phi;
    const mb_field *f;
    double         *par, *room; /* NULL: not yet */
} answer;

static mb_status share_of(answer *of, int32_t k, double *share, mb_err *err)
{
    const mb_case *c = of->c;

    if (!of->par) {
        MB_TRY(mb_case_textbook(c, of->a, of->phi, &of->par, err));
        MB_NEW(of->room, of->a, 3 * (size_t)c->size.D * (size_t)c->size.D, err);
    }
    if (of->f->symmetric)
        return matrix_share(of->f, k, of->par, c->prior_par, of->room, share, err);
    *share = rate_share(of->f, k, of->par, c->prior_par);
    return MB_OK;
}

/* A component of few rows is weak whatever the share, which then is wanted of the one of fewest. */
static mb_status look(answer *of, int named, mb_weak *out, mb_err *err)
{
    const double D = of->c->size.D;
    mb_parts_    parts;

    MB_TRY(mb_parts_new_(of->a, &of->c->model, &parts, err));
    MB_TRY(mb_parts_see_(&parts, of->phi, err));
    for (int32_t k = 0; k < of->c->size.K; k++) {
        double share = (double)NAN;

        if (parts.rows[k] < none) {
            out->empty++;
            continue;
        }
        if (!(parts.rows[k] < 2 * D))
            MB_TRY(share_of(of, k, &share, err));
        if (!(parts.rows[k] < 2 * D || share > half))
            continue;
        if (!out->count++ || parts.rows[k] < out->rows) {
            out->component = k;
            out->rows = parts.rows[k];
            out->prior = share;
        }
    }
    return named && isnan(out->prior) ? share_of(of, out->component, &out->prior, err) : MB_OK;
}

mb_status mb_case_weak(const mb_case *c, const double *phi, int named, mb_weak *out, mb_err *err)
{
    mb_field  f;
    answer    of = {.c = c, .phi = phi, .f = &f};
    mb_status st;

    *out = (mb_weak){0};
    if (!mb_parts_weights_(&c->model) || !c->prior_par || !scatter_field(c, &f))
        return MB_OK;
    of.a = mb_arena_new(1 << 16);
    if (!of.a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the components of an answer");
    st = look(&of, named, out, err);
    mb_arena_free(of.a);
    return st;
}
