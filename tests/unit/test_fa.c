/* test_fa.c - factor analysis: what a row says by quadrature, the way to the answer, and its form. */
#include "fits.h"
#include "ln_z.h"
#include "meshbayes/extend.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"

enum { D = 5, DRAWN = 300, MOST = 200, FACTORS = 6, DIAGONAL = 0, ISOTROPIC, NOISES };

static const double LN_2PI = 1.83787706640934548356;

typedef struct bench {
    mb_sizes size;
    mb_model m;
    double   phi[MOST], mu[MOST], s[MOST], *scratch;
} bench;

/* A posterior drawn at random, of q factors. */
static void set_up(bench *b, int32_t q, int32_t noise)
{
    mb_rng r = gen_rng(5 + (uint64_t)q);
    double par[MOST];

    b->size = (mb_sizes){.D = D, .factors = q, .choice = {noise}};
    OK(mb_kind_fa.model(arena, &b->size, &b->m, &err));
    assert_true(b->m.layout.len <= MOST);
    b->scratch = doubles(mb_local_scratch(&b->m));
    gen_par(&r, &b->m.layout, par);
    OK(mb_from_par(&b->m.layout, par, b->phi, &err));
    OK(mb_moments(&b->m.layout, b->phi, b->mu, NULL, b->scratch, &err));
}

static double ln_z(bench *b, const double *phi, const mb_rows *rows, double *s)
{
    return ln_z_of(&b->m, phi, rows, s, b->scratch);
}

static int32_t is_equal(const bench *b)
{
    return b->size.choice[0] == ISOTROPIC;
}

/* What the first block has of column d: [a number, p (p + 1)/2 + p numbers, a number], of which
 * the first and the last are those of all columns where the noise is isotropic. `head` numbers are
 * in front. */
static void numbers_of_column(const bench *b, const double *block, int32_t d, size_t head,
                              double *out)
{
    const size_t p = (size_t)b->size.factors + 1, all = b->m.layout.block[0].len;
    const size_t each = is_equal(b) ? p * (p + 1) / 2 + p : all / D;

    memcpy(out, block + (is_equal(b) ? 0 : (size_t)d * each), head * sizeof *out);
    memcpy(out + head, block + (size_t)d * each + head, (p * (p + 1) / 2 + p + 1) * sizeof *out);
    if (is_equal(b) && head == 1)
        out[1 + p * (p + 1) / 2 + p] = block[all - 1];
}

/* E[ln p(x_d | h)] from the moments of column d: u is [ln tau, svec(tau v v')], v = (w, -1). */
static double expected(const bench *b, int32_t d, double x, const double *h)
{
    const int32_t q = b->size.factors, n = q + 2;
    double        mu[MOST], z[FACTORS + 2] = {1}, full[(FACTORS + 2) * (FACTORS + 2)], sum = 0;

    numbers_of_column(b, b->mu, d, 1, mu);
    memcpy(z + 1, h, (size_t)q * sizeof *z);
    z[n - 1] = x;
    mb_unsvec_(mu + 1, n, full);
    for (int32_t i = 0; i < n * n; i++)
        sum += z[i / n] * z[i % n] * full[i];
    return 0.5 * (mu[0] - LN_2PI - sum);
}

/* Calls f at a grid of q = 1 or 2 factors, whose sum is exact for what falls as a Gaussian does. */
enum { SIDE = 160 };
static double integrate(int32_t q, double (*f)(void *self, const double *h), void *self)
{
    const double step = 0.1;
    double       sum = 0;

    for (int i = -SIDE / 2; i <= SIDE / 2; i++)
        for (int k = q > 1 ? -SIDE / 2 : 0; k <= (q > 1 ? SIDE / 2 : 0); k++) {
            const double h[2] = {i * step, k * step};

            sum += exp(f(self, h));
        }
    return log(sum) + q * log(step);
}

typedef struct row {
    const bench  *b;
    const double *x;
} row;

static double of_row(void *self, const double *h)
{
    const row *r = self;
    double     sum = 0;

    for (int32_t k = 0; k < r->b->size.factors; k++)
        sum -= 0.5 * (h[k] * h[k] + LN_2PI);
    for (int32_t d = 0; d < D; d++)
        sum += isnan(r->x[d]) ? 0 : expected(r->b, d, r->x[d], h);
    return sum;
}

