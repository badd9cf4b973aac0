/* parallel.c - a model whose statistics are summed over pieces of the rows, on several threads and
 * by several processes. */
#include "base/pool.h"
#include "base/rows.h"
#include "base/scratch_arena.h"
#include "base/straighten.h"
#include "core/workers.h"
#include "model/model.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

/* The pieces depend only on the number of rows and columns, and on where groups begin, and are added in
 * order, so the sums do not depend on threads. There are at most PIECES, so memory does not grow with
 * the rows. LONG: numbers that are summed together; GROUPS: groups in a call. */
enum {
    PIECE = 4096,
    WIDE = 64,
    WIDE_PIECE = 1024,
    EVEN = 4,
    PIECES = MB_SHARE_PIECES,
    LONG = 4096,
    GROUPS = 512
};

/* The operations of the base except its statistics; the others find the spec of the base in the model. */
typedef struct parallel {
    mb_model_ops    ops; /* first, so that mb_model::ops points to the whole */
    const mb_model *base;
    mb_pool        *pool;
    int32_t         threads; /* for which there is scratch */
    int32_t         forced;  /* 1: use all of them, whether they pay or not */
} parallel;

/* [L + 1 sums of each piece | L + 1 of all | for each thread L + 1 of a slice, scratch of the base] */
static size_t sums_len(const mb_model *base)
{
    return mb_share_room_(base->layout.len + 1) + base->layout.len + 1;
}

static size_t thread_len(const mb_model *base)
{
    return base->layout.len + 1 + base->scratch;
}

enum { NOTHING, A_PIECE, FAILED };

typedef struct job {
    const mb_model *base;
    mb_pool        *pool;
    const double   *phi; /* NULL: of seed_stats, for which nothing is latent */
    const mb_rows  *rows;
    mb_cut_         cut;            /* rows of a piece, or of a chunk of a share */
    int32_t         count, threads; /* pieces here */
    double         *s;              /* sums of all pieces */
    int             logz;           /* 1: wanted */
    double         *table, *scratch;
    uint8_t         did[PIECES]; /* by thread */
} job;

/* again: this scratch had the last call. */
static mb_status add_stats(const job *j, int again, const mb_rows *rows, double *s, double *logz,
                           double *scratch, mb_err *err)
{
    const mb_model_ops *ops = j->base->ops;

    return j->phi ? (again && ops->more_stats ? ops->more_stats : ops->stats)(j->base, j->phi, rows,
                                                                              s, logz, scratch, err)
                  : ops->seed_stats(j->base, rows, NULL, s, scratch, err);
}

/* s += the sums of these rows. */
static void add_rows(job *j, int32_t thread, const mb_rows *rows, double *s)
{
    const size_t    L = j->base->layout.len;
    double         *own = j->scratch + (size_t)thread * thread_len(j->base);
    const mb_status st =
        add_stats(j, j->did[thread], rows, s, j->logz ? s + L : NULL, own + L + 1, NULL);

    j->did[thread] = st < 0 ? FAILED : A_PIECE;
}

/* The first group that begins at row j or after it. */
static int32_t group_at(const mb_rows *rows, int64_t j)
{
    int32_t g = 0, beyond = rows->ngroup;

    while (g < beyond) {
        const int32_t middle = g + (beyond - g) / 2;

        if (rows->first[middle] < j)
            g = middle + 1;
        else
            beyond = middle;
    }
    return g;
}

/* s += the sums of the groups that begin at n rows from `first` on. */
static void add_groups(job *j, int32_t thread, int64_t first, int64_t n, double *s)
{
    const mb_rows *all = j->rows;
    const int32_t  end = first + n < all->n ? group_at(all, first + n) : all->ngroup;
    int64_t        begins[GROUPS + 1];

    for (int32_t g = group_at(all, first), some; g < end && j->did[thread] != FAILED; g += some) {
        mb_rows rows;

        some = end - g < GROUPS ? end - g : GROUPS;
        for (int32_t k = 0; k <= some; k++)
            begins[k] = all->first[g + k] - all->first[g];
        rows = mb_rows_part(all, all->first[g], begins[some]);
        rows.first = begins;
        rows.ngroup = some;
        add_rows(j, thread, &rows, s);
    }
}

