/* tables.c - the tables: algorithms, settings, the network in numbers. */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void head(FILE *out, const char *const *name)
{
    fputs("<div class=\"scroll\"><table>\n<thead><tr>", out);
    for (int k = 0; name[k]; k++) /* the first two columns hold words */
        fprintf(out, "<th scope=\"col\"%s>%s</th>", k < 2 ? " class=\"text\"" : "", name[k]);
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void row_name(FILE *out, const report_algo *a)
{
    fprintf(out, "<tr><th scope=\"row\"><span class=\"dot\" style=\"--c:%s\"></span>", a->colour);
    page_esc(out, a->label);
    fputs("</th>", out);
}

static void num(FILE *out, double x, int digits)
{
    fputs("<td>", out);
    page_num(out, x, digits);
    fputs("</td>", out);
}

static void count(FILE *out, int64_t n)
{
    fputs("<td>", out);
    page_count(out, n);
    fputs("</td>", out);
}

static void bytes(FILE *out, int64_t n)
{
    fputs("<td>", out);
    page_bytes(out, n);
    fputs("</td>", out);
}

/* A signed difference with its sign always shown; small ones in powers of ten. */
static void difference(FILE *out, double x)
{
    fputs(x > 0 ? "<td>+" : "<td>", out);
    page_num(out, x, 3);
    fputs("</td>", out);
}

static void spread(FILE *out, const report_spread *s)
{
    num(out, s->mean, 3);
    num(out, s->sd, 2);
    num(out, s->max, 3);
}

static void status(FILE *out, const report_algo *a)
{
    fprintf(out, "<td class=\"text\"><span class=\"tag %s\">%s</span>", a->failed ? "bad" : "plain",
            a->failed ? "&#10005; failed" : "finished");
    if (a->failed && a->error) {
        fputs("<br>", out);
        page_esc(out, a->error);
    }
    fputs("</td>", out);
}

/* One of the words of mb_verdict_text. */
static void verdict_word(FILE *out, const report_algo *a)
{
    fputs("<td class=\"w\">", out);
    page_esc(out, a->verdict ? a->verdict : "–");
    fputs("</td>", out);
}

static int has_judge(const report *r)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (isfinite(r->algo[k].accuracy) || isfinite(r->algo[k].nmi))
            return 1;
    return 0;
}

static int has_kl(const report *r, int truth)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (isfinite(truth ? r->algo[k].kl_truth.mean : r->algo[k].kl_cvb.mean))
            return 1;
    return 0;
}

