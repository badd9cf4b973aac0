/* cmd_fleet.c - `meshbayes fleet`: makes the folders of a network of machines, and compares the
 * running one with its description. */
#include "base/app.h"
#include "base/text.h"
#include "up/fleet.h"
#include "up/top.h"

#include <string.h>

typedef struct fleet_opt {
    const char *file[2]; /* network.json */
    const char *dir;
    const char *token; /* file */
} fleet_opt;

#define AT(field) offsetof(fleet_opt, field)

static const mb_opt make_options[] = {
    {"out", MB_OPT_TEXT, AT(dir), .choices = "DIR",
     .help = "folder of the network: a folder for each node in DIR/nodes; keys that are there "
             "remain, node.json and genesis.json are written again"},
    {.name = NULL}};

static const mb_opt check_options[] = {
    {"dir", MB_OPT_TEXT, AT(dir), .choices = "DIR",
     .help = "folder of fleet make --out, for nodes of this machine; without it that of "
             "network.json"},
    {"token-file", MB_OPT_TEXT, AT(token), .choices = "FILE",
     .help = TOP_TOKEN_HELP "that in the folder of the node"},
    {.name = NULL}};

/* The folder that network.json is in. */
static const char *beside(mb_arena *a, const char *file, mb_err *err)
{
    const char *slash = strrchr(file, '/');

    if (!slash)
        return ".";
    return slash == file ? "/" : mb_text(a, err, "%.*s", (int)(slash - file), file);
}

static mb_status begin(mb_arena *a, const fleet_opt *o, const char *dir, fleet *f, mb_err *err)
{
    if (!o->file[0])
        MB_FAIL(err, MB_E_ARG, "got no file; expected network.json");
    if (!dir)
        dir = beside(a, o->file[0], err);
    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(fleet_read(a, o->file[0], dir, f, err));
    return fleet_warn(a, f, err);
}

static mb_status make(mb_arena *a, void *opt, mb_err *err)
{
    const fleet_opt *o = opt;
    fleet            f;

    if (!o->dir)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the folder of the network");
    MB_TRY(begin(a, o, o->dir, &f, err));
    MB_TRY(fleet_make(a, &f, err));
    printf("%s/nodes: %d node%s, %lld link%s, %s\n", o->dir, (int)f.net.n, app_plural(f.net.n),
           (long long)f.net.g.ptr[f.net.n] / 2, app_plural(f.net.g.ptr[f.net.n] / 2),
           f.genesis ? "members are listed in genesis.json"
                     : "no list of members, as there is no genesis file");
    return MB_OK;
}

static mb_status check(mb_arena *a, void *opt, mb_err *err)
{
    const fleet_opt *o = opt;
    const char      *token = NULL;
    int32_t          count;
    fleet            f;

    MB_TRY(begin(a, o, o->dir, &f, err));
    if (o->token)
        MB_TRY(ask_token(a, o->token, &token, err));
    MB_TRY(fleet_check(a, &f, token, &count, err));
    if (count)
        MB_FAIL(err, MB_E_PEER, "the network differs from %s in %d place%s", o->file[0], (int)count,
                app_plural(count));
    return MB_OK;
}

static const app_command fleet_make_verb = {
    .name = "make",
    .summary = "write the folder of every node",
    .usage = "meshbayes fleet make network.json --out DIR",
    .text = "\nWrites DIR/nodes/NAME for every node of network.json: node.json, genesis.json with "
            "the list of members, and node.key, unless the file has the node's public_key, whose "
            "machine has the key. Each folder is for one machine. A node without which the network "
            "falls apart is named in a warning.\n",
    .options = make_options,
    .size = sizeof(fleet_opt),
    .most_words = 1,
    .words_at = AT(file),
    .work = make};

static const app_command fleet_check_verb = {
    .name = "check",
    .summary = "compare the running network with the file",
    .usage = "meshbayes fleet check network.json [--dir DIR] [--token-file FILE]",
    .text = "\nReads the status of every node and prints a line for each difference: a node that "
            "does not answer, has failed or waits, links that are missing, not in use or too many, "
            "rows other than declared, a wrong number of nodes where one has settled, and members "
            "that fail audits. "
            "\"status_at\" of a node says where this machine reaches its status, such as the end "
            "of a tunnel: ssh -L 9001:127.0.0.1:8100 kiel. Exit status 1 where something "
            "differs.\n",
    .options = check_options,
    .size = sizeof(fleet_opt),
    .most_words = 1,
    .words_at = AT(file),
    .work = check};

static const app_command *const verbs[] = {&fleet_make_verb, &fleet_check_verb, NULL};

const app_command app_cmd_fleet = {
    .name = "fleet",
    .summary = "make and check a network of many machines",
    .usage = "meshbayes fleet make|check network.json [options]",
    .verbs = verbs,
    .text =
        "\nnetwork.json describes nodes (id, name, address, rows), links, and the fields of "
        "node.json that all have in common (docs/formats.md); make writes the folders of all "
        "nodes, check compares the running network with the file.\n"
        "\nExample\n"
        "  {\"genesis\": \"genesis.json\",\n"
        "   \"all\": {\"data\": \"/srv/rows.csv\", \"status\": \"127.0.0.1:8100\"},\n"
        "   \"nodes\": [{\"id\": 1, \"name\": \"kiel\", \"address\": \"tcp://192.0.2.1:7100\"},\n"
        "             {\"id\": 2, \"name\": \"bonn\", \"address\": \"tcp://192.0.2.2:7100\"}],\n"
        "   \"links\": [[1, 2]]}\n"
        "  meshbayes fleet make network.json --out net\n"
        "  meshbayes fleet check network.json --dir net\n"};
