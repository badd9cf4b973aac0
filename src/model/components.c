/* components.c - shares, means and variances of components, and what follows from them: their order,
 * the units of the whole mixture, and the centres of an initialisation. */
#include "model/components.h"
#include "base/columns.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

const mb_family *mb_kind_weights(const mb_kind *kind, const mb_sizes *s)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (!strcmp(kind->choices[c].name, "weight_concentration_prior_type") && s->choice[c])
            return &mb_sticks;
    return &mb_dirichlet;
}

void mb_shares(const mb_family *weights, int32_t K, const double *par, double *out)
{
    const mb_mixing *of = weights->weights;
    double           left = 1, total = 0;

    for (int32_t k = 0; k < K; k++)
        total += out[k] = of->share(par + (size_t)k * of->entry, &left);
    for (int32_t k = 0; k < K; k++)
        out[k] /= total;
}

int32_t mb_weights_fields(const mb_family *weights, int32_t K, mb_field *out)
{
    const int32_t entry = (int32_t)weights->weights->entry;

    out[0] = (mb_field){
        .key = "weight_concentration", entry, {K, entry}, .bounded = 1, .step = (size_t)entry};
    out[1] = (mb_field){.key = "weights", 1, {K}, .derived = 1, .step = 1};
    return 2;
}

void mb_component_moments_(const mb_kind *kind, const mb_sizes *s, const double *par, int32_t k,
                           double *mean, double *variance)
{
    if (!kind->component) {
        kind->emissions->by->component(kind, s, par, k, mean, variance);
        return;
    }
    for (int32_t x = 0; x < mb_kind_columns(kind, s); x++) { /* each column is a number */
        mean[x] = kind->component(s, par, k, x, -1);
        variance[x] = kind->component(s, par, k, x, x);
    }
}

mb_status mb_components_make(mb_arena *a, const mb_kind *kind, const mb_sizes *s, const double *par,
                             mb_components *out, mb_err *err)
{
    const size_t K = (size_t)s->K;

    *out = (mb_components){.kind = kind, .size = s, .par = par};
    out->d = mb_kind_columns(kind, s);
    MB_NEW(out->first, a, out->d, err);
    for (int32_t d = 0; d < out->d; d++) {
        out->first[d] = out->n;
        out->n += mb_column_quantities(s->columns, d);
    }
    MB_NEW(out->share, a, K, err);
    MB_NEW(out->mean, a, K * (size_t)out->n, err);
    MB_NEW(out->variance, a, K * (size_t)out->n, err);
    mb_shares(mb_kind_weights(kind, s), s->K, par, out->share);
    for (int32_t k = 0; k < s->K; k++)
        mb_component_moments_(kind, s, par, k, out->mean + k * out->n, out->variance + k * out->n);
    return MB_OK;
}

double mb_components_covariance(const mb_components *c, int32_t k, int32_t x, int32_t y)
{
    if (x == y)
        return c->variance[k * c->n + x];
    if (c->kind->component)
        return c->kind->component(c->size, c->par, k, x, y);
    return c->kind->emissions->by->covariance
               ? c->kind->emissions->by->covariance(c->size, c->par, k, x, y)
               : 0;
}

void mb_components_on(const mb_components *c, int32_t x, int32_t y, mb_component *out)
{
    const int32_t on[2] = {x, y};

    for (int32_t k = 0; k < c->size->K; k++) {
        out[k] = (mb_component){.weight = c->share[k]};
        for (int i = 0; i < 2; i++) {
            const int     none = mb_columns_kind(c->size->columns, on[i]) == MB_COLUMN_CATEGORY;
            const int32_t at = k * c->n + c->first[on[i]];

            out[k].mean[i] = none ? (double)NAN : c->mean[at];
            out[k].cov[2 * i] = none ? (double)NAN : c->variance[at];
        }
        out[k].cov[1] = x == y ? out[k].cov[0] : mb_components_covariance(c, k, x, y);
    }
}

/* The target, where there is one, tells more of a component than the inputs. */
int mb_components_less(const mb_components *c, int32_t a, int32_t b)
{
    const double *p = c->mean + a * c->n, *q = c->mean + b * c->n;
    const int32_t first = c->d > c->size->D ? c->first[c->size->D] : 0;

    if (mb_kind_weights(c->kind, c->size)->weights->in_order)
        return a < b;
    for (int32_t k = 0; k < c->n; k++) {
        const int32_t i = (first + k) % c->n;

        if (p[i] < q[i] || p[i] > q[i])
            return p[i] < q[i];
    }
    return a < b;
}

/* The variance of quantity i over the whole mixture, whose mean is `middle`. */
static double spread(const mb_components *c, int32_t i, double middle)
{
    double sum = 0;

    for (int32_t k = 0; k < c->size->K; k++) {
        const double gap = c->mean[k * c->n + i] - middle;

        sum += c->share[k] * (gap * gap + c->variance[k * c->n + i]);
    }
    return sum;
}

void mb_components_units(const mb_components *c, mb_units *u)
{
    const mb_sizes *s = c->size;
    double          mean = 0;

    for (int32_t d = 0; d < c->d; d++) {
        if (mb_columns_kind(s->columns, d) != MB_COLUMN_NUMBER)
            continue;
        for (int32_t k = 0; k < s->K; k++)
            u->origin[d] += c->share[k] * c->mean[k * c->n + c->first[d]];
        u->scale[d] = spread(c, c->first[d], u->origin[d]);
        mean += u->scale[d] / c->d;
    }
    for (int32_t d = 0; d < c->d; d++) {
        const double all = mb_kind_one_scale(c->kind, s) ? mean : u->scale[d];

        if (mb_columns_kind(s->columns, d) != MB_COLUMN_NUMBER)
            continue;
        u->scale[d] = all > 0 && isfinite(all) ? sqrt(all) : 1;
        u->log_jacobian += log(u->scale[d]);
    }
}

void mb_components_centres(const mb_components *c, double *out)
{
    const double *mean = c->mean;

    for (int32_t k = 0; k < c->size->K; k++)
        for (int32_t d = 0; d < c->d; d++) {
            const mb_column_kind kind = mb_columns_kind(c->size->columns, d);
            const int32_t        n = mb_column_quantities(c->size->columns, d);

            for (int32_t l = 0; l < n; l++, mean++)
                *out++ = mb_column_seen(kind, *mean);
        }
}