/* s: the sums of n rows from `first` on, or of the groups that begin there. */
static void run_slice(job *j, int32_t thread, int64_t first, int64_t n, double *s)
{
    const mb_rows slice = mb_rows_part(j->rows, first, n);

    memset(s, 0, (j->base->layout.len + 1) * sizeof *s);
    if (j->rows->first)
        add_groups(j, thread, first, n, s);
    else
        add_rows(j, thread, &slice, s);
}

static void run_piece(void *arg, int32_t thread, int64_t c)
{
    job          *j = arg;
    const size_t  len = j->base->layout.len + 1;
    const int64_t first = c * j->cut.piece, left = j->rows->n - first;
    const int64_t end = first + (left < j->cut.piece ? left : j->cut.piece);
    double       *s = j->table + (size_t)c * len;
    double       *own = j->scratch + (size_t)thread * thread_len(j->base);

    for (int64_t r = first; r < end && j->did[thread] != FAILED; r += j->cut.slice) {
        run_slice(j, thread, r, end - r < j->cut.slice ? end - r : j->cut.slice,
                  r > first ? own : s);
        for (size_t l = 0; l < len && r > first; l++)
            s[l] += own[l];
    }
}

/* 1: no piece failed. */
static int run_pieces(job *j)
{
    mb_pool_run(j->pool, j->threads, j->count, run_piece, j);
    return !memchr(j->did, FAILED, sizeof j->did);
}

static int64_t parts_of(const job *j)
{
    return (int64_t)(j->base->layout.len / LONG) + 1;
}

/* s += the sums of the pieces in their order, for one part of the numbers. A part of s stays in the
 * nearest cache; threads share the work of reading long sums from a slower one. */
static void add_part(void *arg, int32_t thread, int64_t part)
{
    const job    *j = arg;
    const size_t  L = j->base->layout.len, parts = (size_t)parts_of(j), p = (size_t)part;
    const size_t  from = L * p / parts, to = L * (p + 1) / parts;
    double *const s = j->s;

    (void)thread;
    for (int32_t c = 0; c < j->count; c++) {
        const double *restrict sum = j->table + (size_t)c * (L + 1);

        for (size_t l = from; l < to; l++)
            s[l] += sum[l];
    }
}

/* Most rows of a piece: fewer if they are wide, because each is more work. */
static int64_t piece_most(const mb_rows *rows)
{
    return rows->d > WIDE ? WIDE_PIECE : PIECE;
}

/* A multiple of EVEN pieces of one size, so that 2 and 4 threads finish together; of many rows the
 * pieces, or chunks, of a share. */
static mb_cut_ cut_of(const mb_rows *rows)
{
    const mb_share *share = rows->share;
    const int64_t   most = piece_most(rows) * EVEN, count = (rows->n + most - 1) / most * EVEN;
    const int64_t   piece = count < PIECES ? (rows->n + count - 1) / count : 0;

    if (MB_SHARE_(share != NULL))
        return (mb_cut_){.piece = share->each, .slice = share->slice};
    return piece ? (mb_cut_){.piece = piece, .slice = piece} : mb_cut_of_(rows->n, rows->d);
}

static int32_t threads_for(const parallel *sp, const mb_rows *rows)
{
    const double operations = 2 * (double)sp->base->layout.len * (double)rows->n;

    return sp->forced ? sp->threads : mb_threads_that_pay_(operations, sp->threads);
}

/* The error of the first row of all rows here that has one: its message counts rows as the caller
 * does, and its sums overwrite those of the pieces. MB_OK: there is none. */
static mb_status failure(const job *j, mb_err *err)
{
    return add_stats(j, 0, j->rows, j->table, NULL, j->scratch, err);
}

/* The same in one of several processes. */
static mb_status failure_here(const job *j, mb_err *err)
{
    const mb_share *share = j->rows->share;
    mb_err          own = {0};
    const mb_status st = failure(j, &own);

    if (st == MB_E_DOMAIN) {
        if (err)
            *err = own;
        return st;
    }
    MB_FAIL(err, st < 0 ? st : MB_E_NUMERIC,
            "process %d of %d, rows from %lld on, counted from 0: %.300s", share->comm->rank,
            share->comm->size, (long long)share->first + 1, own.msg);
}

