/* 02_own_model.c - a model of your own in one file: counts x ~ Poisson(rate), the rate with a gamma
 * prior. A family (how beliefs about the rate are stored) and a model (what rows say about it), then
 * a network of 20 nodes that ends with the posterior known in closed form. */
#include <meshbayes/meshbayes.h>

#include <math.h>
#include <stdio.h>

/* ---- the family: rate ~ Gamma(a, rate parameter b), u = (ln rate, rate), phi = (a - 1, -b) ---- */

static size_t two(int32_t dim)
{
    (void)dim;
    return 2;
}

static size_t none(int32_t dim)
{
    (void)dim;
    return 0;
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

/* Counts have no units to change: origin and scale are always NULL here. */
static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    (void)dim, (void)origin, (void)scale, (void)scratch;
    out[0] = phi[0];
    out[1] = phi[1];
}

static const mb_family gamma_rate = {
    .name = "example-gamma.1",
    .len = two,
    .scratch = none,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .paper_len = two,
    .to_paper = to_paper,
};

/* ---- the model: a row has one count for each rate ---- */

/* A row's statistics (x, -1) go to (ln rate, rate); nothing is latent, so ln Z_j = E[ln p(x_j)]. */
static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const int32_t D = m->layout.block[0].count;
    double       *mu = scratch;

    if (rows->d != D)
        MB_FAIL(err, MB_E_SHAPE, "rows of %d columns; the model counts %d things", (int)rows->d,
                (int)D);
    MB_TRY(mb_moments(&m->layout, phi, mu, NULL, scratch + m->layout.len, err));
    for (int64_t j = 0; j < rows->n; j++) {
        const double w = rows->w ? rows->w[j] : 1;

        for (int32_t d = 0; d < D; d++) {
            const double x = mb_rows_at(rows, j, d);

            if (!(x >= 0 && x == floor(x) && isfinite(x)))
                MB_FAIL(err, MB_E_ARG, "row %lld: %g is not a count 0, 1, 2, ..", (long long)j + 1,
                        x);
            s[2 * d] += w * x;
            s[2 * d + 1] -= w;
            if (logz)
                *logz += w * (x * mu[2 * d] - mu[2 * d + 1] - lgamma(x + 1));
        }
    }
    return MB_OK;
}

/* Without latent variables the start is the same sum: responsibilities are not read. */
static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    (void)resp;
    return stats(m, m->prior, rows, s, NULL, scratch, err);
}

/* ln of the negative binomial: a Poisson whose rate is gamma. */
static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const int32_t D = m->layout.block[0].count;

    (void)scratch;
    if (want != MB_WANT_LOGPDF)
        MB_FAIL(err, MB_E_NOSUP, "the Poisson model predicts densities only");
    for (int64_t j = 0; j < rows->n; j++) {
        out[j] = 0;
        for (int32_t d = 0; d < D; d++) {
            const double x = mb_rows_at(rows, j, d);
            const double a = phi[2 * d] + 1, b = -phi[2 * d + 1];

            out[j] += lgamma(x + a) - lgamma(a) - lgamma(x + 1) - a * log1p(1 / b) - x * log1p(b);
        }
    }
    return MB_OK;
}

static const mb_model_ops poisson_ops = {
    .name = "poisson", .stats = stats, .seed_stats = seed_stats, .predict = predict};

/* D rates, each with the prior Gamma(a0, b0). */
static mb_status poisson_new(mb_arena *a, int32_t D, double a0, double b0, mb_model *out,
                             mb_err *err)
{
    mb_model m = {.ops = &poisson_ops};
    double  *par, *prior, *eps, *scratch;

    MB_TRY(mb_layout_add(&m.layout, &gamma_rate, 1, D, err));
    m.scratch = m.layout.len + m.layout.scratch;
    MB_NEW(par, a, m.layout.len, err);
    MB_NEW(prior, a, m.layout.len, err);
    MB_NEW(eps, a, m.layout.nblock, err);
    MB_NEW(scratch, a, m.layout.len + m.layout.scratch + 1, err);
    for (int32_t d = 0; d < D; d++) {
        par[2 * d] = a0;
        par[2 * d + 1] = b0;
    }
    MB_TRY(mb_from_par(&m.layout, par, prior, err));
    MB_TRY(mb_margin(&m.layout, prior, eps, scratch, err));
    MB_TRY(mb_moments(&m.layout, prior, NULL, &m.A_prior, scratch, err));
    m.prior = prior;
    m.eps = eps;
    *out = m;
    return MB_OK;
}

/* ---- a network that uses it ---- */

enum { NODES = 20, ROWS = 5, D = 2, ROUNDS = 2000, SEED = 1 };
static const double A0 = 0.5, B0 = 0.1;

