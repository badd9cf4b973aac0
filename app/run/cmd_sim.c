/* cmd_sim.c - `meshbayes sim`: a network on one machine, every algorithm on the same data. */
#include "base/opt.h"
#include "run/answer.h"
#include "run/genesis.h"
#include "run/private.h"
#include "run/runs.h"
#include "run/sweep.h"

#include <math.h>
#include <string.h>

/* What the report of a folder draws. */
static void default_metrics(sim_args *args)
{
    sim_args *to = args;

    to->sampled = 1;
    to->metrics =
        1u << MB_M_BOUND_MEAN | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES | 1u << MB_M_FRAMES;
    if (to->nchoice > 1 || !to->choice[0].cvb)
        to->metrics |= 1u << MB_M_KL_CVB;
    if (args->opt.label_column)
        to->metrics |= 1u << MB_M_KL_TRUTH;
}

/* --metrics into s->args.metrics. Without it: all with --trace, else those of a folder. */
static mb_status metrics(sim_job *job, sim_args *args, mb_err *err)
{
    const mb_metric_info *info = mb_metric_table();
    const char *list = args->opt.metrics ? args->opt.metrics : args->opt.trace ? "all" : NULL;
    char        accepted[320] = "";
    int32_t     m;

    if (!list && (sim_to_folder(job) || args->opt.runs > 1))
        default_metrics(args);

    for (int k = 0; k < MB_M_COUNT; k++)
        sim_choices(accepted, sizeof accepted, info[k].name);
    sim_choices(accepted, sizeof accepted, "all");
    while (list) {
        MB_TRY(sim_choose("metrics", accepted, &list, &m, err));
        if (m == MB_M_COUNT)
            args->metrics = (1u << MB_M_COUNT) - 1;
        else if (((SIM_JUDGED | 1u << MB_M_KL_TRUTH) >> m & 1) && !args->opt.label_column)
            MB_FAIL(err, MB_E_ARG, "--metrics: %s needs --label-column", info[m].name);
        else
            args->metrics |= 1u << m;
    }
    return MB_OK;
}

/* --dump-at into s->args.dump_at: whole rounds, ascending, within --rounds. */
static mb_status dump_rounds(sim_job *job, sim_args *args, mb_err *err)
{
    const char *text = args->opt.dump_at;
    double     *at;
    int64_t     last = 0;
    int32_t     n = 1;

    if (args->opt.dump_messages &&
        (args->opt.checkpoint || args->opt.resume || job->ranks.size > 1))
        MB_FAIL(err, MB_E_ARG, "--dump-messages and %s exclude each other",
                job->ranks.size > 1    ? "several processes"
                : args->opt.checkpoint ? "--checkpoint"
                                       : "--resume");
    if (text && !args->opt.dump_phi && !args->opt.dump_messages)
        MB_FAIL(err, MB_E_ARG, "--dump-at needs --dump-phi FILE.npy or --dump-messages FILE.npy");
    if (!text)
        return MB_OK;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    MB_NEW(at, job->a, n, err);
    MB_TRY(mb_opt_numbers("dump-at", text, n, at, &args->dump_count, err));
    MB_NEW(args->dump_at, job->a, n, err);
    for (int32_t k = 0; k < n; k++) {
        if (!(at[k] > (double)last && at[k] <= (double)args->opt.rounds) || floor(at[k]) < at[k])
            MB_FAIL(err, MB_E_ARG, "--dump-at: got %g; expected ascending whole rounds, 1 to %lld",
                    at[k], (long long)args->opt.rounds);
        args->dump_at[k] = last = (int64_t)at[k];
    }
    return MB_OK;
}

/* Pruning is for central VB, and changes what later rounds are of. */
static mb_status pruning(const sim_args *args, mb_err *err)
{
    const char *with = args->opt.checkpoint      ? "--checkpoint"
                       : args->opt.resume        ? "--resume"
                       : args->opt.dump_phi      ? "--dump-phi"
                       : args->opt.dump_messages ? "--dump-messages"
                                                 : NULL;
    int32_t     cvb = 0;

    if (args->opt.prune != SIM_PRUNE_ON)
        return MB_OK;
    for (int32_t k = 0; k < args->nchoice; k++)
        cvb += args->choice[k].cvb;
    if (!cvb)
        MB_FAIL(err, MB_E_ARG,
                "--prune: on merges components of central VB; expected cvb in --algorithm (in a "
                "network give --n-components a list)");
    if (args->metrics & (1u << MB_M_KL_CVB | 1u << MB_M_KL_TRUTH))
        with = args->metrics & 1u << MB_M_KL_CVB ? "--metrics kl_cvb" : "--metrics kl_truth";
    if (with)
        MB_FAIL(err, MB_E_ARG, "--prune on and %s exclude each other", with);
    return MB_OK;
}

