/* answer.c - the answer of a run, and how well it fits the rows: classes, fitted target. */
#include "answer/answer.h"

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

static const sim_result *surest(const sim *s, const sim_result *r)
{
    const sim_result *best = NULL;

    for (const sim_result *one = r; one < r + s->nran; one++) {
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

/* Rows by component (canonical order) and class. */
static mb_status classes(const sim *s, sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const mb_data *data = &s->rows.data;
    mb_arena      *a = out->of->session.own;
    mb_rows  row = {.n = 1, .d = c->run.d, .ld = (size_t)c->run.d, .gaps = c->table.rows.gaps};
    double  *x, *scratch, label;
    int32_t *place;

    MB_NEW(x, a, c->run.d, err);
    MB_NEW(scratch, a, mb_local_scratch(&c->model), err);
    MB_NEW(place, a, c->model.K, err);
    MB_NEW(out->table, a, (size_t)c->model.K * (size_t)data->nlabel, err);
    for (int32_t k = 0; k < c->model.K; k++)
        place[out->of->out.order[k]] = k;
    row.x = x;
    for (int64_t j = 0; j < data->n; j++) {
        mb_case_row(c, j, x);
        MB_TRY(c->model.ops->predict(&c->model, out->of->out.mean, &row, MB_WANT_LABEL, &label,
                                     scratch, err));
        out->table[(int64_t)place[(int32_t)label] * data->nlabel + data->label[j]]++;
    }
    return MB_OK;
}

size_t sim_fitted_scratch(const sim_answer *a)
{
    const mb_case *c = a->of->session.c;

    return (size_t)c->run.d + 2 * (size_t)a->targets + mb_local_scratch(&c->model);
}

mb_status sim_fitted(const sim_answer *a, int64_t j, double *fitted, double *observed,
                     double *scratch, mb_err *err)
{
    const mb_case *c = a->of->session.c;
    double        *x = scratch, *said = x + c->run.d;
    const mb_rows  row = {.x = x, .n = 1, .d = c->run.d, .ld = (size_t)c->run.d};

    mb_case_row(c, j, x);
    MB_TRY(c->model.ops->predict(&c->model, a->of->out.mean, &row, MB_WANT_MEAN_VAR, said,
                                 said + 2 * a->targets, err));
    for (int32_t t = 0; t < a->targets; t++) {
        const int32_t d = c->run.d - a->targets + t;

        fitted[t] = c->run.origin[d] + c->run.scale[d] * said[2 * t];
        observed[t] = c->run.origin[d] + c->run.scale[d] * x[d];
    }
    return MB_OK;
}

/* R2 and RMSE over all rows. */
static mb_status regression(sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const mb_rows *rows = &c->table.rows;
    const double   weight = c->seen.weight;
    mb_arena      *a = out->of->session.own;
    const int32_t  T = mb_kind_targets(c->kind, &c->size);
    double        *scratch, *fitted, *observed;

    out->targets = T;
    MB_NEW(out->r2, a, T, err);
    MB_NEW(out->rmse, a, T, err);
    MB_NEW(fitted, a, T, err);
    MB_NEW(observed, a, T, err);
    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    for (int64_t j = 0; j < rows->n; j++) {
        MB_TRY(sim_fitted(out, j, fitted, observed, scratch, err));
        for (int32_t t = 0; t < T; t++) /* sums of squares */
            out->rmse[t] +=
                (rows->w ? rows->w[j] : 1) * (observed[t] - fitted[t]) * (observed[t] - fitted[t]);
    }
    for (int32_t t = 0; t < T; t++) {
        const double sd = c->seen.sd[rows->d - T + t];
        const double total = (weight > 1 ? weight - 1 : weight) * sd * sd;

        out->r2[t] = total > 0 ? 1 - out->rmse[t] / total : (double)NAN;
        out->rmse[t] = sqrt(out->rmse[t] / weight);
    }
    return MB_OK;
}

/* The level of row j that the posterior finds likeliest, and its own. */
static mb_status level(const sim_answer *out, int64_t j, int32_t *fitted, int32_t *observed,
                       double *scratch, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const mb_rows  row = {.x = scratch, .n = 1, .d = c->run.d, .ld = (size_t)c->run.d};
    double         said;

    mb_case_row(c, j, scratch);
    MB_TRY(c->model.ops->predict(&c->model, out->of->out.mean, &row, MB_WANT_LABEL, &said,
                                 scratch + c->run.d, err));
    *fitted = (int32_t)said;
    *observed = (int32_t)scratch[c->size.D];
    return MB_OK;
}

/* The same for a flag. */
static mb_status truth(const sim_answer *out, int64_t j, int32_t *fitted, int32_t *observed,
                       double *scratch, mb_err *err)
{
    double mean, y;

    MB_TRY(sim_fitted(out, j, &mean, &y, scratch, err));
    *fitted = mean > 0.5;
    *observed = y > 0.5;
    return MB_OK;
}

/* Whether the inputs separate the rows of the levels of a flag or category. */
static mb_status separate(const mb_case *c, sim_answer *out, mb_err *err)
{
    const mb_column_kind kind = c->kind->explains ? c->kind->explains(&c->size) : MB_COLUMN_NUMBER;
    int                  wrong = 0, differ = 0;
    int32_t              fitted, observed, first = 0;
    double              *scratch;

    if (kind != MB_COLUMN_FLAG && kind != MB_COLUMN_CATEGORY)
        return MB_OK;
    MB_NEW(scratch, out->of->session.own, sim_fitted_scratch(out), err);
    for (int64_t j = 0; j < c->table.rows.n && !wrong; j++) {
        MB_TRY((kind == MB_COLUMN_FLAG ? truth : level)(out, j, &fitted, &observed, scratch, err));
        wrong = fitted != observed;
        first = j ? first : observed;
        differ |= observed != first;
    }
    out->apart = !wrong && differ;
    return MB_OK;
}

static mb_status find(const sim *s, const sim_result *r, sim_answer *out, mb_err *err)
{
    const mb_kind    *kind = s->asked.kind;
    const sim_result *of = surest(s, r);
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
    if (s->rows.data.label && kind->latent && predicts(of->session.c, MB_WANT_LABEL))
        MB_TRY(classes(s, out, err));
    if (!kind->target)
        return MB_OK;
    out->sd = of->session.c->seen.sd;
    if (predicts(of->session.c, MB_WANT_MEAN_VAR))
        MB_TRY(regression(out, err));
    return separate(of->session.c, out, err);
}

mb_status sim_answer_find(sim *s, const sim_result *r, const sim_answer **out, mb_err *err)
{
    sim_answer *found;

    if (!s->answer) {
        MB_NEW(found, s->a, 1, err);
        MB_TRY(find(s, r, found, err));
        s->answer = found;
        if (found->apart && mb_kind_levels(s->asked.kind, &found->posterior.size))
            sim_warn(s,
                     "the inputs separate the categories of \"%s\": how large the coefficients are "
                     "comes from the prior (--prior.lambda0)",
                     found->posterior.target[0]);
        else if (found->apart)
            sim_warn(s,
                     "the inputs separate the rows where \"%s\" is 0 from those where it is 1: how "
                     "large the coefficients are comes from the prior (--prior.lambda0)",
                     found->posterior.target[0]);
    }
    *out = s->answer;
    return MB_OK;
}