static void ends(FILE *out, const report *r)
{
    static const char *const name[] = {"algorithm",
                                       "status",
                                       "rounds",
                                       "verdict",
                                       "disagreement",
                                       "moved by a central step",
                                       "lower bound, nats",
                                       "minus central VB's",
                                       NULL};
    double                   reference = PAGE_NAN;

    for (int32_t k = 0; k < r->nalgo; k++)
        if (r->algo[k].central)
            reference = r->algo[k].bound;
    fputs("<h3>Where they ended</h3>\n", out);
    head(out, name);
    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_algo *a = &r->algo[k];

        row_name(out, a);
        status(out, a);
        count(out, a->rounds);
        verdict_word(out, a);
        num(out, a->disagreement, 2);
        num(out, a->moved, 2);
        fputs("<td>", out);
        page_fixed(out, a->bound, 4);
        fputs("</td>", out);
        difference(out, a->central ? PAGE_NAN : page_gap(a->bound, reference));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void quality(FILE *out, const report *r)
{
    fputs("<h3>How good the answers are</h3>\n", out);
    if (!has_kl(r, 0) && !has_kl(r, 1) && !has_judge(r)) {
        fputs("<p class=\"absent\">Not measured: run <code>meshbayes sim</code> with "
              "<code>--metrics all</code>, and <code>--label-column NAME</code> when the data has "
              "true classes.</p>\n",
              out);
        return;
    }
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\" class=\"text\">algorithm"
          "</th><th colspan=\"3\">KL to central VB, nats</th><th colspan=\"3\">KL to truth, "
          "nats</th><th rowspan=\"2\">accuracy</th><th rowspan=\"2\">NMI</th><th rowspan=\"2\">ARI"
          "</th></tr>\n<tr><th>mean</th><th>sd</th><th>worst</th><th>mean</th><th>sd</th><th>worst"
          "</th></tr></thead>\n<tbody>\n",
          out);
    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_algo *a = &r->algo[k];

        row_name(out, a);
        spread(out, &a->kl_cvb);
        spread(out, &a->kl_truth);
        num(out, a->accuracy, 4);
        num(out, a->nmi, 4);
        num(out, a->ari, 4);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void cost(FILE *out, const report *r)
{
    static const char *const name[] = {
        "algorithm", "start used", "messages",    "bytes",         "bytes of the start",
        "seconds",   "freezes",    "projections", "nodes outside", NULL};

    fputs("<h3>What it took, and what went wrong</h3>\n", out);
    head(out, name);
    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_algo *a = &r->algo[k];

        row_name(out, a);
        fputs("<td class=\"text\">", out);
        if (a->attempts > 0) /* attempts count from 0 */
            fprintf(out, "%lld of %lld", (long long)(a->attempt < 0 ? 1 : a->attempt + 1),
                    (long long)a->attempts);
        else
            page_count(out, -1);
        fputs("</td>", out);
        count(out, a->frames);
        bytes(out, a->bytes);
        bytes(out, a->start_bytes);
        num(out, a->seconds, 3);
        count(out, a->frozen);
        count(out, a->projected);
        count(out, a->outside);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void report_tables(FILE *out, const report *r)
{
    fputs("<section id=\"algorithms\"><h2>The algorithms in numbers</h2>\n", out);
    ends(out, r);
    quality(out, r);
    cost(out, r);
    fputs("</section>\n", out);
}

/* Six digits; a real number stays one (2.0), and exponents have no plus and no leading zeros. */
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

/* A value of config.json in one line; 0.20000000000000001 is written for people as 0.2. */
static void value(FILE *out, const mb_json *v)
{
    static const char *const word[] = {
        [MB_JSON_NULL] = "null", [MB_JSON_FALSE] = "false", [MB_JSON_TRUE] = "true"};
    double x;

    if (v->text && strlen(v->text) > 15 && mb_parse_double(v->text, &x) == 0)
        fprintf(out, "%.15g", x);
    else if (v->text && !*v->text)
        fputs("<span class=\"none\">not set</span>", out);
    else if (v->text)
        page_esc(out, v->text);
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

/* Keys and values, but for those that `known` has as the same text. */
static void pairs(FILE *out, const mb_json *object, const mb_json *known)
{
    fputs("<div class=\"pairs\"><table><tbody>\n", out);
    for (size_t k = 0; k < object->n; k++) {
        const mb_json *v = &object->item[k];
        const char    *same = mb_json_at(known, v->key)->text;

        if (same && v->text && !strcmp(v->text, same))
            continue;
        fputs("<tr><th scope=\"row\">", out);
        page_esc(out, v->key);
        fputs("</th><td>", out);
        value(out, v);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void report_settings(FILE *out, const report *r)
{
    const mb_json *options = mb_json_at(r->config, "options");
    const mb_json *resolved = mb_json_at(r->config, "resolved");

    fputs("<section id=\"settings\"><h2>Settings</h2>\n", out);
    if (options->type == MB_JSON_NONE) {
        fputs("<p class=\"absent\">config.json is not in the folder, or has no options.</p>\n",
              out);
    } else {
        fputs("<p>Every option of the run, as given or by default.</p>\n", out);
        pairs(out, options, NULL);
    }
    if (resolved->n) {
        fputs("<h3>What the network chose itself</h3>\n", out);
        pairs(out, resolved, options);
    }
    fputs("</section>\n", out);
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
        {"diameter", "diameter (hops between the two nodes farthest apart)"},
        {"hops", "hops from the lowest node id to the farthest node"},
        {"algebraic_connectivity", "algebraic connectivity (how well connected; 0 is cut apart)"},
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
            page_count(out, v->integer);
        else
            page_num(out, v->type == MB_JSON_REAL ? v->number : PAGE_NAN, 4);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
