/* seed.c - the first phi* of every node: from responsibilities of centres, random or given, or by a
 * local step from one point. */
#include "base/err.h"
#include "base/far.h"
#include "base/rows.h"
#include "base/text.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"
#include "start/gaussian.h"
#include "start/lines.h"
#include "start/mixed.h"
#include "start/start.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* REST_EVERY: rows of a mapped file that are read before their memory may be released. FEW: rows
 * that are read together. */
enum { REST_EVERY = 1 << 22, FEW = 64 };
/* Elemental fits of initialisations by lines after the first of them, which shall differ. */
enum { OTHERS = 2 };
/* Rows of a node among which centres are drawn and moved: OF_EACH for each of them, FEWEST to MOST,
 * where the node has TIMES as many at least; NUMBERS of the sample at most, but WIDE rows. */
enum {
    OF_EACH = 1 << 12,
    FEWEST = 1 << 17,
    MOST = 1 << 20,
    TIMES = 3,
    NUMBERS = 1 << 23,
    WIDE = 1 << 15
};

/* Where responsibilities come from. */
typedef struct source {
    const mb_case  *nodes; /* the case whose nodes hold the rows */
    const mb_start *start;
    const double   *centres; /* K x D, data units; NULL: not needed */
    int32_t         attempt;
    mb_rows         windows; /* mb_windows_; without x: the rows themselves are seen */
} source;

int32_t mb_start_candidates(mb_init how, int32_t K, int32_t attempt)
{
    if (how != MB_INIT_KMEANS)
        return how != MB_INIT_RANGES;
    return attempt ? 2 : mb_draw_candidates_(K);
}

int mb_start_lines_(const mb_case *c, const mb_start *start, int32_t attempt)
{
    return c->kind->targets && mb_kind_has_components(c->kind) && start->how == MB_INIT_KMEANS &&
           attempt % 2;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t mb_start_rows(int64_t n, int32_t d, int32_t K)
{
    const int64_t sample = larger(FEWEST, smaller(MOST, (int64_t)OF_EACH * K));

    return n < TIMES * sample ? n : smaller(sample, larger(WIDE, NUMBERS / d));
}

/* Of n rows some have a weight. */
static int64_t choosable(const double *w, int64_t n)
{
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++)
        count += w[j] > 0;
    return count;
}

/* Of many rows some, copied, each with the weight of those for which it stands; all, where half of
 * the sample would have no weight. */
static mb_status thin(mb_arena *a, const mb_case *c, const mb_rows *rows, mb_rng *rng, mb_rows *out,
                      mb_err *err)
{
    const int64_t all = rows->n + rows->remote_rows, n = mb_start_rows(all, rows->d, c->model.K);
    mb_rows       some;
    double       *w;

    *out = *rows;
    if (n == all)
        return MB_OK;
    MB_TRY(mb_sample_(a, c, rows, n, rng, &some, err));
    MB_NEW(w, a, n, err);
    for (int64_t j = 0; j < n; j++)
        w[j] = (double)(mb_sample_first_(j + 1, n, all) - mb_sample_first_(j, n, all)) *
               (some.w ? some.w[j] : 1);
    some.w = w;
    if (2 * choosable(w, n) > n)
        *out = some;
    return MB_OK;
}

/* The best of some draws from moments alone, each moved by sums: no row is shown. */
static mb_status of_ranges(const mb_case *c, const mb_start *start, int32_t attempt,
                           const mb_rows *rows, mb_arena *scratch_arena, mb_centres *to,
                           mb_traffic *sent, mb_err *err)
{
    const size_t D = (size_t)c->run.d, K = (size_t)c->size.K;
    double      *centres, *root = NULL, *normal, best = -1, between = 0;

    if (c->size.columns)
        MB_FAIL(err, MB_E_NOSUP,
                "initialisation: ranges draws centres of columns of numbers; expected kmeans for "
                "this model");
    MB_NEW(centres, scratch_arena, K * D, err);
    MB_NEW(normal, scratch_arena, D, err);
    if (c->seen.cov) {
        MB_NEW(root, scratch_arena, D * D, err);
        root = mb_gaussian_root_(&c->seen, root) ? root : NULL;
    }
    for (int32_t k = 0; k < MB_GAUSSIAN_DRAWS_; k++) {
        mb_gaussian_centres_(&c->seen, root, c->bounds, start->seed,
                             (uint64_t)attempt * MB_GAUSSIAN_DRAWS_ + (uint64_t)k, c->size.K,
                             normal, centres);
        MB_TRY(mb_lloyd_sums(scratch_arena, &c->place->tp, &c->tree, rows, c->agreed.origin,
                             c->agreed.scale, c->size.K, c->run.d, start->pool, MB_GAUSSIAN_STEPS_,
                             centres, &between, sent, err));
        if (between > best)
            memcpy(to->centres, centres, K * D * sizeof *centres);
        best = fmax(best, between);
    }
    to->repeated = 0;
    to->steps = MB_GAUSSIAN_STEPS_;
    return MB_OK;
}

