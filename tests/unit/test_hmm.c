/* Hidden Markov models of every emission: sums and predictions against all paths of the states of short
 * sequences, with gaps; gradients, the bound, and rows that are drawn. */
#include "arena.h"
#include "base/columns.h"
#include "base/rows.h"
#include "gen.h"
#include "guarded.h"
#include "kinds.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/mixture.h"
#include "model/model.h"
#include "model/tmm_tail.h"
#include "test.h"

static mb_err fault;

enum { K = 2, D = 3, LONGEST = 7, ALL = LONGEST * (LONGEST + 1) / 2, LEN = 128, AHEAD = 3 };

/* Sums over 2^7 paths. */
static const double TOL = 1e-12;

/* A model of each emission, its mixture, sequences of 1 to LONGEST rows, and where it stands. */
typedef struct world {
    mb_sizes       size, of;
    const mb_kind *base;
    mb_model       m, mixture;
    mb_rows        rows;
    double         x[ALL * D], w[ALL], phi[LEN];
    int64_t        first[LONGEST + 1];
    double        *scratch;
} world;

/* The words of its two choices, and the kind of its mixture. */
static const struct {
    const char *emission, *form, *mixture;
    int         gaps;
} forms[] = {{"gaussian", "full", "gmm", 1}, {"gaussian", "full", "gmm", 0},
             {"gaussian", "diag", "gmm", 1}, {"gaussian", "spherical", "gmm", 1},
             {"gaussian", "tied", "gmm", 0}, {"student", "full", "tmm", 1},
             {"columns", "full", "lca", 1}};
enum { FORMS = sizeof forms / sizeof *forms };

static int32_t word_of(const mb_choice *c, const char *word)
{
    int32_t w = 0;

    while (strcmp(c->word[w], word) != 0)
        w++;
    return w;
}

static const mb_kind *states(void)
{
    return &mb_kind_hmm;
}

static void make_rows(world *b, int gaps)
{
    mb_rng r = gen_rng(4);

    for (int j = 0; j < ALL * D; j++) {
        b->x[j] = 2 * mb_rng_uniform(&r) + (j / D / 3 % 2 ? 0.2 : -2);
        b->x[j] = b->size.columns && mb_columns_kind(b->size.columns, j % D) > MB_COLUMN_NUMBER
                      ? (int)(3 * mb_rng_uniform(&r))
                      : b->x[j];
        if (gaps && (mb_rng_uniform(&r) < 0.2 || j / D % 8 == 5))
            b->x[j] = (double)NAN;
    }
    for (int32_t g = 0; g < LONGEST; g++) {
        b->first[g + 1] = b->first[g] + g + 1;
        for (int64_t j = b->first[g]; j < b->first[g + 1]; j++)
            b->w[j] = 1 + g % 3;
    }
    b->rows = (mb_rows){.x = b->x,
                        .w = b->w,
                        .n = ALL,
                        .d = D,
                        .ld = D,
                        .first = b->first,
                        .ngroup = LONGEST,
                        .gaps = gaps};
}

static void set_up(world *b, int form)
{
    const mb_kind *kind = states();
    double        *resp = doubles(ALL * K);

    memset(b, 0, sizeof *b);
    b->base = mb_kind_find(forms[form].mixture);
    b->size = b->of = (mb_sizes){.K = K, .D = D};
    b->size.choice[0] = word_of(&kind->choices[0], forms[form].form);
    b->size.choice[1] = word_of(&kind->choices[1], forms[form].emission);
    if (mb_kind_takes_kinds(kind, &b->size))
        b->size.columns = b->of.columns = kinds_mixed(D);
    if (!strcmp(forms[form].mixture, "gmm"))
        b->of.choice[0] = b->size.choice[0];
    must(mb_kind_model(arena, kind, &b->size, &b->m, &fault));
    must(mb_kind_model(arena, b->base, &b->of, &b->mixture, &fault));
    assert_true(b->m.layout.len <= LEN);
    make_rows(b, forms[form].gaps);
    b->m.scratch = b->m.ops->group_scratch(&b->m, LONGEST);
    b->scratch = guarded(mb_local_scratch(&b->m));
    for (int j = 0; j < ALL; j++) {
        resp[K * j] = j / 3 % 2 ? 0.3 : 0.6 + 0.01 * (j % 7);
        resp[K * j + 1] = 1 - resp[K * j];
    }
    must(mb_seed_step(&b->m, &b->rows, 1, resp, b->phi, b->scratch, &fault));
    b->phi[b->mixture.layout.len + 1] += 9; /* from 0 to 1 more often than back */
}

