/* cmd_up.c - `meshbayes up`: its options, their values and its help page. */
#include "base/opt.h"
#include "up/up.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(up, opt.field)

static const mb_opt options[] = {
    {"virtual", MB_OPT_FLAG, AT(virtual_), NULL, 0, 0, NULL, "", "", "",
     "run all nodes in this process on a virtual network with a virtual clock; without it each "
     "node is a process meshbayes-node on this machine"},
    {"genesis", MB_OPT_TEXT, AT(genesis), NULL, 0, 0, "FILE|sample|sums", "", "", "",
     "where units, prior and initialisation come from: a file that every node was given (meshbayes "
     "genesis makes one); sample: the network draws 64 rows, which every node sees; sums: it sums "
     "over all rows, every node sees the ends of the columns and K rows; slower. Default sample"},
    {"time", MB_OPT_TEXT, AT(time), "60s", 0, 0, "TIME", "", "", "",
     "time at which the run ends at the latest, virtual time with --virtual: 60s, 10min, 2h"},
    {"until", MB_OPT_TEXT, AT(until), "settled", 0, 0, "settled|TIME", "", "", "",
     "settled: ends when all live nodes have settled and the schedule is over; TIME: ends then, "
     "whatever the state (--time is not used)"},
    {"tick", MB_OPT_TEXT, AT(tick), "20ms", 0, 0, "TIME", "", "", "",
     "longest time between two ticks of a node that moves"},
    {"speed", MB_OPT_TEXT, AT(speed), "1", 0, 0, "A|A..B", "", "", "",
     "each node's ticks take this many times --tick, drawn once for every node"},
    {"delay", MB_OPT_TEXT, AT(delay), "1ms..10ms", 0, 0, "TIME|TIME..TIME", "", "", "",
     "time of a frame on its way, drawn for every frame"},
    {"loss", MB_OPT_AUTO, AT(loss), "0", 0, 0.999, "file", "probability", "", "",
     "a frame is lost, each direction by itself; file: each link with a probability of its own, by "
     "the column loss (or prob, 1 - loss) of the --network file"},
    {"duplicate", MB_OPT_REAL, AT(duplicate), "0", 0, 0.999, NULL, "probability", "", "",
     "a frame arrives twice"},
    {"reorder", MB_OPT_REAL, AT(reorder), "0", 0, 0.999, NULL, "probability", "", "",
     "a frame is held back, so that later ones arrive before it"},
    {"corrupt", MB_OPT_REAL, AT(corrupt), "0", 0, 0.999, NULL, "probability", "", "",
     "bytes of a frame are changed on its way"},
    {"bandwidth", MB_OPT_TEXT, AT(bandwidth), NULL, 0, 0, "SIZE", "", "", "",
     "bytes a second of each link and direction: 64kB, 1MB; without it there is no limit"},
    {"wire", MB_OPT_CHOICE, AT(wire), "float64", 0, 0, "float64|float16", "", "", "",
     "numbers in frames: 8 bytes, or 2 as differences to what the neighbour is known to have"},
    {"window", MB_OPT_TEXT, AT(window), NULL, 0, 0, "ROWS|TIME", "", "", "",
     "a node keeps this number of its newest rows, or those no older than this; without it all"},
    {"schedule", MB_OPT_INPUT, AT(schedule), NULL, 0, 0, "FILE.csv", "", "", "",
     "events, columns time,event,a,b: see below"},
    {"checkpoint-ticks", MB_OPT_AUTO, AT(checkpoint_ticks), "auto", 0, 1e9, NULL, "ticks", "", "",
     "ticks between two checkpoints of a node, on its virtual disk or in its folder; 0: none; "
     "auto: 50, of processes 500"},
    {"disk-fail", MB_OPT_REAL, AT(disk_fail), "0", 0, 0.999, NULL, "probability", "", "",
     "a checkpoint is not written, which the write reports"},
    {"disk-torn", MB_OPT_REAL, AT(disk_torn), "0", 0, 0.999, NULL, "probability", "", "",
     "the end of a checkpoint is what was there before"},
    {"disk-short", MB_OPT_REAL, AT(disk_short), "0", 0, 0.999, NULL, "probability", "", "",
     "the end of a checkpoint is missing"},
    {"record", MB_OPT_OUTPUT, AT(record), NULL, 0, 0, "DIR", "", "", "",
     "flight recorder: a file for every node with its newest inputs after a checkpoint, for "
     "meshbayes replay"},
    {"record-limit", MB_OPT_TEXT, AT(record_limit), NULL, 0, 0, "SIZE", "", "", "",
     "--record keeps at most these bytes of inputs of a node, and at least half of them: 500kB, "
     "1GB. Default 8MB"},
    {"base-port", MB_OPT_INT, AT(base_port), "7100", 1, APP_PORT_MOST, NULL, "", "", "",
     "without --virtual: the first node listens at this port of the loopback address, the others "
     "at those that follow"},
    {"status-port", MB_OPT_INT, AT(status_port), NULL, 1, APP_PORT_MOST, NULL, "", "", "",
     "without --virtual: the status page of the first node is at this port of the loopback "
     "address, those of the others at the ports that follow; without it they are Unix sockets, for "
     "meshbayes top"},
    {"insecure", MB_OPT_FLAG, AT(insecure), NULL, 0, 0, NULL, "", "", "",
     "without --virtual: no keys and no encryption"},
    {"edge.kappa", MB_OPT_AUTO, AT(kappa), "auto", 1e-6, 1e6, NULL, "", "", "",
     "stiffness of the edges, as in sim"},
    {"edge.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
     "step of the damping, as in sim"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

enum { VIRTUAL_CHECKPOINT = 50, CHECKPOINT = 500 /* ticks between two checkpoints */ };
static const double LONGEST = 1e7; /* seconds of virtual time */

static mb_status read_window(up *u, mb_err *err)
{
    const char *text = u->opt.window;
    span        rows;

    if (!text)
        return MB_OK;
    if (span_is_duration(text))
        return span_duration("window", text, 1e-3, LONGEST, &u->args.window_s, err);
    if (strstr(text, "..") || span_numbers("window", text, 1, 1e9, &rows, NULL) < 0 ||
        floor(rows.lo) < rows.lo)
        MB_FAIL(err, MB_E_ARG,
                "--window: got \"%s\"; expected a whole number of rows, 1 to 1e9, or a time with "
                "its unit, such as 60s",
                text);
    u->args.window_rows = rows.lo;
    return MB_OK;
}

/* --genesis and --init: the network draws the block, or it is given. */
static mb_status read_genesis(up *u, const char *init, mb_err *err)
{
    const int   other = strcmp(init, "kmeans") != 0;
    const char *text = u->opt.genesis ? u->opt.genesis : other ? "init" : "sample";

    if (other && strcmp(text, "init") != 0)
        MB_FAIL(err, MB_E_ARG,
                "--init: got %s; expected kmeans with --genesis %s, or --genesis init", init, text);
    u->args.from = !strcmp(text, "sample") ? MB_GENESIS_SAMPLE
                   : !strcmp(text, "sums") ? MB_GENESIS_SUMS
                                           : MB_GENESIS_GIVEN;
    if (u->args.from == MB_GENESIS_GIVEN && strcmp(text, "init") != 0)
        u->args.genesis = text;
    return MB_OK;
}

static mb_status read_times(up *u, mb_err *err)
{
    const up_opt *o = &u->opt;
    up_args      *asked = &u->args;

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

/* The options of the algorithm, as config.json lists them. */
static mb_status edge_options(const up *u, sim_job *job, sim_choice *c, mb_err *err)
{
    const mb_opt *own[] = {mb_opt_find(options, "edge.kappa"), mb_opt_find(options, "edge.eta")};
    char         *opt, number[64];

    MB_NEW(opt, job->a, c->algo->opt_size, err);
    c->opt = opt;
    MB_TRY(mb_opt_defaults(c->algo->opts, opt, err));
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        mb_opt_text(own[k], u, number, sizeof number);
        MB_TRY(mb_opt_set(mb_opt_find(c->algo->opts, own[k]->name), number, opt, err));
    }
    return MB_OK;
}

/* Refuses what only the other kind of network has. */
static mb_status check_where(const up *u, mb_err *err)
{
    static const char *const virtually[] = {"speed",     "delay",     "loss",      "duplicate",
                                            "reorder",   "corrupt",   "bandwidth", "schedule",
                                            "disk-fail", "disk-torn", "disk-short"};
    static const char *const really[] = {"base-port", "status-port", "insecure"};
    const char *const       *names = u->opt.virtual_ ? really : virtually;
    const size_t             n = u->opt.virtual_ ? sizeof really : sizeof virtually;

    for (size_t k = 0; k < n / sizeof *names; k++)
        if (sim_option_given(mb_opt_find(options, names[k]), u))
            MB_FAIL(err, MB_E_ARG, "--%s: it belongs to a network %s --virtual", names[k],
                    u->opt.virtual_ ? "without" : "with");
    return MB_OK;
}

static mb_status read_checkpoints(up *u, mb_err *err)
{
    const double ticks = u->opt.checkpoint_ticks;

    if (floor(ticks) < ticks)
        MB_FAIL(err, MB_E_ARG,
                "--checkpoint-ticks: got %g; expected a whole number of ticks, or auto", ticks);
    u->args.checkpoint_ticks =
        isnan(ticks) ? (u->opt.virtual_ ? VIRTUAL_CHECKPOINT : CHECKPOINT) : (int64_t)ticks;
    return MB_OK;
}

static mb_status check(sim_job *job, sim_args *args, mb_err *err)
{
    up *u = args->own;

    MB_TRY(check_where(u, err));
    if (job->out && !sim_to_folder(job))
        MB_FAIL(err, MB_E_ARG, "--out: got %s; expected a folder", job->out);
    MB_TRY(read_times(u, err));
    if (u->opt.bandwidth)
        MB_TRY(span_rate("bandwidth", u->opt.bandwidth, &u->args.bandwidth, err));
    if (u->opt.record_limit)
        MB_TRY(span_bytes("record-limit", u->opt.record_limit, MB_RECORD_LEAST,
                          &u->args.record_limit, err));
    MB_TRY(read_window(u, err));
    MB_TRY(read_checkpoints(u, err));
    MB_TRY(read_genesis(u, args->opt.init, err));
    args->opt.loss = u->opt.loss; /* the network's reader wants to know of "file" */
    return edge_options(u, job, &args->choice[0], err);
}

/* The nodes run; the exit status. */
static int run_nodes(up *u, sim_results *all, mb_err *err)
{
    int answer = 0;

    if ((u->opt.virtual_ ? up_run : local_run)(u, err) < 0 || up_end(u, all, &answer, err) < 0)
        return sim_fail(u->job, err, 0);
    if (answer && up_write(u, all, err) < 0)
        return sim_fail(u->job, err, 0);
    if (u->job->signal)
        return APP_SIGNAL + u->job->signal;
    if (u->failed)
        return APP_NO_ANSWER;
    return u->settled || !u->args.settled ? APP_DONE : APP_UNSETTLED;
}

static int make(sim *s, mb_err *err)
{
    up *u = s->args.own;
    int status;

    u->job = &s->job;
    u->cs = &s->cs;
    s->job.tty = isatty(STDERR_FILENO);
    status = up_prepare(u, s, err) < 0 || sim_results_begin(s, err) < 0
                 ? sim_fail(&s->job, err, 1)
                 : run_nodes(u, &s->results, err);
    local_close(u);
    up_trace_close(u->trace);
    mb_file_abort(&u->events);
    mb_file_abort(&u->life);
    mb_virtual_free(u->net);
    return status;
}

static const sim_command command = {.name = "up",
                                    .bit = SIM_UP,
                                    .more = options,
                                    .size = sizeof(up),
                                    .algorithm = "edge",
                                    .check = check,
                                    .run = make};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static void help(FILE *out)
{
    mb_opt shared[SIM_MAX_OPTIONS];

    sim_pick(SIM_UP, SIM_GROUPS, shared);
    up_help(out, options, shared);
}

const app_command app_cmd_up = {
    .name = "up",
    .summary = "run the nodes of a mesh, as processes or on a virtual network",
    .usage = "meshbayes up [--virtual] --data FILE --topology T|--network FILE ..",
    .run = run,
    .help = help};
