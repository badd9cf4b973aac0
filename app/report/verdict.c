/* verdict.c - in plain words: what ran on what, and where every algorithm ended. */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const mb_json *part(const report *r, const char *key)
{
    return mb_json_at(r->summary, key);
}

static void plural(FILE *out, int64_t n, const char *noun)
{
    fprintf(out, "%lld %s%s", (long long)n, noun, n == 1 ? "" : "s");
}

static void faults(FILE *out, const report *r)
{
    const mb_json *f = part(r, "faults");
    const double   loss = mb_json_at(f, "loss")->number;
    const double   directed = mb_json_at(f, "loss_directed")->number;
    const double   silent = mb_json_at(f, "silent")->number;
    const double   delay = mb_json_at(f, "delay")->number;

    if (loss + directed + silent + delay <= 0) {
        fputs(" Every message arrived.", out);
        return;
    }
    fputs(" The network was faulty on purpose:", out);
    if (loss > 0)
        fprintf(out, " %g&nbsp;%% of the links failed in each round;", 100 * loss);
    if (directed > 0)
        fprintf(out, " %g&nbsp;%% of the messages were lost;", 100 * directed);
    if (silent > 0)
        fprintf(out, " a node was silent in %g&nbsp;%% of its rounds;", 100 * silent);
    if (delay > 0)
        fprintf(out, " messages came up to %g rounds late;", delay);
    fputs(" every algorithm that talks met these faults.", out);
}

static void setting(FILE *out, const report *r)
{
    const mb_json *data = part(r, "data"), *network = part(r, "network");
    const char    *file = mb_json_at(data, "file")->text;
    const char    *model = mb_json_at(r->summary, "model")->text;
    const mb_kind *kind = model ? mb_kind_find(model) : NULL;
    const char    *K = mb_json_at(mb_json_at(r->config, "options"), "n-components")->text;

    fputs("<p class=\"lead\">", out);
    plural(out, mb_json_at(network, "nodes")->integer, "node");
    fputs(" held ", out);
    plural(out, mb_json_at(data, "rows")->integer, "row");
    if (file) {
        fputs(" of <code>", out);
        page_esc(out, file);
        fputs("</code>", out);
    }
    fputs(" (", out);
    plural(out, (int64_t)mb_json_at(data, "features")->n, "column");
    fputs("). Each node kept its own rows and talked only to its neighbours, over ", out);
    plural(out, mb_json_at(network, "edges")->integer, "link");
    fputs(". Together they fitted ", out);
    fputs(kind && kind->latent ? "a " : "", out);
    page_esc(out, kind ? kind->title : model ? model : "a model");
    if (K && kind && kind->latent)
        fprintf(out, " with %d components", atoi(K));
    fputs(" by variational Bayes. Central VB, one machine holding all rows, is the "
          "yardstick.",
          out);
    faults(out, r);
    fputs("</p>\n", out);
}

static const report_algo *centralised(const report *r)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (r->algo[k].central && !r->algo[k].failed)
            return &r->algo[k];
    return NULL;
}

static int agreed(const report_algo *a)
{
    return a->disagreement <= MB_SETTLED;
}

static int is(const report_algo *a, mb_verdict v)
{
    return a->verdict && !strcmp(a->verdict, mb_verdict_text(v));
}

/* The run's own word; folders of programs that did not say one are not judged here. */
static void tag(FILE *out, const report_algo *a)
{
    const char *look = "plain", *text = "no verdict";

    if (a->failed || a->outside > 0 || is(a, MB_ENDED_FAILED)) {
        look = "bad";
        text = a->failed ? "&#10005; failed" : "&#10005; failed: invalid at some nodes";
    } else if (is(a, MB_ENDED_SETTLED)) {
        look = a->central ? "plain" : "good";
        text = a->central ? "yardstick, settled" : "&#10003; settled";
    } else if (is(a, MB_ENDED_ELSEWHERE)) {
        look = "bad";
        text = "elsewhere: stands still, but not at the answer";
    } else if (is(a, MB_ENDED_MOVING)) {
        look = "fair";
        text = a->central ? "yardstick, moving" : "moving";
    } else if (is(a, MB_ENDED_INTERRUPTED)) {
        look = "fair";
        text = "interrupted";
    }
    fprintf(out, "<span class=\"tag %s\">%s</span>", look, text);
}