/* Rows of all nodes that may be drawn. */
static mb_status drawable(const mb_case *c, const mb_rows *rows, double *count, mb_err *err)
{
    *count = 0;
    for (int32_t i = 0; i < c->place->part.n_local; i++)
        *count += rows[i].w && !rows[i].remote_rows ? (double)choosable(rows[i].w, rows[i].n)
                                                    : (double)(rows[i].n + rows[i].remote_rows);
    return c->place->tp.ops->reduce(&c->place->tp, MB_SUM, count, 1, err);
}

/* Lines through rows that the network agrees on. */
static mb_status of_lines(const mb_case *c, const mb_start *start, int32_t attempt,
                          const mb_rows *rows, mb_arena *scratch_arena, mb_centres *to,
                          mb_traffic *sent, mb_err *err)
{
    mb_rng  rng = mb_rng_at(start->seed, MB_STREAM_START, UINT32_MAX, (uint64_t)attempt);
    mb_rows sample = {.d = c->run.d, .ld = (size_t)c->run.d};
    double *x, count;

    MB_TRY(drawable(c, rows, &count, err));
    sample.n = (int64_t)fmin(count, MB_LINES_ROWS_);
    MB_NEW(x, scratch_arena, (size_t)sample.n * sample.ld, err);
    sample.x = x;
    MB_TRY(mb_draw_centres(scratch_arena, &c->place->tp, &c->tree, rows, c->run.origin,
                           c->run.scale, MB_ANY_ROWS, 1, (int32_t)sample.n, start->seed, attempt, x,
                           &to->repeated, sent, err));
    to->repeated = 0; /* these are rows, of which there may be fewer than were asked for */
    return mb_lines_from_(scratch_arena, c->size.K, c->size.intercept, &c->run, &sample,
                          attempt == 1 ? MB_LINES_TRIES_ : OTHERS, &rng, to->centres, err);
}

mb_status mb_case_centres(const mb_case *c, const mb_start *start, int32_t attempt,
                          mb_arena *scratch_arena, mb_centres *to, mb_traffic *sent, mb_err *err)
{
    const int32_t K = c->model.K;
    mb_transport *tp = &c->place->tp;
    const int     windows = mb_windows_at_(c, start, attempt);
    mb_rows      *rows, all;
    mb_units      u;

    if (windows)
        MB_TRY(mb_windows_(scratch_arena, c, &all, err));
    MB_NEW(rows, scratch_arena, c->place->part.n_local, err);
    for (int32_t i = 0; i < c->place->part.n_local; i++) {
        const int32_t gid = c->place->part.gid[i];
        mb_rng rng = mb_rng_at(start->seed, MB_STREAM_THIN, (uint32_t)gid, (uint64_t)attempt);

        rows[i] = windows ? mb_rows_part(&all, c->table.first[gid], c->data[i].n) : c->data[i];
        MB_TRY(thin(scratch_arena, c, &rows[i], &rng, &rows[i], err));
        MB_TRY(mb_mixed_rows_(scratch_arena, &c->size, &rows[i], &rows[i], err));
        if (MB_FAR_(c->limits.d && !windows))
            MB_TRY(mb_limits_rows(scratch_arena, &c->limits, &rows[i], &rows[i], err));
    }
    if (mb_start_lines_(c, start, attempt))
        return of_lines(c, start, attempt, rows, scratch_arena, to, sent, err);
    if (start->how == MB_INIT_RANGES)
        return of_ranges(c, start, attempt, rows, scratch_arena, to, sent, err);
    MB_TRY(mb_mixed_units_(scratch_arena, &c->size, &c->agreed, &u, err));
    MB_TRY(mb_draw_centres(scratch_arena, tp, &c->tree, rows, u.origin, u.scale,
                           start->how == MB_INIT_FARTHEST           ? MB_FARTHEST
                           : start->how == MB_INIT_RANDOM_FROM_DATA ? MB_ANY_ROWS
                           : MB_FAR_(c->limits.d && !c->nodes)      ? MB_KMEDIANS
                                                                    : MB_KMEANS,
                           mb_start_candidates(start->how, K, attempt), K, start->seed, attempt,
                           to->centres, &to->repeated, sent, err));
    to->repeated &= !windows; /* deviations are alike where rows are not */
    if (start->how != MB_INIT_KMEANS)
        return MB_OK;
    return mb_lloyd(scratch_arena, tp, &c->tree, rows, u.origin, u.scale, K, u.d, start->pool,
                    to->centres, &to->steps, sent, err);
}

