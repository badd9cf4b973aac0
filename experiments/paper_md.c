/* paper_md.c - docs/reproduction.md: printed beside measured, written by the program alone. */
#include "paper.h"
#include "report/page.h"

static void head(FILE *out, const paper_set *set)
{
    fprintf(out,
            "# Reproduction of the paper's experiments\n\n"
            "Written by `meshbayes paper all --reproduction` (meshbayes " MB_VERSION
            ", seed %lld%s); do not edit.\n"
            "`measured` is the mean over the runs that have a value, with the standard deviation; "
            "`ratio` is that mean over the printed value; `failed` counts runs that have no value, "
            "ended outside the domain, broke off, or ended in a worse optimum.\n\n"
            "Protocols:\n\n",
            (long long)set->seed, set->quick ? ", short runs (--quick)" : "");
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        if (set->protocols >> p & 1)
            fprintf(out, "- `%s`: %s\n", paper_protocol_name[p],
                    paper_protocol_words((paper_protocol)p));
    fputs("\n## Printed and measured\n\n"
          "| experiment | value | protocol | printed | measured | median | ratio | failed |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
}

static void value(FILE *out, const char *lead, double x)
{
    fputs(lead, out);
    if (!isfinite(x))
        fputs("-", out);
    else if (fabs(x) >= 1e5 || (fabs(x) < 1e-3 && fabs(x) > 0))
        fprintf(out, "%.2e", x);
    else
        fprintf(out, fabs(x) >= 1000 ? "%.0f" : "%.4g", x);
}

static void line(FILE *out, const paper_table *t, const paper_printed *q, paper_protocol p)
{
    const paper_stat s = paper_stat_at(t, p, q->algorithm, q->quantity, q->part, PAPER_NAN);

    if (!s.runs)
        return;
    fprintf(out, "| %s | %s | %s | ", t->row->name, q->label, paper_protocol_name[p]);
    value(out, "", q->value);
    value(out, " | ", s.mean * q->factor);
    value(out, " ± ", s.sd * q->factor);
    value(out, " | ", s.median * q->factor);
    value(out, " | ", q->value > 0 ? s.mean * q->factor / q->value : PAPER_NAN);
    fprintf(out, " | %lld of %lld |\n", (long long)s.failed, (long long)s.runs);
}

static void section(FILE *out, const paper_table *t)
{
    fprintf(out, "\n### %s (`%s`, %s)\n\n", t->row->title, t->row->name, t->row->place);
    if (t->how) {
        fprintf(out, "Skipped: %s\n", t->how);
        return;
    }
    fprintf(out, "%s%s %lld run%s.\n\n", t->row->setup, paper_networks_words(t->set),
            (long long)t->runs, t->runs == 1 ? "" : "s");
    for (int k = 0; k < t->claims.count; k++) {
        const paper_claim *one = &t->claims.claim[k];

        fprintf(out, "- %s **%s** %s\n", one->says,
                paper_holds(one, "Measured:", "Holds.", "Does not hold."),
                one->measured ? one->measured : "");
    }
    fprintf(out, "\nWhy: %s\n", t->row->why);
}

/* What the page lists. */
typedef struct listed {
    const paper_table *t; /* count */
    int32_t            count;
} listed;

static void write_page(FILE *out, const void *self)
{
    const listed *l = self;

    head(out, l->t->set);
    for (const paper_table *t = l->t; t < l->t + l->count; t++)
        for (const paper_printed *q = t->row->printed; !t->how && q && q->algorithm; q++)
            for (int p = 0; p < PAPER_PROTOCOLS; p++)
                line(out, t, q, (paper_protocol)p);
    fputs("\n## The paper's claims\n", out);
    for (const paper_table *t = l->t; t < l->t + l->count; t++)
        section(out, t);
}

mb_status paper_reproduction(const paper_table *t, int32_t count, mb_err *err)
{
    return page_write(t->a, t->set->reproduction, write_page, &(listed){t, count}, err);
}
