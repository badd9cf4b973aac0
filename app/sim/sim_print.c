/* sim_print.c - the table `meshbayes sim` prints. */
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void fixed(int width, int digits, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, digits, app_shown(x, digits));
    else
        printf(" %*s", width, "-");
}

/* A relative change that is less than rounding is none. */
static double changed(double x)
{
    return fabs(x) < DBL_EPSILON ? 0 : x;
}

static void scientific(int width, double x)
{
    if (isfinite(x))
        printf(" %*.1e", width, x);
    else
        printf(" %*s", width, "-");
}

/* The longest name of an algorithm, at least 8. */
static int name_width(const sim *s)
{
    size_t width = 8;

    for (int32_t k = 0; k < s->asked.nchoice; k++)
        width = strlen(s->asked.choice[k].name) > width ? strlen(s->asked.choice[k].name) : width;
    return (int)width;
}

static void row(const sim *s, const sim_result *r)
{
    const mb_metrics *m = &r->final;
    const double      events = m->value[MB_M_FROZEN].mean + m->value[MB_M_PROJECTED].mean;

    if (r->failed) {
        printf("%-*s failed: %s\n", name_width(s), r->choice->name, r->err.msg);
        return;
    }
    printf("%-*s %6lld %-11s", name_width(s), r->choice->name, (long long)r->out.rounds,
           mb_verdict_text(sim_verdict(r)));
    fixed(13, 3, r->out.bound);
    scientific(9, changed(r->out.disagreement));
    scientific(9, changed(r->out.moved));
    if (s->asked.metrics & 1u << MB_M_KL_CVB)
        scientific(10, m->value[MB_M_KL_CVB].mean);
    if (s->asked.metrics & 1u << MB_M_KL_TRUTH)
        scientific(10, m->value[MB_M_KL_TRUTH].mean);
    if (s->rows.data.label)
        fixed(8, 1, 100 * m->value[MB_M_ACCURACY].mean);
    printf(" %9.0f %7d", events, m->value[MB_M_FROZEN].outside);
    fixed(9, 2, m->value[MB_M_BYTES].mean * 1e-6);
    fixed(7, 2, r->seconds);
    putchar('\n');
}

void sim_print_sizes(const sim *s)
{
    printf("%lld rows, %d features", (long long)s->rows.data.n, sim_inputs(s));
    if (s->world.fit.nodes.model.K)
        printf(", %d components", s->world.fit.nodes.model.K);
}

mb_status sim_print(const sim *s, const sim_result *r, mb_err *err)
{
    (void)err;
    sim_print_sizes(s);
    printf(", %d nodes, %lld links\n\n", s->world.net.n, (long long)s->world.net.facts.edges);
    printf("%-*s %6s %-11s %13s %9s %9s", name_width(s), "", "rounds", "verdict", "lower bound",
           "apart", "moved");
    if (s->asked.metrics & 1u << MB_M_KL_CVB)
        printf(" %10s", "KL to cVB");
    if (s->asked.metrics & 1u << MB_M_KL_TRUTH)
        printf(" %10s", "KL to true");
    if (s->rows.data.label)
        printf(" %8s", "accuracy");
    printf(" %9s %7s %9s %7s\n", "events", "outside", "MB sent", "seconds");
    for (int32_t k = 0; k < s->nran; k++)
        row(s, &r[k]);
    printf(
        "\nlower bound: nats, at the network mean; apart: farthest node from the mean (relative);\n"
        "moved: what one centralised step from the mean changes (relative); events: freezes and\n"
        "projections at the border of the domain; outside: nodes there at the end.\n");
    if (s->opt.out)
        printf("report: %s/report.html\n", s->opt.out);
    return MB_OK;
}
