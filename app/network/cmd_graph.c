/* cmd_graph.c - `meshbayes graph`: makes networks and says what they are like. */
#include "app.h"
#include "base/json_file.h"

#include <math.h>
#include <string.h>

typedef struct graph_opt {
    const char *topology, *network, *weights;
    const char *out, *positions, *positions_out, *weights_out;
    int64_t     seed;
    int32_t     json;
} graph_opt;

#define FIELD(member) .at = offsetof(graph_opt, member)
#define OPT_TOPOLOGY                                                                               \
    {                                                                                              \
        .name = "topology", .kind = MB_OPT_TEXT, FIELD(topology), .choices = "NAME:KEY=VALUE,..",  \
        .help = "the network in words, see Topologies"                                             \
    }
#define OPT_SEED                                                                                   \
    {                                                                                              \
        .name = "seed", .kind = MB_OPT_INT, FIELD(seed), .def = "1", .lo = 0,                      \
        .hi = 9007199254740992,                                                                    \
        .help = "of random topologies: the same seed gives the same network"                       \
    }
#define OPT_WEIGHTS                                                                                \
    {                                                                                              \
        .name = "weights", .kind = MB_OPT_INPUT, FIELD(weights), .def = "metropolis",              \
        .choices = "nearest|metropolis|laplacian|file:F.csv", .eq = "eq. (23), eq. (47)",          \
        .help = "how a node weighs itself and its neighbours; a file has columns i,j,w"            \
    }

#define OPT_NETWORK                                                                                \
    {                                                                                              \
        .name = "network", .kind = MB_OPT_INPUT, FIELD(network),                                   \
        .choices = "FILE.csv|FILE.graphml",                                                        \
        .help = "an edge list with columns i,j (node ids are any text), or GraphML"                \
    }

static const mb_opt generate_options[] = {
    OPT_TOPOLOGY,
    OPT_SEED,
    {.name = "out",
     .kind = MB_OPT_OUTPUT,
     FIELD(out),
     .choices = "FILE.csv|FILE.graphml|FILE.dot",
     .help = "network to write: an edge list (columns i,j), GraphML or DOT; ids from 1"},
    {.name = "positions",
     .kind = MB_OPT_OUTPUT,
     FIELD(positions),
     .choices = "FILE.csv",
     .help = "positions to write: columns node,x,y"},
    {.name = "weights-out",
     .kind = MB_OPT_OUTPUT,
     FIELD(weights_out),
     .choices = "FILE.csv",
     .help = "weights to write: columns i,j,w; i = j is a node's weight for itself"},
    OPT_WEIGHTS,
    {.name = NULL}};

static const mb_opt describe_options[] = {
    OPT_NETWORK,
    OPT_TOPOLOGY,
    OPT_SEED,
    OPT_WEIGHTS,
    {.name = "json", .kind = MB_OPT_FLAG, FIELD(json), .help = "JSON instead of a table"},
    {.name = NULL}};

static const mb_opt convert_options[] = {
    OPT_NETWORK,
    {.name = "positions",
     .kind = MB_OPT_INPUT,
     FIELD(positions),
     .choices = "FILE.csv|FILE.graphml",
     .help = "where nodes are: columns node,x,y, or node data x and y; without it those that a "
             "GraphML network holds itself"},
    {.name = "out",
     .kind = MB_OPT_OUTPUT,
     FIELD(out),
     .choices = "FILE.csv|FILE.graphml|FILE.dot",
     .help = "network to write: an edge list (columns i,j), GraphML or DOT"},
    {.name = "positions-out",
     .kind = MB_OPT_OUTPUT,
     FIELD(positions_out),
     .choices = "FILE.csv",
     .help = "positions to write: columns node,x,y"},
    {.name = NULL}};

static const mb_network_opt links_only = {.links_only = 1};

static mb_status weigh(mb_arena *a, const graph_opt *o, mb_network *net, mb_err *err)
{
    MB_TRY(mb_network_weigh(a, &(mb_network_opt){.weights = o->weights}, net, err));
    if (net->warning)
        app_warn("graph", "%s", net->warning);
    return MB_OK;
}

static mb_status check_generate(const graph_opt *o, mb_err *err)
{
    if (!o->topology)
        MB_FAIL(err, MB_E_ARG,
                "generate needs --topology NAME:KEY=VALUE,.. (see meshbayes help graph)");
    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "generate needs --out FILE.csv, .graphml or .dot");
    return MB_OK;
}

