/* main.c - meshbayes-node: one node of a mesh as a process. */
#include "base/app.h"
#include "base/ledger.h"
#include "base/replay.h"
#include "base/rows.h"
#include "command.h"
#include "http.h"
#include "meshbayes/extend.h"
#include "model/kind.h"
#include "names.h"
#include "network/graph.h"
#include "node.h"

#include <poll.h>
#include <string.h>

typedef struct node_opt {
    const char *config, *out;
    int64_t     id;
} node_opt;

static const mb_opt config_options[] = {
    {"config", MB_OPT_INPUT, offsetof(node_opt, config), NULL, 0, 0, "FILE.json", "", "", "",
     "the file that describes the node: docs/howto/deploy.md"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_opt key_options[] = {
    {"out", MB_OPT_OUTPUT, offsetof(node_opt, out), NULL, 0, 0, "FILE.key", "", "", "",
     "a new file for the key pair, readable by its owner only"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Of a command to a running node about another one. */
#define OF_ANOTHER(which_config, which_id)                                                         \
    {"config",                                                                                     \
     MB_OPT_INPUT,                                                                                 \
     offsetof(node_opt, config),                                                                   \
     NULL,                                                                                         \
     0,                                                                                            \
     0,                                                                                            \
     "FILE.json",                                                                                  \
     "",                                                                                           \
     "",                                                                                           \
     "",                                                                                           \
     "the file that the running node" which_config " was started with"},                           \
        {"id", MB_OPT_INT, offsetof(node_opt, id), "-1", -1, 2147483646, NULL, "",                 \
         "",   "",         "id of the " which_id},                                                 \
    {                                                                                              \
        NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL                             \
    }

static const mb_opt without_options[] = {OF_ANOTHER(", the root of the sums,", "member")};
static const mb_opt refuse_options[] = {OF_ANOTHER("", "neighbour")};

/* Of what a recorder wrote. */
typedef struct tape_opt {
    const char *file, *key;
} tape_opt;

static const mb_opt tape_options[] = {
    {"key", MB_OPT_INPUT, offsetof(tape_opt, key), NULL, 0, 0, "FILE.key", "", "", "",
     "the key pair of the node, which its masks follow from"},
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

/* Masks of a node that is replayed. */
typedef struct tape_masks {
    node_keys keys;
    mask      mask;
} tape_masks;

static mb_status open_masks(void *self, mb_arena *a, int32_t id, const mb_declared *members,
                            uint64_t genesis, const mb_masks **out, mb_err *err)
{
    tape_masks   *m = self;
    const int32_t k = mb_declared_find(members, id);

    for (int32_t i = 0; i < members->members; i++)
        if (!members->member[i].key)
            MB_FAIL(err, MB_E_FORMAT, "replay: got no key of member %ld; expected one, as of all",
                    (long)members->member[i].id);
    if (k < 0 || strcmp(members->member[k].key, m->keys.public_key) != 0)
        MB_FAIL(err, MB_E_ARG, "--key: got a key that is not that of member %ld", (long)id);
    *out = &m->mask.by;
    return mask_open(a, &m->keys, id, members, genesis, &m->mask, err);
}

static mb_status replay(mb_arena *a, void *opt, mb_err *err)
{
    const tape_opt     *o = opt;
    tape_masks          m = {.mask = {.pair = NULL}};
    const mb_mask_maker by = {&m, open_masks};
    mb_status           st;

    MB_TRY(need(o->file, "got no file; expected: meshbayes-node replay FILE --key FILE.key", err));
    if (o->key)
        MB_TRY(node_keys_read(a, o->key, &m.keys, err));
    st = replay_file(o->file, o->key ? &by : NULL, err);
    mask_close(&m.mask);
    return st;
}

/* What the node would compute, and of which rows. */
static void tell_work(const node *n)
{
    const node_config *c = &n->c;

    printf("model %s, %d columns, genesis %s\n", c->plan.kind->name, (int)c->plan.columns,
           n->given.kind                       ? c->genesis
           : c->plan.from == MB_GENESIS_SAMPLE ? "from a sample: every node sees 64 rows"
           : c->plan.from == MB_GENESIS_RANGES ? "from exact sums within bounds: no node sees a row"
                                               : "from sums: every node sees K rows");
    printf("mask: %s\n", c->plan.mask ? "on" : "off");
    if (n->f.all && !c->plan.mask && mb_rows_exposed(n->f.all->n, c->plan.columns) && c->neighbours)
        app_warn("node check",
                 "%lld rows of %d columns: with at most as many rows as columns a node shows its "
                 "neighbours, in effect, the rows",
                 (long long)n->f.all->n, (int)c->plan.columns);
    if (n->f.all && n->f.all->n && n->f.all->ngroup < 2 && mb_kind_varies(c->plan.kind) &&
        c->neighbours)
        app_warn("node check",
                 "the rows are one group: a node shows its neighbours, in effect, the "
                 "effects of its only group");
    if (c->follow && !c->window_rows && n->f.lines > c->rows_max)
        app_warn("node check", "%s has %lld rows: those beyond rows_max, %lld, are refused",
                 c->data, (long long)n->f.lines, (long long)c->rows_max);
    if (n->f.all)
        printf("rows: %lld of %s", (long long)n->f.all->n, c->data);
    else
        printf("rows: %s", c->data ? c->data : "none of its own");
    if (c->follow)
        printf(", %lld so far", (long long)n->f.rows);
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

/* How fast it would be, and for whom it would wait. */
static void tell_tempo(const node *n)
{
    const node_config *c = &n->c;
    const int64_t      most = c->neighbours * (int64_t)n->room;

    printf("ticks: %lld to %lld ms apart, at rest %lld; log: %s, %s\n", (long long)c->tick_least_ms,
           (long long)c->tick_ms, (long long)c->rest_ms, c->log_json ? "json" : "text",
           node_level_text(c->log_level));
    if (c->min_nodes)
        printf("waits for %d nodes\n", (int)c->min_nodes);
    if (!c->bytes_per_second)
        return;
    printf("at most %lld bytes a second\n", (long long)c->bytes_per_second);
    if (most > c->bytes_per_second)
        app_warn("node check",
                 "bytes_per_second: the frames of a tick, at most %lld bytes, take longer than a "
                 "second",
                 (long long)most);
}

/* Whether members audit each other, and which of them could keep others from it. */
static mb_status tell_audit(const node *n, mb_err *err)
{
    const mb_declared *d = n->given.declared;
    mb_audit           is;
    uint8_t           *cut;

    mb_peer_audit(n->peer, &is);
    printf("audit: %s", mb_audit_text(is.state));
    if (is.state != MB_AUDIT_ON) {
        putchar('\n');
        return MB_OK;
    }
    printf(", %d members; edges to those that fail: %s\n", (int)d->members,
           n->c.drop_broken ? "dropped" : "used");
    MB_NEW(cut, n->a, d->members, err);
    MB_TRY(mb_graph_cut_nodes(n->a, &d->links, cut, NULL, err));
    for (int32_t k = 0; k < d->members; k++)
        if (cut[k])
            app_warn(
                "node check",
                "member %ld is a cut node: the network parts without it, and it can keep audits "
                "of its sides from each other",
                (long)d->member[k].id);
    return MB_OK;
}

/* What is asked about the name of neighbour k. */
static int32_t ask_name(names *n, const node_config *c, int32_t k)
{
    const node_neighbour *one = &c->neighbour[k];

    return one->id < c->id && !names_is_number(one->address) &&
           names_ask(n, one->id, one->address) > 0;
}

static void warn_name(const node_config *c, int32_t id, const char *why)
{
    app_warn("node check", "neighbour %ld: the name in %s does not resolve: %s", (long)id,
             node_config_find(c, id)->address, why);
}

/* Warns of names without an address. */
static void tell_names(const node_config *c)
{
    enum { WAIT_MS = 100, MOST = 256 };
    names      *all;
    name_answer is;
    int32_t     id[MOST], left = 0;
    mb_err      why = {.msg = ""};

    if (names_open(&all, &why) < 0)
        return;
    for (int32_t k = 0; k < c->neighbours && left < MOST; k++)
        if (ask_name(all, c, k))
            id[left++] = c->neighbour[k].id;
    for (int waited = 0; left && waited < NAMES_LIMIT_MS; waited += WAIT_MS) {
        struct pollfd fd = {.fd = names_fd(all), .events = POLLIN};

        poll(&fd, 1, WAIT_MS);
        while (names_next(all, &is)) {
            int32_t k = 0;

            while (id[k] != is.id)
                k++;
            id[k] = id[--left];
            if (!is.n)
                warn_name(c, is.id, is.why);
        }
    }
    while (left)
        warn_name(c, id[--left], "no answer of the name server");
    names_close(all);
}

/* Warns of keys of neighbours that are revoked. */
static void tell_revoked(const node_config *c)
{
    for (int32_t k = 0; k < c->neighbours; k++)
        for (int32_t i = 0; i < NODE_KEYS * c->revocations; i++) {
            const char *key = c->neighbour[k].key[i % NODE_KEYS];

            if (key && !strcmp(key, c->revoked[i / NODE_KEYS]))
                app_warn("node check", "neighbour %ld: its %s, %s, is revoked: it is not accepted",
                         (long)c->neighbour[k].id, node_key_field(i % NODE_KEYS), key);
        }
}

/* Who may read the status. */
static void tell_status(const node_config *c)
{
    if (c->status_token && !c->status_cert)
        app_warn(
            "node check",
            "status_token_file without status_tls: whoever sees the traffic of %s has the token",
            c->status);
    printf("%s%s%s\n", c->status_cert ? ", TLS" : "", c->status_ca ? ", for certificates of " : "",
           c->status_ca      ? c->status_ca
           : c->status_token ? ", with a token"
                             : "");
}

/* What a run would release, before it does. */
static mb_status tell_privacy(node *n, mb_err *err)
{
    const mb_promise *p = n->c.plan.privacy;
    const char       *file;
    ledger_sum        cost;

    if (!p)
        return MB_OK;
    MB_TRY(node_release_ask(n, &file, &cost, err));
    printf("privacy: epsilon %g, delta %g, the noise of %ld nodes, of which %ld may collude; ",
           p->epsilon, p->delta, (long)p->nodes, (long)p->colluders);
    if (cost.releases)
        printf("run books release %lld in %s, epsilon %.4g of %.4g, and makes it once\n",
               (long long)cost.releases, file, cost.epsilon, cost.budget);
    else
        printf("%s/release has what was booked in %s\n", n->c.state, file);
    return MB_OK;
}

static mb_status check(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;
    node            n;
    mb_status       st;

    MB_TRY(need(o->config, "--config is missing: the JSON file that describes the node", err));
    st = node_try(a, o->config, &n, err);
    feed_close(&n.f);
    MB_TRY(st);
    printf("node %s, id %d, listens at %s%s\n", n.c.name, (int)n.c.id, n.c.listen,
           n.c.insecure ? ", without encryption" : "");
    tell_work(&n);
    MB_TRY(tell_privacy(&n, err));
    MB_TRY(tell_audit(&n, err));
    for (int32_t k = 0; k < n.c.neighbours; k++)
        printf("neighbour %s, id %d: %s %s\n", n.c.neighbour[k].name, (int)n.c.neighbour[k].id,
               n.c.neighbour[k].id < n.c.id ? "this node connects to"
                                            : "connects to this node from",
               n.c.neighbour[k].address ? n.c.neighbour[k].address : "wherever it is");
    tell_tempo(&n);
    tell_revoked(&n.c);
    tell_names(&n.c);
    printf("at most %lld rows and %d neighbours; checkpoints: %s; status: %s",
           (long long)n.c.rows_max, (int)n.c.neighbours_max, n.c.state ? n.c.state : "none",
           n.c.status ? n.c.status : "none");
    tell_status(&n.c);
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

static mb_status reset(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;

    MB_TRY(need(o->config, "--config is missing: the JSON file that describes the node", err));
    return node_command(a, o->config, "/reset", "", err);
}

/* A command about a node of an id, which is written to `id`. */
static mb_status with_id(mb_arena *a, const node_opt *o, const char *path, const char *missing,
                         char id[24], mb_err *err)
{
    MB_TRY(need(o->config, "--config is missing: the JSON file that describes the node", err));
    MB_TRY(need(o->id < 0 ? NULL : "", missing, err));
    snprintf(id, 24, "%lld", (long long)o->id);
    return node_command(a, o->config, path, id, err);
}

static mb_status without(mb_arena *a, void *opt, mb_err *err)
{
    char id[24];

    MB_TRY(with_id(a, opt, "/without", "--id is missing: the member to leave out", id, err));
    printf(
        "the sums continue without node %s until it is there again: every member can then compute "
        "rows, sums and second moments of node %s\n",
        id, id);
    return MB_OK;
}

static mb_status refuse(mb_arena *a, void *opt, mb_err *err)
{
    const node_opt *o = opt;
    char            id[24];

    MB_TRY(with_id(a, o, "/refuse", "--id is missing: the neighbour to refuse", id, err));
    printf("refused until the node ends: take neighbour %s out of %s for good\n", id, o->config);
    return MB_OK;
}

static const app_command cmd_run = {.name = "run",
                                    .summary = "run a node until SIGTERM",
                                    .usage = "meshbayes-node run --config FILE.json",
                                    .text =
                                        "\nRuns one node of a mesh in the foreground; the log "
                                        "goes to standard error, one line an event. SIGTERM "
                                        "and SIGINT: the node says goodbye, writes a "
                                        "checkpoint and ends with status 0. SIGHUP: the "
                                        "neighbours of the configuration, its keys, those that are "
                                        "revoked, tick_least_ms, bytes_per_second and "
                                        "log_level are read again.\n",
                                    .options = config_options,
                                    .size = sizeof(node_opt),
                                    .work = run};
static const app_command cmd_check = {.name = "check",
                                      .summary = "check a configuration",
                                      .usage = "meshbayes-node check --config FILE.json",
                                      .text = "\nReads the configuration, key, genesis and rows as "
                                              "`run` would, refuses what it would refuse, warns of "
                                              "names that do not resolve, and prints what would be "
                                              "done.\n",
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

static const app_command cmd_reset = {.name = "reset",
                                      .summary = "begin again from the start block",
                                      .usage = "meshbayes-node reset --config FILE.json",
                                      .text = "\nA running node, whose status is a Unix socket, "
                                              "begins again from the start block of its genesis "
                                              "and forgets where it last settled; its links and "
                                              "rows stay. For a network that has gone astray run "
                                              "it on every node.\n",
                                      .options = config_options,
                                      .size = sizeof(node_opt),
                                      .work = reset};
static const app_command cmd_refuse = {.name = "refuse",
                                       .summary = "refuse a neighbour at once",
                                       .usage = "meshbayes-node refuse --config FILE.json --id ID",
                                       .text =
                                           "\nA running node, whose status is a Unix socket, drops "
                                           "the link to a neighbour and takes no connection of its "
                                           "key until the process ends, whatever SIGHUP reads. "
                                           "Take it out of the file too.\n",
                                       .options = refuse_options,
                                       .size = sizeof(node_opt),
                                       .work = refuse};
static const app_command cmd_without = {
    .name = "without",
    .summary = "continue without a missing member",
    .usage = "meshbayes-node without --config FILE.json --id ID",
    .text =
        "\nNodes that mask their sums wait for every member of the genesis. This says to the "
        "root of the sums, which its status names and which must run with a Unix socket as "
        "status, to continue without one that is missing, until it is there again. Every member "
        "can then compute rows, sums and second moments of that node: the total with it less "
        "the total without. All nodes log it and show it.\n",
    .options = without_options,
    .size = sizeof(node_opt),
    .work = without};

static const app_command cmd_replay = {
    .name = "replay",
    .summary = "run a recorded node again",
    .usage = "meshbayes-node replay FILE [--key FILE.key]",
    .text =
        "\nAs `meshbayes replay`, also for a node that masked its sums: its record has what the "
        "node drew at random, but no key. Compares every frame, checkpoint and answer with "
        "those of the run, to the bit. Who has record and key can compute what the node "
        "masked.\n",
    .options = tape_options,
    .size = sizeof(tape_opt),
    .most_words = 1,
    .words_at = offsetof(tape_opt, file),
    .work = replay};

static const app_command *const verbs[] = {&cmd_run,    &cmd_check,   &cmd_keygen, &cmd_reset,
                                           &cmd_refuse, &cmd_without, &cmd_replay, NULL};
static const app_command        cmd_node = {
           .name = "node",
           .summary = "one node of a mesh as a process",
           .usage = "meshbayes-node run|check|keygen|reset|refuse|without|replay|help [options]",
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
    if (argc > 1 && !strcmp(argv[1], "help"))
        return help();
    if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")))
        return app_version();
    return app_command_run(&cmd_node, argc, argv);
}

int main(int argc, char **argv)
{
    return app_run(argc, argv, command);
}
