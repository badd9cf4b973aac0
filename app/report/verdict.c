/* verdict.c - in sentences: what ran on what, where every algorithm ended, and what that means;
 * of a run in time its faults, and what the network revealed. */
#include "base/app.h"
#include "meshbayes/extend.h"
#include "model/kind.h"
#include "report/answer.h"
#include "report/time.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double tally(const report *r, const char *what)
{
    const mb_json *all = mb_json_at(r->time->about, "tally");

    return mb_json_at(all, what)->number;
}

void report_time_faults(FILE *out, const report *r)
{
    static const struct {
        const char *key, *words;
    } kind[] = {{"lost", "lost"},
                {"cut", "lost on links that were cut"},
                {"gone", "sent to nodes that were not there"},
                {"duplicated", "repeated"},
                {"reordered", "held back"},
                {"corrupted", "damaged"}};
    const double frames = tally(r, "frames");
    int          count = 0;

    if (r->time->processes) {
        fprintf(out,
                " Each node was a process of its own, and none was given the number of nodes. They "
                "sent %.0f frames.",
                frames);
        if (tally(r, "restarts") > 0)
            fprintf(out, " Processes that had died were started again %.0f time%s.",
                    tally(r, "restarts"), tally(r, "restarts") > 1 ? "s" : "");
        return;
    }
    fprintf(out, " No node was given the number of nodes. Of %.0f frames", frames);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        if (tally(r, kind[k].key) > 0)
            fprintf(out, "%s %.0f %s %s", count++ ? "," : "", tally(r, kind[k].key),
                    tally(r, kind[k].key) > 1 ? "were" : "was", kind[k].words);
    fputs(count ? "." : " every one arrived.", out);
}

void report_time_revealed(FILE *out, const report *r)
{
    const char *genesis = mb_json_at(r->time->about, "genesis")->text;
    const char *mask = mb_json_at(r->time->about, "mask")->text;

    fputs("<h3>What the network revealed</h3>\n<p>", out);
    if (genesis && !strcmp(genesis, "sample"))
        fputs("The network drew a sample of at most 64 rows of the data, from which units, prior "
              "and initialisation were made: every node knows these rows. Rows that gave way to "
              "others while it was drawn had left their nodes too. ",
              out);
    else if (genesis && !strcmp(genesis, "sums"))
        fputs("Units and prior were made from the smallest and largest value of each column and "
              "from sums over the network, and a row for each component was drawn as its centre: "
              "every node knows these values, sums and rows. Rows that gave way to others while "
              "they were drawn had left their nodes too. ",
              out);
    else if (genesis && !strcmp(genesis, "ranges"))
        fputs("Units, prior and initialisation were made from exact sums within stated bounds: no "
              "node saw a row, every node knows units, prior and centres. ",
              out);
    else if (genesis && !strcmp(genesis, "init"))
        fputs("Units, prior and initialisation were made from all rows beforehand. ", out);
    else
        fputs("Units, prior and initialisation came from a file that every node was given. ", out);
    if (mask)
        fprintf(
            out,
            "Sums were masked: neighbours saw no statistics of a node, only the root of the sums "
            "the total of all nodes in each pass. %sNo other rows left their nodes.</p>\n",
            strcmp(mask, "simulated") != 0
                ? ""
                : "The masks are simulated: their keys come from the seed, so they hide nothing "
                  "from who knows it. ");
    else
        fputs("Neighbours saw each other's statistics, which are sums over rows and are not "
              "protected. No other rows left their nodes.</p>\n",
              out);
}

const char *report_time_axis(const report *r)
{
    return r->time->processes ? "time (s)" : "virtual time (s)";
}

static void faults(FILE *out, const report *r)
{
    static const struct {
        const char *key, *before, *after;
        double      scale;
    } kind[] = {
        {"loss", " ", "&nbsp;% of the links failed in each round;", 100},
        {"loss_directed", " ", "&nbsp;% of the messages were lost;", 100},
        {"silent", " a node was silent in ", "&nbsp;% of its rounds;", 100},
        {"delay", " messages were up to ", " rounds late;", 1},
    };
    int count = 0;

    if (r->time) {
        report_time_faults(out, r);
        return;
    }
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const double x = mb_json_at(mb_json_at(r->summary, "faults"), kind[k].key)->number;

        if (x > 0)
            fprintf(out, "%s%s%g%s",
                    count++ ? "" : " The network was faulty on purpose:", kind[k].before,
                    kind[k].scale * x, kind[k].after);
    }
    fputs(count ? " every algorithm that sends messages met these faults."
                : " Every message arrived.",
          out);
}

