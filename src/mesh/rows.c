/* rows.c - the rows of a node: they come, change and leave; the posterior at rest is that of those
 * that are there. A row that leaves is replaced by the last one, so rows are contiguous. */
#include "base/rows.h"
#include "base/columns.h"
#include "base/gaps.h"
#include "mesh/state.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

/* The next tick is not measured, and the node is awake. */
static void changed(mb_peer *p)
{
    p->life->event |= 1;
    p->life->quiet = 0;
    p->life->due_ms = INT64_MIN;
}

/* Within the range that is agreed. */
static mb_status check_range(const mb_peer *p, const double *x, int64_t j, mb_err *err)
{
    for (int32_t d = 0; d < p->plan.columns; d++) {
        const double *of = p->range + 2 * (size_t)d;

        if (x[d] < of[0] || x[d] > of[1])
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %lld, column \"%.60s\": got %g; expected %g to %g, the range that the "
                    "genesis declares",
                    (long long)j, p->plan.column[d], x[d], of[0], of[1]);
    }
    return MB_OK;
}

/* With masks the rows are those that the node begins with, and batches of others that come. */
static mb_status check_fixed(const mb_peer *p, int comes, mb_err *err)
{
    if (comes && MB_BATCH_(p))
        return MB_OK;
    if (p->plan.mask && MB_EPOCHS_(p->life->tick > 0))
        MB_FAIL(err, MB_E_NOSUP,
                "rows: with masks those of a node are fixed, since the total before a change less "
                "that after it is the row");
    return MB_OK;
}

