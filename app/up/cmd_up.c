/* cmd_up.c - `meshbayes up`: its options, their values and its help page. */
#include "algo/nodes.h"
#include "base/opt.h"
#include "model/kind.h"
#include "run/option_rows.h"
#include "run/private.h"
#include "up/up.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(up, opt.field)

static const sim_row options[] = {
    ROW(NODES, OFTEN(SIM_UP), "virtual", MB_OPT_FLAG, AT(virtual_), NULL, 0, 0, NULL, "", "", "",
        "run all nodes in this process on a virtual network with a virtual clock; without it each "
        "node is a process meshbayes-node on this machine"),
    ROW(NODES, OFTEN(SIM_UP), "genesis", MB_OPT_TEXT, AT(genesis), NULL, 0, 0,
        "FILE|init|sample|sums|ranges", "", "", "",
        "where units, prior and initialisation come from: a file that every node was given "
        "(meshbayes genesis makes one); sample: the network draws 64 rows, which every node sees; "
        "sums: it sums over all rows, every node sees the ends of the columns and K rows; slower; "
        "ranges: of exact sums within --bounds alone, no node sees a row; init: that of sim, made "
        "before the nodes begin; without it sample, with --bounds ranges"),
    ROW(ENDS, OFTEN(SIM_UP) | SIM_PRIVATE, "time", MB_OPT_TEXT, AT(time), "60s", 0, 0, "TIME", "",
        "", "",
        "time at which the run ends at the latest, virtual time with --virtual: 60s, 10min, 2h"),
    ROW(ENDS, OFTEN(SIM_UP) | SIM_PRIVATE, "until", MB_OPT_TEXT, AT(until), "settled", 0, 0,
        "settled|TIME", "", "", "",
        "settled: ends when all live nodes have settled and the schedule is over; TIME: ends then, "
        "whatever the state (--time is not used)"),
    ROW(NODES, SIM_UP | SIM_PRIVATE, "tick", MB_OPT_TEXT, AT(tick), "20ms", 0, 0, "TIME", "", "",
        "", "longest time between two ticks of a node that moves"),
    ROW(VIRTUAL, SIM_UP, "speed", MB_OPT_TEXT, AT(speed), "1", 0, 0, "A|A..B", "", "", "",
        "each node's ticks take this many times --tick, drawn once for every node"),
    ROW(VIRTUAL, OFTEN(SIM_UP), "delay", MB_OPT_TEXT, AT(delay), "1ms..10ms", 0, 0,
        "TIME|TIME..TIME", "", "", "", "time of a frame on its way, drawn for every frame"),
    ROW(VIRTUAL, OFTEN(SIM_UP), "loss", MB_OPT_AUTO, AT(loss), "0", 0, 0.999, "file", "probability",
        "", "",
        "a frame is lost, each direction by itself; file: each link with a probability of its own, "
        "by the column loss (or prob, 1 - loss) of the --network file"),
    ROW(VIRTUAL, SIM_UP, "duplicate", MB_OPT_REAL, AT(duplicate), "0", 0, 0.999, NULL,
        "probability", "", "", "a frame arrives twice"),
    ROW(VIRTUAL, SIM_UP, "reorder", MB_OPT_REAL, AT(reorder), "0", 0, 0.999, NULL, "probability",
        "", "", "a frame is held back, so that later ones arrive before it"),
    ROW(VIRTUAL, SIM_UP, "corrupt", MB_OPT_REAL, AT(corrupt), "0", 0, 0.999, NULL, "probability",
        "", "", "bytes of a frame are changed on its way"),
    ROW(VIRTUAL, SIM_UP, "bandwidth", MB_OPT_TEXT, AT(bandwidth), NULL, 0, 0, "SIZE", "", "", "",
        "bytes a second of each link and direction: 64kB, 1MB; without it no limit"),
    ROW(NODES, SIM_UP, "wire", MB_OPT_CHOICE, AT(wire), "float64", 0, 0, "float64|float16|changes",
        "", "", "",
        "numbers in frames: 8 bytes, or 2 as differences to what the neighbour is known to have; "
        "changes: these, where there are any"),
    ROW(NODES, OFTEN(SIM_UP), "window", MB_OPT_TEXT, AT(window), NULL, 0, 0, "ROWS|TIME", "", "",
        "",
        "a node keeps this number of its newest rows, or those no older than this; without it all "
        "its rows"),
    ROW(VIRTUAL, OFTEN(SIM_UP), "schedule", MB_OPT_INPUT, AT(schedule), NULL, 0, 0, "FILE.csv", "",
        "", "", "events, columns time,event,a,b, which meshbayes help up all explains"),
    ROW(NODES, SIM_UP | SIM_PRIVATE, "checkpoint-ticks", MB_OPT_AUTO, AT(checkpoint_ticks), "auto",
        0, 1e9, NULL, "ticks", "", "",
        "ticks between two checkpoints of a node, on its virtual disk or in its folder; 0: none; "
        "auto: 50, of processes 500"),
    ROW(VIRTUAL, SIM_UP, "disk-fail", MB_OPT_REAL, AT(disk_fail), "0", 0, 0.999, NULL,
        "probability", "", "", "a checkpoint is not written, which the write reports"),
    ROW(VIRTUAL, SIM_UP, "disk-torn", MB_OPT_REAL, AT(disk_torn), "0", 0, 0.999, NULL,
        "probability", "", "", "the end of a checkpoint is what was there before"),
    ROW(VIRTUAL, SIM_UP, "disk-short", MB_OPT_REAL, AT(disk_short), "0", 0, 0.999, NULL,
        "probability", "", "", "the end of a checkpoint is missing"),
    ROW(NODES, OFTEN(SIM_UP), "record", MB_OPT_OUTPUT, AT(record), NULL, 0, 0, "DIR", "", "", "",
        "flight recorder: a file for every node with its newest inputs after a checkpoint, for "
        "meshbayes replay"),
    ROW(NODES, SIM_UP, "record-limit", MB_OPT_TEXT, AT(record_limit), NULL, 0, 0, "SIZE", "", "",
        "",
        "--record keeps at most these bytes of inputs of a node, and at least half of them: 500kB, "
        "1GB; without it 8MB"),
    ROW(PROCESSES, OFTEN(SIM_UP) | SIM_PRIVATE, "base-port", MB_OPT_INT, AT(base_port), "7100", 1,
        APP_PORT_MOST, NULL, "", "", "",
        "the first node listens at this port of the loopback address, the others at those that "
        "follow"),
    ROW(PROCESSES, OFTEN(SIM_UP) | SIM_PRIVATE, "status-port", MB_OPT_INT, AT(status_port), NULL, 1,
        APP_PORT_MOST, NULL, "", "", "",
        "the status page of the first node is at this port of the loopback address, those of the "
        "others at the ports that follow; without it Unix sockets, for meshbayes top"),
    ROW(PROCESSES, SIM_UP, "insecure", MB_OPT_FLAG, AT(insecure), NULL, 0, 0, NULL, "", "", "",
        "no keys and no encryption"),
    ROW(NODES, SIM_UP | SIM_PRIVATE, "algorithm", MB_OPT_TEXT, AT(algorithm), NULL, 0, 0, "NAME",
        "", "", "",
        "what the nodes run; of the algorithms of sim only edge and sum bear loss, nodes of their "
        "own speeds and nodes that come and go, and the others are refused; without it edge, or "
        "what the page of the model says"),
    ROW(NODES, SIM_UP | SIM_PRIVATE, "mask", MB_OPT_CHOICE, AT(mask), "auto", 0, 0, "auto|on|off",
        "", "", "",
        "sums of --algorithm sum are masked, so that no neighbour reads those of a node, and nodes "
        "wait for each other; with --virtual by keys from --seed; auto: of processes with keys and "
        "--genesis FILE or --bounds FILE, unless the genesis states otherwise"),
    ROW(NODES, SIM_UP, "rows-batch", MB_OPT_INT, AT(rows_batch), "0", 0, 1e9, "N", "", "", "",
        "with masks, new rows are taken in where 3 nodes have at least N of them each; 0: none "
        "are"),
    ROW(NODES, SIM_UP, "edge.kappa", MB_OPT_AUTO, AT(kappa), "auto", 1e-6, 1e6, NULL, "", "", "",
        "stiffness of the edges, as in sim"),
    ROW(NODES, SIM_UP, "edge.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
        "step of the damping, as in sim"),
    ROWS_END};

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

