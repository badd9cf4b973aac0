/* family.c - what every exponential family promises, run against each of them. */
#include "expfam/expfam.h"
#include "gen.h"
#include "test.h"

enum { MAX_LEN = 64, MAX_SCRATCH = 320, DRAWS = 20, MAX_DIM = 5 };

static const mb_family *const families[] = {
    &mb_dirichlet,
    &mb_normal_wishart,
    &mb_tied_wishart,
    &mb_normal_gamma,
    &mb_normal_gamma_origin,
    &mb_normal_gamma_diag,
    &mb_dof,
    &mb_sticks,
    &mb_gamma,
    &mb_gamma_squared,
    &mb_gaussian,
    &mb_gaussian_origin,
    &mb_matrix_normal_gamma,
    &mb_matrix_normal_gamma_origin,
    &mb_wishart,
    &mb_effects,
    &mb_effects_origin,
    &mb_gaussian_target,
    &mb_gaussian_target_origin,
    &mb_gamma_noise,
    &mb_normal_gamma_latent,
    &mb_normal_gamma_shared,
};

typedef struct draw {
    const mb_family *f;
    int32_t          dim;
    size_t           len;
    double           par[MAX_LEN], phi[MAX_LEN], scratch[MAX_SCRATCH];
    mb_rng           r;
} draw;

/* The i-th random member of all families, or NULL after the last. */
static draw *next_draw(draw *d, int i)
{
    const int per = DRAWS * MAX_DIM, n = (int)(sizeof families / sizeof *families);

    if (i >= n * per)
        return NULL;
    d->f = families[i / per];
    d->dim = gen_dim(d->f, i % MAX_DIM);
    if (d->f->parts) /* one, two and three of them */
        d->dim = d->f->parts->dim(d->dim, 1 + i / MAX_DIM % 3);
    d->len = d->f->len(d->dim);
    d->r = gen_rng(100 + (uint64_t)i);
    assert_true(d->len <= MAX_LEN && (!d->f->scratch || d->f->scratch(d->dim) <= MAX_SCRATCH));
    gen_for(d->f)(&d->r, d->dim, d->par);
    must(d->f->from_par(d->dim, d->par, d->phi));
    return d;
}

static double partition(const draw *d, const double *phi, double *scratch)
{
    double A;

    must(d->f->moments(d->dim, phi, NULL, &A, scratch));
    return A;
}

/* Central differences: error h^2 A''' and rounding 1e-16 A / h. */
TEST(moments_are_the_gradient_of_A)
{
    const double tol = 1e-6;
    draw         d;

    for (int i = 0; next_draw(&d, i); i++) {
        double mu[MAX_LEN], phi[MAX_LEN];

        must(d.f->moments(d.dim, d.phi, mu, NULL, d.scratch));
        memcpy(phi, d.phi, sizeof phi);
        for (size_t e = 0; e < d.len; e++) {
            const double h = 1e-5 * fmin(1, 0.05 + fabs(phi[e]));
            double       up, down;

            phi[e] = d.phi[e] + h;
            up = partition(&d, phi, d.scratch);
            phi[e] = d.phi[e] - h;
            down = partition(&d, phi, d.scratch);
            phi[e] = d.phi[e];
            assert_near((up - down) / (2 * h), mu[e], tol * fmax(1, fabs(mu[0])));
        }
    }
}

TEST(parameters_survive_the_round_trip)
{
    draw d;

    for (int i = 0; next_draw(&d, i); i++) {
        double par[MAX_LEN], phi[MAX_LEN];

        must(d.f->to_par(d.dim, d.phi, par, d.scratch));
        assert_all_near(par, d.par, d.len, 1e-13);
        must(d.f->from_par(d.dim, par, phi));
        assert_all_near(phi, d.phi, d.len, 1e-13);
    }
}

