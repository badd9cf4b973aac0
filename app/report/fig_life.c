/* fig_life.c - a strip for every node: what it did when. */
#include "base/text.h"
#include "report/time.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 200, MOST_NAMES = 40, TOP = 145, NAMED = 14, BARE = 4 };

/* The states of life.csv in the order of the key; those without a colour are not drawn. */
static const struct state {
    const char *name, *colour;
} states[] = {{"waiting", "#d9d9d9"}, {"greeting", "#9ecae1"}, {"moving", "#fdae61"},
              {"settled", "#4daf4a"}, {"alone", "#b39ddb"},    {"paused", "#6baed6"},
              {"down", "#444444"},    {"failed", "#e41a1c"},   {"left", "#f4f4f4"}};
enum { STATES = sizeof states / sizeof *states };

static int state_of(const char *name)
{
    for (int k = 0; k < STATES; k++)
        if (!strcmp(states[k].name, name))
            return k;
    return -1;
}

static void box(FILE *out, int64_t row, double from, double to, int state, int *seen)
{
    if (state < 0 || to <= from)
        return;
    seen[state] = 1;
    fprintf(out, "%.9g %lld %.9g %.9g %.9g %.9g %ld\n", from, (long long)row + 1, from, to,
            (double)row + 0.55, (double)row + 1.45, strtol(states[state].colour + 1, NULL, 16));
}

/* The strip of one node. */
static void strip(const report *r, int64_t row, int *seen)
{
    const struct report_time *t = r->time;
    double                    from = 0;
    int                       state = -1;

    for (int64_t k = 0; k < t->nchange; k++) {
        const report_change *c = &t->change[k];

        if (strcmp(c->node, r->node[row].id) != 0)
            continue;
        box(r->page.script, row, from, c->time, state, seen);
        from = c->time;
        state = state_of(c->state);
    }
    box(r->page.script, row, from, t->end, state, seen);
}

/* What the panel shows, which the figure says where it is not all. */
static const char *title_of(const report *r, int64_t n, mb_err *err)
{
    if (n == r->nnode)
        return "nodes";
    return mb_text(r->page.a, err, "the first %lld of %lld nodes, in the order of the data",
                   (long long)n, (long long)r->nnode);
}

static void names(FILE *out, const report *r, int64_t n)
{
    if (n > MOST_NAMES) {
        fputs("unset ytics\n", out);
        return;
    }
    fputs("set ytics (", out);
    for (int64_t i = 0; i < n; i++) {
        char word[24];

        snprintf(word, sizeof word, "%.16s", r->node[i].id);
        fputs(i ? ", " : "", out);
        page_plot_quote(out, word);
        fprintf(out, " %lld", (long long)i + 1);
    }
    fputs(") noenhanced font ',9'\n", out);
}

static int key_lines(const int *seen)
{
    page_key key = {0};

    for (int k = 0; k < STATES; k++)
        if (seen[k])
            page_key_add(&key, states[k].name);
    return page_key_lines(&key);
}

mb_status report_fig_life(report *r, mb_err *err)
{
    const int64_t n = r->nnode < MOST_NODES ? r->nnode : MOST_NODES;
    FILE         *out = r->page.script;
    page_figure  *f;
    int           seen[STATES] = {0};

    if (!r->time->nchange || !n)
        return MB_OK;
    f = page_figure_new(&r->page, "life", "The life of every node");
    f->wide = 1;
    f->caption = n < r->nnode
                     ? "One strip for each of the first 200 nodes; life.csv has all. Without a "
                       "block (waiting), finding its neighbours (greeting), on the way (moving), "
                       "at rest (settled), without a live neighbour (alone), or not there."
                     : "One strip for each node: without a block (waiting), finding its "
                       "neighbours (greeting), on the way (moving), at rest (settled), "
                       "without a live neighbour (alone), or not there.";
    MB_TRY(page_plot_panel(&r->page, f, "time-life", title_of(r, n, err),
                           TOP + (int)n * (n > MOST_NAMES ? BARE : NAMED), err));
    fputs("$d << EOD\n", out);
    for (int64_t i = 0; i < n; i++)
        strip(r, i, seen);
    fputs("EOD\n", out);
    page_plot_labels(out, report_time_axis(r), "");
    names(out, r, n);
    fprintf(out,
            "set lmargin %d\nset rmargin 3.5\nset tmargin 0.8\nunset grid\nset format x '%%g'\n"
            "set xrange [0:%.9g]\nset yrange [%lld.5:0.5]\n",
            n > MOST_NAMES ? 3 : 9, r->time->end, (long long)n);
    page_plot_key(out, key_lines(seen));
    fputs("plot $d using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder fc rgb variable notitle",
          out);
    for (int k = 0; k < STATES; k++)
        if (seen[k])
            fprintf(out, ", 1/0 with points pt 5 ps 1.4 lc rgb '%s' title \"%s\"", states[k].colour,
                    states[k].name);
    fputc('\n', out);
    return MB_OK;
}
