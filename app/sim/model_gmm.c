/* model_gmm.c - the mixture of Gaussians in the program: its options, parameters and words. */
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

/* mu0 (D) in data units: given, the paper's 1e-5, or the agreed origin. */
static mb_status prior_mean(sim *s, double *mu0, mb_err *err)
{
    const int32_t D = s->data.d;
    double       *given = NULL;
    int32_t       count = 0;

    if (s->opt.mu0) {
        MB_TRY(sim_numbers(s->a, "prior.mu0", s->opt.mu0, &given, &count, err));
        if (count != D && count != 1)
            MB_FAIL(err, MB_E_ARG,
                    "--prior.mu0: %d numbers for %d features, accepted: 1 or %d numbers", count, D,
                    D);
    }
    for (int32_t k = 0; k < count; k++)
        if (fabs(given[k]) > MB_VALUE_MAX)
            MB_FAIL(err, MB_E_ARG, "--prior.mu0: entry %d, %g, is too large, accepted: up to %g",
                    k + 1, given[k], MB_VALUE_MAX);
    for (int32_t d = 0; d < D; d++)
        mu0[d] = given ? given[count == 1 ? 0 : d] : s->opt.prior ? 1e-5 : s->origin[d];
    return MB_OK;
}

/* W0^-1 (D x D) in data units: given, the paper's 1e-5 I, or diag(scale^2). */
static mb_status prior_scatter(sim *s, double *w0inv, mb_err *err)
{
    const int32_t D = s->data.d;
    double       *given = NULL;
    int32_t       count = 0;

    if (s->opt.w0inv) {
        MB_TRY(sim_numbers(s->a, "prior.w0inv", s->opt.w0inv, &given, &count, err));
        if (count != 1 && (int64_t)count != (int64_t)D * D)
            MB_FAIL(err, MB_E_ARG,
                    "--prior.w0inv: %d numbers for %d features, accepted: 1 or %lld numbers", count,
                    D, (long long)D * D);
    }
    for (int32_t r = 0; r < D; r++)
        for (int32_t c = 0; c < D; c++) {
            double diagonal = s->opt.prior ? 1e-5 : s->scale[r] * s->scale[r];

            if (given && count == 1)
                diagonal = given[0];
            w0inv[(size_t)r * (size_t)D + (size_t)c] = given && count > 1 ? given[r * D + c]
                                                       : r == c           ? diagonal
                                                                          : 0;
        }
    return MB_OK;
}

static double automatic(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* Textbook parameters of the prior, data units, for the posterior files. */
static mb_status keep(sim *s, const mb_model *m, mb_err *err)
{
    double *scratch;

    MB_NEW(s->prior_par, s->a, m->layout.len, err);
    MB_NEW(scratch, s->a, m->layout.scratch, err);
    MB_TRY(mb_to_par(&m->layout, m->prior, s->prior_par, scratch, err));
    mb_move_par(&m->layout, s->run_origin, s->run_scale, s->prior_par);
    return MB_OK;
}

static mb_status prior(sim *s, mb_err *err)
{
    const int32_t D = s->data.d;
    mb_gmm_opt    o = mb_gmm_defaults((int32_t)s->opt.n_components, D);
    double       *mu0, *w0inv;

    MB_NEW(mu0, s->a, D, err);
    MB_NEW(w0inv, s->a, (size_t)D * (size_t)D, err);
    MB_TRY(prior_mean(s, mu0, err));
    MB_TRY(prior_scatter(s, w0inv, err));
    for (int32_t d = 0; d < D; d++)
        mu0[d] = (mu0[d] - s->run_origin[d]) / s->run_scale[d];
    for (int32_t r = 0; r < D; r++)
        for (int32_t c = 0; c < D; c++)
            w0inv[(size_t)r * (size_t)D + (size_t)c] /= s->run_scale[r] * s->run_scale[c];
    o.alpha0 = automatic(s->opt.alpha0, s->opt.prior ? 1e-5 : o.alpha0);
    o.beta0 = automatic(s->opt.beta0, s->opt.prior ? 1e-5 : o.beta0);
    o.nu0 = automatic(s->opt.nu0, s->opt.prior ? D + 1 : o.nu0);
    o.mu0 = mu0;
    o.w0inv = w0inv;
    MB_TRY(mb_gmm_new(s->a, &o, &s->model, err));
    return keep(s, &s->model, err);
}

enum { SHOWN = 8 }; /* columns of the means that fit a line */

/* How long a name is; names of columns may be wider than a number. */
static int width(const char *name)
{
    const size_t len = strlen(name);

    return len < 10 ? 10 : len > 24 ? 24 : (int)len;
}

static void line(const sim *s, const double *par, double total, int32_t k, int32_t shown)
{
    const mb_block *b = &s->model.layout.block[1];
    const double   *mean = par + b->off + (size_t)k * b->len + 2;

    printf("%-9.4f", par[k] / total);
    for (int32_t d = 0; d < shown; d++)
        printf(" %*.5g", width(s->data.name[d]), mean[d] + 0.0); /* -0 + 0 is 0 */
    puts(shown < s->data.d ? " .." : "");
}

static mb_status mixture(const sim *s, const sim_result *r, mb_err *err)
{
    const int32_t shown = s->data.d < SHOWN ? s->data.d : SHOWN;
    double       *par, total = 0;

    MB_TRY(sim_textbook(s, r->memory, r->mean, &par, err));
    for (int32_t k = 0; k < s->model.K; k++)
        total += par[k];
    printf("\n%-9s", "weight");
    for (int32_t d = 0; d < shown; d++)
        printf(" %*.24s", width(s->data.name[d]), s->data.name[d]);
    puts(shown < s->data.d ? " .." : "");
    for (int32_t k = 0; k < s->model.K; k++)
        line(s, par, total, r->order[k], shown);
    if (shown < s->data.d)
        printf("(%d of %d features; all are in the posterior)\n", shown, s->data.d);
    return MB_OK;
}

static const char *const options[] = {"n-components", "prior",     "prior.alpha0", "prior.beta0",
                                      "prior.mu0",    "prior.nu0", "prior.w0inv",  "init",
                                      "n-init",       NULL};

const sim_model sim_gmm = {
    .name = "gmm", .latent = 1, .options = options, .prior = prior, .print = mixture};