/* --bounds: the block is that of sums within them, unless something else is said. */
static mb_status read_bounds(const up *u, sim_args *args, mb_err *err)
{
    const sim_opt *o = &args->opt;
    const char    *text = u->opt.genesis ? u->opt.genesis : "ranges";
    const int      ranges = !strcmp(text, "ranges"), given = !ranges && strcmp(text, "init") != 0;
    const int      init = !strcmp(o->init, "ranges") && mb_kind_has_components(args->kind);

    if (!o->bounds && ((u->opt.genesis && ranges) || init))
        MB_FAIL(err, MB_E_ARG, "--%s ranges requires --bounds FILE.csv: column,low,high",
                init ? "init" : "genesis");
    if (o->bounds && (args->choice[0].algo != &mb_algo_sum || given))
        MB_FAIL(err, MB_E_ARG,
                "--bounds: got it with %s %s; expected --algorithm sum, and --genesis ranges, init "
                "or none",
                given ? "--genesis" : "--algorithm", given ? text : args->choice[0].name);
    if (o->bounds && !strcmp(text, "init") && !strcmp(o->init, "kmeans") &&
        mb_kind_has_components(args->kind))
        args->opt.init = "ranges";
    return MB_OK;
}

/* --genesis and --init: the network draws the block, or it is given. */
static mb_status read_genesis(up *u, const sim_args *args, mb_err *err)
{
    const char *init = args->opt.init;
    const int   other = strcmp(init, "kmeans") != 0;
    const char *text = u->opt.genesis     ? u->opt.genesis
                       : other            ? "init"
                       : args->opt.bounds ? "ranges"
                                          : "sample";

    if (other && strcmp(text, "init") != 0)
        MB_FAIL(err, MB_E_ARG,
                "--init: got %s; expected kmeans with --genesis %s, or --genesis init", init, text);
    u->args.from = !strcmp(text, "sample")   ? MB_GENESIS_SAMPLE
                   : !strcmp(text, "sums")   ? MB_GENESIS_SUMS
                   : !strcmp(text, "ranges") ? MB_GENESIS_RANGES
                                             : MB_GENESIS_GIVEN;
    if (u->args.from == MB_GENESIS_GIVEN && strcmp(text, "init") != 0)
        u->args.genesis = text;
    return MB_OK;
}