/* The sums of the pieces of all processes. */
static mb_status sum_shared(job *j, double *logz, mb_err *err)
{
    const size_t L = j->base->layout.len;
    double      *all = j->table + mb_share_room_(L + 1);
    mb_status    st = MB_OK;

    if (!run_pieces(j))
        st = failure_here(j, err);
    memcpy(all, j->s, L * sizeof *all);
    all[L] = logz ? *logz : 0;
    MB_TRY(mb_share_sum_(j->rows->share, L + 1, j->table, all, st, err));
    memcpy(j->s, all, L * sizeof *all);
    if (logz)
        *logz = all[L];
    return MB_OK;
}

static mb_status sum_pieces(const parallel *sp, job *j, double *logz, double *scratch, mb_err *err)
{
    const size_t L = sp->base->layout.len;

    j->pool = sp->pool;
    j->table = scratch;
    j->scratch = scratch + sums_len(sp->base);
    j->cut = cut_of(j->rows);
    j->count = (int32_t)((j->rows->n + j->cut.piece - 1) / j->cut.piece);
    j->threads = threads_for(sp, j->rows);
    if (MB_SHARE_(j->rows->share != NULL))
        return sum_shared(j, logz, err);
    if (!run_pieces(j)) {
        MB_TRY(failure(j, err));
        MB_FAIL(err, MB_E_NUMERIC, "statistics of a piece of %lld rows failed",
                (long long)j->cut.piece);
    }
    mb_pool_run(j->pool, j->threads, parts_of(j), add_part, j);
    for (int32_t c = 0; c < j->count && logz; c++)
        *logz += j->table[(size_t)c * (L + 1) + L];
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const parallel *sp = (const parallel *)m->ops;
    job             j = {.base = sp->base, .phi = phi, .rows = rows, .s = s, .logz = logz != NULL};

    if (rows->n <= piece_most(rows) && !rows->share)
        return add_stats(&j, 0, rows, s, logz, scratch + sums_len(sp->base), err);
    return sum_pieces(sp, &j, logz, scratch, err);
}

/* Of a model whose statistics are fixed: those of stats, to the bit, at no phi. */
static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    (void)resp;
    return stats(m, NULL, rows, s, NULL, scratch, err);
}

mb_status mb_model_parallel(mb_arena *a, const mb_model *base, mb_pool *pool, int32_t threads,
                            mb_model *out, mb_err *err)
{
    const int32_t all = mb_pool_threads(pool) < PIECES ? mb_pool_threads(pool) : PIECES;
    parallel     *sp;

    if (threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads: got %d; expected 0 (as many as pay) or more", threads);
    MB_NEW(sp, a, 1, err);
    *sp = (parallel){.ops = *base->ops,
                     .base = base,
                     .pool = pool,
                     .threads = threads && threads < all ? threads : all,
                     .forced = threads > 0};
    sp->ops.stats = stats;
    if (base->ops->fixed_stats && base->ops->seed_stats)
        sp->ops.seed_stats = seed_stats;
    sp->ops.more_stats = NULL;
    sp->ops.group_scratch = NULL;
    *out = *base;
    out->ops = &sp->ops;
    out->scratch = sums_len(base) + (size_t)sp->threads * thread_len(base);
    return MB_OK;
}

static mb_status sums_of(mb_arena *scratch_arena, const mb_model *m, const mb_rows *rows,
                         const double *phi, mb_pool *pool, double *s, double *logz, mb_err *err)
{
    mb_model base = *m, all;
    double  *scratch, *point;

    base.scratch = mb_group_scratch_(m, mb_rows_longest(rows));
    MB_TRY(mb_model_parallel(scratch_arena, &base, pool, 0, &all, err));
    MB_NEW(scratch, scratch_arena, all.scratch, err);
    if (MB_STRAIGHTEN_(m->ops->straighten != NULL)) {
        MB_NEW(point, scratch_arena, m->layout.len, err);
        phi = mb_straight_(m, phi, point, scratch);
    }
    memset(s, 0, m->layout.len * sizeof *s);
    if (logz)
        *logz = 0;
    return all.ops->stats(&all, phi, rows, s, logz, scratch, err);
}

mb_status mb_row_statistics(mb_arena *a, const mb_model *m, const mb_rows *rows, const double *phi,
                            mb_pool *pool, double *s, double *logz, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_scratch_(a);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the statistics of rows");
    st = sums_of(scratch_arena, m, rows, phi, pool, s, logz, err);
    mb_arena_free(scratch_arena);
    return st;
}