/* A resumed run draws no centres, and several runs draw several. */
static mb_status genesis(const sim_args *args, mb_err *err)
{
    if (!args->opt.write_genesis)
        return MB_OK;
    if (args->opt.resume || args->opt.runs > 1)
        MB_FAIL(err, MB_E_ARG, "--write-genesis and --%s exclude each other",
                args->opt.resume ? "resume" : "runs");
    return genesis_check(args, "--write-genesis", err);
}

static mb_status check(sim_job *job, sim_args *args, mb_err *err)
{
    MB_TRY(private_check(job, args, err));
    MB_TRY(genesis(args, err));
    MB_TRY(metrics(job, args, err));
    MB_TRY(pruning(args, err));
    return dump_rounds(job, args, err);
}

static mb_status print(sim_job *job, const sim_results *all, mb_err *err)
{
    sim_print_network(all->cs, all->cs->rows->data.n);
    fputs("\n\n", stdout);
    sweep_print(all);
    MB_TRY(sim_answer_print(job, all, err));
    putchar('\n');
    MB_TRY(sim_table_print(job, all, err));
    for (int32_t k = 0; k < all->n; k++)
        sim_print_pruned(&all->r[k]);
    if (job->out)
        printf("report: %s/report.html\n", job->out);
    return MB_OK;
}

static void metrics_list(FILE *out)
{
    fputs("\nMetrics\n", out);
    for (int m = 0; m < MB_M_COUNT; m++) {
        fprintf(out, "  %-20s ", mb_metric_table()[m].name);
        app_wrap(out, 23, 23, mb_metric_table()[m].help);
        fputc('\n', out);
    }
}

static int run_or_release(sim *s, mb_err *err)
{
    return s->args.opt.privacy ? private_run(s, err) : runs_simulate(s, err);
}

static const sim_command command = {
    .name = "sim",
    .bit = SIM_SIM,
    .check = check,
    .print = print,
    .run = run_or_release,
    .lists = metrics_list,
    .about =
        "\nWith --checkpoint DIR --resume DIR the same command starts a run and, after a crash, "
        "resumes it: the result is bit-identical to that of a run without interruption.\n"
        "\nStatus 3: every distributed algorithm failed (nodes ended outside the domain); results "
        "are written and marked. Status 4, with --require-settled: an algorithm did not settle.\n"
        "\nSIGINT (Ctrl-C) and SIGTERM end the run after the current round, with all its files "
        "and, given --checkpoint, a checkpoint; status 130 or 143. A second signal ends it at "
        "once.\n",
    .see = "Networks, loss and delays: docs/howto/networks.md. Checkpoints, mpirun: "
           "docs/howto/cluster.md. Metrics, exit status: meshbayes help sim all.\n"};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static int help(FILE *out, const char *part)
{
    return sim_help(&command, part, out);
}

const app_command app_cmd_sim = {
    .name = "sim",
    .summary = "run algorithms on a simulated network",
    .usage = "meshbayes sim --data FILE --topology T|--network FILE ..",
    .run = run,
    .many = 1,
    .text =
        "\nRuns a network on this machine. Every node holds some rows and talks to its neighbours "
        "only; every algorithm named runs on the same data from the same initialisation. A round "
        "is a step of every node and a message on every link; a run ends when all nodes have "
        "settled (--tol) or after --rounds.\n"
        "\nA table shows how close each algorithm came to central VB, which holds all rows at one "
        "place, and what it sent; the folder --out has the posterior of every node, the trace and "
        "report.html.\n"
        "\nExamples\n"
        "  meshbayes sim --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --algorithm cvb,edge --metrics all --out result\n"
        "  meshbayes sim --data rows.csv --topology geometric:n=50,side=3.5,radius=0.8 \\\n"
        "      --n-components 3 --loss .2 --out result\n",
    .help = help};
