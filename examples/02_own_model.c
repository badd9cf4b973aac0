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

static const mb_emission waiting = {&mb_gamma, "a time >= 0", statistics, draw};
static const mb_opt      table[] = {
         {"n-components", MB_OPT_INT, 0, "2", 1, 1000, NULL, "", "", "", "exponential: components"},
         {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static void sizes(const void *opt, int32_t columns, mb_sizes *out)
{
    *out = (mb_sizes){.K = (int32_t)((const int64_t *)opt)[0], .D = columns};
}

/* Weights ~ Dirichlet(1, .., 1), each rate ~ Gamma(1, 1): one visit of one minute. */
static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    double *par;

    MB_NEW(par, a, 2 * s->D, err);
    for (int32_t e = 0; e < 2 * s->D; e++)
        par[e] = 1;
    return mb_mixture_new(a, &waiting, s->K, s->D, 1, par, out, err);
}

/* What files hold: K concentrations, then shape and rate of each component and column. */
static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const size_t K = (size_t)s->K, D = (size_t)s->D;

    out[0] = (mb_field){"weight_concentration", 1, {s->K}, .bounded = 1, .step = 1};
    out[1] = (mb_field){"shape", 2, {s->K, s->D}, .bounded = 1, .at = K, .step = 2 * D, .inner = 2};
    out[2] = out[1], out[2].key = "rate", out[2].at = K + 1;
    return 3;
}

/* 1/E[rate]; at: component times columns, plus the column. */
static double minutes(const mb_sizes *s, const double *par, int32_t at)
{
    return par[s->K + 2 * at + 1] / par[s->K + 2 * at];
}

static void component(const mb_sizes *s, const double *par, int32_t k, double *mean,
                      double *variance)
{
    for (int32_t d = 0; d < s->D; d++) {
        mean[d] = minutes(s, par, k * s->D + d);
        variance[d] = mean[d] * mean[d];
    }
}

static const mb_kind exponential = {.name = "exponential",
                                    .title = "mixture of exponential distributions",
                                    .opts = table,
                                    .opt_size = sizeof(int64_t),
                                    .latent = 1,
                                    .sizes = sizes,
                                    .units = mb_units_of_data,
                                    .model = model,
                                    .fields = fields,
                                    .component = component};

static mb_status fit(mb_arena *a, mb_fit *out, mb_err *err)
{
    double              x[600];
    const mb_table      rows = {.rows = {.x = x, .n = 600, .d = 1, .ld = 1}};
    const mb_posterior *p = &out->posterior;
    mb_fit_opt          opt = mb_fit_defaults();
    mb_network          net;

    for (int32_t j = 0; j < 600; j++) /* two visits in three take a minute, one takes 40 */
        x[j] = -(j % 3 ? 1 : 40) * log((j / 3 + 0.5) / 200);
    opt.kind = &exponential;
    opt.how.algo = &mb_algo_edge;
    opt.how.faults = (mb_faults){.loss_directed = 0.2, .seed = 1};
    MB_TRY(mb_network_draw(a, "geometric:n=12,side=2,radius=0.9", 1, NULL, &net, err));
    MB_TRY(mb_fit_run(a, &net, &rows, &opt, out, err));
    for (int32_t k = 0; k < 2; k++)
        printf("%.1f visits of %.2f minutes\n", p->par[k] - 1, minutes(&p->size, p->par, k));
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