static const double *transitions(const world *b, const double *v)
{
    return v + b->mixture.layout.len;
}

/* ln (ALL x K): E ln p(row | state), by the mixture alone; each: its statistics of row j, of which a slice
 * is that of a state times r (ALL x K). */
static void emissions(const world *b, double *ln, double *r, double *each)
{
    const size_t len = b->mixture.layout.len;
    double       mu[LEN];

    must(mb_moments(&b->mixture.layout, b->phi, mu, NULL, b->scratch, &fault));
    for (int64_t j = 0; j < ALL; j++) {
        const mb_rows one = {.x = b->x + j * D, .n = 1, .d = D, .ld = D, .gaps = b->rows.gaps};
        double        lnz = 0;

        for (size_t l = 0; l < len; l++)
            each[(size_t)j * len + l] = 0;
        must(b->mixture.ops->stats(&b->mixture, b->phi, &one, each + (size_t)j * len, &lnz,
                                   b->scratch, &fault));
        must(b->mixture.ops->predict(&b->mixture, b->phi, &one, MB_WANT_RESP, r + j * K, b->scratch,
                                     &fault));
        for (int k = 0; k < K; k++) {
            const int empty = isnan(one.x[0]) && isnan(one.x[1]) && isnan(one.x[2]);

            ln[j * K + k] = empty ? 0 : log(r[j * K + k]) + lnz - mu[k];
        }
    }
}

/* What all paths of n rows and `ahead` more say: ln of their sum, gamma (n x K), the likeliest path, and
 * the shares of the states of the last. p: first state and transitions. */
typedef struct paths {
    double  lnz, gamma[LONGEST * K], moved[K * K], last[K];
    int64_t best;
} paths;

static void all_paths(const double *first, const double *A, const double *ln, int64_t n,
                      int64_t ahead, paths *out)
{
    const int64_t all = n + ahead;
    double        total = 0, top = -1;

    memset(out, 0, sizeof *out);
    for (int64_t path = 0; path < 1 << all; path++) {
        double share = first[path & 1];

        for (int64_t t = 1; t < all; t++)
            share *= A[K * (path >> (t - 1) & 1) + (path >> t & 1)];
        for (int64_t t = 0; t < n; t++)
            share *= exp(ln[t * K + (path >> t & 1)]);
        total += share;
        out->best = share > top ? path : out->best;
        top = fmax(top, share);
        for (int64_t t = 0; t < n; t++)
            out->gamma[t * K + (path >> t & 1)] += share;
        for (int64_t t = 1; t < n; t++)
            out->moved[K * (path >> (t - 1) & 1) + (path >> t & 1)] += share;
        out->last[path >> (all - 1) & 1] += share;
    }
    out->lnz = log(total);
    for (int e = 0; e < LONGEST * K; e++)
        out->gamma[e] /= total;
    for (int e = 0; e < K * K; e++)
        out->moved[e] /= total;
    for (int k = 0; k < K; k++)
        out->last[k] /= total;
}

/* A group of gaps only weighs 0. */
static double weight_of(const world *b, int32_t g)
{
    for (int64_t e = b->first[g] * D; e < b->first[g + 1] * D; e++)
        if (!isnan(b->x[e]))
            return b->w[b->first[g]];
    return 0;
}

/* s += what the rows of group g add to the components; blocks that are shared are left out. */
static void add_components(const world *b, int32_t g, const paths *p, const double *r,
                           const double *each, double *s)
{
    const mb_layout *l = &b->mixture.layout;

    for (int64_t j = b->first[g]; j < b->first[g + 1]; j++)
        for (int32_t c = 1; c < l->nblock; c++)
            for (int32_t k = 0; l->block[c].count == K && k < K; k++)
                for (size_t e = 0; e < l->block[c].len; e++) {
                    const size_t at = l->block[c].off + (size_t)k * l->block[c].len + e;

                    s[at] += weight_of(b, g) * p->gamma[(j - b->first[g]) * K + k] *
                             each[(size_t)j * l->len + at] / r[j * K + k];
                }
}

/* exp E[ln p] of the first state and the transitions, and the emissions. */
static void expected(const world *b, double *p, double *A, double *ln, double *r, double *each)
{
    double mu[LEN];

    emissions(b, ln, r, each);
    must(mb_moments(&b->m.layout, b->phi, mu, NULL, b->scratch, &fault));
    for (int e = 0; e < K * K; e++)
        A[e] = exp(transitions(b, mu)[e]);
    for (int k = 0; k < K; k++)
        p[k] = exp(mu[k]);
}

