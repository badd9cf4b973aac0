/* up_net.c - the virtual network of the options: plan, block, schedule with the rows that its
 * events bring, links and nodes. */
#include "base/app.h"
#include "base/columns.h"
#include "base/text.h"
#include "data/data.h"
#include "formula/design.h"
#include "mesh/file_plan.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "run/genesis.h"
#include "up/up.h"

#include <math.h>
#include <string.h>

/* The rows of one event, columns in the order of --data. */
static mb_status one(up *u, const mb_data_opt *how, mb_event *e, mb_err *err)
{
    const mb_data *data = &u->cs->rows->data;
    const char    *origin;
    mb_data        got;
    mb_rows       *rows;

    MB_NEW(rows, u->job->a, 1, err);
    origin = mb_text(u->job->a, err, "--data (%s:%lld)", u->opt.schedule, (long long)e->line);
    if (!origin)
        return MB_E_NOMEM;
    MB_TRY(app_read_columns(u->job->a, e->file, how, data->d, data->name, origin, &got, err));
    *rows = (mb_rows){
        .x = got.x, .w = got.w, .n = got.n, .d = got.d, .ld = (size_t)got.d, .gaps = got.gaps > 0};
    rows->first = got.group;
    rows->ngroup = got.ngroup;
    e->rows = rows;
    return MB_OK;
}

