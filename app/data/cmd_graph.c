/* cmd_graph.c - `meshbayes graph`: generates, describes and converts networks. */
#include "base/app.h"
#include "network/graph.h"
#include "network/network.h"

#include <string.h>

typedef struct graph_opt {
    const char *topology, *network, *weights;
    const char *out, *positions, *positions_out, *weights_out;
    int64_t     seed;
    int32_t     json;
} graph_opt;

#define AT(field) offsetof(graph_opt, field)
/* Options of several verbs. */
#define TOPOLOGY                                                                                   \
    "topology", MB_OPT_TEXT, AT(topology), .choices = "NAME:KEY=VALUE,..",                         \
                                           .help = "the network in words, see Topologies"
#define SEED                                                                                       \
    "seed", MB_OPT_INT, AT(seed), "1", 0, 9007199254740992,                                        \
        .help = "of random topologies: the same seed gives the same network"
#define WEIGHTS                                                                                    \
    "weights", MB_OPT_INPUT, AT(weights), "metropolis",                                            \
        .choices = "nearest|metropolis|laplacian|file:F.csv", .eq = "eq. (23), eq. (47)",          \
        .help = "how a node weighs itself and its neighbours; a file has columns i,j,w"
#define NETWORK                                                                                    \
    "network", MB_OPT_INPUT, AT(network),                                                          \
        .choices = "FILE.csv|FILE.graphml",                                                        \
        .help = "an edge list with columns i,j (node ids are any text), or GraphML"

static const mb_opt generate_options[] = {
    {TOPOLOGY},
    {SEED},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv|FILE.graphml|FILE.dot",
     .help = "network to write: an edge list (columns i,j), GraphML or DOT; ids from 1"},
    {"positions", MB_OPT_OUTPUT, AT(positions), .choices = "FILE.csv",
     .help = "positions to write: columns node,x,y"},
    {"weights-out", MB_OPT_OUTPUT, AT(weights_out), .choices = "FILE.csv",
     .help = "weights to write: columns i,j,w; i = j is a node's weight for itself"},
    {WEIGHTS},
    {.name = NULL}};

static const mb_opt describe_options[] = {
    {NETWORK},
    {TOPOLOGY},
    {SEED},
    {WEIGHTS},
    {"json", MB_OPT_FLAG, AT(json), .help = "JSON instead of a table"},
    {.name = NULL}};

static const mb_opt convert_options[] = {
    {NETWORK},
    {"positions", MB_OPT_INPUT, AT(positions), .choices = "FILE.csv|FILE.graphml",
     .help = "where nodes are: columns node,x,y, or node data x and y; without it those that a "
             "GraphML network holds itself"},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv|FILE.graphml|FILE.dot",
     .help = "network to write: an edge list (columns i,j), GraphML or DOT; a column prob or loss "
             "becomes prob, the probability that the link delivers"},
    {"positions-out", MB_OPT_OUTPUT, AT(positions_out), .choices = "FILE.csv",
     .help = "positions to write: columns node,x,y"},
    {.name = NULL}};

static const mb_network_opt links_only = {.links_only = 1};
static const mb_network_opt whole_links = {.links_only = 1, .delivery = MB_DELIVERY_IF_GIVEN};

static void note(const mb_network *net)
{
    if (net->note)
        fprintf(stderr, "meshbayes graph: note: %s\n", net->note);
}

static mb_status weigh(mb_arena *a, const graph_opt *o, mb_network *net, mb_err *err)
{
    MB_TRY(mb_network_weigh(a, &(mb_network_opt){.weights = o->weights}, net, err));
    if (net->warning)
        app_warn("graph", "%s", net->warning);
    return MB_OK;
}

static void say(const char *file, const mb_network *net)
{
    const int64_t edges = net->g.ptr[net->g.n] / 2;

    printf("%s: %d node%s, %lld edge%s", file, net->g.n, app_plural(net->g.n), (long long)edges,
           app_plural(edges));
    if (net->drawn > 1)
        printf(", connected at draw %d", net->drawn);
    putchar('\n');
}

static mb_status generate(mb_arena *a, void *opt, mb_err *err)
{
    const graph_opt *o = opt;
    mb_network       net;

    if (!o->topology)
        MB_FAIL(err, MB_E_ARG,
                "generate needs --topology NAME:KEY=VALUE,.. (see meshbayes help graph)");
    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "generate needs --out FILE.csv, .graphml or .dot");
    MB_TRY(mb_network_draw(a, o->topology, (uint64_t)o->seed, &links_only, &net, err));
    MB_TRY(weigh(a, o, &net, err));
    MB_TRY(mb_network_write(a, &net, o->out, err));
    if (o->positions)
        MB_TRY(mb_network_write_positions(a, &net, o->positions, err));
    if (o->weights_out)
        MB_TRY(mb_network_write_weights(a, &net, o->weights_out, err));
    say(o->out, &net);
    return MB_OK;
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

