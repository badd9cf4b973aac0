/* kernel.c - every kernel this machine can run gives the answers of the plain one, in every form of the
 * moments; so does a kernel or a form that is added to the lists. */
#include "kernel/kernel.h"
#include "arena.h"
#include "gen.h"
#include "model/gmm_step.h"
#include "model/model.h"
#include "test.h"

/* Relative to the largest number of its kind: other orders of the sums, other exp. */
static const double TOL = 1e-10;
/* Rows in single precision against rows in double. */
static const double TOL_SINGLE = 1e-6;

enum { RAGGED = 2 * MB_BLOCK_MAX + 37, SINGLE_K = 5 /* rows in single precision up to here */ };

/* A mixture with rows around K centres, and the posterior of responsibilities that know which. */
typedef struct bench {
    mb_model      m;
    mb_full_spec_ spec;
    mb_rows       rows;
    double       *x, *w, *phi, *scratch;
    float        *x32;
} bench;

static double *responsibilities(int32_t K, int64_t n)
{
    double *resp = doubles((size_t)n * (size_t)K);

    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < K; k++)
            resp[j * K + k] = K == 1 ? 1 : k == j % K ? 0.8 : 0.2 / (K - 1);
    return resp;
}

/* Centres `apart` from each other, all of them `away` from the origin. */
static void set_up(bench *b, int32_t K, int32_t D, int64_t n, double apart, double away)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_rng     r = gen_rng(77 + (uint64_t)(K * 1000 + D));
    double    *mu0 = doubles((size_t)D);

    memset(b, 0, sizeof *b);
    for (int32_t i = 0; i < D; i++)
        mu0[i] = away;
    o.mu0 = mu0;
    o.beta0 = 1e-3; /* a weak hold on the means */
    must(mb_gmm_new(arena, &o, &b->m, NULL));
    b->spec = *(const mb_full_spec_ *)b->m.spec;
    b->m.spec = &b->spec;
    b->x = doubles((size_t)n * (size_t)D);
    b->w = doubles((size_t)n);
    b->x32 = mb_alloc(arena, (size_t)n * (size_t)D, sizeof *b->x32);
    assert_non_null(b->x32);
    for (int64_t j = 0; j < n; j++)
        for (int32_t i = 0; i < D; i++)
            b->x[j * D + i] = away + apart * (double)((j % K) * (i % 3 + 1) % 5) +
                              mb_rng_normal(&r) + (i ? 0.5 * (b->x[j * D + i - 1] - away) : 0);
    for (int64_t e = 0; e < n * D; e++)
        b->x32[e] = (float)b->x[e];
    for (int64_t j = 0; j < n; j++)
        b->w[j] = j % 11 == 3 ? 0 : 0.5 + 0.25 * (double)(j % 4);
    b->rows = (mb_rows){.x = b->x, .n = n, .d = D, .ld = (size_t)D};
    b->phi = doubles(b->m.layout.len);
    b->scratch = doubles(mb_local_scratch(&b->m));
    must(mb_seed_step(&b->m, &b->rows, 1, responsibilities(K, n), b->phi, b->scratch, NULL));
}

static double step(bench *b, const mb_how_ *how, double *star)
{
    double bound;
    mb_err err;

    b->spec.how = *how;
    must(mb_local_step(&b->m, &b->rows, 1, b->phi, star, &bound, NULL, b->scratch, &err));
    return bound;
}

/* Weights' concentrations, means in standard deviations (about 1) and covariances from phi, in place. */
static void textbook(const bench *b, double *phi)
{
    const mb_layout *l = &b->m.layout;
    const int32_t    D = b->rows.d;
    double          *par = doubles(l->len);

    must(mb_to_par(l, phi, par, b->scratch, NULL));
    memcpy(phi, par, l->len * sizeof *phi);
    for (int32_t k = 0; k < b->m.K; k++) {
        double *own = phi + l->block[1].off + (size_t)k * l->block[1].len;

        for (size_t e = 2 + (size_t)D; e < l->block[1].len; e++)
            own[e] /= own[0];
    }
}

/* phi* and bound of every kernel and form agree with those of the plain one from rows in double
 * precision; from rows in single precision the textbook parameters do. */