/* Counts the events of a unit of time: gaps between them are exponential. */
static double draw_count(mb_rng *r, double rate)
{
    double t = 0, count = -1;

    for (; t < 1; count++)
        t -= log(mb_rng_uniform(r)) / rate;
    return count;
}

/* Rows of every node, and the exact posterior: a0 + sum of counts, b0 + number of rows. */
static void draw_rows(double *x, mb_rows *rows, double *exact)
{
    static const double rate[D] = {3, 0.5};

    for (int32_t d = 0; d < D; d++) {
        exact[2 * d] = A0;
        exact[2 * d + 1] = B0 + NODES * ROWS;
    }
    for (int32_t i = 0; i < NODES; i++) {
        mb_rng  r = mb_rng_at(SEED, MB_STREAM_DATA, (uint32_t)i, 0);
        double *mine = x + (size_t)i * ROWS * D;

        for (int32_t e = 0; e < ROWS * D; e++) {
            mine[e] = draw_count(&r, rate[e % D]);
            exact[2 * (e % D)] += mine[e];
        }
        rows[i] = (mb_rows){.x = mine, .n = ROWS, .d = D, .ld = D};
    }
}

/* EDGE, its options settled for this network. */
static mb_status edge_options(mb_arena *a, const mb_graph *g, const mb_weights *w,
                              mb_transport *mail, mb_edge_opt *opt, mb_err *err)
{
    mb_graph_stats stats;
    mb_net_facts   net = {.n = NODES};
    mb_traffic     sent = {0};

    MB_TRY(mb_graph_describe(a, g, w, &stats, err));
    net.lambda2 = stats.lambda2;
    MB_TRY(mb_agree_hops(a, mail, &net.hops, &sent, err));
    MB_TRY(mb_opt_defaults(mb_algo_edge.opts, opt, err));
    return mb_algo_edge.tune(opt, &net, err);
}

/* Runs EDGE; s holds every node's phi at the end. */
static mb_status run_edge(mb_arena *a, const mb_model *m, const mb_rows *rows, mb_state *s,
                          mb_err *err)
{
    const mb_run_opt how = {.rounds = ROUNDS, .timeout_ms = -1, .threads = 1};
    mb_topology      t;
    mb_weights       w;
    mb_part          part;
    mb_transport     mail;
    mb_edge_opt      opt;
    mb_problem       p = {.model = m, .algo = &mb_algo_edge, .opt = &opt, .part = &part};
    double          *scratch;

    MB_TRY(mb_topology_make(a, "geometric:n=20,side=2.5,radius=0.9", SEED, &t, err));
    MB_TRY(mb_weights_make(a, &t.g, MB_METROPOLIS, &w, err));
    MB_TRY(mb_part_whole(a, &t.g, &w, &part, err));
    MB_TRY(mb_transport_none(a, &part, &mail, err));
    MB_TRY(edge_options(a, &t.g, &w, &mail, &opt, err));
    p.rows = rows;
    p.scale = NODES;
    p.tp = &mail;
    MB_NEW(scratch, a, mb_local_scratch(m), err);
    MB_TRY(mb_state_new(a, &p, s, err));
    for (int32_t i = 0; i < NODES; i++)
        MB_TRY(mb_seed_step(m, &rows[i], p.scale, NULL, s->phi_star + (size_t)i * s->ld, scratch,
                            err));
    return mb_run(&p, s, NULL, 0, &how, err);
}

static mb_status compare(mb_arena *a, mb_err *err)
{
    mb_model model;
    mb_state s;
    mb_rows  rows[NODES];
    double   exact[2 * D], par[2 * D], *x, far = 0;

    MB_NEW(x, a, NODES * ROWS * D, err);
    draw_rows(x, rows, exact);
    MB_TRY(poisson_new(a, D, A0, B0, &model, err));
    MB_TRY(run_edge(a, &model, rows, &s, err));
    for (int32_t i = 0; i < NODES; i++) {
        MB_TRY(mb_to_par(&model.layout, s.phi + (size_t)i * s.ld, par, NULL, err));
        for (int32_t l = 0; l < 2 * D; l++)
            far = fmax(far, fabs(par[l] - exact[l]) / exact[l]);
    }
    for (int32_t d = 0; d < D; d++)
        printf("rate %d: closed form %.6f, last node of the network %.6f\n", d + 1,
               exact[2 * d] / exact[2 * d + 1], par[2 * d] / par[2 * d + 1]);
    printf("every node has the exact posterior within 1e-10: %s\n", far < 1e-10 ? "yes" : "no");
    return MB_OK;
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_err    err = {MB_E_NOMEM, 0, "", "out of memory"};
    mb_status st = a ? compare(a, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "02_own_model: %s\n", err.msg);
    mb_arena_free(a);
    return st < 0;
}