static const double x_of_row[] = {0.3, -1.2, NAN, 2, 0.1};

TEST(ln_z_of_a_row_with_a_gap_is_the_integral_over_its_factors)
{
    const mb_rows one = {.x = x_of_row, .n = 1, .d = D, .ld = D, .gaps = 1};

    for (int32_t i = 0; i < 2 * NOISES; i++) {
        const int32_t q = 1 + i % 2;
        bench         b;

        set_up(&b, q, i / 2);
        assert_near(ln_z(&b, b.phi, &one, b.s),
                    integrate(q, of_row, &(row){.b = &b, .x = x_of_row}), 1e-12);
    }
}

/* Along each entry of phi the change of ln Z is that of mu times the statistics. */
static void assert_gradient(int32_t noise)
{
    const mb_rows rows = {.x = x_of_row, .n = 1, .d = D, .ld = D, .gaps = 1};
    bench         b;

    set_up(&b, 2, noise);
    assert_gradient_of_ln_z(&b.m, b.phi, &rows, 0, b.scratch);
}

TEST(statistics_are_the_gradient_of_ln_z)
{
    assert_gradient(DIAGONAL);
    assert_gradient(ISOTROPIC);
}

/* ln of Student's t of n numbers, which have the shape a and the rate b in common: `square` is the
 * sum of their squares in units of their scale, 2 ln_scale that of the logarithms of its squares. */
static double student(double n, double a, double b, double square, double ln_scale)
{
    return lgamma(a + n / 2) - lgamma(a) - 0.5 * n * (log(b) + LN_2PI) - ln_scale -
           (a + n / 2) * log1p(square / (2 * b));
}

/* ln p(x | h) with the parameters of the columns integrated out. */
static double of_students(void *self, const double *h)
{
    const row    *r = self;
    const int32_t q = r->b->size.factors, p = q + 1, equal = is_equal(r->b);
    double        sum = 0, squares = 0, ln_scales = 0;
    int32_t       seen = 0;

    for (int32_t k = 0; k < q; k++)
        sum -= 0.5 * (h[k] * h[k] + LN_2PI);
    for (int32_t d = 0; d < D; d++) {
        double par[MOST], L[9], z[3] = {1, h[0], q > 1 ? h[1] : 0}, y = r->x[d], scale = 1;

        if (isnan(y))
            continue;
        numbers_of_column(r->b, r->b->mu, d, 2, par); /* textbook */
        for (int32_t i = 0; i < p; i++)
            y -= par[2 + i] * z[i];
        assert_int_equal(mb_chol_packed_(par + 2 + p, p, L), 0);
        mb_chol_forward_(L, p, z);
        for (int32_t i = 0; i < p; i++)
            scale += z[i] * z[i];
        if (!equal)
            sum += student(1, par[0], par[1], y * y / scale, 0.5 * log(scale));
        squares += y * y / scale;
        ln_scales += 0.5 * log(scale);
        seen++;
    }
    return equal ? sum + student(seen, r->b->mu[0], r->b->mu[1], squares, ln_scales) : sum;
}

/* As of 40 rows (with fewer the integrand is no longer nearly normal), and of many, where it is. */
TEST(predictive_densities_are_integrals_over_factors_and_parameters)
{
    static const struct {
        double rows, tol;
    } of[] = {{40, 2e-3}, {40000, 1e-6}};
    const mb_rows one = {.x = x_of_row, .n = 1, .d = D, .ld = D, .gaps = 1};

    for (int32_t i = 0; i < 4 * NOISES; i++) {
        const int32_t q = 1 + i % 2;
        const double  rows = of[i / 2 % 2].rows;
        bench         b;
        double        got;

        set_up(&b, q, i / 4);
        OK(mb_to_par(&b.m.layout, b.phi, b.mu, b.scratch, &err));
        for (int32_t d = 0; d < D; d++) {
            const size_t each = b.m.layout.block[0].len / D;
            double      *par = b.mu + (size_t)d * each, *gamma = is_equal(&b) ? b.mu : par;

            gamma[0] += rows / 2, gamma[1] += rows / 2;
            for (size_t e = 0; e < mb_svec_len_(q + 1); e++)
                par[3 + (size_t)q + e] *= rows;
        }
        OK(mb_from_par(&b.m.layout, b.mu, b.phi, &err));
        OK(b.m.ops->predict(&b.m, b.phi, &one, MB_WANT_LOGPDF, &got, b.scratch, &err));
        assert_near(got, integrate(q, of_students, &(row){.b = &b, .x = x_of_row}),
                    of[i / 2 % 2].tol);
    }
}

