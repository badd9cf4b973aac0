/* case.c - rows in common units at their nodes, the model and its prior. */
#include "fit/case.h"
#include "base/far.h"
#include "base/rows.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "model/kind.h"
#include "model/model.h"
#include "network/network.h"
#include "posterior/posterior.h"
#include "start/start.h"
#include "start/tree.h"

#include "fit/fit.h"
#include "start/moments.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

void mb_case_rest_(const mb_case *c)
{
    if (c->table.rest)
        c->table.rest(c->table.rest_self);
}

/* Rows first .. first + n - 1 of the table with their groups, none of which they cut. */
static mb_status node_rows(mb_arena *a, const mb_rows *all, int64_t first, int64_t n, mb_rows *out,
                           mb_err *err)
{
    int64_t *own;
    int32_t  g = 0, beyond = all->ngroup;

    *out = mb_rows_part(all, first, n);
    if (!all->first)
        return MB_OK;
    while (g < beyond) { /* the first group at or after row `first` */
        const int32_t middle = g + (beyond - g) / 2;

        if (all->first[middle] < first)
            g = middle + 1;
        else
            beyond = middle;
    }
    while (g + out->ngroup < all->ngroup && all->first[g + out->ngroup] < first + n)
        out->ngroup++;
    MB_NEW(own, a, (size_t)out->ngroup + 1, err);
    for (int32_t i = 0; i <= out->ngroup; i++)
        own[i] = all->first[g + i] - first;
    own[0] = 0;
    own[out->ngroup] = n;
    out->first = own;
    return MB_OK;
}

static mb_status data_views(mb_arena *a, mb_case *c, mb_err *err)
{
    const mb_part *part = &c->place->part;

    MB_NEW(c->data, a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t first = c->table.first[part->gid[i]];

        MB_TRY(node_rows(a, &c->table.rows, first, c->table.first[part->gid[i] + 1] - first,
                         &c->data[i], err));
        mb_share_as_(&c->table.rows, &c->data[i]);
        c->data[i].sums = part->n_global == 1 ? c->table.rows.sums : NULL;
    }
    return MB_OK;
}

/* The ends (2 D) as mb_ranges_ takes them. MB_E_ARG for a row outside, whose value is not said. */
static mb_status stated(mb_arena *scratch_arena, const mb_case *c, double *ends, mb_err *err)
{
    const mb_bounds *b = c->bounds;
    const int32_t    D = c->table.rows.d;
    double          *room;

    if (b->d != D)
        MB_FAIL(err, MB_E_SHAPE, "bounds: got %d columns; expected %d", b->d, D);
    MB_NEW(room, scratch_arena, D, err);
    for (int32_t d = 0; d < D; d++) {
        ends[d] = -b->low[d];
        ends[D + d] = b->high[d];
    }
    for (int64_t j = 0; j < c->table.rows.n; j++) {
        const double *row = mb_rows_fetch(&c->table.rows, j, room);

        for (int32_t d = 0; d < D; d++) {
            const double x = mb_rows_in(row, &c->table.rows, j, d);

            if (!(x >= b->low[d] && x <= b->high[d]) && !(c->table.rows.gaps && isnan(x)))
                MB_FAIL(err, MB_E_ARG, "column \"%s\" has values outside of its stated bounds",
                        c->table.column ? c->table.column[d] : "");
        }
    }
    return MB_OK;
}

/* Moments of these rows, in units of the bounds where there are some. */
static mb_status moments(mb_arena *a, mb_arena *scratch_arena, mb_case *c, const mb_rows *rows,
                         int32_t with_cov, mb_err *err)
{
    const int32_t D = c->table.rows.d;
    double       *ends = NULL;

    if (c->bounds) {
        MB_NEW(ends, scratch_arena, 2 * (size_t)D, err);
        MB_TRY(stated(scratch_arena, c, ends, err));
    }
    MB_TRY(mb_agree_moments(a, scratch_arena, &c->place->tp, &c->tree, rows, D, with_cov,
                            c->table.rows.gaps, ends, &c->seen, &c->sent, err));
    return c->bounds ? mb_check_widths_(c->bounds, &c->seen, c->table.name, c->table.column, err)
                     : MB_OK;
}

