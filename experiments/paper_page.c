/* paper_page.c - the figures of every experiment, and the one page that shows them all. */
#include "base/text.h"
#include "data/file.h"
#include "paper_fig.h"

#include <stdlib.h>
#include <string.h>

static void top(FILE *out, const paper_table *t, int32_t count)
{
    page_top(out, "The paper's experiments", "The experiments of Hua and Li, rebuilt");
    fprintf(out,
            "<p class=\"lead\">Junhao Hua and Chunguang Li, Distributed Variational Bayesian "
            "Algorithms Over Sensor Networks, section V. Every experiment is shown under protocols "
            "that are named at every number. Run k has the seed %lld + k &minus; 1%s.</p>\n"
            "<nav aria-label=\"Sections\">",
            (long long)t->set->seed,
            t->set->quick ? "; <b>these are the short runs of --quick</b>" : "");
    for (int32_t k = 0; k < count; k++)
        fprintf(out, "<a href=\"#%s\">%s</a>", t[k].row->name, t[k].row->title);
    fputs("<a href=\"#words\">Words</a></nav>\n</header>\n", out);
}

static void claims_list(FILE *out, const paper_claims *c)
{
    fputs("<h3>What we measured</h3>\n<ul class=\"verdicts\">\n", out);
    for (int k = 0; k < c->count; k++) {
        const paper_claim *one = &c->claim[k];

        fprintf(out, "<li style=\"--c:%s\"><b>", paper_holds(one, "#8a8a8a", "#009e73", "#d55e00"));
        page_esc(out, one->says);
        fprintf(out, "</b><span class=\"tag %s\">%s</span><p>",
                paper_holds(one, "plain", "good", "bad"),
                paper_holds(one, "measured", "holds", "does not hold"));
        page_esc(out, one->measured ? one->measured : "");
        fputs("</p></li>\n", out);
    }
    fputs("</ul>\n", out);
}

static int counted(const char *quantity)
{
    return !strcmp(quantity, "left_domain") || !strcmp(quantity, "froze") ||
           !strcmp(quantity, "worse_optimum");
}

static int hidden(const paper_number *n)
{
    return !isnan(n->x) || !strcmp(n->quantity, "fingerprint") || !strcmp(n->quantity, "failed") ||
           !strcmp(n->quantity, "bound");
}

enum { COLUMNS = 24 };

/* The quantities of an experiment in the order of their first appearance. */
static int columns(const paper_table *t, const char *name[COLUMNS])
{
    int count = 0;

    for (int64_t k = 0; k < t->count; k++) {
        int c = 0;

        while (c < count && strcmp(name[c], t->group[k].key.quantity) != 0)
            c++;
        if (c == count && c < COLUMNS && !hidden(&t->group[k].key))
            name[count++] = t->group[k].key.quantity;
    }
    return count;
}

static void number_cell(FILE *out, const paper_table *t, const paper_group *g, const char *quantity)
{
    const paper_stat s =
        paper_stat_at(t, g->protocol, g->key.algorithm, quantity, g->key.part, PAPER_NAN);

    fputs("<td>", out);
    if (counted(quantity) && s.runs) {
        fprintf(out, "%.0f", s.mean * (double)s.runs);
    } else if (!isfinite(s.mean)) {
        fputs(page_num(PAPER_NAN, 3).s, out);
    } else {
        fprintf(out, "<span class=\"w\">%s &plusmn; %s</span>", page_num(s.mean, 4).s,
                page_num(s.sd, 2).s);
        if (fabs(s.median - s.mean) > 0.2 * fabs(s.mean))
            fprintf(out, "<br><span class=\"w\">median %s</span>", page_num(s.median, 4).s);
    }
    fputs("</td>", out);
}

static int first_of(const paper_table *t, int64_t k)
{
    const paper_group *g = &t->group[k];

    for (int64_t j = 0; j < k; j++) {
        const paper_group *h = &t->group[j];

        if (!hidden(&h->key) && h->protocol == g->protocol &&
            !strcmp(h->key.algorithm, g->key.algorithm) && !strcmp(h->key.part, g->key.part))
            return 0;
    }
    return !hidden(&g->key);
}