const char *report_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* "240 rows of faithful.csv (2 columns)". */
static void held(FILE *out, const report *r)
{
    const mb_json *data = mb_json_at(r->summary, "data");
    const char    *file = mb_json_at(data, "file")->text;
    const int64_t  rows = mb_json_at(data, "rows")->integer;
    const int64_t  columns = (int64_t)mb_json_at(data, "features")->n;

    fprintf(out, "%lld row%s", (long long)rows, app_plural(rows));
    if (file)
        page_wrap(out, " of <code>", *file == '/' ? report_base(file) : file, "</code>");
    fprintf(out, " (%lld column%s)", (long long)columns, app_plural(columns));
}

/* "a mixture of Gaussians with 3 components by variational Bayes". */
static void model_found(FILE *out, const report *r)
{
    const char    *model = mb_json_at(r->summary, "model")->text;
    const mb_kind *kind = model ? mb_kind_find(model) : NULL;
    const int      latent = kind && mb_kind_has_components(kind);
    const char    *K = mb_json_at(mb_json_at(r->config, "options"), "n-components")->text;

    page_wrap(out, latent ? "a " : "", kind ? kind->title : model ? model : "a model", "");
    if (r->answer && latent)
        fprintf(out, " with %lld component%s", (long long)r->answer->parts,
                app_plural(r->answer->parts));
    else if (K && latent && atoi(K) > 0)
        fprintf(out, " with %d component%s", atoi(K), app_plural(atoi(K)));
    fputs(" by variational Bayes.", out);
}

/* Of values that the data do not have; integer 0: the summary has no such line. */
static void missing(FILE *out, const report *r)
{
    const mb_json *data = mb_json_at(r->summary, "data");
    const int64_t  cells = mb_json_at(data, "cells_missing")->integer;
    const int64_t  rows = mb_json_at(data, "rows_incomplete")->integer;
    const int64_t  dropped = mb_json_at(data, "rows_dropped")->integer;

    if (cells > 0)
        fprintf(out, " %lld value%s missing", (long long)cells, cells == 1 ? " is" : "s are");
    if (cells > 0 && rows > 0)
        fprintf(out, ", in %lld row%s", (long long)rows, app_plural(rows));
    if (cells > 0)
        fputs(cells == 1 ? ": it is integrated out." : ": they are integrated out.", out);
    if (dropped > 0)
        fprintf(out, " %lld further row%s left out: a value is missing.", (long long)dropped,
                dropped == 1 ? " was" : "s were");
}

void report_setting(FILE *out, const report *r)
{
    const mb_json *network = mb_json_at(r->summary, "network");
    const int64_t  nodes = mb_json_at(network, "nodes")->integer;
    const int64_t  links = mb_json_at(network, "edges")->integer;

    fputs("<p class=\"lead\">", out);
    if (r->alone) {
        fputs("One machine with ", out);
        held(out, r);
        fputs(" fitted ", out);
        model_found(out, r);
        missing(out, r);
        fputs("</p>\n", out);
        return;
    }
    fprintf(out, "%lld node%s held ", (long long)nodes, app_plural(nodes));
    held(out, r);
    fprintf(out,
            ". Each node kept its own rows and sent messages only to its neighbours, over %lld "
            "link%s. Together they fitted ",
            (long long)links, app_plural(links));
    model_found(out, r);
    missing(out, r);
    faults(out, r);
    if (r->runs > 1)
        fprintf(out,
                " It was run %lld times with different seeds: answer, verdicts and numbers are "
                "those of the first run, curves of all.",
                (long long)r->runs);
    fputs("</p>\n", out);
}

static int agreed(const report_algo *a)
{
    return a->disagreement <= MB_SETTLED;
}

static int is(const report_algo *a, mb_verdict v)
{
    return a->verdict && !strcmp(a->verdict, mb_verdict_text(v));
}

/* As the run judged it; folders of older programs have no verdict. */
static void tag(FILE *out, const report *r, const report_algo *a)
{
    const int   yardstick = a->central && r->nalgo > 1;
    const char *look = "plain", *text = "no verdict";

    if (a->failed || a->outside > 0 || is(a, MB_ENDED_FAILED)) {
        look = "bad";
        text = a->failed ? "&#10005; failed" : "&#10005; failed: invalid at some nodes";
    } else if (is(a, MB_ENDED_SETTLED)) {
        look = yardstick ? "plain" : "good";
        text = yardstick ? "yardstick, settled" : "&#10003; settled";
    } else if (is(a, MB_ENDED_ELSEWHERE)) {
        look = "bad";
        text = "elsewhere: stationary, but not at the centralised solution";
    } else if (is(a, MB_ENDED_MOVING)) {
        look = "fair";
        text = yardstick ? "yardstick, moving" : "moving";
    } else if (is(a, MB_ENDED_INTERRUPTED)) {
        look = "fair";
        text = "interrupted";
    }
    fprintf(out, "<span class=\"tag %s\">%s</span>", look, text);
}

