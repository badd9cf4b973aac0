/* cmd_genesis.c - `meshbayes genesis`: what all nodes of a mesh must have in common, from a sample or
 * from an earlier answer. */
#include "algo/nodes.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "network/network.h"
#include "run/genesis.h"
#include "run/option_rows.h"
#include "start/lines.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

static const sim_row options[] = {
    ROW(ROWS, OFTEN(SIM_GENESIS), "from", MB_OPT_INPUT, offsetof(genesis_opt, from), NULL, 0, 0,
        "FILE.json", "", "", "",
        "an earlier posterior instead of --data: its model, columns and prior, its means as "
        "centres, its middle and spread as units"),
    ROW(ROWS, SIM_GENESIS, "algorithm", MB_OPT_TEXT, offsetof(genesis_opt, algorithm), NULL, 0, 0,
        "NAME", "", "", "",
        "what the nodes are to run, edge or sum, which the file then says; without it "
        "what the page of the model says, or each node's own file"),
    ROW(ROWS, OFTEN(SIM_GENESIS), "bounds", MB_OPT_INPUT, offsetof(genesis_opt, bounds), NULL, 0, 0,
        "FILE.csv", "", "math 7", "",
        "of genesis ranges: column,low,high for every column, known without the rows, none of "
        "which is outside"),
    ROW(ROWS, SIM_GENESIS, "rows-batch", MB_OPT_INT, offsetof(genesis_opt, rows_batch), "0", 0, 1e9,
        "N", "", "", "",
        "with masks, new rows are taken in where 3 nodes have at least N of them each; 0: none "
        "are"),
    ROWS_END};

