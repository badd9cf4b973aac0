/* parallel.c - a model whose statistics are added up over pieces of the rows, on several threads. */
#include "meshbayes/model.h"

#include <math.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* The pieces depend on the number of rows and columns alone, and are added in order: the bits do not
 * depend on threads. At most PIECES, so that their sums need no memory by the row. LONG: numbers
 * added up at a time. */
enum { PIECE = 4096, WIDE = 64, WIDE_PIECE = 1024, EVEN = 4, PIECES = 64, LONG = 4096 };

typedef struct spec {
    const mb_model *base;
    int32_t         threads;
} spec;

static const mb_model *base_of(const mb_model *m)
{
    return ((const spec *)m->spec)->base;
}

/* [L + 1 sums of each piece | scratch of the base for each thread] */
static size_t sums_len(const mb_model *base)
{
    return PIECES * (base->layout.len + 1);
}

typedef struct job {
    const mb_model *base;
    const double   *phi;
    const mb_rows  *rows;
    int64_t         each; /* rows of a piece */
    int32_t         count;
    int32_t         next; /* piece nobody has taken yet */
    double         *sums, *scratch;
} job;

static mb_rows piece_of(const job *j, int32_t c)
{
    const int64_t first = c * j->each, left = j->rows->n - first;
    mb_rows       piece = *j->rows;

    if (piece.x32)
        piece.x32 += (size_t)first * piece.ld;
    else
        piece.x += (size_t)first * piece.ld;
    piece.w = piece.w ? piece.w + first : NULL;
    piece.n = left < j->each ? left : j->each;
    return piece;
}

/* ready: the thread has done a piece before. */
static mb_status run_piece(const job *j, int32_t c, int32_t thread, int32_t ready)
{
    const mb_model_ops *ops = j->base->ops;
    const size_t        L = j->base->layout.len;
    const mb_rows       piece = piece_of(j, c);
    double             *s = j->sums + (size_t)c * (L + 1);

    memset(s, 0, (L + 1) * sizeof *s);
    return (ready && ops->more_stats ? ops->more_stats : ops->stats)(
        j->base, j->phi, &piece, s, s + L, j->scratch + (size_t)thread * j->base->scratch, NULL);
}

static int32_t take(job *j)
{
    int32_t c;

#ifdef _OPENMP
#pragma omp atomic capture
#endif
    c = j->next++;
    return c;
}

/* Pieces as long as there are some; 0 at the first that fails. */
static int32_t run_share(job *j, int32_t thread)
{
    int32_t ready = 0;

    for (int32_t c = take(j); c < j->count; c = take(j), ready = 1)
        if (run_piece(j, c, thread, ready) < 0)
            return 0;
    return 1;
}

/* 1: all are done. */
static int32_t run_pieces(job *j, int32_t threads)
{
#ifdef _OPENMP
    if (threads > 1) {
        int32_t done = 1;

#pragma omp parallel num_threads(threads) reduction(& : done)
        done &= run_share(j, omp_get_thread_num());
        return done;
    }
#endif
    (void)threads;
    return run_share(j, 0);
}

/* s += the sums of the pieces, in their order; part p of the numbers. */
static void add_part(const job *j, int32_t p, int32_t parts, double *restrict s)
{
    const size_t L = j->base->layout.len;
    const size_t from = L * (size_t)p / (size_t)parts, to = L * (size_t)(p + 1) / (size_t)parts;

    for (int32_t c = 0; c < j->count; c++)
        for (size_t l = from; l < to; l++)
            s[l] += j->sums[(size_t)c * (L + 1) + l];
}

/* Part by part s stays near; long sums come from a far cache, which threads share in. */
static void add_up(const job *j, double *s, int32_t threads)
{
    const int32_t parts = (int32_t)(j->base->layout.len / LONG) + 1;

#ifdef _OPENMP
    if (threads > 1 && parts > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t p = 0; p < parts; p++)
            add_part(j, p, parts, s);
        return;
    }
#endif
    (void)threads;
    for (int32_t p = 0; p < parts; p++)
        add_part(j, p, parts, s);
}

/* Rows of a piece at most: wide rows are so much work that fewer of them pay. */
static int64_t piece_most(const mb_rows *rows)
{
    return rows->d > WIDE ? WIDE_PIECE : PIECE;
}

/* Pieces of one size, a multiple of EVEN of them: 2 and 4 threads end together. */
static int64_t piece_rows(const mb_rows *rows)
{
    const int64_t most = piece_most(rows) * EVEN, count = (rows->n + most - 1) / most * EVEN;
    const int64_t pieces = count < PIECES ? count : PIECES;

    return (rows->n + pieces - 1) / pieces;
}

/* A failure is found again by the base itself, so that its message counts rows as the caller does.
 * Its sums go where the pieces' are. */
static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const spec  *sp = m->spec;
    const size_t L = sp->base->layout.len;
    job          j = {.base = sp->base, .phi = phi, .rows = rows, .sums = scratch};

    j.scratch = scratch + sums_len(sp->base);
    if (rows->n <= piece_most(rows))
        return sp->base->ops->stats(sp->base, phi, rows, s, logz, j.scratch, err);
    j.each = piece_rows(rows);
    j.count = (int32_t)((rows->n + j.each - 1) / j.each);
    if (!run_pieces(&j, sp->threads)) {
        MB_TRY(sp->base->ops->stats(sp->base, phi, rows, j.sums, NULL, j.scratch, err));
        MB_FAIL(err, MB_E_NUMERIC, "statistics of a piece of %lld rows failed", (long long)j.each);
    }
    add_up(&j, s, sp->threads);
    for (int32_t c = 0; c < j.count && logz; c++)
        *logz += j.sums[(size_t)c * (L + 1) + L];
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    return base_of(m)->ops->seed_stats(base_of(m), rows, resp, s, scratch, err);
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    return base_of(m)->ops->predict(base_of(m), phi, rows, want, out, scratch, err);
}

static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    return base_of(m)->ops->sample(base_of(m), par, seed, first, n, out, scratch, err);
}

static int32_t all_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

mb_status mb_model_parallel(mb_arena *a, const mb_model *base, int32_t threads, mb_model *out,
                            mb_err *err)
{
    mb_model_ops *ops;
    spec         *sp;

    if (threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads = %d: it must be 0 (all) or more", threads);
    MB_NEW(ops, a, 1, err);
    MB_NEW(sp, a, 1, err);
    *sp = (spec){base, threads ? threads : all_threads()};
    if (sp->threads > PIECES)
        sp->threads = PIECES;
    *ops = (mb_model_ops){.name = base->ops->name, .stats = stats, .seed_stats = seed_stats};
    ops->predict = base->ops->predict ? predict : NULL;
    ops->sample = base->ops->sample ? sample : NULL;
    *out = *base;
    out->ops = ops;
    out->spec = sp;
    out->scratch = sums_len(base) + (size_t)sp->threads * base->scratch;
    return MB_OK;
}