static void bounds(FILE *out, const report_algo *a, const report_algo *cvb)
{
    const int settled = is(a, MB_ENDED_SETTLED);

    if (!isfinite(a->bound))
        return;
    fprintf(out, " Lower bound%s %s", a->central || agreed(a) ? "" : " at that mean",
            page_fixed(a->bound, 4).s);
    if (a->central || !cvb || !isfinite(cvb->bound)) {
        fputs(" nats.", out);
        return;
    }
    const double gap = page_gap(a->bound, cvb->bound);

    fprintf(out, " against central VB's %s nats: ", page_fixed(cvb->bound, 4).s);
    if (fabs(gap) <= MB_SETTLED * fmax(1, fabs(cvb->bound)))
        fprintf(out, "%s (difference %s).", settled ? "the same optimum" : "as high",
                page_num(gap, 2).s);
    else
        fprintf(out, "%s%s nats %s.", settled ? "another optimum, " : "", page_num(fabs(gap), 3).s,
                gap > 0 ? "higher (better)" : "lower (worse)");
}

static void ended(FILE *out, const report *r, const report_algo *a)
{
    fprintf(out, "After %s round%s", page_count(a->rounds).s, app_plural(a->rounds));
    if (a->stopped && !strcmp(a->stopped, "rounds"))
        fputs(" (the limit of --rounds)", out);
    if (a->stopped && !strcmp(a->stopped, "signal"))
        fputs(" (interrupted by a signal)", out);
    if (a->limit && !strcmp(a->limit, "rounding"))
        fputs(" (as close as rounding allows)", out);
    if (report_promise(r)) {
        fputs(", every node has the answer of the one noisy total.", out);
        return;
    }
    if (a->central)
        fputs(", one more step changes ", out);
    else
        fprintf(out,
                ", every node is within %s of consensus; one step of central VB from %s changes ",
                page_num(a->disagreement, 2).s,
                agreed(a) ? "there" : "the mean of their answers, which no node holds,");
    if (fabs(a->moved) < DBL_EPSILON)
        fputs("nothing.", out);
    else
        fprintf(out, "the parameters by up to %s (relative).", page_num(a->moved, 2).s);
    if (a->outside > 0)
        fprintf(out,
                " At %lld node%s the parameters ended outside their domain: no valid answer there.",
                (long long)a->outside, app_plural(a->outside));
}

/* What the verdict means for the answer. */
static void meaning(FILE *out, const report *r, const report_algo *a)
{
    fputs(" ", out);
    if (a->failed || a->outside > 0 || is(a, MB_ENDED_FAILED))
        fputs("<b>Do not use this answer.</b>", out);
    else if (is(a, MB_ENDED_SETTLED))
        fputs(a->central ? "More rounds would give the same answer."
              : report_promise(r)
                  ? "<b>The answer stands</b>: every node has it, and rows count no more."
                  : "<b>The answer stands</b>: it is the one that a single machine with all "
                    "rows would stay at, and every node has it.",
              out);
    else if (is(a, MB_ENDED_MOVING))
        fputs(r->time ? "<b>The numbers may still change</b>: give it more time "
                        "(<code>--time</code>)."
                      : "<b>The numbers may still change</b>: give it more rounds "
                        "(<code>--rounds</code>).",
              out);
    else if (is(a, MB_ENDED_ELSEWHERE))
        fputs(r->alone ? "<b>It is not an optimum.</b>"
                       : "<b>It is not an answer of variational Bayes to all rows</b>: more rounds "
                         "will not help, another algorithm may.",
              out);
    else if (is(a, MB_ENDED_INTERRUPTED))
        fputs("<b>It was ended early</b>: what it would have become is not known.", out);
}

static void verdict(FILE *out, const report *r, const report_algo *a, const report_algo *cvb)
{
    fprintf(out, "<li style=\"--c:%s\"><b>%s</b>", a->colour, r->alone ? "The fit" : a->label);
    tag(out, r, a);
    fputs("<p>", out);
    if (a->failed) {
        fprintf(out, "Stopped after %s rounds: ", page_count(a->rounds).s);
        page_esc(out, a->error ? a->error : "no reason given");
    } else {
        ended(out, r, a);
        bounds(out, a, cvb);
        meaning(out, r, a);
    }
    fputs("</p></li>\n", out);
}

