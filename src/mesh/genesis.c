/* genesis.c - the genesis of a case or of a sample, and how two of them compare. */
#include "mesh/genesis.h"
#include "base/columns.h"
#include "base/far.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "start/lines.h"
#include "start/moments.h"
#include "start/one_node.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

/* ---- made ---- */

static mb_status copied(mb_arena *a, const double *from, size_t n, double **out, mb_err *err)
{
    MB_NEW(*out, a, n + 1, err);
    if (n)
        memcpy(*out, from, n * sizeof **out);
    return MB_OK;
}

/* MB_E_NOSUP, MB_E_ARG unless c can have a block. */
static mb_status check_case(const mb_case *c, const double *centres, mb_err *err)
{
    if (c->raw)
        MB_FAIL(err, MB_E_NOSUP,
                "genesis: got rows in the columns' own scale; expected common units "
                "(--standardize on)");
    if (mb_kind_has_components(c->kind) && !centres)
        MB_FAIL(err, MB_E_ARG, "genesis: got no centres; expected %zu numbers",
                mb_centres_len(&c->size, c->run.d));
    return MB_OK;
}

/* The start block: that of the kind and, where it trims, the limits; those of none are all 0. */
static mb_status start_of(mb_arena *a, const mb_case *c, const double *centres, mb_genesis *g,
                          mb_err *err)
{
    const size_t bytes = (size_t)c->limits.d * sizeof(double);
    double      *start;
    mb_limits    to;

    MB_NEW(start, a, g->start_len + 1, err);
    if (mb_kind_has_components(c->kind))
        memcpy(start, centres, mb_centres_len(&c->size, c->run.d) * sizeof *start);
    g->start = start;
    mb_genesis_limits_(g, &to);
    if (to.d && bytes) {
        memcpy(to.middle, c->limits.middle, bytes);
        memcpy(to.reach, c->limits.reach, bytes);
    }
    return MB_OK;
}

mb_status mb_genesis_of_case(mb_arena *a, const mb_case *c, const double *centres, mb_genesis *out,
                             mb_err *err)
{
    const size_t d = (size_t)c->run.d;
    double      *prior, *par;

    MB_TRY(check_case(c, centres, err));
    *out = (mb_genesis){.kind = c->kind,
                        .size = c->size,
                        .columns = c->run.d,
                        .column = c->table.column,
                        .run = {.d = c->run.d, .log_jacobian = c->run.log_jacobian},
                        .len = c->model.layout.len,
                        .start_len = mb_genesis_start_len_(c->kind, &c->size)};
    MB_TRY(copied(a, c->run.origin, d, &out->run.origin, err));
    MB_TRY(copied(a, c->run.scale, d, &out->run.scale, err));
    MB_TRY(copied(a, c->model.prior, out->len, &prior, err));
    MB_TRY(copied(a, c->prior_par, out->len, &par, err));
    MB_TRY(start_of(a, c, centres, out, err));
    out->prior = prior;
    out->prior_par = par;
    out->hash = mb_genesis_hash_(out);
    return MB_OK;
}

/* The moments of the rows that are not far into c->seen; the weights of *rows become theirs. */
static mb_status without_far(mb_arena *scratch_arena, const mb_plan *plan, mb_case *c,
                             mb_rows *rows, mb_err *err)
{
    const double  trim = plan->kind->trims ? plan->kind->trims(plan->kind_opt) : 0;
    mb_one_node_ *net;

    if (!MB_FAR_(trim > 0))
        return MB_OK;
    MB_NEW(net, scratch_arena, 1, err);
    MB_TRY(mb_one_node_make_(scratch_arena, net, err));
    MB_TRY(mb_agree_limits(scratch_arena, scratch_arena, &net->tp, &net->tree, rows, &c->seen, trim,
                           c->size.K, &c->limits, &net->sent, err));
    if (!c->limits.d)
        return MB_OK;
    MB_TRY(mb_limits_rows(scratch_arena, &c->limits, rows, rows, err));
    return mb_moments_of_(scratch_arena, scratch_arena, rows, mb_plan_needs_covariance_(plan),
                          &c->seen, err);
}

