/* cmd_sim.c - `meshbayes sim`: a network on one machine, every algorithm on the same data. */
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --metrics (all of them with --trace alone) into s->metrics. */
static mb_status metrics(sim *s, mb_err *err)
{
    const mb_metric_info *info = mb_metric_table();
    const char           *list = s->opt.metrics ? s->opt.metrics : s->opt.trace ? "all" : "";
    const int             all = !strcmp(list, "all");
    size_t                len;

    for (; *list && !all; list += len + (list[len] == ',')) {
        int m = 0;

        len = strcspn(list, ",");
        while (m < MB_M_COUNT && (strlen(info[m].name) != len || strncmp(info[m].name, list, len)))
            m++;
        if (m == MB_M_COUNT)
            MB_FAIL(err, MB_E_ARG,
                    "--metrics: \"%.*s\" is not known, accepted: all or a list of "
                    "kl_truth, kl_cvb, bound, disagreement, accuracy, nmi, ari, bytes, frames, "
                    "frozen, projected",
                    (int)len, list);
        if ((m == MB_M_KL_TRUTH || m == MB_M_ACCURACY || m == MB_M_NMI || m == MB_M_ARI) &&
            !s->opt.label_column)
            MB_FAIL(err, MB_E_ARG, "--metrics: %s needs --label-column", info[m].name);
        s->metrics |= 1u << m;
    }
    if (all)
        s->metrics = (1u << MB_M_COUNT) - 1;
    return MB_OK;
}

/* --dump-at into s->dump_at: whole rounds, ascending, within --rounds. */
static mb_status dump_rounds(sim *s, mb_err *err)
{
    double *at = NULL;
    int64_t last = 0;

    if (s->opt.dump_at && !s->opt.dump_phi)
        MB_FAIL(err, MB_E_ARG, "--dump-at needs --dump-phi FILE.npy");
    if (!s->opt.dump_at)
        return MB_OK;
    MB_TRY(sim_numbers(s->a, "dump-at", s->opt.dump_at, &at, &s->dump_count, err));
    MB_NEW(s->dump_at, s->a, s->dump_count, err);
    for (int32_t k = 0; k < s->dump_count; k++) {
        if (!(at[k] > (double)last && at[k] <= (double)s->opt.rounds) || floor(at[k]) < at[k])
            MB_FAIL(err, MB_E_ARG, "--dump-at: %g, accepted: ascending whole rounds, 1 to %lld",
                    at[k], (long long)s->opt.rounds);
        s->dump_at[k] = last = (int64_t)at[k];
    }
    return MB_OK;
}

static mb_status open_trace(sim *s, mb_file *f, sim_watch *watch, mb_err *err)
{
    char        inside[4096];
    const char *path = s->opt.trace;
    const char *header;

    if (!s->metrics || (!path && !s->opt.out))
        return MB_OK;
    if (!path) {
        snprintf(inside, sizeof inside, "%s/trace.csv", s->opt.out);
        path = inside;
    }
    watch->trace = f;
    watch->with_name = s->nchoice > 1;
    header = mb_trace_header(watch->with_name);
    MB_TRY(mb_file_open(s->a, path, f, err));
    return mb_file_write(f, header, strlen(header), err);
}

/* Runs every algorithm; one that fails is kept with its error and the others go on. */
static mb_status run_all(sim *s, sim_result *r, int *failures, mb_err *err)
{
    mb_file   trace = {0};
    sim_watch watch = {0};
    mb_status st = open_trace(s, &trace, &watch, err);

    for (int32_t k = 0; st >= 0 && k < s->nchoice; k++) {
        st = sim_algorithm(s, &s->choice[k], &watch, &r[k], &r[k].err);
        r[k].failed = st < 0;
        if (st == MB_E_IO || st == MB_E_NOMEM)
            *err = r[k].err; /* not the algorithm's doing: ends the command */
        else if (st < 0) {
            fprintf(stderr, "meshbayes sim: error: %s: %s\n", s->choice[k].name, r[k].err.msg);
            ++*failures;
            st = MB_OK;
        }
    }
    if (st >= 0 && watch.trace && *failures < s->nchoice)
        st = mb_file_commit(&trace, err);
    mb_file_abort(&trace);
    return st;
}