TEST(sums_are_those_of_all_paths)
{
    for (int form = 0; form < FORMS; form++) {
        double  ln[ALL * K], r[ALL * K], p[K], A[K * K], want[LEN] = {0}, got[LEN] = {0};
        double *each, sum = 0, logz = 0;
        world   b;

        set_up(&b, form);
        each = doubles(ALL * b.mixture.layout.len);
        expected(&b, p, A, ln, r, each);
        for (int32_t g = 0; g < LONGEST; g++) {
            const double weight = weight_of(&b, g);
            paths        all;

            all_paths(p, A, ln + b.first[g] * K, g + 1, 0, &all);
            sum += weight * all.lnz;
            add_components(&b, g, &all, r, each, want);
            for (int k = 0; k < K; k++)
                want[k] += weight * all.gamma[k];
            for (size_t e = 0; e < K * K; e++)
                want[b.mixture.layout.len + e] += weight * all.moved[e];
        }
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, got, &logz, b.scratch, &fault));
        assert_near(logz, sum, TOL);
        for (int32_t c = 0; c < b.m.layout.nblock; c++) {
            const mb_block *block = &b.m.layout.block[c];

            if (block->count == K || c == 0)
                assert_all_near(got + block->off, want + block->off,
                                block->len * (size_t)block->count, TOL);
        }
        expect_guards(b.scratch, mb_local_scratch(&b.m));
    }
}

/* Blocks and windows of rows are cut across sequences. */
TEST(many_sequences_add_up)
{
    enum { MANY = 20, EACH = 45 };

    for (int form = 0; form < FORMS; form++) {
        double  all[LEN] = {0}, one[LEN] = {0}, logz[2] = {0}, *x = doubles(MANY * EACH * D);
        int64_t first[MANY + 1], whole[] = {0, EACH};
        world   b;

        set_up(&b, form);
        for (int e = 0; e < MANY * EACH * D; e++)
            x[e] = b.x[(e + e / 50 * D) % (ALL * D)];
        for (int g = 0; g <= MANY; g++)
            first[g] = g * EACH;
        b.rows = (mb_rows){.x = x, .n = MANY * EACH, .d = D, .ld = D, .gaps = b.rows.gaps};
        b.m.scratch = b.m.ops->group_scratch(&b.m, EACH);
        b.scratch = guarded(mb_local_scratch(&b.m));
        for (int g = 0; g < MANY; g++) {
            mb_rows own = mb_rows_part(&b.rows, g * EACH, EACH);

            own.first = whole;
            own.ngroup = 1;
            must(b.m.ops->stats(&b.m, b.phi, &own, one, &logz[0], b.scratch, &fault));
        }
        b.rows.first = first;
        b.rows.ngroup = MANY;
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, all, &logz[1], b.scratch, &fault));
        assert_all_near(all, one, b.m.layout.len, 1e-11);
        assert_near(logz[0], logz[1], 1e-10);
        expect_guards(b.scratch, mb_local_scratch(&b.m));
    }
}

/* A sequence that is longer than a block of rows. */
TEST(one_state_is_the_mixture_of_one_component)
{
    enum { MANY = 500 };

    for (int form = 0; form < FORMS; form++) {
        double        s[2][LEN] = {{0}}, logz[2] = {0}, *x = doubles(MANY * D), *scratch;
        const int64_t whole[] = {0, MANY};
        mb_model      m, mixture;
        const double *at;
        world         b;

        set_up(&b, form);
        for (int e = 0; e < MANY * D; e++)
            x[e] = b.x[(e + e / 50 * D) % (ALL * D)];
        b.size.K = b.of.K = 1;
        must(mb_kind_model(arena, states(), &b.size, &m, &fault));
        must(mb_kind_model(arena, b.base, &b.of, &mixture, &fault));
        m.scratch = m.ops->group_scratch(&m, MANY);
        scratch = doubles(m.scratch + mixture.scratch);
        at = m.prior; /* which begins with the mixture's */
        b.rows = (mb_rows){.x = x, .n = MANY, .d = D, .ld = D, .gaps = b.rows.gaps};
        must(mixture.ops->stats(&mixture, at, &b.rows, s[0], &logz[0], scratch, &fault));
        b.rows.first = whole;
        b.rows.ngroup = 1;
        must(m.ops->stats(&m, at, &b.rows, s[1], &logz[1], scratch, &fault));
        assert_near(logz[0], logz[1], 1e-10);
        assert_near(s[1][0], 1, TOL);
        assert_all_near(s[0] + 1, s[1] + 1, mixture.layout.len - 1, 1e-10);
    }
}