static mb_status check(sim_job *job, sim_args *args, mb_err *err)
{
    const genesis_opt *o = args->own;

    if (!o->from == !args->opt.data)
        MB_FAIL(err, MB_E_ARG, "%s",
                o->from ? "--data and --from exclude each other"
                        : "--data is missing: a sample of the rows (or --from "
                          "FILE.json, an earlier posterior)");
    if (!job->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the file that the genesis goes to");
    if (o->bounds || args->opt.privacy)
        MB_FAIL(err, MB_E_ARG, "--%s: it is of `meshbayes genesis ranges`, which has no rows",
                o->bounds ? "bounds" : "privacy");
    for (int k = 0; o->from && args->table[k].name; k++)
        if (strcmp(args->table[k].name, "out") != 0 &&
            sim_option_given(&args->table[k], &args->opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --from exclude each other", args->table[k].name);
    for (const mb_opt *k = args->kind->opts; o->from && k && k->name; k++)
        if (sim_option_given(k, args->model_opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --from exclude each other", k->name);
    return genesis_check(args, "genesis", err);
}

/* All rows of the sample at one node. */
static mb_status sample(sim *s, mb_err *err)
{
    sim_job        *job = &s->job;
    const sim_case *cs = &s->cs;
    mb_table        all;
    mb_case_opt     how;
    mb_fit_stages  *stages;

    MB_TRY(sim_rows_read(job, &s->args, &s->rows, err));
    MB_TRY(sim_network_make(job, &s->rows, &s->network, err));
    MB_TRY(sim_rows_deal(job, &s->network, &s->rows, err));
    MB_TRY(sim_case_begin(job, &s->network, &s->cs, err));
    how = sim_case_opt(cs);
    stages = cs->fit->stages;
    MB_TRY(mb_place_one(job->a, &stages->place, err));
    all = cs->table;
    all.N = 1;
    all.id = NULL;
    all.node = NULL;
    all.first = NULL;
    MB_TRY(mb_case_make(job->a, &stages->place, &all, s->args.kind, s->args.model_opt, &how,
                        &stages->nodes, err));
    sim_check_case(job, cs);
    return MB_OK;
}

static mb_status given_centres(sim_job *job, const sim_case *cs, size_t len, double *out,
                               mb_err *err)
{
    const double *seen;

    MB_TRY(mb_case_as_centres(job->a, &cs->fit->stages->nodes, cs->start.centres, &seen, err));
    memcpy(out, seen, len * sizeof *out);
    return MB_OK;
}

static mb_status drawn_centres(sim_job *job, const sim_case *cs, const mb_case *c, double *out,
                               mb_err *err)
{
    mb_centres *to = cs->drawn;
    mb_start    how = cs->start;

    how.seed = (uint64_t)cs->args->opt.seed;
    to->centres = out;
    return mb_case_centres(c, &how, 0, job->a, to, &to->sent, err);
}

/* The start block: as --init says. */
static mb_status start(sim_job *job, const sim_case *cs, double **out, int *lines, mb_err *err)
{
    const mb_case *c = &cs->fit->stages->nodes;
    const mb_init  how = cs->start.how;
    const uint64_t seed = (uint64_t)cs->args->opt.seed;
    size_t         len;

    *out = NULL;
    *lines = 0;
    if (!mb_kind_has_components(c->kind))
        return MB_OK;
    len = mb_centres_len(&c->size, c->run.d);
    MB_NEW(*out, job->a, len, err);
    if (how == MB_INIT_CENTRES)
        return given_centres(job, cs, len, *out, err);
    if (how != MB_INIT_KMEANS)
        return drawn_centres(job, cs, c, *out, err);
    MB_TRY(mb_centres_from(job->a, job->a, &c->size, &c->run, &c->table.rows, seed, *out, err));
    return mb_genesis_may_have_lines_(c->kind)
               ? mb_lines_start_(job->a, &c->size, &c->run, &c->table.rows, seed, *out, lines, err)
               : MB_OK;
}

static mb_status of_sample(sim *s, mb_genesis *g, mb_err *err)
{
    double *block;
    int     lines;

    MB_TRY(sample(s, err));
    MB_TRY(start(&s->job, &s->cs, &block, &lines, err));
    MB_TRY(mb_genesis_of_case(s->job.a, &s->cs.fit->stages->nodes, block, g, err));
    if (lines)
        mb_genesis_of_lines_(g);
    g->design = s->cs.rows->design;
    return MB_OK;
}

static mb_status of_posterior(sim_job *job, const char *file, mb_genesis *g, mb_err *err)
{
    mb_posterior p;

    MB_TRY(mb_posterior_read(job->a, file, NULL, &p, NULL, err));
    MB_TRY(mb_genesis_of_posterior(job->a, &p, g, err));
    g->design = p.design;
    return MB_OK;
}

/* What the file says beside the block. */
static mb_status declare(const genesis_opt *o, mb_declared *d, mb_genesis *g, mb_err *err)
{
    const char    *name = o->algorithm ? o->algorithm : g->kind->algorithm;
    const mb_algo *algo = NULL;
    mb_err         why = {.msg = ""};

    if (!name && !o->rows_batch)
        return MB_OK;
    if (o->algorithm && mb_node_algo_find_(name, &algo, &why) < 0)
        MB_FAIL(err, MB_E_ARG, "--%s", why.msg);
    *d = (mb_declared){.rows = (double)NAN,
                       .columns = g->columns,
                       .algorithm = algo ? algo->name : NULL,
                       .rows_batch = o->rows_batch};
    g->declared = d;
    return MB_OK;
}

static int make(sim *s, mb_err *err)
{
    const genesis_opt *o = s->args.own;
    const char        *from = o->from;
    mb_declared        d;
    mb_genesis         g;

    if ((from ? of_posterior(&s->job, from, &g, err) : of_sample(s, &g, err)) < 0)
        return app_fail("genesis", err, 1);
    if (declare(o, &d, &g, err) < 0 || mb_genesis_write(s->job.a, &g, s->job.out, err) < 0)
        return app_fail("genesis", err, 0);
    printf("%s: %s", s->job.out, g.kind->title);
    if (g.size.K)
        printf(", %d component%s", g.size.K, app_plural(g.size.K));
    printf(", %d column%s, run id %016llx\n", g.columns, app_plural(g.columns),
           (unsigned long long)g.hash);
    return APP_DONE;
}

static const sim_command command = {.name = "genesis",
                                    .bit = SIM_GENESIS,
                                    .more = options,
                                    .size = sizeof(genesis_opt),
                                    .check = check,
                                    .run = make};

static const sim_command ranges = {.name = "genesis",
                                   .bit = SIM_GENESIS,
                                   .more = options,
                                   .size = sizeof(genesis_opt),
                                   .check = genesis_ranges_check,
                                   .run = genesis_ranges};

/* The first word says of what, unless it is a sample. */
static int run(int argc, char **argv)
{
    const int of_ranges = argc > 1 && !strcmp(argv[1], "ranges");
    const int skip = of_ranges || (argc > 1 && !strcmp(argv[1], "sample"));

    return sim_main(of_ranges ? &ranges : &command, argc - skip, argv + skip);
}

static int help(FILE *out, const char *part)
{
    return sim_help(&command, part, out);
}

const app_command app_cmd_genesis = {
    .name = "genesis",
    .summary = "what all nodes of a mesh begin with, from a sample",
    .usage = "meshbayes genesis [sample|ranges] --data FILE --n-components K --out genesis.json "
             "[options]",
    .run = run,
    .text =
        "\nWrites what all nodes of a mesh must have in common before their first round: model, "
        "columns, units, prior and, for mixtures, the centres they begin with. Nothing is fitted. "
        "Every node is given the same file, so that no row has to be shown to other nodes; "
        "without it the network draws a genesis itself, from 64 rows that every node sees.\n"
        "\nA sample of some hundred rows suffices: units and prior need not be those of all rows, "
        "and centres only decide which optimum is found.\n"
        "\n`genesis ranges` needs no rows: the file has model and bounds, and nodes that run sum "
        "make "
        "units, prior and start of exact sums themselves, which show no row, and which are masked "
        "where the file lists all members (meshbayes fleet writes the list).\n"
        "\nExamples\n"
        "  meshbayes genesis --data sample.csv --n-components 3 --out genesis.json\n"
        "  meshbayes genesis ranges --bounds bounds.csv --n-components 3 --out genesis.json\n",
    .help = help};