/* ---- fits ---- */

static double truth[3][D] = {{2, 1.5, -1, 0.5, 0.2}, {0.3, -0.4, 1, 0.9, -0.8}, {0}};

static double noise_sd(int32_t noise, int d)
{
    return noise == ISOTROPIC ? 0.7 : 0.5 + 0.1 * d;
}

/* Two factors, noise of sd 0.5 to 0.9, or 0.7; gaps: every seventh value is missing. */
static mb_table drawn_rows(int32_t noise, int gaps)
{
    mb_rng  r = gen_rng(17);
    double *x = doubles(DRAWN * D);

    for (int j = 0; j < DRAWN; j++) {
        const double h[] = {mb_rng_normal(&r), mb_rng_normal(&r)};

        for (int d = 0; d < D; d++) {
            x[j * D + d] = 10 * d + truth[0][d] * h[0] + truth[1][d] * h[1] +
                           noise_sd(noise, d) * mb_rng_normal(&r);
            if (gaps && (j * D + d) % 7 == 3)
                x[j * D + d] = (double)NAN;
        }
    }
    return (mb_table){.rows = {.x = x, .n = DRAWN, .d = D, .ld = D, .gaps = gaps}};
}

static void fit_of(int32_t q, int32_t noise, int gaps, const mb_network *net, uint64_t seed,
                   mb_fit *out)
{
    const mb_table table = drawn_rows(noise, gaps);
    mb_fit_opt     opt = mb_fit_defaults();
    mb_fa_kind     fa = {0};

    OK(mb_opt_defaults(mb_kind_fa.opts, &fa, &err));
    fa.n_components = q;
    fa.noise = noise;
    opt.kind = &mb_kind_fa;
    opt.kind_opt = &fa;
    opt.n_init = 1;
    opt.start.seed = seed;
    if (net)
        opt.how.algo = &mb_algo_edge;
    OK(mb_fit_run(arena, net, &table, &opt, out, &err));
    assert_int_equal(out->out.verdict, MB_ENDED_SETTLED);
}

static double numbers_of(const mb_fit *fit, const char *key, int64_t at)
{
    mb_array *all;
    int32_t   n;

    OK(mb_kind_arrays(arena, &mb_kind_fa, &fit->posterior.size, fit->posterior.par, &all, &n,
                      &err));
    for (int32_t k = 0; k < n; k++)
        if (!strcmp(all[k].name, key))
            return all[k].x[at];
    fail_msg("no %s", key);
    return 0;
}

/* What the factors and the noise say of columns i and k. */
static double covariance(const mb_fit *fit, int i, int k)
{
    const int32_t q = fit->posterior.size.factors;
    const int     equal = fit->posterior.size.choice[0] == ISOTROPIC;
    double        sum = i == k ? numbers_of(fit, "noise_variance", equal ? 0 : i) : 0;

    for (int32_t f = 0; f < q; f++)
        sum += numbers_of(fit, "loadings", f * D + i) * numbers_of(fit, "loadings", f * D + k);
    return sum;
}

static void assert_covariance(const mb_fit *fit, double (*other)(int i, int k), double tol)
{
    for (int i = 0; i < D; i++)
        for (int k = 0; k <= i; k++)
            assert_near(covariance(fit, i, k), other(i, k), tol);
}

static double of_truth(int i, int k)
{
    return truth[0][i] * truth[0][k] + truth[1][i] * truth[1][k] +
           (i == k ? pow(noise_sd(DIAGONAL, i), 2) : 0);
}

