/* A fit is asked to stop: it asks often, in every stage, and ends there. Nothing is timed: asks and
 * rows that are read are counted. */
#include "fits.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PASSES = 6 /* over the rows from one ask to the next, at most */ };

/* Rows whose readers are counted, and a caller who asks to stop with call number `stop`. */
typedef struct watched {
    mb_stored     stored; /* first */
    const double *x;
    int32_t       n;
    atomic_llong  read, most; /* rows since the last ask, and the most of them */
    atomic_llong  calls, stop;
} watched;

static watched *of(const mb_stored *s)
{
    return (watched *)(uintptr_t)s;
}

static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    watched *w = of(s);

    memcpy(out, w->x + j * COLS, (size_t)n * COLS * sizeof *out);
    w->read += n;
    if (w->read > w->most)
        w->most = w->read;
}

static double at(const mb_stored *s, int64_t j, int32_t d)
{
    double row[COLS];

    take(s, j, 1, row);
    return row[d];
}

static int wanted(void *self)
{
    watched *w = self;

    w->read = 0;
    return ++w->calls >= w->stop;
}

/* What is fitted, and how. */
typedef struct way {
    const char *network; /* NULL: none */
    int32_t     prune, threads, n_init;
} way;

static const way ways[] = {
    {NULL, 0, 1, 0}, {NULL, 0, 2, 3}, {NULL, 1, 1, 1}, {"path:n=3", 0, 1, 0}};

/* Returns how mb_fit_run ended; *rounds: of the run whose result is taken, 0: there is none. */
static mb_status fit(watched *w, const way *how, int64_t stop, int64_t *rounds)
{
    const mb_table   table = {.rows = {.stored = &w->stored, .n = w->n, .d = COLS, .ld = COLS}};
    const mb_cancel  cancel = {wanted, w};
    const mb_network net = network(how->network ? how->network : "path:n=2");
    mb_gmm_kind      gmm;
    mb_fit_opt       opt = mixture(&gmm);
    mb_fit           out;
    mb_status        st;

    gmm.n_components = 2 * K;
    opt.start = (mb_start){.how = MB_INIT_KMEANS, .seed = 1};
    opt.n_init = how->n_init;
    opt.how.threads = how->threads;
    opt.how.prune = how->prune;
    opt.how.algo = how->network ? &mb_algo_edge : NULL;
    opt.how.rounds = 60;
    opt.cancel = &cancel;
    w->calls = w->read = w->most = 0;
    w->stop = stop;
    st = mb_fit_run(arena, how->network ? &net : NULL, &table, &opt, &out, &err);
    *rounds = out.stages ? out.out.rounds : 0;
    assert_true(st == MB_STOP || (st == MB_OK && out.posterior.kind));
    assert_int_equal(st == MB_OK && out.out.verdict == MB_ENDED_INTERRUPTED,
                     st == MB_OK && w->calls >= stop);
    mb_fit_close(&out);
    return st;
}

static watched rows_of_groups(int32_t n)
{
    watched w = {.stored = {at, take}, .n = n};
    mb_rng  r = gen_rng(7);
    double *x = doubles((size_t)n * COLS);

    gen_rows(&r, n, COLS, K, x);
    w.x = x;
    return w;
}

TEST(a_fit_asks_after_a_few_passes_over_the_rows_at_most)
{
    watched w = rows_of_groups(sized(6000, 1600));

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        int64_t rounds;

        assert_int_equal(fit(&w, &ways[k], INT64_MAX, &rounds), MB_OK);
        assert_true(rounds > 1 && w.calls > 20);
        if (w.most > PASSES * (long long)w.n)
            fail_msg("way %zu: %lld rows", k, (long long)w.most);
    }
}

/* A hundred fits: of rows enough that their stages ask as those of many do. */
TEST(a_fit_stops_at_every_call_of_cancel)
{
    const int64_t stops = sized(24, 2);
    watched       w = rows_of_groups(1600);

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        int64_t rounds, all, before = 0, last = -1, ended = 0;

        assert_int_equal(fit(&w, &ways[k], INT64_MAX, &rounds), MB_OK);
        all = w.calls;
        for (int64_t stop = 1; stop < all; stop += 1 + all / stops) {
            const mb_status st = fit(&w, &ways[k], stop, &rounds);

            assert_true(st == MB_STOP ? last <= 0 : rounds >= last);
            last = st == MB_STOP ? 0 : rounds;
            before += st == MB_STOP;
            ended += st == MB_OK;
            assert_true(w.calls <= stop + 64);
            assert_true(w.read <= PASSES * (long long)w.n);
        }
        assert_true(before > 0 && before + ended > stops / 2);
    }
}

RUN_TESTS(arena_up, arena_down)
