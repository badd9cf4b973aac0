/* file_look.c - one look at the rows of a mapped file, on several threads: they are checked, the file
 * is hashed, and their moments are summed while they are in the cache. */
#include "base/pool.h"
#include "data/parse.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "start/row_sums.h"

_Static_assert((int)MB_MANY_ROWS_ == (int)MB_SHARE_LEAST, "rows that are shared are summed alike");

/* EACH: blocks a thread has in a job. SOME: numbers of a block that is not summed. */
enum { EACH = 4, JOB_MAX = 64, SOME = 1 << 15 };

/* A block of rows, and what was found in it. */
typedef struct block {
    int64_t        from, to; /* of the rows that are looked at */
    int64_t        gaps;
    mb_status      st;
    mb_err         err;
    mb_block_sums_ sums;
} block;

typedef struct look {
    const mb_npy_rows *m;
    const char        *name;
    int64_t            first, n; /* rows of m that are looked at                         */
    int                gaps;     /* 1: NaN is allowed                                    */
    mb_row_sums       *sums;     /* NULL: not made                                       */
    mb_hash_          *hash;     /* NULL: not wanted; else part 0 of a job hashes its rows */
    block             *block;    /* most                                                 */
    int32_t            most, blocks;
    int64_t            found; /* gaps so far */
} look;

static const double *rows_at(void *self, int64_t j, int64_t n, double *room)
{
    const look *l = self;

    return mb_npy_rows_at_(l->m, l->first + j, n, room);
}

static void do_block(look *l, block *b)
{
    const int good = l->sums && mb_block_sums_make_(&b->sums, rows_at, l, b->from, b->to);

    b->gaps = 0;
    b->st = good ? MB_OK
                 : mb_npy_scan_(l->name, l->m, l->first + b->from, l->first + b->to,
                                l->gaps ? &b->gaps : NULL, &b->err);
}

static void do_part(void *arg, int32_t thread, int64_t part)
{
    look *l = arg;

    (void)thread;
    if (l->hash && !part)
        mb_npy_hash_rows_(l->m, l->first + l->block[0].from, l->first + l->block[l->blocks - 1].to,
                          l->hash);
    else
        do_block(l, &l->block[part - (l->hash != NULL)]);
}

/* The next blocks, from row `from` on. */
static void cut(look *l, int64_t from)
{
    const int64_t some = SOME / l->m->d + 1;

    for (l->blocks = 0; l->blocks < l->most && from < l->n; from = l->block[l->blocks++].to) {
        block *b = &l->block[l->blocks];

        b->from = from;
        b->to = l->sums ? mb_row_sums_end_(l->sums, from) : l->n - from < some ? l->n : from + some;
    }
}

/* In the order of the rows. */
static mb_status join(look *l, mb_err *err)
{
    for (int32_t k = 0; k < l->blocks; k++) {
        const block *b = &l->block[k];

        if (b->st < 0 && err)
            *err = b->err;
        if (b->st < 0)
            return b->st;
        l->found += b->gaps;
        if (l->sums && l->found)
            l->sums = NULL;
        if (l->sums)
            mb_row_sums_join_(l->sums, mb_row_sums_piece_(l->sums, b->from), &b->sums);
    }
    return MB_OK;
}

static mb_status look_at(mb_arena *scratch_arena, look *l, mb_pool *pool, mb_err *err)
{
    const int32_t threads = mb_pool_threads(pool);

    l->most = threads == 1 ? 1 : threads < JOB_MAX / EACH ? threads * EACH : JOB_MAX;
    MB_NEW(l->block, scratch_arena, l->most, err);
    for (int32_t k = 0; l->sums && k < l->most; k++)
        MB_TRY(mb_block_sums_new_(scratch_arena, l->sums, &l->block[k].sums, err));
    for (int64_t from = 0, to; from < l->n; from = to) {
        cut(l, from);
        to = l->block[l->blocks - 1].to;
        mb_pool_run(pool, threads, l->blocks + (l->hash != NULL), do_part, l);
        mb_npy_passed_(l->m, l->first + from, l->first + to);
        MB_TRY(join(l, err));
    }
    return MB_OK;
}

mb_status mb_table_look(mb_arena *a, const mb_npy_rows *m, int32_t with_cov, mb_pool *pool,
                        mb_table *t, int64_t *gaps, uint64_t *hash, mb_err *err)
{
    mb_hash_     whole = mb_hash_begin_();
    mb_row_sums *sums;
    look         l = {.m = m, .name = t->name, .first = t->rows.before, .n = t->rows.n};
    mb_arena    *scratch_arena;
    mb_status    st;

    MB_NEW(sums, a, 1, err);
    if (mb_row_sums_serve_(&t->rows)) {
        MB_TRY(mb_row_sums_new_(a, &t->rows, with_cov, sums, err));
        l.sums = sums;
    }
    l.gaps = gaps != NULL;
    l.hash = hash ? &whole : NULL;
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to look at its rows", t->name);
    st = look_at(scratch_arena, &l, pool, err);
    mb_arena_free(scratch_arena);
    MB_TRY(st);
    t->rows.sums = l.sums;
    t->rows.gaps = l.found > 0;
    if (gaps)
        *gaps = l.found;
    if (hash)
        *hash = mb_hash_end_(&whole);
    return MB_OK;
}