static void say(const char *file, const mb_graph *g)
{
    printf("%s: %d nodes, %lld edges", file, g->n, (long long)(g->ptr[g->n] / 2));
}

static int generate(mb_arena *a, const graph_opt *o, mb_err *err)
{
    mb_network net;

    if (check_generate(o, err) < 0 ||
        mb_network_draw(a, o->topology, (uint64_t)o->seed, &links_only, &net, err) < 0 ||
        weigh(a, o, &net, err) < 0)
        return app_fail("graph", err, 1);
    if (mb_network_write(a, &net, o->out, err) < 0 ||
        (o->positions && mb_network_write_positions(a, &net, o->positions, err) < 0) ||
        (o->weights_out && mb_network_write_weights(a, &net, o->weights_out, err) < 0))
        return app_fail("graph", err, 0);
    say(o->out, &net.g);
    if (net.drawn > 1)
        printf(", connected at draw %d", net.drawn);
    putchar('\n');
    return APP_DONE;
}

static void print_table(const graph_opt *o, const mb_network *net, double column_error)
{
    const mb_graph_stats *s = &net->facts;

    printf("nodes                   %d\n", net->g.n);
    printf("edges                   %lld\n", (long long)s->edges);
    printf("degree                  %d to %d, mean %.4g\n", s->deg_min, s->deg_max, s->deg_mean);
    printf("diameter                %s%d hop%s\n", s->diameter_exact ? "" : "at least ",
           s->diameter, s->diameter == 1 ? "" : "s");
    printf("algebraic connectivity  %s%.6g\n", s->spectrum_exact ? "" : "at most ",
           s->algebraic_connectivity);
    printf("weights                 %s, %s\n", o->weights,
           column_error > MB_COLUMN_TOLERANCE
               ? "rows sum to 1, columns do not: averaging moves the mean"
               : "doubly stochastic: rows and columns sum to 1");
    printf("second eigenvalue       %s%.6g in modulus: what averaging leaves of a disagreement "
           "each round, eq. (23)\n",
           s->spectrum_exact ? "" : "at least ", s->lambda2);
}

static mb_status print_json(const graph_opt *o, const mb_network *net, double column_error,
                            mb_err *err)
{
    const mb_graph_stats *s = &net->facts;
    json_t   *j = json_pack("{s:i, s:I, s:i, s:f, s:i, s:i, s:b, s:f, s:s, s:f, s:b, s:b, s:f}",
                            "nodes", net->g.n, "edges", (json_int_t)s->edges, "deg_min", s->deg_min,
                            "deg_mean", s->deg_mean, "deg_max", s->deg_max, "diameter", s->diameter,
                            "diameter_exact", s->diameter_exact, "algebraic_connectivity",
                            s->algebraic_connectivity, "weights", o->weights, "lambda2", s->lambda2,
                            "spectrum_exact", s->spectrum_exact, "doubly_stochastic",
                            column_error <= MB_COLUMN_TOLERANCE, "column_error", column_error);
    mb_status st = app_json_print(j, err);

    json_decref(j);
    return st;
}

static mb_status open_network(mb_arena *a, const graph_opt *o, mb_network *net, mb_err *err)
{
    if (!o->network == !o->topology)
        MB_FAIL(err, MB_E_ARG,
                "describe needs one of --network FILE and --topology NAME:KEY=VALUE,..");
    if (o->topology)
        return mb_network_draw(a, o->topology, (uint64_t)o->seed, &links_only, net, err);
    return mb_network_read(a, o->network, &links_only, net, err);
}

static int describe(mb_arena *a, const graph_opt *o, mb_err *err)
{
    mb_network net;
    double     column_error;

    if (open_network(a, o, &net, err) < 0)
        return app_fail("graph", err, 1);
    if (mb_network_check(&net, err) < 0)
        return app_fail("graph", err, 0);
    if (weigh(a, o, &net, err) < 0)
        return app_fail("graph", err, 1);
    if (mb_network_describe(&net, err) < 0)
        return app_fail("graph", err, 0);
    column_error = mb_weights_column_error(&net.g, &net.w);
    if (!o->json)
        print_table(o, &net, column_error);
    else if (print_json(o, &net, column_error, err) < 0)
        return app_fail("graph", err, 0);
    return APP_DONE;
}