static void bounds(FILE *out, const report_algo *a, const report_algo *cvb)
{
    if (!isfinite(a->bound))
        return;
    fputs(a->central || agreed(a) ? " Lower bound " : " Lower bound at that mean ", out);
    page_fixed(out, a->bound, 4);
    if (a->central || !cvb || !isfinite(cvb->bound)) {
        fputs(" nats.", out);
        return;
    }
    const double gap = page_gap(a->bound, cvb->bound);

    fputs(" against central VB's ", out);
    page_fixed(out, cvb->bound, 4);
    if (fabs(gap) <= MB_SETTLED * fmax(1, fabs(cvb->bound))) {
        fputs(is(a, MB_ENDED_SETTLED) ? " nats: the same optimum (difference "
                                      : " nats: as high (difference ",
              out);
        page_num(out, gap, 2);
        fputs(").", out);
        return;
    }
    fputs(is(a, MB_ENDED_SETTLED) ? " nats: another optimum, " : " nats: ", out);
    page_num(out, fabs(gap), 3);
    fprintf(out, " nats %s.", gap > 0 ? "higher (better)" : "lower (worse)");
}

static void ended(FILE *out, const report_algo *a)
{
    fputs("After ", out);
    page_count(out, a->rounds);
    fprintf(out, " round%s", a->rounds == 1 ? "" : "s");
    if (a->stopped && !strcmp(a->stopped, "rounds"))
        fputs(" (the limit of --rounds)", out);
    if (a->stopped && !strcmp(a->stopped, "signal"))
        fputs(" (interrupted by a signal)", out);
    if (a->limit && !strcmp(a->limit, "rounding"))
        fputs(" (as close as rounding allows)", out);
    fputs(", ", out);
}

static void measured(FILE *out, const report_algo *a)
{
    if (a->central) {
        fputs("one more step moves nothing by more than ", out);
    } else {
        fputs("every node is within ", out);
        page_num(out, a->disagreement, 2);
        fputs(agreed(a)
                  ? " of consensus; one centralised step from there moves nothing by more than "
                  : " of consensus; one centralised step from the mean of their answers, "
                    "which no node holds, moves nothing by more than ",
              out);
    }
    page_num(out, a->moved, 2);
    fputs(".", out);
    if (a->outside > 0) {
        fputs(" At ", out);
        plural(out, (int64_t)a->outside, "node");
        fputs(" the parameters ended outside their domain: no valid answer there.", out);
    }
}

static void verdict(FILE *out, const report_algo *a, const report_algo *cvb)
{
    fprintf(out, "<li style=\"--c:%s\"><b>", a->colour);
    page_esc(out, a->label);
    fputs("</b>", out);
    tag(out, a);
    fputs("<p>", out);
    if (a->failed) {
        fputs("Stopped after ", out);
        page_count(out, a->rounds);
        fputs(" rounds: ", out);
        page_esc(out, a->error ? a->error : "no reason given");
    } else {
        ended(out, a);
        measured(out, a);
        bounds(out, a, cvb);
    }
    fputs("</p></li>\n", out);
}

void report_verdict(FILE *out, const report *r)
{
    const report_algo *cvb = centralised(r);

    fputs("<section id=\"verdict\"><h2>What happened</h2>\n", out);
    setting(out, r);
    fputs("<ul class=\"verdicts\">\n", out);
    for (int32_t k = 0; k < r->nalgo; k++)
        verdict(out, &r->algo[k], cvb);
    fputs("</ul>\n", out);
    if (!cvb)
        fputs("<p>Central VB did not run here; add <code>cvb</code> to "
              "<code>--algorithm</code> to compare lower bounds with it.</p>\n",
              out);
    fputs("</section>\n", out);
}
