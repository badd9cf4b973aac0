/* test_structural.c - structural time series, against the joint Gaussian of all rows. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "num/num.h"
#include "test.h"

enum { MOST = 24, STATES = 8, WIDE = 128 };

/* A series of n rows of D inputs and a target in the units of the model, with gaps; the model at a
 * posterior. */
typedef struct bench {
    mb_sizes size;
    mb_model m;
    mb_rows  rows;
    double   x[MOST * 3], *phi, *scratch, var[4], start;
    int64_t  first[3];
} bench;

static void set_up(bench *b, int trend, int season, int32_t D, int n)
{
    mb_rng  r = gen_rng(7);
    double *par;

    *b = (bench){.size = {.D = D, .choice = {trend, season}}};
    must(mb_kind_structural.model(arena, &b->size, &b->m, NULL));
    b->rows = (mb_rows){.x = b->x, .n = n, .d = D + 1, .ld = (size_t)D + 1, .gaps = 1};
    b->first[1] = n;
    b->rows.first = b->first;
    b->rows.ngroup = 1;
    for (int e = 0; e < n * (D + 1); e++)
        b->x[e] = mb_rng_normal(&r);
    b->x[4 * D + 3] = b->x[8 * (D + 1) + D] = (double)NAN; /* of two rows: 3, when D = 0, and 8 */
    if (D)
        b->x[4 * D + 3] = 1, b->x[3 * (D + 1) + D] = (double)NAN;
    b->m.scratch = b->m.ops->group_scratch(&b->m, n);
    b->scratch = doubles(mb_local_scratch(&b->m));
    b->phi = doubles(b->m.layout.len);
    par = doubles(b->m.layout.len);
    must(mb_to_par(&b->m.layout, b->m.prior, par, b->scratch, NULL));
    b->start = trend ? 1 : 1e4;
    for (int32_t i = 0, at = D + 1; i <= D; at += ++i + 1)
        par[at] = 1 / b->start;
    for (int i = 0; i < 2 + trend + (season > 0); i++) {
        double *gamma = par + b->m.layout.block[1].off + 2 * i;

        gamma[0] = 5 + i;
        gamma[1] = gamma[0] * (b->var[i] = 0.5 / (1 + i));
    }
    must(mb_from_par(&b->m.layout, par, b->phi, NULL));
}

/* What the numbers of the state are of z (WIDE). */
typedef struct shown {
    double of[STATES][WIDE];
} shown;

static void move(const bench *b, int season, shown *s)
{
    const int trend = b->size.choice[0];
    shown     next = *s;

    for (int e = 0; e < WIDE; e++) {
        if (trend)
            next.of[0][e] += s->of[1][e];
        for (int k = season - 1; k >= 0; k--)
            next.of[1 + trend + k][e] = k ? s->of[trend + k][e] : 0;
        for (int k = 0; k < season; k++)
            next.of[1 + trend][e] -= s->of[1 + trend + k][e];
    }
    *s = next;
}

/* y = C z, z independent and normal: the state of the first row (level first, then coefficients),
 * and for each row its noise and what moves the state after it. Rows of C (WIDE) for all rows of
 * the series; *n_z: numbers of z. */
static void joint(const bench *b, double *C, double *var, int *n_z)
{
    const int trend = b->size.choice[0], season = b->size.choice[1];
    const int D = b->size.D, n = (int)b->rows.n, m = 1 + trend + season;
    const int at[] = {0, trend ? 1 : 1 + trend, 1 + trend}; /* what the parts move */
    shown     s = {{{0}}};
    int       z = m + D;

    for (int i = 0; i < m + D; i++)
        var[i] = b->start;
    for (int i = 0; i < m; i++)
        s.of[i][i] = 1;
    for (int t = 0; t < n; t++) {
        double *row = C + t * WIDE;

        for (int e = 0; e < WIDE; e++)
            row[e] = s.of[0][e] + (season ? s.of[1 + trend][e] : 0);
        for (int d = 0; d < D; d++)
            row[m + d] += b->x[t * (D + 1) + d];
        row[z] = 1;
        var[z++] = b->var[0];
        move(b, season, &s);
        for (int i = 0; i < 1 + trend + (season > 0) && t < n - 1; i++) {
            s.of[at[i]][z] = 1;
            var[z++] = b->var[1 + i];
        }
    }
    *n_z = z;
}

