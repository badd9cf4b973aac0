/* fit_print.c - what `meshbayes fit` says at the end: the bound, and the mixture it found. */
#include "base/listing.h"
#include "sim/fit.h"

/* The parameters for people; nothing when the mean is outside the domain. */
static mb_status print_parameters(const sim *s, const sim_result *r, mb_err *err)
{
    mb_arena    *a = r->session.own;
    mb_posterior p;
    mb_listing   table;

    MB_TRY(mb_case_posterior(a, &s->world.fit.nodes, r->out.mean, r->out.order, &p, err));
    if (!p.kind->table)
        return MB_OK;
    MB_TRY(p.kind->table(a, &p, &table, err));
    putchar('\n');
    app_print_listing(&table, "");
    return MB_OK;
}

mb_status fit_print(const sim *s, const sim_result *r, int32_t count, mb_err *err)
{
    (void)count;
    sim_print_sizes(s);
    putchar('\n');
    printf("lower bound %.6f nats after %lld rounds in %.2f s: %s\n", app_shown(r->out.bound, 6),
           (long long)r->out.rounds, r->seconds, mb_verdict_text(sim_verdict(r)));
    if (s->opt.n_init > 1)
        printf("start %d of %lld had the best bound\n", r->attempt + 1, (long long)s->opt.n_init);
    if (s->rows.data.label)
        printf("accuracy %.1f %%, adjusted Rand index %.3f (labels were not used)\n",
               100 * r->final.value[MB_M_ACCURACY].mean,
               app_shown(r->final.value[MB_M_ARI].mean, 3));
    MB_TRY(print_parameters(s, r, err));
    if (s->opt.out)
        printf("\nposterior: %s%s\n", s->opt.out,
               sim_to_folder(s) ? "/posterior.json, report: report.html beside it" : "");
    return MB_OK;
}