/* c->seen: of the network (seen, without rows beyond the limits) or of the sample, which is of about `rows` rows. */
static mb_status see(mb_arena *scratch_arena, const mb_plan *plan, const mb_row_moments *seen,
                     const mb_limits *limits, mb_rows *sample, double rows, mb_case *c, mb_err *err)
{
    *c = (mb_case){.kind = plan->kind, .table = {.column = plan->column}};
    mb_plan_sizes(plan, &c->size);
    if (seen) {
        c->seen = *seen;
        if (MB_FAR_(limits != NULL))
            c->limits = *limits;
        return MB_OK;
    }
    MB_TRY(mb_moments_of_(scratch_arena, scratch_arena, sample, mb_plan_needs_covariance_(plan),
                          &c->seen, err));
    MB_TRY(without_far(scratch_arena, plan, c, sample, err));
    c->seen.sample_of = rows;
    return MB_OK;
}

/* The case of these moments as far as the block needs it: units, model and prior, as mb_case_make
 * makes them of all rows. */
static mb_status case_of(mb_arena *scratch_arena, const mb_plan *plan, mb_case *c, mb_err *err)
{
    const mb_kind *kind = plan->kind;
    mb_prior       made = {.par = NULL};

    c->seen.kinds = c->size.columns;
    MB_TRY(mb_units_agreed_(scratch_arena, &c->seen, kind, &c->size, "sample", plan->column,
                            &c->agreed, err));
    MB_TRY(mb_units_run_(scratch_arena, kind, &c->size, &c->agreed, 0, &c->run, err));
    if (kind->prior)
        MB_TRY(kind->prior(scratch_arena, plan->kind_opt, &c->run, &c->seen, &made, err));
    else
        MB_TRY(mb_kind_model(scratch_arena, kind, &c->size, &made.model, err));
    c->model = made.model;
    c->prior_par = made.par;
    return made.par ? MB_OK
                    : mb_case_textbook(c, scratch_arena, c->model.prior, &c->prior_par, err);
}

mb_status mb_genesis_drawn_(mb_arena *a, mb_arena *scratch_arena, const mb_plan *plan,
                            const mb_row_moments *seen, const mb_limits *limits,
                            const mb_rows *sample, double rows, mb_genesis *out, mb_err *err)
{
    const mb_kind *kind = plan->kind;
    mb_rows        near = *sample;
    mb_case        c;
    double        *start = NULL;
    int            lines = 0;

    if (sample->d != plan->columns)
        MB_FAIL(err, MB_E_SHAPE, "sample: got %d columns; expected %d", sample->d, plan->columns);
    MB_TRY(see(scratch_arena, plan, seen, limits, &near, rows, &c, err));
    MB_TRY(case_of(scratch_arena, plan, &c, err));
    if (mb_kind_has_components(kind)) {
        MB_NEW(start, scratch_arena, mb_centres_len(&c.size, c.run.d), err);
        MB_TRY(mb_centres_from(scratch_arena, scratch_arena, &c.size, &c.run, &near, plan->seed,
                               start, err));
    }
    if (mb_genesis_may_have_lines_(kind))
        MB_TRY(
            mb_lines_start_(scratch_arena, &c.size, &c.run, &near, plan->seed, start, &lines, err));
    MB_TRY(mb_genesis_of_case(a, &c, start, out, err));
    if (lines)
        mb_genesis_of_lines_(out);
    return MB_OK;
}

mb_status mb_genesis_of_moments_(mb_arena *a, const mb_plan *plan, const mb_row_moments *seen,
                                 const double *centres, mb_genesis *out, mb_err *err)
{
    mb_case c;

    MB_TRY(see(a, plan, seen, NULL, NULL, 0, &c, err));
    MB_TRY(case_of(a, plan, &c, err));
    return mb_genesis_of_case(a, &c, centres, out, err);
}

mb_status mb_genesis_of_sample(mb_arena *a, mb_arena *scratch_arena, const mb_plan *plan,
                               const mb_rows *sample, mb_genesis *out, mb_err *err)
{
    return mb_genesis_drawn_(a, scratch_arena, plan, NULL, NULL, sample, 0, out, err);
}

