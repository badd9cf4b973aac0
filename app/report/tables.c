/* tables.c - the tables: algorithms, settings, the network in numbers. */
#include "meshbayes/extend.h"
#include "model/kind.h"
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL            "<td>%s</td>"
#define HEAD(name)      "<th scope=\"col\">" name "</th>"
#define TEXT_HEAD(name) "<th scope=\"col\" class=\"text\">" name "</th>"

/* Where it ended. The last column has its sign always shown. */
static void end(FILE *out, const report *r, const report_algo *a)
{
    const double gap = a->central || !r->central ? PAGE_NAN : page_gap(a->bound, r->central->bound);

    fprintf(out, CELL, page_count(a->rounds).s);
    if (a->failed)
        fputs("<td><span class=\"tag bad\">&#10005; failed</span></td>", out);
    else
        page_wrap(out, "<td class=\"w\">", a->verdict ? a->verdict : "–", "</td>");
    fprintf(out, CELL CELL CELL "<td>%s%s</td>", page_num(a->disagreement, 2).s,
            page_num(a->moved, 2).s, page_fixed(a->bound, 4).s, gap > 0 ? "+" : "",
            page_num(gap, 3).s);
}

static void spread(FILE *out, const report_spread *s)
{
    fprintf(out, CELL CELL CELL, page_num(s->mean, 3).s, page_num(s->sd, 3).s,
            page_num(s->max, 3).s);
}

/* What was measured of at least one algorithm. */
typedef struct measured {
    int cvb, truth, classes, tries, events;
} measured;

static measured measures(const report *r)
{
    measured m = {0};

    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++) {
        m.cvb |= isfinite(a->kl_cvb.mean);
        m.truth |= isfinite(a->kl_truth.mean);
        m.classes |= isfinite(a->accuracy) || isfinite(a->nmi);
        m.tries |= a->attempts > 1;
        m.events |= a->frozen > 0 || a->projected > 0 || a->outside > 0;
    }
    return m;
}

/* How good its answer is. */
static void quality(FILE *out, const report *r, const report_algo *a)
{
    const measured m = measures(r);

    if (m.cvb)
        spread(out, &a->kl_cvb);
    if (m.truth)
        spread(out, &a->kl_truth);
    if (m.classes)
        fprintf(out, CELL CELL CELL, page_num(a->accuracy, 4).s, page_num(a->nmi, 4).s,
                page_num(a->ari, 4).s);
}

/* Which initialisation it ran from, and what went wrong on the way. */
static void events(FILE *out, const report *r, const report_algo *a)
{
    if (measures(r).tries && a->attempts > 0) /* attempts count from 0 */
        fprintf(out, "<td>%lld of %lld</td>", (long long)(a->attempt < 0 ? 1 : a->attempt + 1),
                (long long)a->attempts);
    else if (measures(r).tries)
        fprintf(out, CELL, page_count(-1).s);
    fprintf(out, CELL CELL CELL, page_count(a->frozen).s, page_count(a->projected).s,
            page_count(a->outside).s);
}

static void head(FILE *out)
{
    fputs("<div class=\"scroll\"><table>\n<thead><tr>", out);
}