/* Limits of the rows, and the moments of those that are not far. */
static mb_status without_far(mb_arena *a, mb_arena *scratch_arena, mb_case *c, int32_t with_cov,
                             double trim, mb_err *err)
{
    mb_transport *tp = &c->place->tp;
    mb_rows      *near;

    MB_TRY(mb_agree_limits(a, scratch_arena, tp, &c->tree, c->data, &c->seen, trim, c->size.K,
                           &c->limits, &c->sent, err));
    if (!c->limits.d)
        return MB_OK;
    MB_NEW(near, scratch_arena, c->place->part.n_local, err);
    for (int32_t i = 0; i < c->place->part.n_local; i++)
        MB_TRY(mb_limits_rows(scratch_arena, &c->limits, &c->data[i], &near[i], err));
    return moments(a, scratch_arena, c, near, with_cov, err);
}

/* Within stated bounds the sums of the start are those of integers, as the passes of SUM have them.
 * Masks are of an epoch that no attempt has. */
static mb_status exact_sums(mb_arena *a, mb_case *c, const mb_case_opt *how, mb_err *err)
{
    enum { FEWEST = 3 };
    const mb_part *part = &c->place->part;
    mb_masks      *masks = NULL;

    if (!c->bounds || part->n_global == 1)
        return MB_OK;
    if (how->masked && part->n_global >= FEWEST) {
        MB_TRY(mb_masks_simulated_(a, part, how->mask_seed, MB_MASKS_FEW_, &masks, err));
        masks->epoch = UINT64_MAX;
    }
    MB_NEW(c->tree.exact, a, 1, err);
    c->tree.exact->masks = masks;
    return MB_OK;
}

/* Rows may be missing altogether where the units are given. trim: mb_kind::trims. */
static mb_status over_network(mb_arena *a, mb_arena *scratch_arena, mb_case *c, int32_t with_cov,
                              const mb_case_opt *how, double trim, mb_err *err)
{
    mb_transport *tp = &c->place->tp;
    const int     given = how->given != NULL;

    MB_TRY(mb_agree_tree(a, scratch_arena, tp, &c->tree, &c->sent, err));
    c->place->part.tree = c->tree.link;
    MB_TRY(exact_sums(a, c, how, err));
    if (given && !c->table.rows.n)
        return mb_moments_new_(a, c->table.rows.d, with_cov, 0, &c->seen, err);
    MB_TRY(moments(a, scratch_arena, c, c->data, with_cov, err));
    return given || !MB_FAR_(trim > 0) ? MB_OK
                                       : without_far(a, scratch_arena, c, with_cov, trim, err);
}

/* A code that is none, a count below 0, a target that the model does not explain. */
static mb_status check_kinds(const mb_case *c, mb_err *err)
{
    const mb_columns *k = c->size.columns;
    const int32_t     d0 = k ? 0 : c->table.rows.d - mb_kind_targets(c->kind, &c->size);

    if (k && k->d != c->table.rows.d)
        MB_FAIL(err, MB_E_SHAPE, "%s: got the kinds of %d columns; expected %d",
                c->table.name ? c->table.name : "rows", k->d, c->table.rows.d);
    if (!k && !c->kind->target_kind)
        return MB_OK;
    for (int64_t j = 0; j < c->table.rows.n; j++)
        for (int32_t d = d0; d < c->table.rows.d; d++) {
            const char *expected =
                mb_kind_refuses(c->kind, &c->size, d, mb_rows_at(&c->table.rows, j, d));

            if (expected)
                return mb_refuse_cell_(&c->table, j, d, expected, err);
        }
    return MB_OK;
}