mb_status mb_genesis_bears_masks_(mb_genesis_from from, int32_t masked, mb_err *err)
{
    if (masked && (from == MB_GENESIS_SAMPLE || from == MB_GENESIS_SUMS))
        MB_FAIL(
            err, MB_E_NOSUP,
            "mask: a genesis from %s shows rows to all nodes, which masks do not hide; expected a "
            "genesis file, with a block or with bounds",
            mb_genesis_from_text_(from));
    return MB_OK;
}

int mb_plan_needs_covariance_(const mb_plan *plan)
{
    return plan->kind->needs_covariance && plan->kind->needs_covariance(plan->kind_opt);
}

/* ---- compared ---- */

static mb_status same_count(const char *what, int64_t mine, int64_t theirs, mb_err *err)
{
    if (mine != theirs)
        MB_FAIL(err, MB_E_ARG, "%s is %lld here and %lld there", what, (long long)mine,
                (long long)theirs);
    return MB_OK;
}

/* Bits are compared: a rounding is another block. */
static mb_status same_numbers(const char *what, size_t n, const double *mine, const double *theirs,
                              mb_err *err)
{
    for (size_t l = 0; l < n; l++)
        if (memcmp(&mine[l], &theirs[l], sizeof *mine) != 0)
            MB_FAIL(err, MB_E_ARG, "%s differs: number %zu is %.17g here and %.17g there", what, l,
                    mine[l], theirs[l]);
    return MB_OK;
}

static mb_status same_columns(const mb_genesis *mine, const mb_genesis *theirs, mb_err *err)
{
    for (int32_t d = 0; d < mine->columns; d++)
        if (strcmp(mine->column[d], theirs->column[d]) != 0)
            MB_FAIL(err, MB_E_ARG, "column %d is \"%.60s\" here and \"%.60s\" there", d + 1,
                    mine->column[d], theirs->column[d]);
    return MB_OK;
}

mb_status mb_genesis_same(const mb_genesis *mine, const mb_genesis *theirs, mb_err *err)
{
    const mb_sizes *s = &mine->size, *t = &theirs->size;
    const mb_kind  *kind = mine->kind;
    const size_t    d = (size_t)mine->columns;
    int32_t         c;

    if (strcmp(kind->name, theirs->kind->name) != 0)
        MB_FAIL(err, MB_E_ARG, "the model is %s here and %s there", kind->name, theirs->kind->name);
    c = mb_kind_differs(kind, s, t);
    if (c >= 0)
        MB_FAIL(err, MB_E_ARG, "%s is %s here and %s there", kind->choices[c].name,
                mb_kind_word(kind, s, c), mb_kind_word(kind, t, c));
    MB_TRY(same_count("K", s->K + s->factors, t->K + t->factors, err));
    MB_TRY(same_count("the number of columns", mine->columns, theirs->columns, err));
    MB_TRY(same_count("intercept", s->intercept, t->intercept, err));
    MB_TRY(same_columns(mine, theirs, err));
    if (!mb_columns_same(s->columns, t->columns))
        MB_FAIL(err, MB_E_ARG, "the columns are of other kinds, or have other categories");
    if (!mine->prior || !theirs->prior) /* a plan */
        return MB_OK;
    MB_TRY(same_count("the length of the prior", (int64_t)mine->len, (int64_t)theirs->len, err));
    MB_TRY(same_count("the length of the start block", (int64_t)mine->start_len,
                      (int64_t)theirs->start_len, err));
    MB_TRY(same_numbers("the origin", d, mine->run.origin, theirs->run.origin, err));
    MB_TRY(same_numbers("the scale", d, mine->run.scale, theirs->run.scale, err));
    MB_TRY(same_numbers("the prior", mine->len, mine->prior, theirs->prior, err));
    MB_TRY(
        same_numbers("the prior (data units)", mine->len, mine->prior_par, theirs->prior_par, err));
    MB_TRY(same_numbers("the start block", mine->start_len, mine->start, theirs->start, err));
    MB_TRY(same_count("the maker of the block", mine->maker, theirs->maker, err));
    return same_count("the counter of the block", mine->counter, theirs->counter, err);
}

int mb_genesis_wins(const mb_genesis *a, const mb_genesis *b)
{
    if (a->maker != b->maker)
        return a->maker < b->maker;
    if (a->counter != b->counter)
        return a->counter < b->counter;
    return a->hash < b->hash;
}