static mb_status convert_files(mb_arena *a, const graph_opt *o, mb_err *err)
{
    const mb_network_opt places = {.positions = o->positions};
    mb_network           net;

    if (!o->network || !o->out)
        MB_FAIL(err, MB_E_ARG, "convert needs --network FILE and --out FILE");
    MB_TRY(mb_network_read(a, o->network, &links_only, &net, err));
    if (o->positions)
        MB_TRY(mb_network_arrange(a, &places, &net, err));
    if (o->positions_out && !net.xy)
        MB_FAIL(err, MB_E_ARG,
                "--positions-out: %s holds no position for each node, give "
                "--positions FILE",
                o->network);
    MB_TRY(mb_network_write(a, &net, o->out, err));
    if (o->positions_out)
        MB_TRY(mb_network_write_positions(a, &net, o->positions_out, err));
    say(o->out, &net.g);
    putchar('\n');
    return MB_OK;
}

static int convert(mb_arena *a, const graph_opt *o, mb_err *err)
{
    return convert_files(a, o, err) < 0 ? app_fail("graph", err, 1) : APP_DONE;
}

/* A verb has its own options. */
typedef struct verb {
    const char   *name;
    const mb_opt *options;
    int (*run)(mb_arena *a, const graph_opt *o, mb_err *err);
} verb;

static const verb verbs[] = {{"generate", generate_options, generate},
                             {"describe", describe_options, describe},
                             {"convert", convert_options, convert}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int run(int argc, char **argv)
{
    mb_err      err = {0};
    graph_opt   opt = {0};
    const verb *v = NULL;
    mb_arena   *a;
    int         status;

    for (int k = 0; k < VERBS && argc > 1; k++)
        if (!strcmp(argv[1], verbs[k].name))
            v = &verbs[k];
    if (!v) {
        fprintf(stderr, "meshbayes graph: error: %s%s%s, accepted: generate, describe or convert\n",
                argc > 1 ? "\"" : "", argc > 1 ? argv[1] : "what to do is missing",
                argc > 1 ? "\" is not known" : "");
        return APP_WRONG_USE;
    }
    if (app_parse(argc - 1, argv + 1, &(app_group){v->options, &opt}, 1, NULL, 0, NULL, &err) < 0)
        return app_fail("graph", &err, 1);
    a = mb_arena_new(1 << 20);
    if (!a) {
        fputs("meshbayes graph: error: out of memory\n", stderr);
        return APP_FAILED;
    }
    status = v->run(a, &opt, &err);
    mb_arena_free(a);
    return status;
}

static void help(FILE *out)
{
    app_print_help(
        out,
        "\ngenerate writes a network; describe prints its statistics: with a large algebraic "
        "connectivity and a second eigenvalue far below 1 the nodes agree in few rounds (a network "
        "that is not connected is an error); convert writes a network in another format. The "
        "file's "
        "ending sets the format: .graphml (networkx, igraph, Gephi, yEd), .dot or .gv (Graphviz; "
        "written only), otherwise CSV; a further .gz compresses the file.\n"
        "\nExamples\n"
        "  meshbayes graph generate --topology geometric:n=50,side=3.5,radius=0.8 --seed 1 \\\n"
        "      --out links.csv --positions places.csv\n"
        "  meshbayes graph describe --network links.csv --weights metropolis\n"
        "  meshbayes graph describe --topology grid:rows=7,cols=7 --json\n"
        "  meshbayes graph convert --network result/edges.csv --positions result/network.csv \\\n"
        "      --out network.dot && neato -Tsvg network.dot >network.svg\n"
        "\nTopologies\n");
    for (const char *const *line = mb_topology_help(); *line; line++) {
        const char *meaning = strstr(*line, "  "); /* after the parameters */

        fprintf(out, "  %-27.*s%s\n", (int)(meaning - *line), *line, meaning);
    }
    app_print_options(out, "Options of generate", generate_options);
    app_print_options(out, "Options of describe", describe_options);
    app_print_options(out, "Options of convert", convert_options);
}

const app_command app_cmd_graph = {.name = "graph",
                                   .summary = "make a network, describe or convert one",
                                   .usage = "meshbayes graph generate|describe|convert [options]",
                                   .run = run,
                                   .help = help};
