/* main.c - meshbayes-node: one node of a mesh as a process. */
#include "base/app.h"
#include "base/rows.h"
#include "http.h"
#include "meshbayes/extend.h"
#include "node.h"

#include <string.h>

typedef struct node_opt {
    const char *config, *out;
} node_opt;

static const mb_opt config_options[] = {
    {"config", MB_OPT_INPUT, offsetof(node_opt, config), NULL, 0, 0, "FILE.json", "", "", "",
     "the file that describes the node: docs/howto/deploy.md"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_opt key_options[] = {
    {"out", MB_OPT_OUTPUT, offsetof(node_opt, out), NULL, 0, 0, "FILE.key", "", "", "",
     "a new file for the key pair, readable by its owner only"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status need(const char *value, const char *what, mb_err *err)
{
    if (!value)
        MB_FAIL(err, MB_E_ARG, "%s", what);
    return MB_OK;
}

static mb_status run(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;
    node            n;
    mb_status       st;

    MB_TRY(need(o->config, "--config is missing: the JSON file that describes the node", err));
    st = node_open(a, o->config, &n, err);
    if (st >= 0)
        st = node_run(&n, err);
    node_close(&n);
    return st;
}

/* What the node would compute, and of which rows. */
static void tell_work(const node *n)
{
    const node_config *c = &n->c;

    printf("model %s, %d columns, genesis %s\n", c->plan.kind->name, (int)c->plan.columns,
           n->given.kind                       ? c->genesis
           : c->plan.from == MB_GENESIS_SAMPLE ? "from a sample: every node sees 64 rows"
                                               : "from sums: every node sees K rows");
    if (n->f.all && mb_rows_exposed(n->f.all->n, c->plan.columns) && c->neighbours)
        app_warn("node check",
                 "%lld rows of %d columns: with at most as many rows as columns a node shows its "
                 "neighbours, in effect, the rows",
                 (long long)n->f.all->n, (int)c->plan.columns);
    if (n->f.all)
        printf("rows: %lld of %s", (long long)n->f.all->n, c->data);
    else
        printf("rows: %s", c->data ? c->data : "none of its own");
    if (c->weight_column)
        printf(", weights: column %s", c->weight_column);
    if (c->group_column)
        printf(", groups: column %s", c->group_column);
    putchar('\n');
    if (c->tol > 0)
        printf("at rest below %g posterior standard deviations\n", c->tol);
    if (c->kappa > 0)
        printf("edge.kappa %g instead of the automatic rule\n", c->kappa);
    if (c->eta > 0)
        printf("edge.eta %g instead of the automatic rule\n", c->eta);
}

static mb_status check(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;
    node            n = {.a = a};

    MB_TRY(need(o->config, "--config is missing: the JSON file that describes the node", err));
    MB_TRY(node_config_read(a, o->config, &n.c, &n.given, err));
    if (!n.c.insecure)
        MB_TRY(node_keys_read(a, n.c.key, &n.keys, err));
    if (n.c.status)
        MB_TRY(http_check(n.c.status, err));
    MB_TRY(feed_open(a, &n.c, &n.log, &n.f, err));
    feed_close(&n.f);
    printf("node %s, id %d, listens at %s%s\n", n.c.name, (int)n.c.id, n.c.listen,
           n.c.insecure ? ", without encryption" : "");
    tell_work(&n);
    for (int32_t k = 0; k < n.c.neighbours; k++)
        printf("neighbour %s, id %d: %s %s\n", n.c.neighbour[k].name, (int)n.c.neighbour[k].id,
               n.c.neighbour[k].id < n.c.id ? "this node connects to"
                                            : "connects to this node from",
               n.c.neighbour[k].address ? n.c.neighbour[k].address : "wherever it is");
    printf("at most %lld rows and %d neighbours; checkpoints: %s; status: %s\n",
           (long long)n.c.rows_max, (int)n.c.neighbours_max, n.c.state ? n.c.state : "none",
           n.c.status ? n.c.status : "none");
    return MB_OK;
}

static mb_status keygen(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;
    node_keys       keys;

    (void)a;
    MB_TRY(need(o->out, "--out is missing: the file for the key pair", err));
    MB_TRY(node_keys_make(o->out, &keys, err));
    printf("%s\n", keys.public_key);
    return MB_OK;
}

static const app_command cmd_run = {.name = "run",
                                    .summary = "run a node until SIGTERM",
                                    .usage = "meshbayes-node run --config FILE.json",
                                    .text = "\nRuns one node of a mesh in the foreground; the log "
                                            "goes to standard error, one line an event. SIGTERM "
                                            "and SIGINT: the node says goodbye, writes a "
                                            "checkpoint and ends with status 0. SIGHUP: the "
                                            "neighbours of the configuration are read again.\n",
                                    .options = config_options,
                                    .size = sizeof(node_opt),
                                    .work = run};
static const app_command cmd_check = {.name = "check",
                                      .summary = "check a configuration",
                                      .usage = "meshbayes-node check --config FILE.json",
                                      .text = "\nReads the configuration, key, genesis and rows "
                                              "as `run` would, and prints what would be done.\n",
                                      .options = config_options,
                                      .size = sizeof(node_opt),
                                      .work = check};
static const app_command cmd_keygen = {.name = "keygen",
                                       .summary = "make a key pair",
                                       .usage = "meshbayes-node keygen --out FILE.key",
                                       .text = "\nWrites a new key pair to a file that only its "
                                               "owner can read, and prints the public key, which "
                                               "the neighbours' configurations name.\n",
                                       .options = key_options,
                                       .size = sizeof(node_opt),
                                       .work = keygen};

static const app_command *const verbs[] = {&cmd_run, &cmd_check, &cmd_keygen, NULL};
static const app_command        cmd_node = {
           .name = "node",
           .summary = "one node of a mesh as a process",
           .usage = "meshbayes-node run|check|keygen [options]",
           .text = "\nOne process a node: frames to its neighbours on ZeroMQ with CURVE, rows from a file "
                          "or standard input, checkpoints, a status page. docs/howto/deploy.md shows how to set "
                          "up a network; `meshbayes up` makes one on this machine.\n",
           .verbs = verbs};

static int help(void)
{
    printf("usage: %s\n", cmd_node.usage);
    app_command_help(&cmd_node, NULL, stdout);
    return APP_DONE;
}

static int command(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h"))
            return help();
    if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")))
        return app_version();
    return app_command_run(&cmd_node, argc, argv);
}

int main(int argc, char **argv)
{
    return app_run(argc, argv, command);
}