static mb_status read_times(up *u, mb_err *err)
{
    const up_opt *o = &u->opt;
    up_args      *args = &u->args;

    MB_TRY(span_duration("time", o->time, 1e-3, LONGEST, &args->time, err));
    args->settled = !strcmp(o->until, "settled");
    if (!args->settled && !span_is_duration(o->until))
        MB_FAIL(err, MB_E_ARG,
                "--until: got \"%s\"; expected settled, or a time with its unit, such as 60s",
                o->until);
    if (!args->settled)
        MB_TRY(span_duration("until", o->until, 1e-3, LONGEST, &args->time, err));
    MB_TRY(span_duration("tick", o->tick, 1e-3, 3600, &args->tick, err));
    MB_TRY(span_durations("delay", o->delay, 0, 3600, &args->delay, err));
    return span_numbers("speed", o->speed, 0.01, 100, &args->speed, err);
}

static mb_status read_algorithm(up *u, const mb_kind *kind, sim_choice *c, mb_err *err)
{
    mb_err why = {.msg = ""};

    if (!u->opt.algorithm)
        u->opt.algorithm = mb_network_algo_(kind);
    if (mb_node_algo_find_(u->opt.algorithm, &c->algo, &why) < 0)
        MB_FAIL(err, MB_E_ARG, "--%s", why.msg);
    c->name = c->algo->name;
    return MB_OK;
}

/* The options of the algorithm, as config.json lists them. */
static mb_status edge_options(const up *u, const sim_args *args, sim_job *job, sim_choice *c,
                              mb_err *err)
{
    const mb_opt *own[] = {mb_opt_find(args->more, "edge.kappa"),
                           mb_opt_find(args->more, "edge.eta")};
    char         *opt, number[64];

    MB_NEW(opt, job->a, c->algo->opt_size, err);
    c->opt = opt;
    MB_TRY(mb_opt_defaults(c->algo->opts, opt, err));
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        const mb_opt *to = mb_opt_find(c->algo->opts, own[k]->name);

        if (!to && sim_option_given(own[k], u))
            MB_FAIL(err, MB_E_ARG, "--%s: --algorithm %s has no such option", own[k]->name,
                    c->name);
        if (!to)
            continue;
        mb_opt_text(own[k], u, number, sizeof number);
        MB_TRY(mb_opt_set(to, number, opt, err));
    }
    return MB_OK;
}

