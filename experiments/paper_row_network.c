/* paper_row_network.c - Fig. network: 50 nodes in a square, linked up to a distance. */
#include "paper_rows.h"

static mb_status facts(paper_unit *u, const char *name, int64_t seed, mb_err *err)
{
    mb_network            net;
    const mb_graph_stats *s = &net.facts;

    MB_TRY(mb_network_draw(u->a, paper_net50.text, (uint64_t)seed, NULL, &net, err));
    return paper_put_end(u, name,
                         (paper_value[]){{"edges", (double)s->edges},
                                         {"degree", s->deg_mean},
                                         {"connectivity", s->algebraic_connectivity},
                                         {"hops", s->diameter},
                                         {NULL, 0}},
                         err);
}

static mb_status run(paper_unit *u, mb_err *err)
{
    MB_TRY(facts(u, "network", u->seed, err));
    MB_TRY(paper_put(u, "network", "failed", PAPER_NAN, 0, err));
    return facts(u, "network of the runs", paper_net50.seed, err);
}

static void links(FILE *out, const mb_network *net)
{
    const mb_graph *g = &net->g;

    fputs("$link << EOD\n", out);
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            if (g->adj[e] > i)
                fprintf(out, "%.5g %.5g\n%.5g %.5g\n\n", net->xy[2 * i], net->xy[2 * i + 1],
                        net->xy[2 * g->adj[e]], net->xy[2 * g->adj[e] + 1]);
    fputs("EOD\n$node << EOD\n", out);
    for (int32_t i = 0; i < g->n; i++)
        fprintf(out, "%.5g %.5g\n", net->xy[2 * i], net->xy[2 * i + 1]);
    fputs("EOD\nplot $link using 1:2 with lines lw 1.2 lc '#9aa5b1' title 'link', $node using 1:2 "
          "with points pt 7 ps 0.8 lc '#0072b2' title 'node'\n",
          out);
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    const mb_network_opt links_only = {.links_only = 1};
    mb_network           net;

    MB_TRY(paper_figure(f, t, "map", "The network of the runs",
                        "The network that all synthetic experiments of 50 nodes run on "
                        "(protocols paper, published and ours alike).",
                        err));
    MB_TRY(mb_network_draw(t->a, paper_net50.text, (uint64_t)paper_net50.seed, &links_only, &net,
                           err));
    MB_TRY(paper_panel(f, t, "map", "50 nodes, 144 edges (seed 247)", 420, err));
    fputs("set xlabel 'east (units of length)'\nset ylabel 'north (units of length)'\n"
          "set xrange [-0.1:3.6]\nset yrange [-0.1:3.6]\nset size ratio 1\n"
          "set key bmargin center horizontal\n",
          f->r->script);
    links(f->r->script, &net);
    return MB_OK;
}

static void judge(const paper_table *t, paper_claims *c)
{
    const paper_stat s = paper_stat_at(t, PAPER_PAPER, "network", "edges", "", PAPER_NAN);

    paper_judge(
        c, fabs(144 - s.mean) < 3 * s.sd,
        "50 nodes in a 3.5 x 3.5 square with radius 0.8 give a connected network of 144 edges.",
        "Connected draws have %.0f +- %.0f edges: 144 is a sparse one, %.1f standard "
        "deviations from the mean. The experiments run on a draw with exactly 144.",
        s.mean, s.sd, (144 - s.mean) / s.sd);
}

static const paper_printed printed[] = {{"network of the runs", "edges", "", "edges", 144, 1},
                                        {.algorithm = NULL}};

const paper_row paper_row_network = {
    .name = "network",
    .title = "The network",
    .place = "Fig. network",
    .setup = "50 nodes placed uniformly in a 3.5 x 3.5 square, linked up to distance 0.8, redrawn "
             "until connected.",
    .says = "A connected network of 50 nodes with 144 edges.",
    .why = "The paper's own draw is not published; the one used here has its number of edges.",
    .protocols = 1u << PAPER_PAPER,
    .runs_quick = 30,
    .runs_paper = 30,
    .seconds = 0.01,
    .printed = printed,
    .run = run,
    .draw = draw,
    .judge = judge};