/* Without a common origin, beta m m' of columns far from 0 leaves no digits for differences. */
static mb_status agree(mb_arena *a, mb_case *c, const void *kind_opt, const mb_case_opt *how,
                       mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the common units");
    st = over_network(a, scratch_arena, c,
                      !how->prior && !how->given && c->kind->needs_covariance &&
                          c->kind->needs_covariance(kind_opt),
                      how, c->kind->trims ? c->kind->trims(kind_opt) : 0, err);
    mb_arena_free(scratch_arena);
    MB_TRY(mb_refuse_not_finite_(&c->table, st, err));
    if (how->given) {
        c->run = *how->given->run;
        c->run.constant = c->seen.constant; /* of the rows that are here */
        c->agreed = c->run;
        return MB_OK;
    }
    if (how->update)
        MB_TRY(mb_earlier_agreed_(a, how->prior, c, err));
    else
        MB_TRY(mb_units_agreed_(a, &c->seen, c->kind, &c->size, c->table.name, c->table.column,
                                &c->agreed, err));
    return mb_units_run_(a, c->kind, &c->size, &c->agreed, how->raw, &c->run, err);
}

static double in_run_units(const mb_case *c, int64_t j, int32_t d)
{
    return (mb_rows_at(&c->table.rows, j, d) - c->run.origin[d]) / c->run.scale[d];
}

void mb_case_row(const mb_case *c, int64_t j, double *z)
{
    for (int32_t d = 0; d < c->run.d; d++)
        z[d] = in_run_units(c, j, d);
}

mb_status mb_case_predict(const mb_case *c, const double *phi, const int64_t *j, int64_t n,
                          mb_want want, double *out, double *scratch, mb_err *err)
{
    const size_t  d = (size_t)c->run.d;
    const mb_rows rows = {.x = scratch, .n = n, .d = c->run.d, .ld = d, .gaps = c->table.rows.gaps};

    for (int64_t k = 0; k < n; k++)
        mb_case_row(c, j[k], scratch + (size_t)k * d);
    return c->model.ops->predict(&c->model, phi, &rows, want, out, scratch + MB_TOGETHER * d, err);
}

/* Numbers of rows that are copied in run units. More are converted whenever they are read: a copy
 * would be the larger part of what a fit takes. The bits are the same. */
enum { COPIED = 1 << 18 };

/* Where the next row in run units is stored, as doubles or as floats, the others being NULL; or the
 * table's rows in run units, converted when they are read. */
typedef struct room {
    double *x;
    float  *x32;
    mb_rows all;
} room;

static mb_status room_new(mb_arena *a, const mb_case *c, int64_t n, mb_precision precision,
                          room *out, mb_err *err)
{
    *out = (room){.x = NULL};
    if (precision == MB_FLOAT32)
        MB_NEW(out->x32, a, n * c->run.d, err);
    else if (MB_STORED_(n > COPIED / c->run.d))
        return mb_rows_in_units(a, &c->table.rows, c->run.origin, c->run.scale, &out->all, err);
    else
        MB_NEW(out->x, a, n * c->run.d, err);
    return MB_OK;
}

/* Rows first .. first + n - 1 of the table. */
static mb_rows fill(const mb_case *c, int64_t first, int64_t n, room *to)
{
    mb_rows rows = mb_rows_part(to->all.stored ? &to->all : &c->table.rows, first, n);

    if (to->all.stored)
        return rows;
    rows.x = to->x;
    rows.x32 = to->x32;
    rows.ld = (size_t)c->run.d;
    rows.stored = NULL;
    rows.skip = 0;
    for (int64_t j = first; j < first + n; j++)
        for (int32_t d = 0; d < c->run.d; d++)
            if (to->x32)
                *to->x32++ = (float)in_run_units(c, j, d);
            else
                *to->x++ = in_run_units(c, j, d);
    return rows;
}

static mb_status run_rows(mb_arena *a, mb_case *c, mb_precision precision, mb_err *err)
{
    const mb_part *part = &c->place->part;
    int64_t        n = 0;
    room           to;

    for (int32_t i = 0; i < part->n_local; i++)
        n += c->data[i].n;
    MB_TRY(room_new(a, c, n, precision, &to, err));
    MB_NEW(c->rows, a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        c->rows[i] = fill(c, c->table.first[part->gid[i]], c->data[i].n, &to);
        c->rows[i].first = c->data[i].first;
        c->rows[i].ngroup = c->data[i].ngroup;
        mb_share_as_(&c->data[i], &c->rows[i]);
    }
    mb_case_rest_(c);
    c->weight_total = mb_rows_weight(&c->table.rows);
    c->gaps.jacobian = mb_gaps_jacobian(&c->table.rows, c->run.scale);
    return MB_OK;
}