static void compare(bench *b, const char *what, int single)
{
    const mb_layout  *l = &b->m.layout;
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    double           *star = doubles(l->len), *want = doubles(l->len), bound;
    const double      tol = single ? TOL_SINGLE : TOL;
    const mb_how_     best = b->spec.how;
    mb_how_           how = {.kernel = &mb_kernel_plain_, .form = best.form};

    bound = step(b, &how, want);
    if (single)
        textbook(b, want);
    b->rows.x32 = single ? b->x32 : NULL;
    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (int form = MB_FORM_SMALL; form <= MB_FORM_DIRECT; form++) {
            double other;

            if ((form == MB_FORM_SMALL) != (best.form == MB_FORM_SMALL))
                continue;
            how = (mb_how_){.kernel = kernel[i], .form = (mb_form_)form};
            other = step(b, &how, star);
            if (!(fabs(other - bound) <= tol * fabs(bound)))
                fail_msg("%s, %s, form %d: bound %.17g, plain %.17g", what, kernel[i]->name, form,
                         other, bound);
            if (single)
                textbook(b, star);
            for (int32_t v = 0; v < l->nblock; v++)
                assert_all_near(star + l->block[v].off, want + l->block[v].off,
                                l->block[v].len * (size_t)l->block[v].count, tol);
        }
    b->spec.how = best;
    b->rows.x32 = NULL;
}

/* Every other shape has weights. Single precision is for columns near the origin. */
static void agree(int32_t K, int32_t D, int64_t n, double apart, double away)
{
    char  what[60];
    bench b;

    set_up(&b, K, D, n, apart, away);
    snprintf(what, sizeof what, "K = %d, D = %d, %g away", (int)K, (int)D, away);
    b.rows.w = (K + D) % 2 ? b.w : NULL;
    compare(&b, what, 0);
    if (!(away > 0) && K <= SINGLE_K)
        compare(&b, what, 1);
}

TEST(kernels_agree_for_every_number_of_columns)
{
    static const int32_t more[] = {23, 24, 25, 31, 32, 33, 47, 64, 65};

    for (int32_t D = 1; D <= 17; D++)
        agree(3, D, RAGGED, 1, 0);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        agree(5, more[i], RAGGED, 1, 0);
    agree(1, 64, RAGGED, 1, 0);
    agree(2, 128, RAGGED, 1, 0);
}

TEST(kernels_agree_for_every_number_of_components)
{
    for (int32_t K = 1; K <= 33; K++) {
        agree(K, 2, RAGGED, 1, 0);
        agree(K, 9, RAGGED, 1, 0);
        agree(K, 16, RAGGED, 1, 0);
    }
}

TEST(kernels_agree_for_every_number_of_rows)
{
    for (int64_t n = 1; n <= MB_BLOCK_MAX + 1; n += n < 20 ? 1 : 43) {
        agree(2, 2, n, 1, 0);
        agree(2, 10, n, 1, 0);
    }
}

/* The densities are of centred rows: clusters far from the origin lose nothing but what rounding
 * takes from phi itself. */
TEST(kernels_agree_on_clusters_far_from_the_origin)
{
    agree(3, 2, RAGGED, 10, 1e5);
    agree(3, 8, RAGGED, 10, 1e5);
    agree(5, 32, RAGGED, 10, 1e5);
}

/* |C^-1 (x - m)|^2 in long double; L = [1; m, C]. */
static long double distance(int32_t D, const double *L, const double *x)
{
    const size_t n = (size_t)D + 1;
    long double  y[64], sum = 0;

    for (size_t i = 1; i < n; i++) {
        y[i] = (long double)x[i - 1] - L[i * n];
        for (size_t j = 1; j < i; j++)
            y[i] -= L[i * n + j] * y[j];
        y[i] /= L[i * n + i];
        sum += y[i] * y[i];
    }
    return sum;
}

