/* cmd_up.c - `meshbayes up`: its options, their values and its help page. */
#include "up/up.h"

#include <math.h>
#include <string.h>

/* Options of sim that mean the same here. */
static const char *const taken[] = {
    "data",        "node-column", "deal",      "label-column", "weight-column", "columns",
    "drop",        "separator",   "header",    "missing",      "node-file",     "label-file",
    "network",     "topology",    "positions", "model",        "init",          "n-init",
    "standardize", "tol",         "seed",      "out",          "json",          NULL};

#define SIM(field) offsetof(sim_opt, field)
#define AT(field) offsetof(up, opt.field)

/* Texts that suit a run in time. */
static const mb_opt words[] = {
    {"init", MB_OPT_INPUT, SIM(init), NULL, 0, 0,
     "kmeans|kmeans++|farthest|random|responsibilities:FILE|centres:FILE|posterior:FILE.json", "",
     "", "init_params",
     "the block is made from all rows with this initialisation, as sim does it, and given to every "
     "node; without it --genesis says where the block comes from"},
    {"tol", MB_OPT_REAL, SIM(tol), "3e-7", 1e-300, 1, NULL, "posterior standard deviations", "",
     "tol", "a node is at rest when it is no farther from its target"},
    {"out", MB_OPT_OUTPUT, SIM(out), NULL, 0, 0, "DIR", "", "", "",
     "folder for config, trace, events, posterior and status of every node, summary and "
     "report.html"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const mb_opt options[] = {
    {"virtual", MB_OPT_FLAG, AT(virtual_), NULL, 0, 0, NULL, "", "", "",
     "run all nodes in this process on a virtual network with a virtual clock"},
    {"genesis", MB_OPT_TEXT, AT(genesis), NULL, 0, 0, "FILE|sample|sums", "", "", "",
     "where units, prior and initialisation come from: a file that every node was given (meshbayes "
     "genesis makes one); sample: the network draws 64 rows, which every node sees; sums: sums over "
     "the network, K rows are seen. Default sample"},
    {"time", MB_OPT_TEXT, AT(time), "60s", 0, 0, "TIME", "", "", "",
     "virtual time at which the run ends at the latest: 60s, 10min, 2h"},
    {"until", MB_OPT_TEXT, AT(until), "settled", 0, 0, "settled|TIME", "", "", "",
     "settled: ends when all live nodes have settled and the schedule is over; TIME: ends then, "
     "whatever the state (--time is not used)"},
    {"tick", MB_OPT_TEXT, AT(tick), "20ms", 0, 0, "TIME", "", "", "",
     "longest time between two ticks of a node that moves"},
    {"speed", MB_OPT_TEXT, AT(speed), "1", 0, 0, "A|A..B", "", "", "",
     "each node's ticks take this many times --tick, drawn once for every node"},
    {"delay", MB_OPT_TEXT, AT(delay), "1ms..10ms", 0, 0, "TIME|TIME..TIME", "", "", "",
     "time of a frame on its way, drawn for every frame"},
    {"loss", MB_OPT_REAL, AT(loss), "0", 0, 0.999, NULL, "probability", "", "",
     "a frame is lost, each direction by itself"},
    {"duplicate", MB_OPT_REAL, AT(duplicate), "0", 0, 1, NULL, "probability", "", "",
     "a frame arrives twice"},
    {"reorder", MB_OPT_REAL, AT(reorder), "0", 0, 1, NULL, "probability", "", "",
     "a frame is held back, so that later ones arrive before it"},
    {"corrupt", MB_OPT_REAL, AT(corrupt), "0", 0, 1, NULL, "probability", "", "",
     "bytes of a frame are changed on its way"},
    {"bandwidth", MB_OPT_TEXT, AT(bandwidth), NULL, 0, 0, "SIZE", "", "", "",
     "bytes a second of each link and direction: 64kB, 1MB; without it there is no limit"},
    {"wire", MB_OPT_CHOICE, AT(wire), "float64", 0, 0, "float64|float16", "", "", "",
     "numbers in frames: 8 bytes, or 2 as differences to what the neighbour is known to have"},
    {"window", MB_OPT_TEXT, AT(window), NULL, 0, 0, "ROWS|TIME", "", "", "",
     "a node keeps its newest rows: so many, or those no older than that; without it all"},
    {"schedule", MB_OPT_INPUT, AT(schedule), NULL, 0, 0, "FILE.csv", "", "", "",
     "events, columns time,event,a,b: see below"},
    {"checkpoint-ticks", MB_OPT_INT, AT(checkpoint_ticks), "50", 0, 1e9, NULL, "ticks", "", "",
     "ticks between two checkpoints of a node on its virtual disk; 0: none"},
    {"record", MB_OPT_OUTPUT, AT(record), NULL, 0, 0, "DIR", "", "", "",
     "flight recorder: a file for every node with its inputs, for meshbayes replay"},
    {"edge.kappa", MB_OPT_AUTO, AT(kappa), "auto", 1e-6, 1e6, NULL, "", "", "",
     "stiffness of the edges, as in sim"},
    {"edge.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
     "step of the damping, as in sim"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const double LONGEST = 1e7; /* seconds of virtual time */

static mb_status read_window(up *u, mb_err *err)
{
    const char *text = u->opt.window;
    span        rows;

    if (!text)
        return MB_OK;
    if (span_is_duration(text))
        return span_duration("window", text, 1e-3, LONGEST, &u->asked.window_s, err);
    if (strstr(text, "..") || span_numbers("window", text, 1, 1e9, &rows, NULL) < 0 ||
        floor(rows.lo) < rows.lo)
        MB_FAIL(err, MB_E_ARG,
                "--window: got \"%s\"; expected a whole number of rows, 1 to 1e9, or a time with "
                "its unit, such as 60s",
                text);
    u->asked.window_rows = rows.lo;
    return MB_OK;
}

/* --genesis and --init: the network draws the block, or it is given. */
static mb_status read_genesis(up *u, mb_err *err)
{
    const char *text = u->opt.genesis;

    u->asked.from = MB_GENESIS_SAMPLE;
    if (u->s->opt.init && text)
        MB_FAIL(err, MB_E_ARG,
                "--init and --genesis exclude each other: --init makes the block from all rows");
    if (u->s->opt.init)
        u->asked.from = MB_GENESIS_GIVEN;
    if (!u->s->opt.init)
        u->s->opt.init = "kmeans";
    if (!text || !strcmp(text, "sample"))
        return MB_OK;
    u->asked.from = strcmp(text, "sums") ? MB_GENESIS_GIVEN : MB_GENESIS_SUMS;
    if (u->asked.from == MB_GENESIS_GIVEN)
        u->asked.genesis = text;
    return MB_OK;
}

static mb_status read_times(up *u, mb_err *err)
{
    const up_opt *o = &u->opt;
    up_asked     *asked = &u->asked;

    MB_TRY(span_duration("time", o->time, 1e-3, LONGEST, &asked->time, err));
    asked->settled = !strcmp(o->until, "settled");
    if (!asked->settled && !span_is_duration(o->until))
        MB_FAIL(err, MB_E_ARG,
                "--until: got \"%s\"; expected settled, or a time with its unit, such as 60s",
                o->until);
    if (!asked->settled)
        MB_TRY(span_duration("until", o->until, 1e-3, LONGEST, &asked->time, err));
    MB_TRY(span_duration("tick", o->tick, 1e-3, 3600, &asked->tick, err));
    MB_TRY(span_durations("delay", o->delay, 0, 3600, &asked->delay, err));
    return span_numbers("speed", o->speed, 0.01, 100, &asked->speed, err);
}

static mb_status check(sim *s, mb_err *err)
{
    up *u = s->own;

    u->s = s;
    if (!u->opt.virtual_)
        MB_FAIL(err, MB_E_ARG,
                "--virtual is missing: nodes as processes on sockets need a later release; this "
                "one runs them on a virtual network");
    if (s->asked.sweep)
        MB_FAIL(err, MB_E_ARG, "--n-components: got %s; expected one number", s->opt.components);
    if (s->opt.out && !sim_to_folder(s))
        MB_FAIL(err, MB_E_ARG, "--out: got %s; expected a folder", s->opt.out);
    MB_TRY(read_times(u, err));
    if (u->opt.bandwidth)
        MB_TRY(span_rate("bandwidth", u->opt.bandwidth, &u->asked.bandwidth, err));
    MB_TRY(read_window(u, err));
    return read_genesis(u, err);
}