/* The constants that were agreed before. */
static mb_status take_given(mb_arena *a, mb_case *c, const mb_case_given *given, mb_err *err)
{
    c->model = *given->model;
    MB_NEW(c->prior_par, a, c->model.layout.len, err);
    memcpy(c->prior_par, given->prior_par, c->model.layout.len * sizeof *c->prior_par);
    return MB_OK;
}

/* The model with its prior: one that is given, a former answer's, the kind's, or the model's own
 * default. */
static mb_status make_model(mb_arena *a, mb_case *c, const void *kind_opt, const mb_case_opt *how,
                            mb_err *err)
{
    mb_prior made = {.par = NULL};

    if (how->given)
        return take_given(a, c, how->given, err);
    if (how->prior)
        return mb_earlier_prior_(a, how, c, err);
    c->seen.kinds = c->size.columns;
    if (c->kind->prior)
        MB_TRY(c->kind->prior(a, kind_opt, &c->run, &c->seen, &made, err));
    else
        MB_TRY(mb_kind_model(a, c->kind, &c->size, &made.model, err));
    c->model = made.model;
    c->prior_par = made.par;
    c->warning = made.warning;
    return made.par ? MB_OK : mb_case_textbook(c, a, c->model.prior, &c->prior_par, err);
}

mb_status mb_case_warn_(mb_arena *a, mb_case *c, const char *text, mb_err *err)
{
    if (text)
        c->warning = c->warning ? mb_text(a, err, "%s; %s", c->warning, text) : text;
    return text && !c->warning ? MB_E_NOMEM : MB_OK;
}

mb_status mb_case_make(mb_arena *a, mb_local_part *place, const mb_table *table,
                       const mb_kind *kind, const void *kind_opt, const mb_case_opt *opt,
                       mb_case *c, mb_err *err)
{
    const mb_case_opt how = opt ? *opt : (mb_case_opt){0};
    mb_table          rows = *table;
    const char       *warning, *vocabulary;
    void             *own;

    *c = (mb_case){.place = place, .kind = kind, .raw = how.raw, .bounds = how.bounds};
    if (!kind_opt) {
        MB_TRY(mb_options_new_(a, kind->name, kind->opts, kind->opt_size, &own, err));
        kind_opt = own;
    }
    if (how.raw && how.precision == MB_FLOAT32)
        MB_FAIL(err, MB_E_ARG,
                "--precision: float32 holds columns at the common origin and scale only; expected "
                "float64 with --standardize off");
    MB_TRY(mb_table_sequences_(a, kind, rows.N ? rows.N : place->net->n, &rows, &warning, err));
    MB_TRY(
        mb_table_form(a, kind, how.given || how.prior ? NULL : kind_opt, &rows, &vocabulary, err));
    MB_TRY(mb_table_arrange(a, &rows, place->net, kind, kind_opt, &c->table, err));
    MB_TRY(mb_case_gaps_(a, c, err));
    mb_kind_sizes(kind, kind_opt, c->table.rows.d, c->table.kinds, &c->size);
    if (c->table.rows.first && !mb_kind_grouped(kind, &c->size))
        MB_FAIL(err, MB_E_NOSUP, "%s: got rows in groups; expected a model whose unit is the group",
                c->table.name ? c->table.name : "rows");
    MB_TRY(mb_case_levels_(a, c, err));
    MB_TRY(check_kinds(c, err));
    MB_TRY(data_views(a, c, err));
    MB_TRY(agree(a, c, kind_opt, &how, err));
    MB_TRY(run_rows(a, c, how.precision, err));
    MB_TRY(make_model(a, c, kind_opt, &how, err));
    c->model.scratch = mb_group_scratch_(&c->model, mb_rows_longest(&c->table.rows));
    MB_TRY(mb_case_warn_(a, c, warning, err));
    MB_TRY(mb_case_warn_(a, c, vocabulary, err));
    MB_TRY(mb_case_varying_(a, c, &warning, err));
    return mb_case_warn_(a, c, warning, err);
}