/* Of the rows with a target: S their covariance, y; which: their numbers. */
static int observed(const bench *b, const double *C, const double *var, int n_z, double *S,
                    double *y, int *which)
{
    int n = 0;

    for (int t = 0; t < b->rows.n; t++)
        if (!isnan(b->x[(t + 1) * b->rows.d - 1])) {
            y[n] = b->x[(t + 1) * b->rows.d - 1];
            which[n++] = t;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            S[i * n + j] = 0;
            for (int e = 0; e < n_z; e++)
                S[i * n + j] += C[which[i] * WIDE + e] * var[e] * C[which[j] * WIDE + e];
        }
    return n;
}

/* ln p(y), and of each z mean and E[z^2] given y. */
static double dense(const bench *b, double *mean, double *square, int *n_z)
{
    static double C[MOST * WIDE], var[WIDE], S[MOST * MOST], y[MOST], w[MOST];
    int           which[MOST], n;
    double        ln = 0;

    joint(b, C, var, n_z);
    n = observed(b, C, var, *n_z, S, y, which);
    assert_int_equal(mb_chol_(S, n), 0);
    mb_chol_forward_(S, n, y);
    for (int i = 0; i < n; i++)
        ln -= 0.5 * (log(2 * 3.14159265358979323846) + 2 * log(S[i * n + i]) + y[i] * y[i]);
    for (int e = 0; e < *n_z; e++) {
        double gain = 0;

        mean[e] = 0;
        for (int i = 0; i < n; i++)
            w[i] = C[which[i] * WIDE + e] * var[e];
        mb_chol_forward_(S, n, w);
        for (int i = 0; i < n; i++) {
            mean[e] += w[i] * y[i];
            gain += w[i] * w[i];
        }
        square[e] = mean[e] * mean[e] + var[e] - gain;
    }
    return ln;
}

/* Level; with a trend; with a season of four; all of it; with two inputs. With a trend the variance of
 * the first state is 1, not 1e4: with that the joint Gaussian would itself be right to 1e-7 only. */
static const struct {
    int     trend, season;
    int32_t D;
} form[] = {{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {1, 3, 0}, {1, 3, 2}};
enum { FORMS = sizeof form / sizeof *form };

TEST(statistics_and_densities_are_those_of_the_joint_gaussian)
{
    static double mean[WIDE], square[WIDE];

    for (int f = 0; f < FORMS; f++) {
        bench   b;
        int     n_z, parts, z;
        double *s, *mu, logz = 0, ln, sum[4] = {0}, count[4] = {0};

        set_up(&b, form[f].trend, form[f].season, form[f].D, MOST);
        ln = dense(&b, mean, square, &n_z);
        s = doubles(b.m.layout.len);
        mu = doubles(b.m.layout.len);
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, s, &logz, b.scratch, NULL));
        must(mb_moments(&b.m.layout, b.phi, mu, NULL, b.scratch, NULL));
        parts = 1 + form[f].trend + (form[f].season > 0);
        z = 1 + form[f].trend + form[f].season + form[f].D;
        for (int t = 0; t < MOST; t++, z += t < MOST ? parts : 0) {
            if (!isnan(b.x[(t + 1) * b.rows.d - 1])) {
                sum[0] += square[z];
                count[0]++;
            }
            z++;
            for (int i = 0; i < parts && t < MOST - 1; i++) {
                sum[1 + i] += square[z + i];
                count[1 + i]++;
            }
        }
        for (int i = 0; i < 1 + parts; i++) {
            const size_t at = b.m.layout.block[1].off + 2 * (size_t)i;

            assert_near(s[at], 0.5 * count[i], 1e-12);
            assert_near(s[at + 1], -0.5 * sum[i], 1e-9);
            ln += 0.5 * count[i] * (mu[at] - log(mu[at + 1]));
        }
        assert_near(logz, ln, 1e-9);
    }
}

/* Mean and variance of c'z given the targets up to row `last`. */
static void given(const bench *b, const double *c, int last, double *mean, double *var)
{
    static double C[MOST * WIDE], v[WIDE], S[MOST * MOST], y[MOST], w[MOST];
    int           which[MOST], n_z, n;
    bench         some = *b;

    joint(b, C, v, &n_z);
    some.rows.n = last + 1;
    n = observed(&some, C, v, n_z, S, y, which);
    assert_int_equal(mb_chol_(S, n), 0);
    mb_chol_forward_(S, n, y);
    *mean = *var = 0;
    for (int i = 0; i < n; i++) {
        w[i] = 0;
        for (int e = 0; e < n_z; e++)
            w[i] += C[which[i] * WIDE + e] * v[e] * c[e];
    }
    mb_chol_forward_(S, n, w);
    for (int e = 0; e < n_z; e++)
        *var += c[e] * v[e] * c[e];
    for (int i = 0; i < n; i++) {
        *mean += w[i] * y[i];
        *var -= w[i] * w[i];
    }
}