/* Of the same rows: none fewer than the member itself has. */
TEST(coordinates_survive_the_round_trip)
{
    draw d;
    int  seen = 0;

    for (int i = 0; next_draw(&d, i); i++) {
        double free[MAX_LEN], phi[MAX_LEN];

        assert_true(!d.f->to_free == !d.f->from_free);
        if (!d.f->to_free)
            continue;
        must(d.f->to_free(d.dim, d.phi, free, d.scratch));
        d.f->from_free(d.dim, d.phi, free);
        must(d.f->from_par(d.dim, free, phi));
        assert_all_near(phi, d.phi, d.len, 1e-12);
        seen++;
    }
    assert_true(seen >= 8 * DRAWS * MAX_DIM);
}

TEST(any_coordinates_are_of_a_member)
{
    draw d;

    for (int i = 0; next_draw(&d, i); i++) {
        double free[MAX_LEN], phi[MAX_LEN], A;

        if (!d.f->to_free)
            continue;
        must(d.f->to_free(d.dim, d.phi, free, d.scratch));
        for (size_t e = 0; e < d.len; e++)
            free[e] += mb_rng_normal(&d.r);
        d.f->from_free(d.dim, d.phi, free);
        must(d.f->from_par(d.dim, free, phi));
        must(d.f->moments(d.dim, phi, NULL, &A, d.scratch));
        assert_true(isfinite(A));
    }
}

TEST(not_a_number_is_outside)
{
    draw d;

    for (int i = 0; next_draw(&d, i); i += DRAWS)
        for (size_t e = 0; e < d.len; e++)
            for (int sign = -1; sign <= 1; sign++) {
                double phi[MAX_LEN], par[MAX_LEN], A, dist2;

                memcpy(phi, d.phi, sizeof phi);
                phi[e] = sign < 0 ? -INFINITY : sign > 0 ? INFINITY : NAN;
                assert_int_equal(d.f->moments(d.dim, phi, par, &A, d.scratch), MB_E_DOMAIN);
                assert_int_equal(d.f->to_par(d.dim, phi, par, d.scratch), MB_E_DOMAIN);
                if (d.f->to_free)
                    assert_int_equal(d.f->to_free(d.dim, phi, par, d.scratch), MB_E_DOMAIN);
                assert_int_equal(d.f->project(d.dim, 1e-6, phi, &dist2, d.scratch), MB_E_NUMERIC);
            }
}

TEST(a_posterior_inside_is_not_projected)
{
    draw d;

    for (int i = 0; next_draw(&d, i); i++) {
        double phi[MAX_LEN], eps, dist2 = -1;

        memcpy(phi, d.phi, sizeof phi);
        must(d.f->margin(d.dim, phi, &eps, d.scratch));
        assert_true(eps > 0);
        must(d.f->project(d.dim, eps, phi, &dist2, d.scratch));
        assert_true(dist2 >= 0 && dist2 <= 0);
        assert_memory_equal(phi, d.phi, d.len * sizeof *phi);
    }
}

/* p = projection of x: p is inside, stays when projected again, and <x - p, c - p> <= 0 for every
 * c of the shrunk domain, which is what nearest means in a convex set. */
TEST(projection_is_inside_and_nearest)
{
    const double eps = 1e-3, tol = 1e-11;
    draw         d;
    int          moved = 0;

    for (int i = 0; next_draw(&d, i); i += sized(1, 3)) { /* of each dimension, too */
        double x[MAX_LEN], p[MAX_LEN], again[MAX_LEN], c[MAX_LEN], dist2, A, dot, sum = 0;

        for (size_t e = 0; e < d.len; e++)
            x[e] = d.phi[e] + 3 * mb_rng_normal(&d.r);
        memcpy(p, x, sizeof p);
        must(d.f->project(d.dim, eps, p, &dist2, d.scratch));
        must(d.f->moments(d.dim, p, NULL, &A, d.scratch));
        for (size_t e = 0; e < d.len; e++)
            sum += (x[e] - p[e]) * (x[e] - p[e]);
        assert_near(dist2, sum, tol);
        moved += dist2 > 0;
        memcpy(again, p, sizeof again);
        must(d.f->project(d.dim, eps, again, &dist2, d.scratch));
        assert_memory_equal(again, p, d.len * sizeof *p);
        for (int j = 0; j < sized(DRAWS, DRAWS / 5); j++) {
            for (size_t e = 0; e < d.len; e++)
                c[e] = p[e] + mb_rng_normal(&d.r);
            must(d.f->project(d.dim, eps, c, &dist2, d.scratch));
            dot = 0;
            for (size_t e = 0; e < d.len; e++)
                dot += (x[e] - p[e]) * (c[e] - p[e]);
            assert_true(dot <= tol * (1 + sum));
        }
    }
    assert_true(moved > DRAWS); /* the claim was put to the test */
}