/* Refuses what only the other kind of network has. */
static mb_status check_where(const up *u, mb_err *err)
{
    const sim_group other = u->opt.virtual_ ? SIM_PROCESSES : SIM_VIRTUAL;

    for (const sim_row *r = options; r->opt.name; r++)
        if (r->group == other && sim_option_given(&r->opt, u))
            MB_FAIL(err, MB_E_ARG, "--%s: it belongs to a network %s --virtual", r->opt.name,
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

/* A release takes masks that hide, and a folder of each node that remembers what it released. */
static mb_status check_privacy(const sim_job *job, const sim_args *args, mb_err *err)
{
    up *u = args->own;

    if (args->opt.privacy && u->opt.virtual_)
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got --virtual, whose masks and noise would be of --seed; expected "
                "processes, without --virtual, or sim --privacy, which simulates the same release");
    if (args->opt.privacy && !u->args.checkpoint_ticks)
        MB_FAIL(err, MB_E_ARG,
                "--checkpoint-ticks: got 0 with --privacy; expected 1 or more, as each node "
                "remembers on its disk what it has released");
    if (args->opt.privacy && u->opt.mask == UP_MASK_AUTO)
        u->opt.mask = UP_MASK_ON;
    if (args->opt.privacy && u->opt.mask == UP_MASK_OFF)
        MB_FAIL(err, MB_E_ARG,
                "--mask: got off with --privacy; expected on or auto, as no node may see sums "
                "before the noise of all is in them");
    return private_check(job, args, err);
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
    MB_TRY(read_algorithm(u, args->kind, &args->choice[0], err));
    MB_TRY(check_privacy(job, args, err));
    args->masked = u->opt.mask == UP_MASK_ON;
    MB_TRY(read_bounds(u, args, err));
    MB_TRY(read_genesis(u, args, err));
    args->opt.loss = u->opt.loss; /* the network's reader wants to know of "file" */
    return edge_options(u, args, job, &args->choice[0], err);
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

static void schedule(FILE *out)
{
    app_print_help(out,
                   "\nThe schedule is CSV with the columns time,event,a,b; times are seconds:\n");
    for (int k = 0; k < MB_EVENT_FAILED; k++)
        fprintf(out, "  %-10s %s\n", mb_event_text((mb_event_kind)k),
                mb_event_help((mb_event_kind)k));
}

static const sim_command command = {
    .name = "up",
    .bit = SIM_UP,
    .more = options,
    .size = sizeof(up),
    .algorithm = "edge",
    .check = check,
    .run = make,
    .lists = schedule,
    .about =
        "\nNo node knows how many there are. The protocol is docs/protocol.md; sim runs the same "
        "algorithm in lock step. With --virtual there are own speeds, late, lost, repeated, "
        "reordered and damaged frames, crashes, departures, joins and partitions.\n"
        "\nThe folder has the files of sim, nodes/NAME/posterior.json and status.json of every "
        "node, events.csv, life.csv and trace.csv against time.\n"
        "\nExit status: 0 done; 1 failure; 2 wrong usage; 3 a node failed; 4 not settled within "
        "--time. SIGINT (Ctrl-C) and SIGTERM end the run with its files; status 130 or 143.\n",
    .see = "Nodes on several machines: docs/howto/deploy.md. Their status: docs/howto/status.md. "
           "Events of a schedule, exit status: meshbayes help up all.\n"};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static int help(FILE *out, const char *part)
{
    return sim_help(&command, part, out);
}

const app_command app_cmd_up = {
    .name = "up",
    .summary = "run the nodes of a mesh, as processes or on a virtual network",
    .usage = "meshbayes up [--virtual] --data FILE --topology T|--network FILE ..",
    .run = run,
    .text =
        "\nRuns the nodes of a mesh, each with its own rows and links, until they agree. Each node "
        "is a process of meshbayes-node on this machine, in a folder DIR/nodes/NAME that can be "
        "copied to another (docs/howto/deploy.md). A process that dies is started again; meshbayes "
        "top DIR shows them, and with --status-port each has a page in the browser.\n"
        "\nWith --virtual the nodes run in this process on a virtual network with a virtual "
        "clock, much faster than real time; the same seed gives the same bits. Its delays, losses "
        "and damage are options; --schedule names crashes, partitions and rows that arrive.\n"
        "\nExamples\n"
        "  meshbayes up --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --status-port 8100 --until 1h --out net\n"
        "  meshbayes up --virtual --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --loss .3 --schedule storm.csv --out result\n",
    .help = help};