static mb_status print_json(mb_arena *a, const graph_opt *o, const mb_network *net,
                            double column_error, mb_err *err)
{
    const mb_graph_stats *s = &net->facts;
    mb_json_out           j;

    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "nodes", net->g.n);
    mb_json_integer(&j, "edges", s->edges);
    mb_json_integer(&j, "deg_min", s->deg_min);
    mb_json_number(&j, "deg_mean", s->deg_mean);
    mb_json_integer(&j, "deg_max", s->deg_max);
    mb_json_integer(&j, "diameter", s->diameter);
    mb_json_bool(&j, "diameter_exact", s->diameter_exact);
    mb_json_number(&j, "algebraic_connectivity", s->algebraic_connectivity);
    mb_json_text(&j, "weights", o->weights);
    mb_json_number(&j, "lambda2", s->lambda2);
    mb_json_bool(&j, "spectrum_exact", s->spectrum_exact);
    mb_json_bool(&j, "doubly_stochastic", column_error <= MB_COLUMN_TOLERANCE);
    mb_json_number(&j, "column_error", column_error);
    mb_json_close(&j);
    return app_print_json(&j);
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

static mb_status describe(mb_arena *a, void *opt, mb_err *err)
{
    const graph_opt *o = opt;
    mb_network       net;
    double           column_error;

    MB_TRY(open_network(a, o, &net, err));
    note(&net);
    if (mb_network_check(&net, err) < 0)
        return err->code = MB_E_FORMAT; /* an error of the network, not of the options */
    MB_TRY(weigh(a, o, &net, err));
    MB_TRY(mb_network_describe(&net, err));
    column_error = mb_weights_column_error(&net.g, &net.w);
    if (o->json)
        return print_json(a, o, &net, column_error, err);
    print_table(o, &net, column_error);
    return MB_OK;
}

static mb_status convert(mb_arena *a, void *opt, mb_err *err)
{
    const graph_opt *o = opt;
    mb_network       net;

    if (!o->network || !o->out)
        MB_FAIL(err, MB_E_ARG, "convert needs --network FILE and --out FILE");
    MB_TRY(mb_network_read(a, o->network, &whole_links, &net, err));
    note(&net);
    if (o->positions)
        MB_TRY(mb_network_arrange(a, &(mb_network_opt){.positions = o->positions}, &net, err));
    if (o->positions_out && !net.xy)
        MB_FAIL(err, MB_E_ARG,
                "--positions-out: %s holds no position for each node, give --positions FILE",
                o->network);
    MB_TRY(mb_network_write(a, &net, o->out, err));
    if (o->positions_out)
        MB_TRY(mb_network_write_positions(a, &net, o->positions_out, err));
    say(o->out, &net);
    return MB_OK;
}

#define VERB(verb)                                                                                 \
    (&(const app_command){                                                                         \
        .name = #verb, .options = verb##_options, .size = sizeof(graph_opt), .work = verb})
static const app_command *const verbs[] = {VERB(generate), VERB(describe), VERB(convert), NULL};

static int help(FILE *out, const char *part)
{
    if (part && strcmp(part, "all") != 0)
        return 0;
    for (const char *const *line = mb_topology_help(); *line; line++) {
        const char *meaning = strstr(*line, "  "); /* after the parameters */

        fprintf(out, "  %-27.*s%s\n", (int)(meaning - *line), *line, meaning);
    }
    app_print_options(out, "Options of generate", generate_options);
    app_print_options(out, "Options of describe", describe_options);
    app_print_options(out, "Options of convert", convert_options);
    return 1;
}

const app_command app_cmd_graph = {
    .name = "graph",
    .summary = "make a network, describe or convert one",
    .usage = "meshbayes graph generate|describe|convert [options]",
    .verbs = verbs,
    .help = help,
    .text =
        "\ngenerate writes a network; describe prints its statistics: with a large algebraic "
        "connectivity and a second eigenvalue far below 1 the nodes agree in few rounds (a network "
        "that is not connected is an error); convert writes a network in another format. The "
        "file's ending sets the format: .graphml (networkx, igraph, Gephi, yEd), .dot or .gv "
        "(Graphviz; written only), otherwise CSV; a further .gz compresses the file.\n"
        "\nExamples\n"
        "  meshbayes graph generate --topology geometric:n=50,side=3.5,radius=0.8 --seed 1 \\\n"
        "      --out links.csv --positions places.csv\n"
        "  meshbayes graph describe --network links.csv --weights metropolis\n"
        "  meshbayes graph describe --topology grid:rows=7,cols=7 --json\n"
        "  meshbayes graph convert --network result/edges.csv --positions result/network.csv \\\n"
        "      --out network.dot && neato -Tsvg network.dot >network.svg\n"
        "\nTopologies\n"};