static double of_equal_truth(int i, int k)
{
    return truth[0][i] * truth[0][k] + truth[1][i] * truth[1][k] +
           (i == k ? pow(noise_sd(ISOTROPIC, i), 2) : 0);
}

/* Of 300 rows: variances of up to 4.6 have standard errors of .38. */
TEST(two_factors_are_found_among_more_and_the_others_fade)
{
    for (int i = 0; i < 2 * NOISES; i++) {
        mb_fit fit;

        fit_of(4, i / 2, i % 2, NULL, 1, &fit);
        assert_covariance(&fit, i / 2 ? of_equal_truth : of_truth, 0.6);
        for (int32_t k = 0; k < 4; k++)
            assert_true((numbers_of(&fit, "variance_share", k) > 0.01) == (k < 2));
        mb_fit_close(&fit);
    }
}

static mb_fit central;

static double of_central(int i, int k)
{
    return covariance(&central, i, k);
}

static void assert_edge_settles(int32_t noise)
{
    const mb_network net = network("ring:n=5");

    fit_of(2, noise, 0, NULL, 1, &central);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        mb_fit spread;

        fit_of(2, noise, 0, &net, seed, &spread);
        assert_all_near(spread.posterior.par, central.posterior.par, central.posterior.len, 1e-4);
        mb_fit_close(&spread);
    }
    assert_covariance(&central, of_central, 0);
    mb_fit_close(&central);
}

TEST(edge_settles_at_the_answer_of_central_vb_from_any_seed)
{
    assert_edge_settles(DIAGONAL);
    assert_edge_settles(ISOTROPIC);
}

/* A central run of `steps` steps from phi. Returns the last bound; *fell: by how much one fell at most,
 * relative to its size. */
static double steps_of(const mb_model *m, const mb_rows *rows, int steps, double *phi, double *fell)
{
    double *scratch = doubles(mb_local_scratch(m)), *star = doubles(m->layout.len);
    double  bound = 0, last = -INFINITY;

    *fell = 0;
    for (int t = 0; t < steps; t++) {
        OK(mb_local_step(m, rows, 1, phi, star, &bound, NULL, scratch, &err));
        if (bound < last)
            *fell = fmax(*fell, (last - bound) / fabs(bound));
        last = bound;
        memcpy(phi, star, m->layout.len * sizeof *phi);
    }
    return last;
}

/* The rows about their middle. */
static mb_rows middle_rows(void)
{
    const mb_table table = drawn_rows(DIAGONAL, 0);
    double        *x = doubles(DRAWN * D);

    for (int e = 0; e < DRAWN * D; e++)
        x[e] = table.rows.x[e] - 10 * (e % D);
    return (mb_rows){.x = x, .n = DRAWN, .d = D, .ld = D};
}

/* Where a run of plain steps still is far away after as many. */
static void assert_shorter_way(int32_t noise)
{
    const mb_rows rows = middle_rows();
    mb_model_ops  ops;
    mb_model      plain;
    bench         b;
    double        slow[MOST], fell, bound;

    set_up(&b, 2, noise);
    plain = b.m;
    ops = *b.m.ops;
    ops.straighten = NULL;
    plain.ops = &ops;
    mb_phi0_(&mb_kind_fa, &b.m, NULL, NULL, 3, 0, b.phi);
    memcpy(slow, b.phi, sizeof slow);
    bound = steps_of(&b.m, &rows, 200, b.phi, &fell);
    assert_true(fell < 1e-11);
    assert_true(steps_of(&plain, &rows, 200, slow, &fell) < bound - 1e-2);
    assert_true(fell < 1e-11);
    steps_of(&b.m, &rows, 200, b.phi, &fell);
    memcpy(slow, b.phi, sizeof slow);
    steps_of(&plain, &rows, 1, slow, &fell); /* it is a fixed point of plain steps, too */
    assert_true(largest_difference(slow, b.phi, plain.layout.len) < 1e-7);
}

TEST(straightened_steps_have_a_shorter_way_and_no_bound_falls)
{
    assert_shorter_way(DIAGONAL);
    assert_shorter_way(ISOTROPIC);
}