/* ln Z depends on phi through expected statistics alone, of which the sums are its gradient. */
TEST(sums_are_the_gradient_of_the_log_density)
{
    for (int form = 0; form < FORMS; form++) {
        double mu[2][LEN], s[LEN] = {0}, none[LEN], lnz[3] = {0}, change = 0, step[LEN];
        mb_rng r = gen_rng(5);
        world  b;

        set_up(&b, form);
        if (b.base == mb_kind_find("tmm"))
            continue; /* which depends on E[v] otherwise */
        for (size_t l = 0; l < b.m.layout.len; l++)
            step[l] = 1e-5 * b.phi[l] * (mb_rng_uniform(&r) - 0.5);
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, s, &lnz[2], b.scratch, &fault));
        for (int side = 0; side < 2; side++) {
            for (size_t l = 0; l < b.m.layout.len; l++)
                b.phi[l] += side ? 2 * step[l] : -step[l];
            must(mb_moments(&b.m.layout, b.phi, mu[side], NULL, b.scratch, &fault));
            must(b.m.ops->stats(&b.m, b.phi, &b.rows, none, &lnz[side], b.scratch, &fault));
        }
        for (size_t l = 0; l < b.m.layout.len; l++)
            change += s[l] * (mu[1][l] - mu[0][l]);
        assert_near(lnz[1] - lnz[0], change, 1e-8);
        assert_true(fabs(change) > 1e-6);
    }
}

TEST(the_bound_never_falls)
{
    for (int form = 0; form < FORMS; form++) {
        double star[LEN], bound, before = -(double)INFINITY;
        world  b;

        set_up(&b, form);
        for (int t = 0; t < 40; t++) {
            must(mb_local_step(&b.m, &b.rows, 1, b.phi, star, &bound, NULL, b.scratch, &fault));
            assert_true(bound > before - 1e-9);
            before = bound;
            memcpy(b.phi, star, b.m.layout.len * sizeof *star);
        }
    }
}

static double largest_gap(size_t n, const double *a, const double *b)
{
    double most = 0;

    for (size_t e = 0; e < n; e++)
        most = fmax(most, fabs(a[e] - b[e]));
    return most;
}

/* Of the E-step: what all rows say, what those up to each say, and the likeliest path. */
TEST(states_are_those_of_all_paths)
{
    for (int form = 0; form < FORMS; form++) {
        double  ln[ALL * K], r[ALL * K], p[K], A[K * K];
        double  smoothed[ALL * K], filtered[ALL * K], resp[ALL * K], path[ALL], label[ALL];
        double *each;
        world   b;

        set_up(&b, form);
        each = doubles(ALL * b.mixture.layout.len);
        expected(&b, p, A, ln, r, each);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_SMOOTHED, smoothed, b.scratch, &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, resp, b.scratch, &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_FILTERED, filtered, b.scratch, &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_STATES, path, b.scratch, &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LABEL, label, b.scratch, &fault));
        assert_memory_equal(resp, smoothed, sizeof resp);
        for (int32_t g = 0; g < LONGEST; g++) {
            paths all;

            all_paths(p, A, ln + b.first[g] * K, g + 1, 0, &all);
            assert_true(largest_gap((size_t)(g + 1) * K, all.gamma, smoothed + b.first[g] * K) <
                        TOL);
            for (int64_t t = 0; t <= g; t++) {
                const int64_t j = b.first[g] + t;

                assert_int_equal((int64_t)path[j], all.best >> t & 1);
                assert_int_equal((int64_t)label[j], smoothed[j * K + 1] > smoothed[j * K]);
            }
            for (int64_t t = 0; t <= g; t++) {
                all_paths(p, A, ln + b.first[g] * K, t + 1, 0, &all);
                assert_true(largest_gap(K, all.gamma + t * K, filtered + (b.first[g] + t) * K) <
                            TOL);
            }
        }
    }
}

/* What the variance of Student's t is to its scale. */
static double tail(const world *b, const double *par, int32_t k)
{
    const double v = mb_tmm_mean_dof_(&b->of, par, k);

    return v > 2 ? v / (v - 2) : (double)INFINITY;
}

/* The expected first state and transitions, and column 0 in each state. */
static void predictive(const world *b, double *p, double *A, double (*m)[16], double (*v)[16])
{
    double par[LEN];

    must(mb_to_par(&b->m.layout, b->phi, par, b->scratch, &fault));
    mb_shares(&mb_dirichlet, K, par, p);
    for (int i = 0; i < K; i++) {
        mb_shares(&mb_dirichlet, K, transitions(b, par) + i * K, A + i * K);
        mb_component_moments_(b->base, &b->of, par, i, m[i], v[i]);
        if (b->base == mb_kind_find("tmm"))
            v[i][0] *= tail(b, par, i);
    }
}