/* What neighbours saw in the rounds, with masks in some of the runs, in all or in none. */
static void in_rounds(FILE *out, const report *r)
{
    const mb_json *list = mb_json_at(r->summary, "algorithms");
    size_t         masked = 0, open = 0;

    for (size_t k = 0; k < list->n; k++) {
        const char *name = mb_json_at(&list->item[k], "name")->text;
        const int   is = mb_json_at(&list->item[k], "mask")->text != NULL;

        masked += (size_t)is;
        open += !is && name && strcmp(name, "cvb") != 0;
    }
    if (open)
        fprintf(out,
                "In the rounds%s neighbours saw each other's statistics, which are sums over rows "
                "and are not protected: a node with few rows (at most the number of columns) shows "
                "its neighbours, in effect, the rows. ",
                masked ? " without masks" : "");
    if (masked)
        fputs("Sums with masks showed neighbours no statistics of a node, only the root the total "
              "of all nodes in each pass. The masks are simulated: their keys come from the seed, "
              "so they hide nothing from who knows it. ",
              out);
}

/* What nodes learnt of rows that are not theirs. */
static void privacy(FILE *out, const report *r)
{
    const report_answer *a = r->answer;
    const char          *sums = mb_json_at(mb_json_at(r->summary, "prior"), "revealed")->text;
    const char          *init = mb_json_at(mb_json_at(r->config, "options"), "init")->text;

    if (r->time)
        (report_promise(r) ? report_private_revealed : report_time_revealed)(out, r);
    if (!a || r->alone || r->time)
        return;
    fputs("<h3>What the network revealed</h3>\n<p>", out);
    if (a->revealed > 0)
        fprintf(out,
                "Initialisation drew %lld row%s of the data as centres or candidates for them: "
                "every node "
                "knows them. ",
                (long long)a->revealed, app_plural(a->revealed));
    if (init && !strcmp(init, "kmeans") && a->revealed > 0)
        fputs("Every step of k-means summed the rows of each cluster over the network: every node "
              "knows these sums. ",
              out);
    if (sums && *sums)
        fprintf(out, "%c%s. ", toupper((unsigned char)*sums), sums + 1);
    in_rounds(out, r);
    fprintf(out, "No %srows left their nodes as such.</p>\n", a->revealed > 0 ? "other " : "");
}

/* What nodes that are processes found of each other (protocol.md, section 5a). */
static void audits(FILE *out, const report *r)
{
    const mb_json *is = mb_json_at(r->time ? r->time->about : r->summary, "audit");
    const mb_json *broken = mb_json_at(is, "broken");
    const char    *state = mb_json_at(is, "state")->text;
    const int64_t  on = mb_json_at(is, "on")->integer;

    if (!state)
        return;
    if (!on) {
        page_wrap(out, "<p>There was ", state, ".</p>\n");
        return;
    }
    fprintf(out, "<p>%lld node%s audited the members and judged %lld of %lld members: %s.</p>\n",
            (long long)on, app_plural(on), (long long)mb_json_at(is, "judged")->integer,
            (long long)mb_json_at(is, "members")->integer,
            broken->n ? "<b>not all put in what they declared</b>" : "none failed");
    for (size_t k = 0; k < broken->n; k++) {
        const mb_json *one = &broken->item[k];
        const int64_t  by = mb_json_at(one, "by")->integer;
        const char    *node = mb_json_at(one, "node")->text;
        const char    *reason = mb_json_at(one, "reason")->text;

        page_wrap(out, "<p><b>Member ", node ? node : "", "</b>");
        fprintf(out, " fails the audits of %lld node%s", (long long)by, app_plural(by));
        page_wrap(out, ": ", reason ? reason : "", ".</p>\n");
    }
}

void report_verdict(FILE *out, const report *r)
{
    const report_algo *cvb = r->central && !r->central->failed ? r->central : NULL;

    fputs("<section id=\"verdict\"><h2>How sure it is</h2>\n<ul class=\"verdicts\">\n", out);
    for (int32_t k = 0; k < r->nalgo; k++)
        verdict(out, r, &r->algo[k], cvb);
    fputs("</ul>\n", out);
    audits(out, r);
    if (!cvb && !r->time)
        fputs("<p>Central VB did not run here; add <code>cvb</code> to "
              "<code>--algorithm</code> to compare lower bounds with it.</p>\n",
              out);
    else if (cvb && r->nalgo > 1)
        fputs("<p>Central VB, one machine holding all rows, is the yardstick.</p>\n", out);
    privacy(out, r);
    fputs("</section>\n", out);
}