/* out(a p + b q) = a out(p) + b out(q), also outside Omega. */
/* A family on its own, through its layout: members that are NULL do not apply. Returns the length. */
static size_t to_paper(draw *d, const double *phi, const double *origin, const double *scale,
                       double *out)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, d->f, d->dim, 1, &err));
    assert_true(l.paper_len <= MAX_LEN);
    mb_to_paper(&l, phi, origin, scale, out, d->scratch);
    return l.paper_len;
}

TEST(papers_order_is_linear)
{
    const double origin[] = {1, -2, 3, 0.5, 0, 7}, scale[] = {2, 0.5, 1, 4, 8, 0.25};
    draw         d, e;

    for (int i = 0; next_draw(&d, i); i++) {
        double mix[MAX_LEN], out[3][MAX_LEN];
        size_t len;

        if (!next_draw(&e, i + MAX_DIM) || e.f != d.f)
            continue;
        for (size_t l = 0; l < d.len; l++)
            mix[l] = 2 * d.phi[l] - 5 * e.phi[l];
        len = to_paper(&d, d.phi, origin, scale, out[0]);
        to_paper(&d, e.phi, origin, scale, out[1]);
        to_paper(&d, mix, origin, scale, out[2]);
        for (size_t l = 0; l < len; l++)
            assert_near(out[2][l], 2 * out[0][l] - 5 * out[1][l], 1e-11);
    }
}

/* Moving textbook parameters and moving natural ones is the same. */
TEST(moved_columns_agree_in_both_forms)
{
    const double origin[] = {1, -2, 3, 0.5, 0, 7}, scale[] = {2, 0.5, 1, 4, 8, 0.25};
    draw         d;

    for (int i = 0; next_draw(&d, i); i++) {
        double phi[MAX_LEN], direct[MAX_LEN], moved[MAX_LEN];
        size_t len;

        len = to_paper(&d, d.phi, origin, scale, direct);
        if (d.f->move_par)
            d.f->move_par(d.dim, origin, scale, d.par);
        must(d.f->from_par(d.dim, d.par, phi));
        to_paper(&d, phi, NULL, NULL, moved);
        assert_all_near(direct, moved, len, 1e-12);
    }
}

/* What may be NULL is: phi is the paper's order, columns leave it alone, and there are no draws. */
TEST(optional_members_may_be_missing)
{
    const double origin[] = {1, -2}, scale[] = {2, 0.5};
    draw         d;

    for (int i = 0; next_draw(&d, i); i++) {
        mb_family plain = *d.f;
        double    before[MAX_LEN], out[MAX_LEN];
        mb_layout l = {0};
        mb_err    err;

        plain.move_par = NULL;
        plain.paper_len = plain.draw_len = NULL;
        plain.to_paper = NULL;
        plain.draw = NULL;
        d.f = &plain;
        assert_int_equal(to_paper(&d, d.phi, origin, scale, out), d.len);
        assert_memory_equal(out, d.phi, d.len * sizeof *out);
        must(mb_layout_add(&l, &plain, d.dim, 1, &err));
        memcpy(before, d.par, d.len * sizeof *before);
        mb_move_par(&l, origin, scale, d.par);
        assert_memory_equal(before, d.par, d.len * sizeof *before);
        assert_int_equal(mb_random_len(&l), 0);
        assert_int_equal(mb_random(&l, d.par, &d.r, out, d.scratch, &err), MB_E_NOSUP);
    }
}

TEST(names_carry_a_version)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const char *dot = strrchr(families[i]->name, '.');

        assert_non_null(dot);
        assert_true(dot[1] >= '1' && dot[1] <= '9');
    }
}

RUN_TESTS(NULL, NULL)