/* Of column 0, which is a number. */
static void expect_ahead(const paths *all, double (*m)[16], double (*v)[16], const double *got)
{
    const double mean = all->last[0] * m[0][0] + all->last[1] * m[1][0];
    const double square =
        all->last[0] * (v[0][0] + m[0][0] * m[0][0]) + all->last[1] * (v[1][0] + m[1][0] * m[1][0]);

    assert_near(got[0], mean, TOL);
    if (isinf(square)) /* of tails that have none */
        assert_true(isinf(got[1]));
    else
        assert_near(got[1], square - mean * mean, TOL);
}

/* The predictive density of a row given those before, and mean and variance of those that follow, under
 * the expected transitions. */
TEST(forecasts_and_densities_are_those_of_all_paths)
{
    for (int form = 0; form < FORMS; form++) {
        double   ln[ALL * K], density[ALL], p[K], A[K * K], m[K][16], v[K][16];
        double   ahead[LONGEST][AHEAD][D][2], next[LONGEST][AHEAD][K];
        mb_pass_ pass;
        paths    all, before;
        world    b;

        set_up(&b, form);
        predictive(&b, p, A, m, v);
        must(mb_mixture_open_(&pass, &b.mixture, b.phi, &b.rows, 1, b.scratch, &fault));
        must(mb_mixture_densities_(&pass, &b.rows, 0, ALL, ln, &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LOGPDF, density, b.scratch, &fault));
        b.rows.ahead = AHEAD;
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_AHEAD, &ahead[0][0][0][0], b.scratch,
                              &fault));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_STATES_AHEAD, &next[0][0][0], b.scratch,
                              &fault));
        for (int32_t g = 0; g < LONGEST; g++) {
            before.lnz = 0;
            for (int64_t t = 0; t <= g; t++) {
                all_paths(p, A, ln + b.first[g] * K, t + 1, 0, &all);
                assert_near(density[b.first[g] + t], all.lnz - before.lnz, TOL);
                before = all;
            }
            for (int h = 0; h < AHEAD; h++) {
                all_paths(p, A, ln + b.first[g] * K, g + 1, h + 1, &all);
                expect_ahead(&all, m, v, ahead[g][h][0]);
                assert_true(largest_gap(K, all.last, next[g][h]) < TOL);
            }
        }
    }
}

/* As the posterior has them, and each row by itself. */
TEST(rows_that_are_drawn_follow_the_transitions)
{
    enum { N = 4000 };
    double par[LEN], x[N * (D + 1)], again[D + 1], count[K][K] = {{0}}, A[K];
    world  b;

    set_up(&b, 0);
    must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, &fault));
    must(b.m.ops->sample(&b.m, par, 7, 0, N, x, b.scratch, &fault));
    for (int j = 0; j < N; j += 1 + j / 8) {
        must(b.m.ops->sample(&b.m, par, 7, j, 1, again, b.scratch, &fault));
        assert_memory_equal(again, x + j * (D + 1), sizeof again);
    }
    /* One step a row up to there would take hours. */
    must(b.m.ops->sample(&b.m, par, 7, INT64_C(1) << 40, 1, again, b.scratch, &fault));
    for (int j = 1; j < N; j++)
        count[(int)x[(j - 1) * (D + 1)]][(int)x[j * (D + 1)]]++;
    for (int i = 0; i < K; i++) {
        const double n = count[i][0] + count[i][1];

        mb_shares(&mb_dirichlet, K, transitions(&b, par) + i * K, A);
        assert_true(n > 100);
        /* 5.5 standard deviations: 4e-8 */
        assert_true(fabs(count[i][0] / n - A[0]) < 5.5 * sqrt(A[0] * A[1] / n));
    }
}

/* Rows that no state explains, and states that are left for good: logarithms bear them. */
TEST(absurd_rows_are_borne_or_named)
{
    double logz = 0, s[LEN] = {0};
    world  b;

    set_up(&b, 1);
    b.x[5 * D] = 1e6;
    must(b.m.ops->stats(&b.m, b.phi, &b.rows, s, &logz, b.scratch, &fault));
    assert_true(isfinite(logz) && logz < -1e6);
    b.x[5 * D] = (double)NAN; /* no gap */
    assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, s, &logz, b.scratch, &fault),
                     MB_E_NUMERIC);
    assert_non_null(strstr(fault.msg, "row 5"));
    b.w[5] = 9;
    assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, s, &logz, b.scratch, &fault), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