/* Of four factors two explain nothing. */
TEST(factors_that_fade_do_so_within_a_few_hundred_steps)
{
    const mb_rows rows = middle_rows();
    bench         b;
    double        before[MOST], fell;

    set_up(&b, 4, DIAGONAL);
    mb_phi0_(&mb_kind_fa, &b.m, NULL, NULL, 3, 0, b.phi);
    steps_of(&b.m, &rows, 400, b.phi, &fell);
    memcpy(before, b.phi, sizeof before);
    steps_of(&b.m, &rows, 1, b.phi, &fell);
    assert_true(largest_difference(b.phi, before, b.m.layout.len) < 1e-6);
}

TEST(a_canonical_posterior_stays_as_it_is_and_has_diagonal_loadings)
{
    mb_fit         fit;
    const mb_case *c;
    double         phi[MOST], *scratch, mu[MOST], cross = 0, own[2] = {0};

    fit_of(2, DIAGONAL, 1, NULL, 1, &fit);
    c = fit.stages->session.c;
    scratch = doubles(mb_local_scratch(&c->model));
    memcpy(phi, fit.stages->session.state.phi, c->model.layout.len * sizeof *phi);
    c->model.ops->canonical(&c->model, phi, scratch);
    memcpy(mu, phi, sizeof mu);
    c->model.ops->canonical(&c->model, mu, scratch);
    assert_true(largest_difference(mu, phi, c->model.layout.len) < 1e-5);
    OK(mb_moments(&c->model.layout, phi, mu, NULL, scratch, &err));
    for (int d = 0; d < D; d++) {
        const double *of = mu + (size_t)d * c->model.layout.block[0].len / D + 1;

        cross += of[mb_packed_at_(2, 1)] / sqrt(2);
        own[0] += of[mb_packed_at_(1, 1)];
        own[1] += of[mb_packed_at_(2, 2)];
    }
    assert_true(own[0] > own[1] && fabs(cross) < 1e-6 * own[0]);
    mb_fit_close(&fit);
}

TEST(scores_follow_the_factors_and_gaps_are_filled)
{
    static const double x[] = {4, 13, 18, 31, NAN, 4, 13, 18, 31, 40.4};
    const mb_rows       rows = {.x = x, .n = 2, .d = D, .ld = D, .gaps = 1};
    mb_fit              fit;
    double              scores[4], filled[2 * D];

    fit_of(2, DIAGONAL, 0, NULL, 1, &fit);
    OK(mb_posterior_predict_on(&fit.posterior, &rows, MB_WANT_SCORES, 0, NULL, scores, &err));
    OK(mb_posterior_predict_on(&fit.posterior, &rows, MB_WANT_FILLED, 0, NULL, filled, &err));
    assert_true(fabs(scores[0]) > 1.5); /* x is where h = (2, 0) leads, sign and rotation free */
    for (int d = 0; d < 4; d++)
        assert_true(filled[d] >= x[d] && filled[d] <= x[d]);
    assert_near(filled[4], 40.4, 0.3);
    mb_fit_close(&fit);
}

static mb_sizes one_column(int32_t noise)
{
    return (mb_sizes){.D = 1, .factors = 2, .choice = {noise}};
}

/* The same numbers in the same order: a posterior of one says the same as the other. */
TEST(of_one_column_both_noises_are_the_same)
{
    const mb_rows rows = {.x = x_of_row, .n = 2, .d = 1, .ld = 1};
    double        s[NOISES][MOST] = {{0}}, z[NOISES] = {0}, phi[NOISES][MOST];
    size_t        len = 0;

    for (int32_t noise = 0; noise < NOISES; noise++) {
        const mb_sizes size = one_column(noise);
        mb_model       m;

        OK(mb_kind_fa.model(arena, &size, &m, &err));
        mb_phi0_(&mb_kind_fa, &m, NULL, NULL, 3, 0, phi[noise]);
        OK(m.ops->stats(&m, phi[noise], &rows, s[noise], &z[noise], doubles(mb_local_scratch(&m)),
                        &err));
        len = m.layout.len;
    }
    assert_all_near(phi[1], phi[0], len, 0);
    assert_near(z[1], z[0], 1e-12);
    assert_all_near(s[1], s[0], len, 1e-12);
}

RUN_EACH_TEST(arena_up, arena_down)