/* The trace the report draws lies in the folder even when --trace names another file. */
static mb_status copy_trace(sim *s, mb_err *err)
{
    char    path[4096], *bytes;
    size_t  n;
    mb_file f = {0};

    snprintf(path, sizeof path, "%s/trace.csv", s->opt.out);
    if (!s->opt.trace || !strcmp(path, s->opt.trace))
        return MB_OK;
    MB_TRY(mb_file_read(s->a, s->opt.trace, &bytes, &n, err));
    MB_TRY(mb_file_open(s->a, path, &f, err));
    mb_status st = mb_file_write(&f, bytes, n, err);

    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

static mb_status tell(sim *s, const sim_result *r, int failures, mb_err *err)
{
    json_t   *summary = NULL;
    mb_status st = MB_OK;

    if (failures == s->nchoice)
        return MB_OK;
    MB_TRY(sim_summary(s, r, s->nchoice, &summary, err));
    if (s->opt.out) {
        st = copy_trace(s, err);
        if (st >= 0)
            st = sim_output(s, r, s->nchoice, summary, err);
    }
    if (st >= 0 && s->opt.json) {
        json_dumpf(summary, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        putchar('\n');
    } else if (st >= 0)
        sim_print(s, r, s->nchoice);
    json_decref(summary);
    return st;
}

static int simulate(sim *s, sim_result *r, mb_err *err)
{
    int failures = 0;

    s->tty = isatty(STDERR_FILENO);
    if (sim_setup(s, err) < 0)
        return app_fail("sim", err, 1);
    if (s->opt.out && mb_dir_make(s->opt.out, err) < 0)
        return app_fail("sim", err, 0);
    if (sim_references(s, err) < 0 || run_all(s, r, &failures, err) < 0 ||
        tell(s, r, failures, err) < 0)
        return app_fail("sim", err, 0);
    return failures ? APP_FAILED : APP_DONE;
}

static int run(int argc, char **argv)
{
    mb_err      err = {0};
    mb_arena   *a = mb_arena_new(1 << 20);
    sim        *s = a ? mb_alloc(a, 1, sizeof *s) : NULL;
    sim_result *r = a ? mb_alloc(a, SIM_MAX_ALGOS, sizeof *r) : NULL;
    int         status;

    if (!s || !r) {
        mb_arena_free(a);
        fprintf(stderr, "meshbayes sim: error: out of memory\n");
        return APP_FAILED;
    }
    s->a = a;
    if (sim_parse(s, argc, argv, &err) < 0 || metrics(s, &err) < 0 || dump_rounds(s, &err) < 0)
        status = app_fail("sim", &err, 1);
    else
        status = simulate(s, r, &err);
    for (int k = 0; k < SIM_MAX_ALGOS; k++)
        mb_arena_free(r[k].memory);
    mb_arena_free(a);
    return status;
}

static void help(FILE *out)
{
    fputs(
        "\nRuns a network on this machine. Every node holds some rows and talks to its neighbours\n"
        "only; every algorithm named runs on the same data from the same start.\n"
        "\nExample\n"
        "  meshbayes sim --data rows.csv --node-column site --network links.csv \\\n"
        "      --n-components 3 --algorithm cvb,edge --metrics all --out result\n",
        out);
    app_print_options(out, "Options", sim_options);
    for (const mb_algo *const *a = mb_algo_list(); *a; a++)
        if ((*a)->opts && (*a)->opts[0].name)
            app_print_options(out, (*a)->title, (*a)->opts);
}

const app_command app_cmd_sim = {.name = "sim",
                                 .summary = "run algorithms on a simulated network",
                                 .usage =
                                     "meshbayes sim --data FILE --topology T|--network FILE ..",
                                 .run = run,
                                 .help = help};