/* Means 1e5 standard deviations out. */
TEST(distances_far_from_the_origin_are_exact)
{
    static const int32_t D[] = {1, 2, 5, 8, 9, 16, 33};
    const mb_kernel_    *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int v = 0; kernel[v]; v++)
        for (size_t e = 0; e < sizeof D / sizeof *D; e++) {
            const size_t  n = (size_t)D[e] + 1;
            const mb_how_ how = {.kernel = kernel[v], .form = MB_FORM_DIRECT};
            mb_rng        r = gen_rng(e);
            double       *L = doubles(n * n), *x = doubles(MB_LANES_MAX * (n - 1));
            mb_estep_     g;

            mb_estep_carve_(&g, &how, 1, D[e], doubles(mb_estep_scratch_(1, D[e])));
            L[0] = 1;
            for (size_t i = 1; i < n; i++) {
                L[i * n] = g.m[i - 1] = 1e5 + (double)i;
                for (size_t j = 1; j <= i; j++)
                    L[i * n + j] = i == j ? 1 : 0.3 * mb_rng_normal(&r);
            }
            for (size_t i = 0; i < MB_LANES_MAX * (n - 1); i++)
                x[i] = 1e5 + (double)(i % (n - 1)) + mb_rng_normal(&r);
            g.rows = MB_LANES_MAX;
            g.from = x, g.from_ld = n - 1;
            g.at = g.row;
            for (int64_t l = 0; l < MB_LANES_MAX; l++)
                g.row[l] = l;
            kernel[v]->fill(&g);
            kernel[v]->factor(&g, 0, L);
            kernel[v]->density(&g, 0, 0, -1, g.r);
            for (size_t l = 0; l < MB_LANES_MAX; l++)
                assert_near(g.r[l], (double)distance(D[e], L, x + l * (n - 1)), 1e-13);
        }
}

/* With weights, each row has its own logarithm; without, several rows share one. */
TEST(rows_share_logarithms_without_a_loss)
{
    static const int32_t K[] = {1, 2, 5, 40};
    const mb_kernel_    *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (size_t e = 0; e < sizeof K / sizeof *K; e++)
            for (int64_t n = 1; n <= RAGGED; n += n < 40 ? 1 : 61) {
                double *own, *shared, bound;
                bench   b;

                set_up(&b, K[e], 2, n, 1, 0);
                own = doubles(b.m.layout.len), shared = doubles(b.m.layout.len);
                for (int64_t j = 0; j < n; j++)
                    b.w[j] = 1;
                b.rows.w = b.w;
                bound = step(&b, &(mb_how_){kernel[i], b.spec.how.form}, own);
                b.rows.w = NULL;
                assert_near(step(&b, &(mb_how_){kernel[i], b.spec.how.form}, shared), bound, 1e-14);
                assert_all_near(shared, own, b.m.layout.len, 1e-13);
            }
}

TEST(rows_of_weight_0_may_hold_anything)
{
    static const int32_t D[] = {1, 2, 7, 8, 9, 20};

    for (size_t i = 0; i < sizeof D / sizeof *D; i++) {
        double *clean, *dirty;
        bench   b;

        set_up(&b, 3, D[i], RAGGED, 1, 0);
        clean = doubles(b.m.layout.len), dirty = doubles(b.m.layout.len);
        b.rows.w = b.w;
        step(&b, &(mb_how_){b.spec.how.kernel, b.spec.how.form}, clean);
        for (int64_t j = 0; j < RAGGED; j++)
            if (!(b.w[j] > 0))
                b.x[j * D[i] + j % D[i]] = j % 2 ? (double)NAN : (double)INFINITY;
        step(&b, &(mb_how_){b.spec.how.kernel, b.spec.how.form}, dirty);
        assert_memory_equal(clean, dirty, b.m.layout.len * sizeof *clean);
        compare(&b, "rows without weight", 0);
    }
}

TEST(the_first_bad_row_is_named_by_every_kernel)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    const double      bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e200};

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (int32_t D = 2; D <= 20; D += 9)
            for (size_t v = 0; v < sizeof bad / sizeof *bad; v++) {
                double *star;
                mb_err  err;
                bench   b;

                set_up(&b, 3, D, RAGGED, 1, 0);
                star = doubles(b.m.layout.len);
                b.spec.how.kernel = kernel[i];
                b.x[211 * D + D - 1] = b.x[400 * D] = bad[v];
                assert_int_equal(
                    mb_local_step(&b.m, &b.rows, 1, b.phi, star, NULL, NULL, b.scratch, &err),
                    MB_E_NUMERIC);
                assert_non_null(strstr(err.msg, "row 211"));
            }
}