size_t mb_case_centres_len(const mb_case *c)
{
    return mb_centres_len(&c->size, c->run.d);
}

/* Collective: centres drawn by the network, unless the last ones are of this attempt. */
static mb_status draw(source *from, mb_arena *keep, mb_err *err)
{
    const mb_case  *c = from->nodes;
    const mb_start *start = from->start;
    mb_centres      own = {0}, *to = start->drawn ? start->drawn : &own;
    mb_traffic      sent = {0};
    mb_arena       *scratch_arena;
    mb_status       st;

    if (!start->drawn)
        MB_NEW(own.centres, keep, mb_case_centres_len(c), err);
    from->centres = to->centres;
    if (to->counted && to->attempt == from->attempt)
        return MB_OK;
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    st = mb_case_centres(c, start, from->attempt, scratch_arena, to, &sent, err);
    mb_arena_free(scratch_arena);
    mb_case_rest_(c);
    MB_TRY(st);
    to->attempt = from->attempt;
    if (from->attempt < to->counted)
        return MB_OK;
    to->counted = from->attempt + 1;
    to->sent.frames += sent.frames;
    to->sent.bytes += sent.bytes;
    return MB_OK;
}

/* The rows whose responsibilities come next: those of one node after the other. */
typedef struct cursor {
    const source *from;
    int32_t       gid;
    int64_t       row;  /* of the table                                        */
    mb_rng        rng;  /* of the node                                         */
    double       *few;  /* FEW x d: rows that are not in memory; NULL: all are */
    double       *one;  /* d: room for a row, where the start has lines        */
    double       *resp; /* of a block of rows; NULL: nothing is latent          */
} cursor;

/* At a row of node gid, which has numbers for all of its rows. */
static void begin_row(cursor *at, int32_t gid, int64_t row)
{
    const source *from = at->from;
    const int64_t before = from->nodes->table.rows.before + row - from->nodes->table.first[gid];

    at->gid = gid;
    at->row = row;
    at->rng = mb_rng_at(from->start->seed, MB_STREAM_START, (uint32_t)gid, (uint64_t)from->attempt);
    mb_rng_skip(&at->rng, 2 * (uint64_t)(before * from->nodes->model.K));
}

static void begin_node(cursor *at, int32_t gid)
{
    begin_row(at, gid, at->from->nodes->table.first[gid]);
}

/* At the first row of central VB in this process. */
static void begin_central(cursor *at, const mb_rows *rows)
{
    const mb_table *table = &at->from->nodes->table;
    const int64_t   row = rows->before - table->rows.before;
    int32_t         gid = 0;

    while (table->first[gid + 1] <= row && rows->n)
        gid++;
    begin_row(at, gid, row);
}