/* A level alone, whose rows show it: at row t it is C_t without its noise. */
TEST(a_level_is_smoothed_and_filtered_as_the_joint_gaussian_says)
{
    static double C[MOST * WIDE], v[WIDE];
    double        out[2][2 * MOST], mean, var;
    bench         b;
    int           n_z;

    set_up(&b, 0, 0, 0, MOST);
    joint(&b, C, v, &n_z);
    must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_SMOOTHED, out[0], b.scratch, NULL));
    must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_FILTERED, out[1], b.scratch, NULL));
    for (int t = 0; t < MOST; t++)
        for (int k = 0; k < 2; k++) {
            double c[WIDE];

            memcpy(c, C + t * WIDE, sizeof c);
            c[1 + 2 * t] = 0; /* the noise of row t */
            given(&b, c, k ? t : MOST - 1, &mean, &var);
            assert_near(out[k][2 * t], mean, 1e-9);
            assert_near(out[k][2 * t + 1], var, 1e-8);
        }
}

/* The forms of 1e4 as the variance of the first state are those without a slope: see form[]. */
TEST(rows_and_gaps_are_predicted_from_all_others_as_the_joint_gaussian_says)
{
    static double C[MOST * WIDE], v[WIDE];
    double        out[2 * MOST], mean, var;

    for (int f = 0; f < FORMS; f++) {
        bench  b;
        int    n_z;
        double dof, widen;

        set_up(&b, form[f].trend, form[f].season, form[f].D, MOST);
        joint(&b, C, v, &n_z);
        dof = 2 * (b.phi[b.m.layout.block[1].off] + 1);
        widen = dof / (dof - 2);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_MEAN_VAR, out, b.scratch, NULL));
        for (int t = 0; t < MOST; t++) {
            double *y = &b.x[(t + 1) * b.rows.d - 1], had = *y;

            *y = (double)NAN;
            given(&b, C + t * WIDE, MOST - 1, &mean, &var);
            *y = had;
            assert_near(out[2 * t], mean, 1e-7);
            assert_near(out[2 * t + 1], widen * var, 1e-7);
        }
    }
}

/* Rows 0 .. m - 1 have no target, so that the state is not known there, with a variance of 1e12 at
 * the first row: as its reciprocal goes to 0 the gaps are those of 1e11, and none is lost in it. */
TEST(gaps_before_the_state_is_known_lose_no_digits)
{
    double out[2][2 * MOST];

    for (int k = 0; k < 2; k++) {
        bench   b;
        double *par;

        set_up(&b, 1, 3, 0, MOST);
        par = doubles(b.m.layout.len);
        must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, NULL));
        par[1] = k ? 1e-11 : 1e-12;
        must(mb_from_par(&b.m.layout, par, b.phi, NULL));
        for (int t = 0; t < 5; t++)
            b.x[t] = (double)NAN;
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_MEAN_VAR, out[k], b.scratch, NULL));
    }
    for (int e = 0; e < 2 * MOST; e++)
        assert_near(out[0][e], out[1][e], 1e-7);
}

/* The last rows without a target are rows that follow. */
TEST(what_follows_is_what_fills_gaps_at_the_end)
{
    enum { AHEAD = 5 };
    double ahead[2 * AHEAD], fill[2 * MOST];

    for (int f = 0; f < 4; f++) {
        bench b;

        set_up(&b, form[f].trend, form[f].season, 0, MOST);
        for (int t = MOST - AHEAD; t < MOST; t++)
            b.x[t] = (double)NAN;
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_MEAN_VAR, fill, b.scratch, NULL));
        b.first[1] = b.rows.n = MOST - AHEAD;
        b.rows.ahead = AHEAD;
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_AHEAD, ahead, b.scratch, NULL));
        for (size_t e = 0; e < 2 * AHEAD; e++)
            assert_near(ahead[e], fill[2 * (MOST - AHEAD) + e], 1e-9);
    }
}

RUN_TESTS(arena_up, arena_down)