/* A row for every algorithm: its name, then the cells. */
static void body(FILE *out, const report *r,
                 void (*cells)(FILE *out, const report *r, const report_algo *a))
{
    fputs("</tr></thead>\n<tbody>\n", out);
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++) {
        fprintf(out, "<tr><th scope=\"row\"><span class=\"dot\" style=\"--c:%s\"></span>%s</th>",
                a->colour, a->label);
        cells(out, r, a);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void quality_table(FILE *out, const report *r, const measured *m)
{
    fputs("<h3>How good the answers are</h3>\n", out);
    head(out);
    fputs("<th rowspan=\"2\" class=\"text\">algorithm</th>", out);
    fputs(m->cvb ? "<th colspan=\"3\">KL to central VB, nats</th>" : "", out);
    fputs(m->truth ? "<th colspan=\"3\">KL to truth, nats</th>" : "", out);
    fputs(m->classes ? "<th rowspan=\"2\">accuracy</th><th rowspan=\"2\">NMI</th>"
                       "<th rowspan=\"2\">ARI</th>"
                     : "",
          out);
    fputs("</tr>\n<tr>", out);
    for (int k = 0; k < m->cvb + m->truth; k++)
        fputs("<th>mean</th><th>sd</th><th>worst</th>", out);
    body(out, r, quality);
}

static void events_table(FILE *out, const report *r, const measured *m)
{
    if (!m->tries && !m->events) {
        fputs("<p>No node was frozen, projected or outside the domain.</p>\n", out);
        return;
    }
    fprintf(out, "<h3>%s</h3>\n",
            m->tries ? "Initialisation, and what went wrong" : "What went wrong");
    head(out);
    fputs(TEXT_HEAD("algorithm"), out);
    fputs(m->tries ? HEAD("initialisation") : "", out);
    fputs(HEAD("freezes") HEAD("projections") HEAD("nodes outside"), out);
    body(out, r, events);
}

/* What algorithms count in their nodes. */
static void counts(FILE *out, const report *r)
{
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++) {
        const mb_algo  *algo = mb_algo_find(a->name);
        const mb_count *c = algo ? algo->counts : NULL;

        for (; c && c->name; c++) {
            const mb_json *v = mb_json_at(a->counts, c->name);

            if (v->type == MB_JSON_INTEGER)
                fprintf(out, "<p>%s: %s: %lld.</p>\n", a->label, c->title, (long long)v->integer);
        }
    }
}

void report_tables(FILE *out, const report *r)
{
    const measured m = measures(r);

    fputs("<section id=\"algorithms\"><h2>The algorithms in numbers</h2>\n"
          "<h3>Where they ended</h3>\n",
          out);
    head(out);
    fputs(TEXT_HEAD("algorithm") HEAD("rounds") HEAD("verdict") HEAD("disagreement")
              HEAD("moved by a central step") HEAD("lower bound, nats") HEAD("minus central VB's"),
          out);
    body(out, r, end);
    if (m.cvb || m.truth || m.classes)
        quality_table(out, r, &m);
    events_table(out, r, &m);
    counts(out, r);
    fputs("</section>\n", out);
}

/* Six digits; a real number has a point (2.0), an exponent neither a plus nor leading zeros. */
static void real(FILE *out, double x)
{
    char  text[32];
    char *e;

    snprintf(text, sizeof text, "%.6g", x);
    e = strchr(text, 'e');
    if (e)
        fprintf(out, "%.*se%s%s", (int)(e - text), text, e[1] == '-' ? "-" : "",
                e + 2 + strspn(e + 2, "0"));
    else
        fprintf(out, "%s%s", text, strchr(text, '.') ? "" : ".0");
}

/* A text that may be broken after its commas. */
static void list(FILE *out, const char *text)
{
    char part[256];

    for (size_t n; *text; text += n) {
        n = strcspn(text, ",");
        n += text[n] == ',';
        n = n < sizeof part ? n : sizeof part - 1;
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        page_esc(out, part);
        fputs(text[n] ? "<wbr>" : "", out);
    }
}

/* Options without a value, which are 0 or 1 in the file. */
static int is_flag(const char *key)
{
    return key && (!strcmp(key, "json") || !strcmp(key, "require-settled"));
}

/* A value of config.json in one line; 0.20000000000000001 becomes 0.2. */
static void value(FILE *out, const mb_json *v)
{
    static const char *const word[] = {
        [MB_JSON_NULL] = "null", [MB_JSON_FALSE] = "false", [MB_JSON_TRUE] = "true"};
    double x;

    if (v->text && strlen(v->text) > 8 && strpbrk(v->text, ".e") &&
        mb_parse_double(v->text, &x) == 0)
        fprintf(out, "%.6g", x);
    else if (v->text && is_flag(v->key))
        fputs(strcmp(v->text, "0") ? "on" : "off", out);
    else if (v->text && !*v->text)
        fputs("<span class=\"none\">not set</span>", out);
    else if (v->text && *v->text == '/') /* a report is mailed: no folders of this disk */
        page_esc(out, report_base(v->text));
    else if (v->text)
        list(out, v->text);
    else if (v->type == MB_JSON_INTEGER)
        fprintf(out, "%lld", (long long)v->integer);
    else if (v->type == MB_JSON_REAL)
        real(out, v->number);
    else if (v->type <= MB_JSON_TRUE)
        fputs(word[v->type], out);
    else {
        fputc(v->type == MB_JSON_LIST ? '[' : '{', out);
        for (size_t k = 0; k < v->n; k++) {
            fputs(k ? ", " : "", out);
            value(out, &v->item[k]);
        }
        fputc(v->type == MB_JSON_LIST ? ']' : '}', out);
    }
}

