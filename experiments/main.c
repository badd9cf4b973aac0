/* main.c - meshbayes-paper, which `meshbayes paper` runs: the paper's experiments, one or all. */
#include "base/place.h"
#include "base/pool.h"
#include "base/ranks.h"
#include "base/text.h"
#include "paper.h"
#include "paper_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of the paper: sections V-A to V-D. */
static const paper_row *const paper_rows[] = {
    /* section V-A */
    &paper_row_network, &paper_row_dsvb_tau, &paper_row_dsvb_evolution, &paper_row_dsvb_values,
    &paper_row_dsvb_contour,
    /* section V-B */
    &paper_row_admm_rho, &paper_row_admm_evolution,
    /* section V-C */
    &paper_row_unequal, &paper_row_sizes,
    /* section V-D */
    &paper_row_atmosphere, &paper_row_ionosphere, &paper_row_coil20,
    /* the end */
    NULL};

typedef struct paper_opt {
    paper_set   set;
    const char *runs, *protocols;
} paper_opt;

#define AT(field) offsetof(paper_opt, field)

static const mb_opt options[] = {
    {"quick", MB_OPT_FLAG, AT(set.quick), NULL, 0, 0, NULL, "", "", "",
     "a small version: few runs, fewer rounds; all experiments within a minute on two cores"},
    {"seed", MB_OPT_INT, AT(set.seed), "1", 0, 9007199254740000.0, NULL, "", "", "",
     "of run 1; run k uses seed + k - 1"},
    {"runs", MB_OPT_TEXT, AT(runs), NULL, 0, 0, "N|paper", "", "", "",
     "runs of each experiment; paper: the printed counts and all three protocols. Without it 30 "
     "(coil20: 3 x 3)"},
    {"protocols", MB_OPT_TEXT, AT(protocols), NULL, 0, 0, "NAME,..", "", "", "",
     "of paper, published and ours; without it paper and ours, with --runs paper all"},
    {"out", MB_OPT_OUTPUT, AT(set.out), "paper", 0, 0, "DIR", "", "", "",
     "folder for results; finished runs in it are not computed again"},
    {"data", MB_OPT_TEXT, AT(set.data), "meshbayes-data", 0, 0, "DIR", "", "", "",
     "folder into which meshbayes paper fetch wrote coil20 and beijing-air; ionosphere.csv is also "
     "found in ./data and where meshbayes is installed"},
    {"networks", MB_OPT_TEXT, AT(set.networks), NULL, 0, 0, "DIR", "", "", "",
     "run on other networks: links in networkN.csv (columns i,j) for experiments of N nodes (20: "
     "the tables, 10: coil20, 50 and others: synthetic data); sizes without a file keep ours. "
     "networks: the folder of that name in ./data, or installed with meshbayes"},
    {"reproduction", MB_OPT_OUTPUT, AT(set.reproduction), NULL, 0, 0, "FILE.md", "", "", "",
     "write printed and measured values side by side"},
    {"shuffle-labels", MB_OPT_FLAG, AT(set.shuffle), NULL, 0, 0, NULL, "", "", "",
     "give every row another row's class: under paper and ours all posteriors stay bit-identical, "
     "because no class reaches inference (compare the fingerprints in parts/)"},
    {"threads", MB_OPT_INT, AT(set.threads), "0", 0, 1024, NULL, "threads", "", "",
     "runs computed at a time; 0: one per processor. Results do not depend on it"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status set_runs(paper_opt *o, mb_err *err)
{
    char *end;

    if (!o->runs)
        return MB_OK;
    if (!strcmp(o->runs, "paper")) {
        o->set.runs = -1;
        return MB_OK;
    }
    o->set.runs = strtoll(o->runs, &end, 10);
    if (*end || o->set.runs < 1 || o->set.runs > 1000000)
        MB_FAIL(err, MB_E_ARG, "--runs: got \"%s\"; expected 1 to 1000000, or paper", o->runs);
    return MB_OK;
}

static mb_status set_protocols(paper_opt *o, mb_err *err)
{
    const char *w = o->protocols;

    o->set.protocols = 1u << PAPER_PAPER | 1u << PAPER_OURS;
    if (o->set.runs < 0)
        o->set.protocols |= 1u << PAPER_PUBLISHED;
    if (w)
        o->set.protocols = 0;
    for (size_t len; w && *w; w += len + (w[len] == ',')) {
        int p = 0;

        len = strcspn(w, ",");
        while (p < PAPER_PROTOCOLS && (strlen(paper_protocol_name[p]) != len ||
                                       strncmp(paper_protocol_name[p], w, len) != 0))
            p++;
        if (p == PAPER_PROTOCOLS)
            MB_FAIL(err, MB_E_ARG, "--protocols: got \"%.*s\"; expected paper, published, ours",
                    (int)len, w);
        o->set.protocols |= 1u << p;
    }
    if (!o->set.protocols)
        MB_FAIL(err, MB_E_ARG, "--protocols: none named; expected paper, published, ours");
    return MB_OK;
}

static void list_rows(FILE *out)
{
    for (const paper_row *const *r = paper_rows; *r; r++)
        fprintf(out, "%-16s %-22s %s\n", (*r)->name, (*r)->place, (*r)->title);
}

/* The experiments to work on: *count of *t. */
static mb_status choose(mb_arena *a, const paper_set *set, const char *name, paper_table **t,
                        int32_t *count, mb_err *err)
{
    MB_NEW(*t, a, sizeof paper_rows / sizeof *paper_rows, err);
    for (const paper_row *const *r = paper_rows; *r; r++)
        if (!strcmp(name, "all") || !strcmp((*r)->name, name)) {
            (*t)[*count] = paper_table_of(a, set, *r);
            MB_TRY(paper_inputs(&(*t)[(*count)++], err));
        }
    if (!*count)
        MB_FAIL(
            err, MB_E_ARG,
            "\"%s\" is not an experiment; expected list, all, or a name of meshbayes paper list",
            name);
    return MB_OK;
}

/* Table and claims of an experiment whose units are complete. */
static mb_status read_and_judge(paper_table *t, mb_err *err)
{
    MB_TRY(paper_table_read(t, err));
    if (t->row->judge)
        t->row->judge(t, &t->claims);
    for (int k = 0; k < t->claims.count && t->set->quick; k++)
        if (!t->claims.claim[k].holds) /* too few rounds or runs to decide */
            t->claims.claim[k].holds = -1;
    return MB_OK;
}

/* The same with its files. */
static mb_status gather(paper_table *t, mb_err *err)
{
    const char *dir = mb_text(t->a, err, "%s/%s", t->set->out, t->row->name);

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(mb_dir_make(dir, err)); /* one that uses another's runs has none yet */
    MB_TRY(read_and_judge(t, err));
    return paper_files(t, err);
}

/* Whether an experiment was run before, into this folder. */
static mb_status requested_before(const paper_table *t, int *yes, mb_err *err)
{
    const char *result = mb_text(t->a, err, "%s/%s/result.json", t->set->out, t->row->name);

    *yes = result && !access(result, R_OK);
    return result ? MB_OK : MB_E_NOMEM;
}

/* An earlier experiment of the folder, to be shown with those of now; one whose runs have other
 * settings cannot be: t->how says so. */
static mb_status recall(paper_table *t, mb_err *err)
{
    MB_TRY(paper_inputs(t, err));
    for (int64_t k = 0; k < paper_units(t) && !t->how; k++) {
        paper_unit u;
        int        there;

        paper_unit_at(t->a, t, k, &u);
        MB_TRY(paper_part_read(&u, &there, err));
        if (!there)
            t->how = "its runs in this folder have other settings (seed, runs, protocols, --quick, "
                     "networks or program) than those of this page";
    }
    return t->how ? MB_OK : read_and_judge(t, err);
}

/* All that the page of the folder shows, in the order of the paper: t (count) and what was there. */
static mb_status all_shown(mb_arena *a, const paper_set *set, const paper_table *t, int32_t count,
                           paper_table **out, int32_t *shown, mb_err *err)
{
    const paper_table *of = t;

    MB_NEW(*out, a, sizeof paper_rows / sizeof *paper_rows, err);
    *shown = 0;
    for (const paper_row *const *r = paper_rows; *r; r++) {
        paper_table *to = &(*out)[*shown];
        int          there;

        if (of < t + count && of->row == *r) {
            *to = *of++;
            ++*shown;
            continue;
        }
        *to = paper_table_of(a, set, *r);
        MB_TRY(requested_before(to, &there, err));
        if (!there)
            continue;
        ++*shown;
        MB_TRY(recall(to, err));
    }
    return MB_OK;
}

static void tell(const paper_table *t)
{
    const char *name = t->row->name;

    if (t->how) {
        printf("%-16s skipped: %s\n", name, t->how);
        return;
    }
    printf("%-16s %s/%s/result.json\n", name, t->set->out, name);
    for (const paper_claim *c = t->claims.claim; c < t->claims.claim + t->claims.count; c++)
        printf("  %-7s %s\n          %s\n", paper_holds(c, "", "holds", "not so:"), c->says,
               c->measured);
}

static mb_status work(mb_arena *a, paper_set *set, const char *name, mb_err *err)
{
    paper_table *t, *all;
    int32_t      count = 0, shown = 0;

    MB_TRY(choose(a, set, name, &t, &count, err));
    MB_TRY(paper_networks_found(a, set, err));
    MB_TRY(mb_pool_open(a, (int32_t)set->threads, &set->pool, err));
    mb_status st = paper_work(set, t, count, err);

    mb_pool_close(set->pool);
    set->pool = NULL;
    MB_TRY(st);
    for (int32_t k = 0; k < count; k++)
        if (!t[k].how)
            MB_TRY(gather(&t[k], err));
    MB_TRY(all_shown(a, set, t, count, &all, &shown, err));
    MB_TRY(paper_page(all, shown, err));
    if (set->reproduction)
        MB_TRY(paper_reproduction(t, count, err));
    for (int32_t k = 0; k < shown; k++) /* a gnuplot may outlive the run that started it */
        MB_TRY(paper_sweep(&all[k], err));
    for (int32_t k = 0; k < count; k++)
        tell(&t[k]);
    printf("report: %s/report.html\n", set->out);
    if (set->networks)
        printf("networks: %d of %s; experiments of other sizes ran on ours\n",
               (int)set->network_count, set->networks);
    return MB_OK;
}

static mb_status obey(mb_arena *a, int argc, char **argv, mb_err *err)
{
    paper_opt       o = {0};
    const app_group group = {.table = options, .obj = &o};
    const char     *name = NULL;
    int             words = 0;

    MB_TRY(app_parse(argc, argv, &group, 1, &name, 1, &words, err));
    if (!words)
        MB_FAIL(err, MB_E_ARG,
                "which experiment? expected list, all, or a name of meshbayes paper list");
    MB_TRY(set_runs(&o, err));
    MB_TRY(set_protocols(&o, err));
    if (strcmp(name, "list") != 0)
        return work(a, &o.set, name, err);
    list_rows(stdout);
    return MB_OK;
}

static int run(int argc, char **argv)
{
    mb_err    err = {.msg = "out of memory"};
    mb_arena *a = mb_arena_new(1 << 20);
    mb_status st = a ? obey(a, argc, argv, &err) : MB_E_NOMEM;

    mb_arena_free(a);
    return st < 0 ? app_fail("paper", &err, 1) : APP_DONE;
}

static void help(FILE *out)
{
    app_print_help(
        out,
        "\nRebuilds the experiments of section V of Hua and Li: the same quantities, parameters "
        "and axes, beside what the paper prints. Each writes DIR/NAME/data.csv (every number with "
        "its spread over the runs), DIR/NAME/result.json, DIR/NAME/figures/*.svg and *.png, and a "
        "section of DIR/report.html. Work may be interrupted at any moment: finished runs are "
        "stored in DIR/NAME/parts and reused. An experiment whose data are missing is skipped: "
        "meshbayes paper fetch coil20|beijing-air downloads them (its --help says more).\n"
        "\nProtocols\n");
    for (int p = 0; p < PAPER_PROTOCOLS; p++) {
        fprintf(out, "  %-10s ", paper_protocol_name[p]);
        app_wrap(out, 13, 13, paper_protocol_words((paper_protocol)p));
        fputc('\n', out);
    }
    fputs("\nExperiments\n", out);
    list_rows(out);
    app_print_options(out, "Options", options);
}

/* `meshbayes paper fetch ..`: a program in Python beside this one. Returns only after a failure. */
static int fetch(char **argv)
{
    char path[PLACE_PATH], python[] = "python3";

    if (!place_beside("fetch.py", path)) {
        fputs("meshbayes paper: error: fetch.py is not beside meshbayes-paper\n", stderr);
        return APP_FAILED;
    }
    argv[0] = python;
    argv[1] = path;
    return place_exec(python, argv);
}

static int asks_for_help(int argc, char **argv)
{
    int wanted = argc > 1 && !strcmp(argv[1], "help");

    for (int i = 1; i < argc; i++)
        wanted |= !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
    return wanted;
}

static int command(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--version"))
        return app_version();
    if (!app_alone("paper", ranks_launched(), ranks_first()))
        return APP_WRONG_USE;
    if (argc > 1 && !strcmp(argv[1], "fetch"))
        return fetch(argv);
    if (!asks_for_help(argc, argv))
        return run(argc, argv);
    puts("rebuild the paper's experiments\n"
         "usage: meshbayes paper list|NAME|all|fetch [options]");
    help(stdout);
    return APP_DONE;
}

int main(int argc, char **argv)
{
    return app_run(argc, argv, command);
}