static void numbers(FILE *out, const paper_table *t)
{
    const char *name[COLUMNS];
    const int   count = columns(t, name);

    fprintf(
        out,
        "<h3>Numbers at the end</h3>\n<div class=\"scroll\"><table>\n<thead><tr>"
        "<th class=\"text\" scope=\"col\">algorithm</th><th class=\"text\" scope=\"col\">protocol"
        "</th><th scope=\"col\">failed runs of %lld</th>",
        (long long)t->runs);
    for (int c = 0; c < count; c++) {
        fputs("<th scope=\"col\">", out);
        page_esc(out, paper_quantity_words(name[c]));
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t k = 0; k < t->count; k++) {
        const paper_group *g = &t->group[k];

        if (!first_of(t, k))
            continue;
        fputs("<tr><th scope=\"row\">", out);
        page_esc(out, g->key.algorithm);
        fprintf(out, "%s%s</th><td class=\"text\">%s</td><td>", *g->key.part ? ", " : "",
                g->key.part, paper_protocol_name[g->protocol]);
        fprintf(out, "%s</td>",
                page_count(paper_stat_at(t, g->protocol, g->key.algorithm, "failed", g->key.part,
                                         PAPER_NAN)
                               .failed)
                    .s);
        for (int c = 0; c < count; c++)
            number_cell(out, t, g, name[c]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n<p>Mean &plusmn; standard deviation over the runs that have a "
          "value; the median where it is far from the mean.</p>\n",
          out);
}

static void text(FILE *out, const char *heading, const char *words)
{
    fprintf(out, "<h3>%s</h3>\n<p>", heading);
    page_esc(out, words);
    fputs("</p>\n", out);
}

static void figures(FILE *out, const page_figures *r)
{
    if (r->no_figures) {
        fputs("<p class=\"absent\">No figures: ", out);
        page_esc(out, r->no_figures);
        fputs("</p>\n", out);
    }
    for (int k = 0; k < r->nfigure && !r->no_figures; k++) {
        if (!r->figure[k].npanel)
            continue;
        fprintf(out, "<h3 id=\"%s\">%s</h3>\n", r->figure[k].id, r->figure[k].heading);
        page_panels(out, &r->figure[k]);
    }
}

static void section(FILE *out, const paper_table *t, const page_figures *r)
{
    fprintf(out, "<section id=\"%s\"><h2>%s <span class=\"tag plain\">%s</span></h2>\n",
            t->row->name, t->row->title, t->row->place);
    text(out, "What the paper says", t->row->says);
    if (t->how) {
        fputs("<p class=\"absent\">skipped: ", out);
        page_esc(out, t->how);
        fputs("</p></section>\n", out);
        return;
    }
    claims_list(out, &t->claims);
    text(out, "Why they differ", t->row->why);
    figures(out, r);
    numbers(out, t);
    fputs("</section>\n", out);
}

static void words(FILE *out, const paper_set *set)
{
    fputs("<section id=\"words\"><h2>Words</h2><dl>\n", out);
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        if (set->protocols >> p & 1) {
            fprintf(out, "<dt>protocol %s</dt><dd>", paper_protocol_name[p]);
            page_esc(out, paper_protocol_words((paper_protocol)p));
            fputs("</dd>\n", out);
        }
    fputs(
        "<dt>cost, eq. (46)</dt><dd>Kullback-Leibler divergence in nats of a node's posterior from "
        "the posterior that knows every row's class, best order of components. Central VB "
        "(cVB), which sees all rows, has a cost too, and it differs by the draw: compare on the "
        "same draw, by the ratio.</dd>\n"
        "<dt>failed</dt><dd>runs that ended outside the domain, broke off, or ended in a worse "
        "optimum: the lower bound of the network mean more than .01 nats a row below the best "
        "answer that any algorithm of the protocol found on the same draw. Nothing is run again "
        "silently.</dd>\n"
        "<dt>left the domain</dt><dd>a natural parameter of some node was outside its domain in "
        "some round (it was projected, or the node froze), even if the run recovered.</dd>\n"
        "</dl></section>\n<footer>Made by meshbayes " MB_VERSION ". The figures as single files: "
        "<code>NAME/figures/</code>; all numbers: <code>NAME/data.csv</code>.</footer>\n"
        "</main>\n</body>\n</html>\n",
        out);
}

/* Figures of one experiment into its folder; they stay in r for the page. */
static mb_status plot(const paper_table *t, page_figures *r, mb_err *err)
{
    paper_figures f = {r, NULL};
    mb_status     st;

    r->dir = mb_text(t->a, err, "%s/%s", t->set->out, t->row->name);
    if (!r->dir)
        return MB_E_NOMEM;
    r->png = 1;
    r->a = t->a;
    st = page_plot_open(r, err);
    if (st >= 0)
        st = t->row->draw(&f, t, err);
    if (st >= 0)
        st = page_plot_run(r, err);
    page_plot_close(r);
    return st;
}

/* What the page shows. */
typedef struct shown {
    const paper_table  *t; /* count */
    const page_figures *r; /* count */
    int32_t             count;
} shown;

static void write_page(FILE *out, const void *self)
{
    const shown *s = self;

    top(out, s->t, s->count);
    for (int32_t k = 0; k < s->count; k++)
        section(out, &s->t[k], &s->r[k]);
    words(out, s->t->set);
}

mb_status paper_page(const paper_table *t, int32_t count, mb_err *err)
{
    const char   *path = mb_text(t->a, err, "%s/report.html", t->set->out);
    page_figures *r;

    MB_NEW(r, t->a, count, err);
    if (!path)
        return MB_E_NOMEM;
    for (int32_t k = 0; k < count; k++)
        if (!t[k].how)
            MB_TRY(plot(&t[k], &r[k], err));
    MB_TRY(mb_dir_make(t->set->out, err));
    return page_write(t->a, path, write_page, &(shown){t, r, count}, err);
}