int report_latent(const report *r)
{
    const char    *model = mb_json_at(r->summary, "model")->text;
    const mb_kind *kind = model ? mb_kind_find(model) : NULL;

    return !kind || mb_kind_has_components(kind);
}

/* 1 for what this run has no use for: an option of another model, initialisation of a model that
 * has none, or hops on one machine. */
static int foreign(const report *r, const char *key)
{
    static const char *const latent[] = {"init", "n-init", "prune", "label-column", "label-file"};

    const mb_kind *const *list = mb_kind_list();
    const char           *model = mb_json_at(r->summary, "model")->text;
    const mb_kind        *mine = model ? mb_kind_find(model) : NULL;

    if (r->alone && !strcmp(key, "hops"))
        return 1;
    for (size_t k = 0; k < sizeof latent / sizeof *latent && !report_latent(r); k++)
        if (!strcmp(key, latent[k]))
            return 1;
    if (!mine || (mine->opts && mb_opt_find(mine->opts, key)))
        return 0;
    for (int k = 0; list[k]; k++)
        if (list[k]->opts && mb_opt_find(list[k]->opts, key))
            return 1;
    return 0;
}

/* Keys and values, without those that have the same text in `known`. */
static void pairs(FILE *out, const report *r, const mb_json *object, const mb_json *known)
{
    fputs("<div class=\"pairs\"><table><tbody>\n", out);
    for (size_t k = 0; k < object->n; k++) {
        const mb_json *v = &object->item[k];
        const char    *same = mb_json_at(known, v->key)->text;

        if ((same && v->text && !strcmp(v->text, same)) || foreign(r, v->key))
            continue;
        page_wrap(out, "<tr><th scope=\"row\">", v->key, "</th><td>");
        value(out, v);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void report_settings(FILE *out, const report *r)
{
    const mb_json *options = mb_json_at(r->config, "options");
    const mb_json *resolved = mb_json_at(r->config, "resolved");

    if (options->type == MB_JSON_NONE) {
        fputs("<p class=\"absent\">config.json is not in the folder, or has no options.</p>\n",
              out);
    } else {
        fputs("<p>Every option that this run has a use for, as given or by default.</p>\n", out);
        pairs(out, r, options, NULL);
    }
    if (resolved->n) {
        fprintf(out, "<h3>Chosen by the %s</h3>\n", r->alone ? "program" : "network");
        pairs(out, r, resolved, options);
    }
}

void report_network_table(FILE *out, const report *r)
{
    static const struct {
        const char *key, *text;
    } line[] = {
        {"nodes", "nodes"},
        {"edges", "links"},
        {"deg_min", "fewest neighbours of a node"},
        {"deg_mean", "mean number of neighbours"},
        {"deg_max", "most neighbours of a node"},
        {"diameter", "diameter (largest number of hops between two nodes)"},
        {"hops", "hops from the lowest node id to the farthest node"},
        {"algebraic_connectivity", "algebraic connectivity (0: not connected)"},
        {"lambda2", "second eigenvalue modulus of the weights (nearer 1: slower averaging)"},
        {"weights", "weights"},
    };
    const mb_json *network = mb_json_at(r->summary, "network");

    fputs("<h3>The network in numbers</h3>\n<div class=\"pairs\"><table><tbody>\n", out);
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        const mb_json *v = mb_json_at(network, line[k].key);

        if (v->type == MB_JSON_NONE)
            continue;
        fprintf(out, "<tr><td class=\"text\">%s</td><td class=\"n\">", line[k].text);
        if (v->text)
            page_esc(out, v->text);
        else if (v->type == MB_JSON_INTEGER)
            fputs(page_count(v->integer).s, out);
        else
            fputs(page_num(v->type == MB_JSON_REAL ? v->number : PAGE_NAN, 4).s, out);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