/* The groups of rows that come later are those of a column. */
static mb_status no_rows(const up *u, mb_err *err)
{
    for (int64_t k = 0; k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            MB_FAIL(err, MB_E_ARG,
                    "%s:%lld: rows that arrive need --group-column; expected no --group-file",
                    u->opt.schedule, (long long)u->schedule.event[k].line);
    return MB_OK;
}

/* The rows that events of the schedule bring. */
static mb_status read_rows(up *u, mb_err *err)
{
    mb_data_opt how = u->cs->args->opt.read;

    MB_TRY(app_missing(u->cs->args->kind, &how, err));
    if (how.missing == MB_MISSING_KEEP && u->args.from >= MB_GENESIS_SUMS)
        how.missing = MB_MISSING_ERROR;
    how.drop = NULL;
    if (u->plan.kinds) {
        how.column = mb_columns_declaration(u->job->a, u->plan.kinds, u->plan.column, err);
        how.recognise = 1;
        if (!how.column)
            return MB_E_NOMEM;
    }
    how.node_file = how.label_file = NULL;
    if (how.group_file && u->schedule.n)
        MB_TRY(no_rows(u, err));
    how.weight_column = u->cs->args->opt.weight_column;
    for (int64_t k = 0; k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            MB_TRY(one(u, &how, &u->schedule.event[k], err));
    return MB_OK;
}

static int64_t microseconds(double seconds)
{
    return (int64_t)llround(1e6 * seconds);
}

/* The block that `sim` would start from with these options. */
static mb_status block_of_init(up *u, mb_err *err)
{
    sim_job        *job = u->job;
    const sim_case *cs = u->cs;
    const mb_case  *c = &cs->fit->stages->nodes;
    mb_start        start = cs->start;
    double         *phi_star;

    MB_TRY(genesis_check(cs->args, "--genesis init", err));
    if (!start.centres && mb_kind_has_components(c->kind)) {
        MB_NEW(phi_star, job->a, (size_t)cs->network->net.n * c->model.layout.len, err);
        MB_TRY(mb_case_seed(c, &start, 0, phi_star, c->model.layout.len, err));
        start.centres = cs->drawn->centres;
    } else if (start.centres) {
        MB_TRY(mb_case_as_centres(job->a, c, start.centres, &start.centres, err));
    }
    return mb_genesis_of_case(job->a, c, start.centres, &u->block, err);
}

/* A genesis file without a block: nodes make it within its bounds, of the rows and with the model that
 * the options name. *lacks: 0: the file has one. */
static mb_status take_plan(up *u, int *lacks, mb_err *err)
{
    mb_plan plan, mine = u->plan;

    MB_TRY(mb_plan_read_(u->job->a, u->args.genesis, &plan, &u->block.declared, lacks, err));
    if (!*lacks)
        return MB_OK;
    if (plan.privacy)
        MB_FAIL(
            err, MB_E_ARG,
            "--genesis: %s promises privacy; expected up --bounds FILE.csv --privacy WORDS, which "
            "writes such a file and books the release, or meshbayes-node",
            u->args.genesis);
    mine.from = plan.from;
    mine.bounds = plan.bounds;
    mine.seed = plan.seed;
    if (mb_plan_hash_(&mine) != mb_plan_hash_(&plan))
        MB_FAIL(err, MB_E_ARG,
                "--genesis: %s is of %s of %d columns, with options of its own; expected the same "
                "model, options and columns, and --algorithm sum",
                u->args.genesis, plan.kind->name, (int)plan.columns);
    u->plan = mine;
    u->args.from = plan.from;
    return mb_bounds_hold(plan.bounds, &u->cs->rows->data, u->args.genesis, err);
}

mb_status up_block_read(up *u, mb_err *err)
{
    const mb_declared *agreed;

    int lacks;

    if (u->args.from != MB_GENESIS_GIVEN)
        return MB_OK;
    if (!u->args.genesis)
        return block_of_init(u, err);
    MB_TRY(take_plan(u, &lacks, err));
    if (lacks)
        return MB_OK;
    MB_TRY(mb_genesis_read(u->job->a, u->args.genesis, u->cs->args->kind, &u->block, err));
    agreed = u->block.declared;
    if (!mb_design_same(u->block.design, u->cs->rows->design))
        MB_FAIL(err, MB_E_ARG,
                "--genesis: %s has inputs that another formula, other levels or no formula make; "
                "expected the same as of --data and --formula",
                u->args.genesis);
    if (agreed && agreed->algorithm && strcmp(agreed->algorithm, u->opt.algorithm) != 0)
        MB_FAIL(err, MB_E_ARG, "--genesis: %s is of nodes that run %s; use --algorithm %s",
                u->args.genesis, agreed->algorithm, agreed->algorithm);
    u->block.design = NULL; /* nodes have the rows that it made */
    return MB_OK;
}

void up_plan_make(up *u)
{
    const sim_case *cs = u->cs;

    u->plan =
        (mb_plan){.kind = cs->args->kind,
                  .kind_opt = cs->args->model_opt,
                  .columns = cs->rows->data.d,
                  .column = cs->rows->data.name,
                  .kinds = mb_kind_mixes(cs->args->kind) ? cs->rows->data.columns
                                                         : cs->fit->stages->nodes.size.columns,
                  .seed = (uint64_t)cs->args->opt.seed,
                  .from = u->args.from,
                  .algo = cs->args->choice[0].algo,
                  .bounds = u->args.from == MB_GENESIS_RANGES ? &cs->bounds : NULL};
}

static mb_peer_opt peers(const up *u)
{
    return (mb_peer_opt){.plan = &u->plan,
                         .window_rows = (int64_t)u->args.window_rows,
                         .window_ms = (int64_t)llround(1e3 * u->args.window_s),
                         .tick_ms = (int64_t)llround(1e3 * u->args.tick),
                         .kappa = isnan(u->opt.kappa) ? 0 : u->opt.kappa,
                         .eta = isnan(u->opt.eta) ? 0 : u->opt.eta,
                         .tol = u->cs->args->opt.tol,
                         .wire = (mb_wire)u->opt.wire,
                         .declared = u->block.declared};
}

mb_status up_net_make(up *u, mb_err *err)
{
    const sim_case *cs = u->cs;
    const up_args  *args = &u->args;

    up_plan_make(u);
    MB_TRY(up_block_read(u, err));
    if (u->opt.schedule) {
        MB_TRY(mb_schedule_read(u->job->a, u->opt.schedule, &cs->network->net.g,
                                cs->network->net.id, &u->schedule, err));
        MB_TRY(read_rows(u, err));
    }
    MB_TRY(up_mask_choose(u, err));
    u->how.rows = cs->fit->stages->nodes.data;
    if (u->masked)
        MB_TRY(up_mask_declare(u, NULL, err));
    u->how =
        (mb_virtual_opt){.graph = &cs->network->net.g,
                         .name = cs->network->net.id,
                         .rows = cs->fit->stages->nodes.data,
                         .genesis = u->block.kind ? &u->block : NULL,
                         .schedule = u->schedule,
                         .peer = peers(u),
                         .speed = {args->speed.lo, args->speed.hi},
                         .delay_us = {microseconds(args->delay.lo), microseconds(args->delay.hi)},
                         .loss = isnan(u->opt.loss) ? 0 : u->opt.loss,
                         .duplicate = u->opt.duplicate,
                         .reorder = u->opt.reorder,
                         .corrupt = u->opt.corrupt,
                         .disk_fail = u->opt.disk_fail,
                         .disk_torn = u->opt.disk_torn,
                         .disk_short = u->opt.disk_short,
                         .delivery = cs->network->net.delivery,
                         .bandwidth = args->bandwidth,
                         .checkpoint_ticks = args->checkpoint_ticks,
                         .seed = (uint64_t)cs->args->opt.seed};
    return mb_virtual_new(&u->how, &u->net, err);
}
