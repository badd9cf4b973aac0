/* 02_own_model.c - a model of your own, a mixture of exponential distributions: how long do visits
 * take, when some only look and others stay? 12 nodes agree though every fifth message is lost. */
#include <meshbayes/extend.h>

#include <math.h>
#include <stdio.h>

/* ln p(x | rate) = ln rate - rate x = <(ln rate, rate), (1, -x)>, the u of mb_gamma and T(x). */
static double statistics(double x, double *t)
{
    t[0] = 1, t[1] = -x;
    return x >= 0 && isfinite(x) ? 0 : (double)NAN;
}

static double draw(const double *rate, mb_rng *rng)
{
    return -log(mb_rng_uniform(rng)) / *rate;
}

/* The mean time of a visit is 1/E[rate], from its shape and rate. */
static void minutes(const double *par, int32_t n, double *mean, double *variance)
{
    const double m = par[1] / par[0];

    (void)n;
    if (mean)
        *mean = m;
    if (variance)
        *variance = m * m;
}

static const mb_named    numbers[] = {{"shape", 0, 1}, {"rate", 1, 1}, {NULL, 0, 0}};
static const double      prior[] = {1, 1}; /* each rate ~ Gamma(1, 1): one visit of one minute */
static const mb_emission waiting = {.family = &mb_gamma,
                                    .expects = "a time >= 0",
                                    .statistics = statistics,
                                    .draw = draw,
                                    .numbers = numbers,
                                    .prior = prior,
                                    .moments = minutes};

static const mb_opt table[] = {
    {"n-components", MB_OPT_INT, 0, "2", 1, 1000, NULL, "", "", "", "exponential: components"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_kind exponential = {.name = "exponential",
                                    .title = "mixture of exponential distributions",
                                    .estimator = "ExponentialMixture",
                                    .opts = table,
                                    .opt_size = sizeof(int64_t),
                                    .emissions = MB_EMISSIONS(&waiting)};

static mb_status fit(mb_arena *a, mb_fit *out, mb_err *err)
{
    double         x[600];
    const mb_table rows = {.rows = {.x = x, .n = 600, .d = 1, .ld = 1}};
    mb_fit_opt     opt = mb_fit_defaults();
    mb_network     net;
    mb_summary     found;

    for (int32_t j = 0; j < 600; j++) /* two visits in three take a minute, one takes 40 */
        x[j] = -(j % 3 ? 1 : 40) * log((j / 3 + 0.5) / 200);
    opt.kind = &exponential;
    opt.how.algo = &mb_algo_edge;
    opt.how.faults = (mb_faults){.loss_directed = 0.2, .seed = 1};
    MB_TRY(mb_network_draw(a, "geometric:n=12,side=2,radius=0.9", 1, NULL, &net, err));
    MB_TRY(mb_fit_run(a, &net, &rows, &opt, out, err));
    MB_TRY(mb_posterior_summary(a, &out->posterior, &found, err));
    for (int32_t k = 0; k < 2; k++)
        printf("%.1f visits of %.2f minutes\n", found.count[k], found.mean[k]);
    puts(mb_verdict_text(out->out.verdict));
    return MB_OK;
}

int main(void)
{
    mb_arena       *a = mb_arena_new(1 << 16);
    mb_err          err = {.msg = "out of memory"};
    mb_fit          out = {0};
    const mb_status st = a ? fit(a, &out, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "02_own_model: %s\n", err.msg);
    mb_fit_close(&out);
    mb_arena_free(a);
    return st < 0;
}