/* Of the nearest centres, for n rows from `first` on. */
static void of_centres(const cursor *at, int64_t first, int64_t n, double *resp)
{
    const mb_case *c = at->from->nodes;
    const int32_t  K = c->model.K;

    for (int64_t j = 0, m; j < n; j += m) {
        mb_rows rows;

        m = at->few && n - j > FEW ? FEW : n - j;
        rows =
            mb_rows_part(at->from->windows.x ? &at->from->windows : &c->table.rows, first + j, m);
        if (at->few) {
            mb_rows_take(&rows, 0, m, at->few);
            rows.x = at->few;
            rows.ld = (size_t)rows.d;
            rows.stored = NULL;
        }
        if (at->one)
            mb_lines_resp_(K, c->size.intercept, &c->run, at->from->centres, &rows, at->one,
                           resp + j * K);
        else
            mb_mixed_nearest_(&c->size, &c->agreed, &rows, K, at->from->centres, resp + j * K);
        if (MB_FAR_(c->limits.d && !at->from->windows.x))
            mb_limits_resp(&c->limits, &rows, K, resp + j * K);
    }
}

/* Those that are given, of the next n rows. */
static void of_given(const cursor *at, int64_t n, double *resp)
{
    const mb_case  *c = at->from->nodes;
    const mb_start *start = at->from->start;
    const int32_t   K = c->model.K;

    for (int64_t j = at->row; j < at->row + n; j++, resp += K) {
        const int64_t row = mb_table_number_(&c->table, j);

        if (start->resp) {
            memcpy(resp, start->resp + row * K, (size_t)K * sizeof *resp);
            continue;
        }
        memset(resp, 0, (size_t)K * sizeof *resp);
        resp[start->label[row]] = 1;
    }
}

/* Of the next n rows, all of the cursor's node. */
static void of_node(cursor *at, int64_t n, double *resp)
{
    const mb_case  *c = at->from->nodes;
    const mb_start *start = at->from->start;
    const int32_t   K = c->model.K;

    if (start->how == MB_INIT_RANDOM)
        mb_random_more(&at->rng, n, K, resp);
    else if (start->how != MB_INIT_RESPONSIBILITIES)
        of_centres(at, at->row, n, resp);
    else
        of_given(at, n, resp);
    at->row += n;
}

static void of_next(cursor *at, int64_t n, double *resp)
{
    const int64_t *first = at->from->nodes->table.first;

    for (int64_t m; n > 0; n -= m, resp += m * at->from->nodes->model.K) {
        while (at->row == first[at->gid + 1])
            begin_node(at, at->gid + 1);
        m = first[at->gid + 1] - at->row < n ? first[at->gid + 1] - at->row : n;
        of_node(at, m, resp);
    }
}

/* mb_given_.next: self is a cursor. */
static const double *next(void *self, int64_t n)
{
    cursor *at = self;

    if (at->resp)
        of_next(at, n, at->resp);
    return at->resp;
}

mb_status mb_case_as_centres(mb_arena *a, const mb_case *c, const double *rows, const double **out,
                             mb_err *err)
{
    const mb_rows given = {.x = rows, .n = c->size.K, .d = c->run.d, .ld = (size_t)c->run.d};
    mb_rows       seen;

    MB_TRY(mb_mixed_rows_(a, &c->size, &given, &seen, err));
    *out = seen.x;
    return MB_OK;
}

/* Labels are components. */
static mb_status check_labels(const mb_case *c, const mb_start *start, mb_err *err)
{
    for (int64_t j = 0; j < c->table.rows.n; j++) {
        const int64_t row = mb_table_number_(&c->table, j);

        if (start->label[row] < 0 || start->label[row] >= c->model.K)
            MB_FAIL_AT(err, "labels", row, -1, MB_E_ARG,
                       "initialisation: row %lld: got component %d; expected 0 to %d",
                       (long long)row + !c->table.from_zero, start->label[row], c->model.K - 1);
    }
    return MB_OK;
}

/* 1: every node begins at the point of the kind (mb_kind::phi0). */
static int has_phi0(const mb_case *c, mb_init how)
{
    return c->kind->phi0 && how != MB_INIT_POSTERIOR &&
           !(mb_kind_has_components(c->kind) &&
             (how == MB_INIT_RANDOM || how == MB_INIT_RESPONSIBILITIES));
}

/* What the initialisation reads before the first row. *point: where all nodes make their first local
 * step; NULL: responsibilities are in its place. */