/* Components so far away that exp underflows are exactly without responsibility. */
TEST(distant_components_get_exactly_nothing)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++) {
        double *resp = doubles(2 * RAGGED);
        mb_err  err;
        bench   b;

        set_up(&b, 2, 3, RAGGED, 1, 0);
        for (int64_t j = 0; j < RAGGED; j++)
            for (int32_t d = 0; d < 3; d++)
                b.x[j * 3 + d] += j % 2 ? 1e4 : 0;
        for (int64_t j = 0; j < RAGGED; j++)
            resp[2 * j + j % 2] = 1;
        must(mb_seed_step(&b.m, &b.rows, 1, resp, b.phi, b.scratch, &err));
        b.spec.how.kernel = kernel[i];
        memset(resp, 0, 2 * RAGGED * sizeof *resp);
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, resp, b.scratch, &err));
        for (int64_t j = 0; j < RAGGED; j++)
            assert_true(resp[2 * j + j % 2] >= 1 && resp[2 * j + (j + 1) % 2] <= 0);
    }
}

/* R x of each block of columns of R, one number after the other. */
static void forms_by_hand(int32_t T, int32_t p, size_t ld, const double *R, const double *x,
                          double *V)
{
    const int32_t q = T * p;

    for (int32_t c = 0; c < T; c++)
        for (int32_t d = 0; d <= c; d++, V += ld)
            for (int32_t i = 0; i < q; i++) {
                double one = 0, other = 0;

                for (int32_t k = 0; k < p; k++) {
                    one += R[i * q + c * p + k] * x[(size_t)k * ld];
                    other += R[i * q + d * p + k] * x[(size_t)k * ld];
                }
                *V += one * other;
            }
}

TEST(products_of_forms_are_those_of_each_row)
{
    enum { LD = 40, ROWS = 35, MOST = 4 };
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_rng            r = gen_rng(11);

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i] && kernel[i]->forms; i++)
        for (int32_t T = 1; T <= MOST; T++)
            for (int32_t p = 1; p < 12; p += 1 + p / 2) {
                const int32_t q = T * p, pairs = T * (T + 1) / 2;
                double       *R = doubles(q * q), *x = doubles(p * LD), *V = doubles(pairs * LD);
                double       *room = doubles(MB_FORMS_ROOM * T);

                for (int32_t e = 0; e < q * q; e++)
                    R[e] = e % q <= e / q ? mb_rng_normal(&r) : 0;
                for (int32_t e = 0; e < p * LD; e++)
                    x[e] = mb_rng_normal(&r);
                kernel[i]->forms(&(mb_forms_){T, p, R, LD, room}, ROWS, x, V);
                for (int32_t l = 0; l < ROWS; l++) {
                    double *hand = doubles(pairs * LD);

                    forms_by_hand(T, p, LD, R, x + l, hand);
                    for (int32_t k = 0; k < pairs; k++)
                        assert_near(V[k * LD + l], hand[k * LD], TOL * (1 + fabs(hand[k * LD])));
                }
            }
}

/* Predictors e and sums S, added to what is there; the columns after the rows have weight 0. */
TEST(lines_and_dots_are_products_row_by_row)
{
    enum { LD = 64, T = 11 };
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_rng            r = gen_rng(12);

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i] && kernel[i]->lines; i++)
        for (int32_t n = 1; n <= LD; n += 21)
            for (int32_t p = 1; p < 12; p += 3) {
                double *x = doubles(p * LD), *m = doubles(T * p), *w = doubles(T * LD);
                double *e = doubles(T * LD), *S = doubles(T * p);

                for (int32_t k = 0; k < p * LD; k++)
                    x[k] = mb_rng_normal(&r);
                for (int32_t k = 0; k < T * p; k++)
                    m[k] = mb_rng_normal(&r);
                for (int32_t k = 0; k < T * LD; k++)
                    w[k] = k % LD < n ? mb_rng_normal(&r) : 0;
                e[0] = S[0] = 5;
                kernel[i]->lines(T, p, n, LD, m, x, e);
                kernel[i]->dots(T, p, n, LD, w, x, S);
                for (int32_t c = 0; c < T; c++) {
                    for (int32_t l = 0; l < n; l++) {
                        double sum = c + l ? 0 : 5;

                        for (int32_t k = 0; k < p; k++)
                            sum += m[c * p + k] * x[k * LD + l];
                        assert_near(e[c * LD + l], sum, TOL);
                    }
                    for (int32_t k = 0; k < p; k++) {
                        double sum = c + k ? 0 : 5;

                        for (int32_t l = 0; l < n; l++)
                            sum += w[c * LD + l] * x[k * LD + l];
                        assert_near(S[c * p + k], sum, TOL * (1 + n));
                    }
                }
            }
}

RUN_TESTS(arena_up, arena_down)
