/* fit_print.c - what `meshbayes fit` says at the end: the bound, and the mixture it found. */
#include "fit.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 8 }; /* columns of the means that fit a line */

/* How long a name is; names of columns may be wider than a number. */
static int width(const char *name)
{
    const size_t len = strlen(name);

    return len < 10 ? 10 : len > 24 ? 24 : (int)len;
}

static void component(const sim *s, const double *par, double total, int32_t k, int32_t shown)
{
    const mb_block *b = &s->model.layout.block[1];
    const double   *mean = par + b->off + (size_t)k * b->len + 2;

    printf("%-9.4f", par[k] / total);
    for (int32_t d = 0; d < shown; d++)
        printf(" %*.5g", width(s->data.name[d]), mean[d]);
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
        component(s, par, total, r->order[k], shown);
    if (shown < s->data.d)
        printf("(%d of %d features; all are in the posterior)\n", shown, s->data.d);
    return MB_OK;
}

mb_status fit_print(const sim *s, const sim_result *r, int32_t count, mb_err *err)
{
    (void)count;
    printf("%lld rows, %d features, %d components\n", (long long)s->data.n, s->data.d, s->model.K);
    printf("lower bound %.6f nats after %lld rounds in %.2f s: %s\n", r->bound,
           (long long)r->rounds, r->seconds,
           r->stopped ? "converged" : "not converged; more --rounds or a larger --tol");
    if (s->opt.n_init > 1)
        printf("start %d of %lld had the best bound\n", r->attempt + 1, (long long)s->opt.n_init);
    if (s->data.label)
        printf("accuracy %.1f %%, adjusted Rand index %.3f (labels were not used)\n",
               100 * r->final.value[MB_M_ACCURACY].mean, r->final.value[MB_M_ARI].mean);
    MB_TRY(mixture(s, r, err));
    if (s->opt.out)
        printf("\nposterior: %s%s\n", s->opt.out,
               sim_to_folder(s) ? "/posterior.json, report: report.html beside it" : "");
    return MB_OK;
}