/* Within the bounds of which a start of sums is made. */
static mb_status check_stated(const mb_peer *p, const double *x, int64_t j, mb_err *err)
{
    const mb_bounds *b = p->plan.bounds;

    for (int32_t d = 0; d < p->plan.columns; d++)
        if (!(x[d] >= b->low[d] && x[d] <= b->high[d]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %lld, column \"%.60s\": got %g; expected %g to %g, the stated bounds",
                    (long long)j, p->plan.column[d], x[d], b->low[d], b->high[d]);
    return MB_OK;
}

/* Of batches, whose number of rows hides what one of them adds. */
static mb_status check_counts(const mb_peer *p, const mb_rows *one, double w, int64_t j,
                              mb_err *err)
{
    const int weighs = mb_batch_weighs_(p);

    if (mb_rows_gaps(one, 0) == one->d)
        MB_FAIL(err, MB_E_NUMERIC, "row %lld: got no value; expected one, as rows of batches count",
                (long long)j);
    if (weighs ? !(w > 0) : w < 1 || w > 1)
        MB_FAIL(err, MB_E_NUMERIC, "row %lld: got weight %g; expected %s", (long long)j, w,
                weighs ? "more than 0, as rows of batches count"
                       : "1, as the genesis has \"rows_batch\" and no \"weight_max\"");
    return MB_OK;
}

static mb_status check_row(const mb_peer *p, const double *x, double w, int gaps, int64_t j,
                           mb_err *err)
{
    const mb_columns *kinds = p->size.columns;
    const mb_rows     one = {.x = x, .n = 1, .d = p->plan.columns, .gaps = 1};

    for (int32_t d = 0; d < p->plan.columns; d++) {
        const char *expected = kinds ? mb_column_refuses(&kinds->of[d], x[d]) : NULL;

        if (gaps && isnan(x[d]))
            continue;
        if (expected || !(fabs(x[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_NUMERIC, "row %lld, column \"%.60s\": got %g; expected %s",
                    (long long)j, p->plan.column[d], x[d],
                    expected ? expected : "a number up to 1e100");
    }
    if (!(w >= 0) || !(w <= mb_peer_weight_most_(p)))
        MB_FAIL(err, MB_E_NUMERIC, "row %lld: got weight %g; expected 0 to %g", (long long)j, w,
                mb_peer_weight_most_(p));
    if (MB_BATCH_(p))
        MB_TRY(check_counts(p, &one, w, j, err));
    if (MB_EPOCHS_(p->plan.bounds != NULL))
        MB_TRY(check_stated(p, x, j, err));
    if (MB_BOUNDS_(p->agreed.ranged))
        return check_range(p, x, j, err);
    return MB_OK;
}

static void store(mb_peer *p, int64_t i, const double *x, double w, int64_t number, int64_t now)
{
    const mb_rows one = {.x = x, .n = 1, .d = p->plan.columns, .gaps = 1};

    memcpy(p->x + (size_t)i * (size_t)p->plan.columns, x, (size_t)p->plan.columns * sizeof *x);
    p->w[i] = mb_peer_gaps_(p) && mb_rows_gaps(&one, 0) == one.d ? 0 : w;
    p->number[i] = number;
    p->stamp[i] = now;
    if (p->w[i] < 1 || p->w[i] > 1)
        p->life->weighted = 1;
    mb_peer_units_(p, i);
    mb_peer_draw_(p, i);
}

/* The place of the row that came first. */
static int64_t oldest(const mb_peer *p)
{
    int64_t at = 0;

    for (int64_t i = 1; i < p->life->n; i++)
        if (p->number[i] < p->number[at])
            at = i;
    return at;
}

static void add(mb_peer *p, int64_t now, const double *x, double w, int begins)
{
    mb_life_     *l = p->life;
    const int64_t most = p->opt.window_rows ? p->opt.window_rows : p->opt.rows;
    const int64_t i = l->n < most ? l->n++ : oldest(p);

    if (MB_GROUPS_(p->grouped))
        p->group[i] = begins || !i ? l->number : p->group[i - 1];
    store(p, i, x, w, l->number++, now);
}

int mb_peer_read_clock_(mb_peer *p, int64_t now)
{
    enum { JUMP = 86400000 };
    mb_life_     *l = p->life;
    const int64_t gone = now - l->ticked_ms;

    if (!l->tick && !l->number) /* the first reading of this life */
        l->ticked_ms = now;
    else if (gone < 0 || gone > JUMP) {
        for (int64_t i = 0; i < l->n; i++)
            p->stamp[i] += gone;
        for (int32_t j = 0; j < l->links; j++)
            p->link[j].recv_ms += gone;
        l->ticked_ms = now;
        return 0;
    }
    return 1;
}

/* Row j into p->vector_row; its weight. */
static double row_of(mb_peer *p, const mb_rows *rows, int64_t j)
{
    for (int32_t d = 0; d < p->plan.columns; d++)
        p->vector_row[d] = mb_rows_at(rows, j, d);
    return rows->w ? rows->w[j] : 1;
}

/* 1: row j is the first of a group, g of which have begun before. Rows without groups are each one,
 * or continue the node's sequence. */
static int begins(const mb_peer *p, const mb_rows *rows, int32_t *g, int64_t j)
{
    const int32_t before = *g;

    while (rows->first && *g < rows->ngroup && rows->first[*g] <= j)
        ++*g;
    return rows->first ? *g > before : !(MB_GROUPS_(1) && mb_kind_needs_groups(p->plan.kind));
}

static int is_empty(const mb_rows *rows, int64_t j)
{
    return MB_GAPS_(rows->gaps) && mb_rows_gaps(rows, j) == rows->d;
}

/* All rows of a group that have a value have one weight. */
static mb_status check_group(const mb_peer *p, const mb_rows *rows, int32_t *g, int64_t j, double w,
                             mb_err *err)
{
    const int     begun = begins(p, rows, g, j);
    const int64_t first = rows->first ? rows->first[*g - 1] : 0, number = p->life->number;
    int64_t       before = j - 1;

    if (begun || !rows->w || is_empty(rows, j))
        return MB_OK;
    while (before >= first && is_empty(rows, before))
        before--;
    if (before >= first && (w < rows->w[before] || w > rows->w[before]))
        MB_FAIL(err, MB_E_NUMERIC, "row %lld: got weight %g; expected %g, that of its group",
                (long long)(number + j), w, rows->w[before]);
    return MB_OK;
}

/* With batches rows wait, so a group that is there must not grow: some of it would be in the sums. */
static mb_status check_begins(const mb_peer *p, const mb_rows *rows, mb_err *err)
{
    int32_t g = 0;

    if (MB_BATCH_(p) && MB_GROUPS_(p->grouped) && p->life->n && rows->n && !begins(p, rows, &g, 0))
        MB_FAIL(err, MB_E_NOSUP,
                "row %lld: it continues a group; expected new groups alone, as the genesis has "
                "\"rows_batch\"",
                (long long)p->life->number);
    return MB_OK;
}

mb_status mb_peer_append(mb_peer *p, int64_t now, const mb_rows *rows, int64_t *first, mb_err *err)
{
    const int32_t D = p->plan.columns;
    int32_t       g = 0;

    if (rows->n)
        MB_TRY(check_fixed(p, 1, err));
    if (rows->d != D || (rows->first && !MB_GROUPS_(p->grouped)))
        MB_FAIL(err, MB_E_SHAPE, "rows: got %ld columns%s; expected the %ld of the plan",
                (long)rows->d, rows->first ? " and groups" : "", (long)D);
    if (!p->opt.window_rows && rows->n > p->opt.rows - p->life->n)
        MB_FAIL(err, MB_E_ARG, "rows: got %lld more than %lld; expected %lld in all",
                (long long)rows->n, (long long)p->life->n, (long long)p->opt.rows);
    MB_TRY(check_begins(p, rows, err));
    for (int64_t j = 0; j < rows->n; j++) {
        const double w = row_of(p, rows, j);

        MB_TRY(check_row(p, p->vector_row, w, rows->gaps && mb_peer_gaps_(p), p->life->number + j,
                         err));
        MB_TRY(check_group(p, rows, &g, j, w, err));
    }
    now = mb_peer_clock_(now);
    mb_peer_read_clock_(p, now);
    for (int64_t j = g = 0; j < rows->n; j++) {
        const double w = row_of(p, rows, j);

        add(p, now, p->vector_row, w, begins(p, rows, &g, j));
    }
    if (first)
        *first = p->life->number - rows->n;
    if (rows->n && !(MB_BATCH_(p) && p->life->tick)) /* they wait */
        changed(p);
    if (MB_BATCH_(p))
        mb_batch_return_(p);
    return MB_OK;
}

static mb_status find(const mb_peer *p, int64_t number, int64_t *at, mb_err *err)
{
    for (int64_t i = 0; i < p->life->n; i++)
        if (p->number[i] == number) {
            *at = i;
            return MB_OK;
        }
    MB_FAIL(err, MB_E_ARG, "row %lld: node %ld does not have it", (long long)number,
            (long)p->opt.id);
}

mb_status mb_peer_replace(mb_peer *p, int64_t now, int64_t number, const double *x, double w,
                          mb_err *err)
{
    int64_t i = 0;

    MB_TRY(check_fixed(p, 0, err));
    MB_TRY(find(p, number, &i, err));
    MB_TRY(check_row(p, x, w, 0, number, err));
    if (MB_GROUPS_(p->grouped) && (w < p->w[i] || w > p->w[i]))
        MB_FAIL(err, MB_E_ARG, "row %lld: its group has weight %g", (long long)number, p->w[i]);
    now = mb_peer_clock_(now);
    mb_peer_read_clock_(p, now);
    store(p, i, x, w, number, now);
    changed(p);
    return MB_OK;
}

static void leave(mb_peer *p, int64_t i)
{
    const size_t  D = (size_t)p->plan.columns;
    const int64_t last = --p->life->n;

    if (i != last) {
        memcpy(p->x + (size_t)i * D, p->x + (size_t)last * D, D * sizeof *p->x);
        memcpy(p->run_x + (size_t)i * D, p->run_x + (size_t)last * D, D * sizeof *p->run_x);
        p->w[i] = p->w[last];
        p->number[i] = p->number[last];
        p->stamp[i] = p->stamp[last];
    }
    changed(p);
}

mb_status mb_peer_remove(mb_peer *p, int64_t number, mb_err *err)
{
    int64_t i = 0;

    MB_TRY(check_fixed(p, 0, err));
    MB_TRY(find(p, number, &i, err));
    if (MB_GROUPS_(p->grouped))
        MB_FAIL(err, MB_E_NOSUP, "row %lld: rows of groups stay", (long long)number);
    leave(p, i);
    return MB_OK;
}

void mb_peer_window_(mb_peer *p, int64_t now)
{
    /* The steps of a search for limits take longer than rows may stay: they wait for its end. */
    if (!p->opt.window_ms || (MB_FAR_(p->trims) && p->life->phase == MB_WAITING_))
        return;
    for (int64_t i = p->life->n - 1; i >= 0; i--)
        if (now > p->stamp[i] && now - p->stamp[i] >= p->opt.window_ms)
            leave(p, i);
}
