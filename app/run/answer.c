/* answer.c - the answer of a run, and how well it fits the rows: classes, fitted target. */
#include "run/answer.h"
#include "model/kind.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* A settled run is a surer answer than another, and the network's is what was asked for. */
static int rank(const sim_result *r)
{
    return 2 * (sim_verdict(r) == MB_ENDED_SETTLED) +
           (!r->choice->cvb && r->choice->algo->consensus);
}

static double error_left(const sim_result *r)
{
    return fmax(r->out.disagreement, r->out.moved);
}

/* Is it the surer of two of one rank: by its bound, or, where these differ by rounding, by what is
 * left of its error? */
static int surer(const sim_result *one, const sim_result *best)
{
    const double gap = one->out.bound - best->out.bound;

    if (fabs(gap) > MB_SETTLED * fmax(1, fabs(best->out.bound)) || rank(one) < 2)
        return gap > 0;
    return error_left(one) < error_left(best);
}

static const sim_result *best_run(const sim_results *all)
{
    const sim_result *best = NULL;

    for (const sim_result *one = all->r; one < all->r + all->n; one++) {
        if (one->failed || !isfinite(one->out.bound))
            continue;
        if (!best || rank(one) > rank(best) || (rank(one) == rank(best) && surer(one, best)))
            best = one;
    }
    return best;
}

static int predicts(const mb_case *c, mb_want want)
{
    int32_t        n;
    const mb_want *all = mb_kind_wants(c->kind, &c->size, &n);

    while (n > 0 && all[n - 1] != want)
        n--;
    return n > 0;
}

/* Numbers of rows that are read together, from `first` on; returns how many. */
static int64_t next_rows(int64_t first, int64_t all, int64_t *j)
{
    const int64_t n = all - first < SIM_TOGETHER ? all - first : SIM_TOGETHER;

    for (int64_t k = 0; k < n; k++)
        j[k] = first + k;
    return n;
}

size_t sim_fitted_scratch(const sim_answer *a)
{
    const mb_case *c = a->of->session.c;

    return SIM_TOGETHER * ((size_t)c->run.d + 2 * (size_t)a->targets) + mb_local_scratch(&c->model);
}

/* What the posterior says of rows j, which are in run units at the beginning of scratch then. What
 * depends on the posterior alone is made once for all of them. */
static mb_status say(const sim_answer *a, const int64_t *j, int64_t n, mb_want want, double *said,
                     double *scratch, mb_err *err)
{
    const mb_case *c = a->of->session.c;
    const size_t   d = (size_t)c->run.d;
    const mb_rows rows = {.x = scratch, .n = n, .d = c->run.d, .ld = d, .gaps = c->table.rows.gaps};

    for (int64_t k = 0; k < n; k++)
        mb_case_row(c, j[k], scratch + (size_t)k * d);
    return c->model.ops->predict(&c->model, a->of->out.mean, &rows, want, said,
                                 scratch + SIM_TOGETHER * d, err);
}

mb_status sim_fitted(const sim_answer *a, const int64_t *j, int64_t n, double *fitted,
                     double *observed, double *scratch, mb_err *err)
{
    const mb_case *c = a->of->session.c;
    const int32_t  T = a->targets, inputs = c->run.d - T;
    double        *said = scratch, *x = said + 2 * (size_t)T * SIM_TOGETHER;

    MB_TRY(say(a, j, n, MB_WANT_MEAN_VAR, said, x, err));
    for (int64_t k = 0; k < n; k++, x += c->run.d)
        for (int32_t t = 0; t < T; t++, said += 2) {
            const double o = c->run.origin[inputs + t], scale = c->run.scale[inputs + t];

            *fitted++ = o + scale * said[0];
            *observed++ = o + scale * x[inputs + t];
        }
    return MB_OK;
}

/* Rows by component (canonical order) and class. */
static mb_status classes(const sim_rows *rows, sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const mb_data *data = &rows->data;
    mb_arena      *a = out->of->session.own;
    double        *scratch, label[SIM_TOGETHER];
    int64_t        j[SIM_TOGETHER];
    int32_t       *place;

    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    MB_NEW(place, a, c->model.K, err);
    MB_NEW(out->table, a, (size_t)c->model.K * (size_t)data->nlabel, err);
    for (int32_t k = 0; k < c->model.K; k++)
        place[out->of->out.order[k]] = k;
    for (int64_t first = 0, n; first < data->n; first += n) {
        n = next_rows(first, data->n, j);
        MB_TRY(say(out, j, n, MB_WANT_LABEL, label, scratch, err));
        for (int64_t k = 0; k < n; k++)
            out->table[(int64_t)place[(int32_t)label[k]] * data->nlabel + data->label[j[k]]]++;
    }
    return MB_OK;
}

