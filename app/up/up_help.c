/* up_help.c - the help page of `meshbayes up`. */
#include "up/up.h"

#include <string.h>

/* Options of this command in groups; the others follow those of sim. */
typedef struct section {
    const char *title, *names; /* each ends with a blank */
} section;

static const section sections[] = {
    {"The run", "virtual time until seed out json base-port status-port insecure "},
    {"The nodes", "genesis tick wire window checkpoint-ticks record record-limit algorithm "
                  "edge.kappa edge.eta "},
    {"What happens with --virtual", "speed delay loss duplicate reorder corrupt bandwidth "
                                    "disk-fail disk-torn disk-short schedule "}};

static void group(FILE *out, const section *g, const mb_opt *own, const mb_opt *shared)
{
    mb_opt list[SIM_MAX_OPTIONS];
    int    n = 0;

    for (const char *at = g->names; *at; at += strcspn(at, " ") + 1) {
        char          name[32];
        const mb_opt *o;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        o = mb_opt_find(own, name);
        o = o ? o : mb_opt_find(shared, name);
        if (o)
            list[n++] = *o;
    }
    list[n] = (mb_opt){.name = NULL};
    app_print_options(out, g->title, list);
}

void up_help(FILE *out, const mb_opt *own, const mb_opt *shared)
{
    app_print_help(
        out,
        "\nRuns the nodes of a mesh, each with its own rows and links, until they agree. Each node "
        "is a process of meshbayes-node on this machine, in a folder DIR/nodes/NAME that can be "
        "copied to another (docs/howto/deploy.md). A process that dies is started again; meshbayes "
        "top DIR shows them, and with --status-port each has a page in the browser.\n"
        "\nWith --virtual the nodes run in this process on a virtual network: own speeds, late, "
        "lost, repeated, reordered and damaged frames, crashes, departures, joins and partitions, "
        "with a virtual clock, much faster than real time; the same seed gives the same bits. No "
        "node knows how many there are. The protocol is docs/protocol.md; sim runs the same "
        "algorithm in lock step.\n"
        "\nExamples\n"
        "  meshbayes up --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --status-port 8100 --until 1h --out net\n"
        "  meshbayes up --virtual --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --loss .3 --schedule storm.csv --out result\n"
        "\nThe schedule is CSV with the columns time,event,a,b; times are seconds:\n");
    for (int k = 0; k < MB_EVENT_FAILED; k++)
        fprintf(out, "  %-10s %s\n", mb_event_text((mb_event_kind)k),
                mb_event_help((mb_event_kind)k));
    app_print_help(
        out,
        "\nThe folder has the files of sim, nodes/NAME/posterior.json and status.json of every "
        "node, events.csv, life.csv and trace.csv against time.\n"
        "\nExit status: 0 done; 1 failure; 2 wrong usage; 3 a node failed; 4 not settled within "
        "--time. SIGINT (Ctrl-C) and SIGTERM end the run with its files; status 130 or 143.\n");
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        group(out, &sections[k], own, shared);
    app_print_options(out, "As in sim", shared);
    sim_print_kinds(out);
}