static mb_status prepare(const mb_case *c, source *from, mb_arena *scratch_arena, double **point,
                         mb_err *err)
{
    const mb_init how = from->start->how;

    if (mb_kind_has_components(c->kind) && how == MB_INIT_RESPONSIBILITIES && !from->start->resp)
        MB_TRY(check_labels(from->nodes, from->start, err));
    if (mb_kind_has_components(c->kind) && (how < MB_INIT_CENTRES && how != MB_INIT_RANDOM))
        MB_TRY(draw(from, scratch_arena, err));
    if (mb_kind_has_components(c->kind) && mb_windows_at_(from->nodes, from->start, from->attempt))
        MB_TRY(mb_windows_(scratch_arena, from->nodes, &from->windows, err));
    if (from->nodes->size.columns && how == MB_INIT_CENTRES)
        MB_TRY(mb_case_as_centres(scratch_arena, from->nodes, from->centres, &from->centres, err));
    if ((mb_kind_has_components(c->kind) || c->kind->phi0) && how == MB_INIT_POSTERIOR)
        MB_TRY(mb_earlier_phi_(scratch_arena, from->start->posterior, c, point, err));
    if (!has_phi0(c, how))
        return MB_OK;
    MB_NEW(*point, scratch_arena, c->model.layout.len, err);
    mb_phi0_(c->kind, &c->model, &c->run, from->centres, from->start->seed, from->attempt, *point);
    return MB_OK;
}

static mb_status seed(const mb_case *c, source *from, mb_arena *scratch_arena, double *phi_star,
                      size_t ld, mb_err *err)
{
    const mb_part *part = &c->place->part;
    const mb_rows *table = &from->nodes->table.rows;
    int64_t        seen = 0;
    double        *scratch, *point = NULL;
    cursor         at = {.from = from};
    mb_given_      given = {.block = 1, .next = next, .self = &at};

    MB_TRY(prepare(c, from, scratch_arena, &point, err));
    for (int32_t i = 0; i < part->n_local; i++)
        given.block = larger(given.block, mb_seed_block_(c, &c->rows[i]));
    MB_NEW(scratch, scratch_arena, mb_local_scratch(&c->model), err);
    if (mb_kind_has_components(c->kind) && !point)
        MB_NEW(at.resp, scratch_arena, (size_t)(given.block * c->model.K), err);
    if (mb_start_lines_(from->nodes, from->start, from->attempt))
        MB_NEW(at.one, scratch_arena, table->d, err);
    if (table->stored)
        MB_NEW(at.few, scratch_arena, FEW * table->d, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        double *to = phi_star + (size_t)i * ld;

        given.block = mb_seed_block_(c, &c->rows[i]);
        if (c->nodes)
            begin_central(&at, &c->rows[i]);
        else
            begin_node(&at, part->gid[i]);
        MB_TRY(point ? mb_local_step(&c->model, &c->rows[i], part->n_global, point, to, NULL, NULL,
                                     scratch, err)
                     : mb_seed_sum_(c, i, &given, scratch_arena, to, scratch, err));
        seen += c->rows[i].n;
        if (seen >= REST_EVERY) {
            mb_case_rest_(c);
            seen = 0;
        }
    }
    mb_case_rest_(c);
    return MB_OK;
}

mb_status mb_case_seed(const mb_case *c, const mb_start *start, int32_t attempt, double *phi_star,
                       size_t ld, mb_err *err)
{
    source    from = {c->nodes ? c->nodes : c, start, start->centres, attempt, {.x = NULL}};
    mb_arena *scratch_arena;
    mb_status st;

    const char *none = start->how == MB_INIT_CENTRES && !start->centres ? "centres"
                       : start->how == MB_INIT_RESPONSIBILITIES && !start->resp && !start->label
                           ? "responsibilities"
                       : start->how == MB_INIT_POSTERIOR && !start->posterior ? "posterior"
                                                                              : NULL;

    if (none)
        MB_FAIL(err, MB_E_ARG, "initialisation: got no %s", none);
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the initialisation");
    st = seed(c, &from, scratch_arena, phi_star, ld, err);
    mb_arena_free(scratch_arena);
    return c->nodes ? st : mb_comm_agree(c->place->comm, st, err);
}