/* Sums of squares of what the answer leaves over, into out->rmse. */
static mb_status leftover(sim_answer *out, mb_err *err)
{
    const mb_rows *rows = &out->of->session.c->table.rows;
    mb_arena      *a = out->of->session.own;
    const int32_t  T = out->targets;
    int64_t        j[SIM_TOGETHER];
    double        *scratch, *fitted, *observed;

    MB_NEW(fitted, a, SIM_TOGETHER * (size_t)T, err);
    MB_NEW(observed, a, SIM_TOGETHER * (size_t)T, err);
    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    for (int64_t first = 0, n; first < rows->n; first += n) {
        n = next_rows(first, rows->n, j);
        MB_TRY(sim_fitted(out, j, n, fitted, observed, scratch, err));
        for (int64_t e = 0; e < n * T; e++)
            out->rmse[e % T] += (rows->w ? rows->w[j[e / T]] : 1) * (observed[e] - fitted[e]) *
                                (observed[e] - fitted[e]);
    }
    return MB_OK;
}

/* R2 and RMSE over all rows. */
static mb_status regression(sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const double   weight = c->seen.weight;
    mb_arena      *a = out->of->session.own;
    const int32_t  T = mb_kind_targets(c->kind, &c->size);

    out->targets = T;
    MB_NEW(out->r2, a, T, err);
    MB_NEW(out->rmse, a, T, err);
    MB_TRY(leftover(out, err));
    for (int32_t t = 0; t < T; t++) {
        const double sd = c->seen.sd[c->table.rows.d - T + t];
        const double total = (weight > 1 ? weight - 1 : weight) * sd * sd;

        out->r2[t] = total > 0 ? 1 - out->rmse[t] / total : (double)NAN;
        out->rmse[t] = sqrt(out->rmse[t] / weight);
    }
    return MB_OK;
}

/* Whether the inputs separate the levels: no row is wrong, and not all are of one level. */
static int are_apart(const mb_classification *c)
{
    double  wrong = 0;
    int32_t present = 0;

    for (int32_t l = 0; l < c->levels; l++) {
        double all = 0;

        for (int32_t k = 0; k < c->levels; k++) {
            all += c->table[l * c->levels + k];
            wrong += k == l ? 0 : c->table[l * c->levels + k];
        }
        present += all > 0;
    }
    return present > 1 && !(wrong > 0);
}

/* How well the levels of a flag or category are predicted. */
static mb_status compare_levels(const mb_case *c, sim_answer *out, mb_err *err)
{
    const mb_rows   *rows = &c->table.rows;
    const mb_column *known = mb_kind_levels(c->kind, &c->size);
    mb_arena        *a = out->of->session.own;
    int64_t          j[SIM_TOGETHER];
    double          *scratch, *probability, weight[SIM_TOGETHER];

    if (!mb_kind_takes_levels(c->kind, &c->size))
        return MB_OK;
    MB_NEW(out->levels, a, 1, err);
    MB_TRY(mb_classification_new(a, known ? known->levels : 2, out->levels, err));
    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    MB_NEW(probability, a, SIM_TOGETHER * (size_t)out->levels->levels, err);
    for (int64_t first = 0, n; first < rows->n; first += n) {
        n = next_rows(first, rows->n, j);
        MB_TRY(say(out, j, n, MB_WANT_PROB, probability, scratch, err));
        for (int64_t k = 0; k < n; k++)
            weight[k] = rows->w ? rows->w[j[k]] : 1;
        mb_classification_add(out->levels, n, probability, scratch + c->size.D, (size_t)c->run.d,
                              weight);
    }
    out->apart = are_apart(out->levels);
    return MB_OK;
}

static mb_status find(const sim_results *all, sim_answer *out, mb_err *err)
{
    const mb_kind    *kind = all->cs->args->kind;
    const sim_result *of = best_run(all);
    mb_status         st;

    *out = (sim_answer){.of = NULL};
    if (!of)
        return MB_OK;
    st = mb_case_posterior(of->session.own, of->session.c, of->out.mean, of->out.order,
                           &out->posterior, err);
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    out->of = of;
    MB_TRY(mb_posterior_summary(of->session.own, &out->posterior, &out->summary, err));
    if (all->cs->rows->data.label && kind->latent && predicts(of->session.c, MB_WANT_LABEL))
        MB_TRY(classes(all->cs->rows, out, err));
    if (!kind->target)
        return MB_OK;
    out->sd = of->session.c->seen.sd;
    if (predicts(of->session.c, MB_WANT_MEAN_VAR))
        MB_TRY(regression(out, err));
    return compare_levels(of->session.c, out, err);
}

mb_status sim_answer_find(sim_job *job, sim_results *all, mb_err *err)
{
    sim_answer *found;

    MB_NEW(found, job->a, 1, err);
    MB_TRY(find(all, found, err));
    all->answer = found;
    if (found->summary.warning)
        sim_warn(job, "%s", found->summary.warning);
    if (found->apart && mb_kind_levels(all->cs->args->kind, &found->posterior.size))
        sim_warn(job,
                 "the inputs separate the categories of \"%s\": how large the coefficients are "
                 "comes from the prior (--prior.lambda0)",
                 found->posterior.target[0]);
    else if (found->apart)
        sim_warn(job,
                 "the inputs separate the rows where \"%s\" is 0 from those where it is 1: how "
                 "large the coefficients are comes from the prior (--prior.lambda0)",
                 found->posterior.target[0]);
    return MB_OK;
}
