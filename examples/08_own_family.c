/* 08_own_family.c - a model of your own: counts x ~ Poisson(rate), the rates with gamma priors. A family
 * (how beliefs about a rate are stored), a model (what rows say about it) and a kind (units and names);
 * then a network of 20 nodes that ends with the posterior known in closed form. */
#include <meshbayes/extend.h>

#include <math.h>
#include <stdio.h>

/* Family: rate ~ Gamma(a, rate parameter b), u = (ln rate, rate), phi = (a - 1, -b), 2 numbers. */
static size_t two(int32_t dim)
{
    (void)dim;
    return 2;
}

/* Derivative of ln Gamma: up by the recurrence, then the asymptotic series. */
static double digamma(double a)
{
    double sum = 0, q;

    for (; a < 10; a++)
        sum -= 1 / a;
    q = 1 / (a * a);
    return sum + log(a) - 0.5 / a -
           q * (1. / 12 - q * (1. / 120 - q * (1. / 252 - q * (1. / 240 - q / 132))));
}

/* mu = E[u] = grad A and A = ln Gamma(a) - a ln b; outside the domain when a or b is not positive. */
static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const double a = phi[0] + 1, b = -phi[1];

    (void)dim, (void)scratch;
    if (!(a > 0 && b > 0 && isfinite(a) && isfinite(b)))
        return MB_E_DOMAIN;
    if (mu) {
        mu[0] = digamma(a) - log(b);
        mu[1] = a / b;
    }
    if (A)
        *A = lgamma(a) - a * log(b);
    return MB_OK;
}

/* The nearest point with a >= eps and b >= eps. */
static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const double a1 = fmax(phi[0], eps - 1), minus_b = fmin(phi[1], -eps);

    (void)dim, (void)scratch;
    if (!isfinite(phi[0]) || !isfinite(phi[1]))
        return MB_E_NUMERIC;
    *dist2 = (a1 - phi[0]) * (a1 - phi[0]) + (minus_b - phi[1]) * (minus_b - phi[1]);
    phi[0] = a1;
    phi[1] = minus_b;
    return MB_OK;
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    (void)dim, (void)scratch;
    *eps = 1e-6 * fmin(prior[0] + 1, -prior[1]);
    return *eps > 0 ? MB_OK : MB_E_DOMAIN;
}

static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    (void)dim;
    phi[0] = par[0] - 1;
    phi[1] = -par[1];
    return par[0] > 0 && par[1] > 0 ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    (void)dim, (void)scratch;
    par[0] = phi[0] + 1;
    par[1] = -phi[1];
    return par[0] > 0 && par[1] > 0 ? MB_OK : MB_E_DOMAIN;
}

static const mb_family gamma_rate = {.name = "example-gamma.1",
                                     .len = two,
                                     .moments = moments,
                                     .project = project,
                                     .margin = margin,
                                     .from_par = from_par,
                                     .to_par = to_par};

/* A row's statistics (x, -1) go to (ln rate, rate); nothing is latent, so ln Z_j = E[ln p(x_j)]. */
static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    double *mu = scratch;

    MB_TRY(mb_moments(&m->layout, phi, mu, NULL, scratch + m->layout.len, err));
    for (int64_t at = 0; at < rows->n * rows->d; at++) {
        const int64_t j = at / rows->d, d = at % rows->d;
        const double  x = mb_rows_at(rows, j, (int32_t)d), w = rows->w ? rows->w[j] : 1;

        if (!(x >= 0 && x == floor(x) && isfinite(x)))
            MB_FAIL(err, MB_E_ARG, "row %d: got %g; expected a count 0, 1, 2, ..", (int)j + 1, x);
        s[2 * d] += w * x;
        s[2 * d + 1] -= w;
        if (logz)
            *logz += w * (x * mu[2 * d] - mu[2 * d + 1] - lgamma(x + 1));
    }
    return MB_OK;
}

static const double A0 = 0.5, B0 = 0.1; /* prior of each rate: Gamma(A0, B0) */

static const mb_model_ops poisson_ops = {.name = "poisson", .stats = stats, .fixed_stats = 1};

/* s->D rates, each with the same prior. */
static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    double *par;

    *out = (mb_model){.ops = &poisson_ops};
    MB_TRY(mb_layout_add(&out->layout, &gamma_rate, 1, s->D, err));
    out->scratch = out->layout.len;
    MB_NEW(par, a, out->layout.len, err);
    for (int32_t l = 0; l < 2 * s->D; l++)
        par[l] = l % 2 ? B0 : A0;
    return mb_model_prior(a, par, out, err);
}

/* Parameters are stored rate by rate: a, b. */
static int32_t fields(const mb_sizes *s, mb_field *out)
{
    out[0] = (mb_field){.key = "shape", .ndim = 1, .shape = {s->D}, .bounded = 1, .step = 2};
    out[1] = out[0];
    out[1].key = "rate", out[1].at = 1;
    return 2;
}

static const mb_kind poisson = {.name = "poisson",
                                .title = "independent Poisson counts",
                                .units = mb_units_of_data,
                                .model = model,
                                .fields = fields};

static mb_status fit(mb_arena *a, mb_fit *out, mb_err *err)
{
    static const double x[] = {3, 0, 5, 1, 2, 0, 4, 0, 1, 2, 3, 0, 6, 0, 2, 1, 3, 0, 4, 0,
                               2, 0, 3, 1, 5, 0, 1, 0, 3, 1, 2, 0, 4, 0, 3, 0, 0, 1, 7, 0};
    const mb_table      table = {.rows = {.x = x, .n = 20, .d = 2, .ld = 2}};
    mb_fit_opt          opt = mb_fit_defaults();
    mb_network          net;
    double              exact[4] = {A0, B0 + 20, A0, B0 + 20}, far = 0;

    for (int32_t e = 0; e < 40; e++)
        exact[2 * (e % 2)] += x[e];
    opt.kind = &poisson;
    opt.how.algo = &mb_algo_edge;
    opt.tol = 0; /* no stopping rule: all of the default's 5000 rounds */
    MB_TRY(mb_network_draw(a, "geometric:n=20,side=2.5,radius=0.9", 1, NULL, &net, err));
    MB_TRY(mb_fit_run(a, &net, &table, &opt, out, err));
    for (int32_t e = 0; e < 4 * net.n; e++) {
        const mb_state *s = &out->stages->session.state;
        const double    phi = s->phi[e / 4 * (int32_t)s->ld + e % 4];

        far = fmax(far, fabs((e % 2 ? -phi : phi + 1) / exact[e % 4] - 1));
    }
    for (int32_t d = 0; d < 2; d++)
        printf("rate %d: closed form %.6f, network %.6f\n", d + 1, exact[2 * d] / exact[2 * d + 1],
               out->posterior.par[2 * d] / out->posterior.par[2 * d + 1]);
    printf("every node has the exact posterior within 1e-10: %s\n", far < 1e-10 ? "yes" : "no");
    return MB_OK;
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_err    err = {.msg = "out of memory"};
    mb_fit    out = {0};
    mb_status st = a ? fit(a, &out, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "08_own_family: %s\n", err.msg);
    mb_fit_close(&out);
    mb_arena_free(a);
    return st < 0;
}