mb_status mb_options_new_(mb_arena *a, const char *name, const mb_opt *table, size_t size,
                          void **out, mb_err *err)
{
    *out = mb_alloc(a, 1, size ? size : 1);
    if (!*out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", name);
    return table ? mb_opt_defaults(table, *out, err) : MB_OK;
}

/* 1: every process has a share of the rows of all nodes, by their number, whatever nodes it has. */
static int is_shared(const mb_case *nodes)
{
    const mb_comm *comm = nodes->place->comm;
    const mb_rows *rows = &nodes->table.rows;

    return MB_SHARE_(comm && comm->size > 1) && rows->n > MB_SHARE_LEAST && !rows->w &&
           !rows->first && !rows->gaps;
}

/* The rows of all nodes at one. */
static mb_status gather_rows(mb_arena *a, const mb_case *nodes, mb_case *out, mb_err *err)
{
    const mb_part *part = &nodes->place->part;
    const int      narrow = part->n_local && nodes->rows[0].x32;
    mb_rows        all = nodes->table.rows;
    room           to;

    if (is_shared(nodes))
        MB_TRY(mb_rows_share_(a, nodes->place->comm, &all, err));
    out->data[0] = all;
    if (part->n_local < part->n_global) {
        MB_TRY(room_new(a, nodes, all.n, narrow ? MB_FLOAT32 : MB_FLOAT64, &to, err));
        out->rows[0] = fill(nodes, all.before, all.n, &to);
        mb_share_as_(&all, &out->rows[0]);
    } else { /* all rows of one process are contiguous */
        out->rows[0] = nodes->rows[0];
        out->rows[0].n = all.n;
    }
    out->rows[0].first = all.first;
    out->rows[0].ngroup = all.ngroup;
    return MB_OK;
}

mb_status mb_case_central(mb_arena *a, const mb_case *nodes, mb_pool *pool, int32_t threads,
                          mb_case *out, mb_err *err)
{
    mb_local_part *one;

    *out = *nodes;
    out->nodes = nodes;
    out->tree = (mb_tree){0};
    out->sent = (mb_traffic){0, 0};
    MB_NEW(one, a, 1, err);
    MB_NEW(out->rows, a, 1, err);
    MB_NEW(out->data, a, 1, err);
    MB_TRY(mb_place_one(a, one, err));
    one->tp.cancel = nodes->place->tp.cancel;
    out->place = one;
    MB_TRY(gather_rows(a, nodes, out, err));
    return mb_model_parallel(a, &nodes->model, pool, threads, &out->model, err);
}

mb_status mb_case_textbook(const mb_case *c, mb_arena *a, const double *phi, double **par,
                           mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    double          *scratch;

    MB_NEW(*par, a, l->len, err);
    MB_NEW(scratch, a, l->scratch + mb_canonical_len_(&c->model), err);
    MB_TRY(
        mb_to_par(l, mb_canonical_of_(&c->model, phi, scratch + l->scratch), *par, scratch, err));
    mb_move_par(l, c->run.origin, c->run.scale, *par);
    return MB_OK;
}

/* Components of the prior may differ (mb_case_opt.prior): they go with those of the posterior. */
mb_status mb_case_posterior(mb_arena *a, const mb_case *c, const double *phi, const int32_t *order,
                            mb_posterior *out, mb_err *err)
{
    double  *sorted;
    int32_t *own;

    MB_TRY(mb_posterior_of(a, c->kind, &c->size, &c->model, &c->run, phi, order, out, err));
    if (!order) {
        double *par;

        MB_TRY(mb_case_textbook(c, a, phi, &par, err));
        MB_NEW(own, a, c->size.K, err);
        MB_TRY(mb_posterior_order(a, c->kind, &c->size, par, own, err));
        order = own;
    }
    MB_NEW(sorted, a, c->model.layout.len, err);
    mb_permute(&c->model.layout, c->size.K, order, c->prior_par, sorted);
    out->column = c->table.column;
    out->target = c->kind->targets ? c->table.column + c->size.D : NULL;
    out->prior_par = sorted;
    out->design = c->table.design;
    return MB_OK;
}
