/* config_model.c - the model of a configuration, or the block that is given in its place. */
#include "base/columns.h"
#include "base/text.h"
#include "config_inside.h"
#include "data/table.h"
#include "mesh/file_plan.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "posterior/file.h"

#include <stdio.h>
#include <string.h>

/* "model": the network makes its block, within bounds that are a list or the name of a file. */
static mb_status get_model(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const mb_json *m = mb_json_at(o, "model");

    MB_TRY(mb_plan_get_model_(a, j, o, &c->plan));
    j->where = "model.";
    node_no_privacy(j, m);
    if (!c->plan.bounds)
        MB_TRY(node_path_of(a, j, m, "bounds", c, &c->bounds));
    if ((c->bounds || c->plan.bounds) != (c->plan.from == MB_GENESIS_RANGES))
        mb_json_refuse(j, "bounds", "",
                       c->plan.from != MB_GENESIS_RANGES
                           ? "none, but with genesis ranges"
                           : "a file with column,low,high of every column, for ranges");
    j->where = "";
    return j->status;
}

mb_status node_bounds_read(mb_arena *a, node_config *c, mb_err *err)
{
    const int32_t d = c->plan.columns;
    mb_bounds    *b;
    double       *low, *high;

    if (!c->bounds)
        return MB_OK;
    MB_NEW(b, a, 1, err);
    MB_NEW(low, a, d, err);
    MB_NEW(high, a, d, err);
    MB_TRY(mb_bounds_read(a, c->bounds, d, c->plan.column, low, high, err));
    *b = (mb_bounds){d, low, high};
    c->plan.bounds = b;
    return MB_OK;
}

/* The plan of a block that was given: its kind, sizes, choices and columns, other options as by
 * default. */
static mb_status plan_of(mb_arena *a, const mb_genesis *g, mb_plan *out, mb_err *err)
{
    char *opt, components[48];

    MB_NEW(opt, a, g->kind->opt_size + 1, err);
    MB_TRY(mb_opt_defaults(g->kind->opts, opt, err));
    snprintf(components, sizeof components, "n-components=%d", (int)(g->size.K + g->size.factors));
    if (mb_kind_latent(g->kind))
        MB_TRY(mb_opt_assign(g->kind->opts, opt, components, err));
    for (int32_t k = 0; k < mb_kind_choices(g->kind); k++)
        MB_TRY(mb_opt_set(mb_opt_find(g->kind->opts, g->kind->choices[k].option),
                          mb_kind_word(g->kind, &g->size, k), opt, err));
    *out = (mb_plan){.kind = g->kind,
                     .kind_opt = opt,
                     .columns = g->columns,
                     .column = g->column,
                     .kinds = g->size.columns,
                     .from = MB_GENESIS_GIVEN};
    return MB_OK;
}

/* The columns that rows come with, where the genesis makes others of them. */
static mb_status get_sources(mb_arena *a, const mb_genesis *g, node_config *c, mb_err *err)
{
    const mb_posterior of = {.kind = g->kind,
                             .size = g->size,
                             .column = g->column,
                             .target = g->column + g->size.D,
                             .design = g->design};

    c->design = g->design;
    return mb_posterior_sources(a, &of, &c->sources, &c->source, &c->source_kinds, err);
}

/* A block, or what nodes make one of. */
static mb_status get_given(mb_arena *a, mb_json_in *j, node_config *c, mb_genesis *given)
{
    int lacks;

    c->genesis = node_path(a, c, c->genesis, j->err);
    if (!c->genesis)
        return MB_E_NOMEM;
    MB_TRY(mb_plan_read_(a, c->genesis, &c->plan, &given->declared, &lacks, j->err));
    if (lacks)
        return MB_OK;
    MB_TRY(mb_genesis_read(a, c->genesis, NULL, given, j->err));
    if (given->design)
        MB_TRY(get_sources(a, given, c, j->err));
    return plan_of(a, given, &c->plan, j->err);
}

mb_status node_plan_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c,
                       mb_genesis *given)
{
    const int model = mb_json_at(o, "model")->type != MB_JSON_NONE;
    mb_sizes  size = {.K = 0};
    int       grouped;

    c->genesis = mb_json_get_text(j, o, "genesis");
    if (model == (c->genesis != NULL))
        mb_json_refuse(j, "genesis", "",
                       "either \"genesis\" (a file of meshbayes genesis) or \"model\", and one of "
                       "them");
    MB_TRY(j->status);
    MB_TRY(model ? get_model(a, j, o, c) : get_given(a, j, c, given));
    for (int32_t d = 0; c->weight_column && c->plan.column && d < c->plan.columns; d++)
        if (!strcmp(c->weight_column, c->plan.column[d]))
            mb_json_refuse(j, "weight_column", "", "a column beside those of the model");
    for (int32_t d = 0; c->group_column && c->plan.column && d < c->plan.columns; d++)
        if (!strcmp(c->group_column, c->plan.column[d]))
            mb_json_refuse(j, "group_column", "", "a column beside those of the model");
    if (!given->kind && c->plan.kind_opt)
        mb_kind_sizes(c->plan.kind, c->plan.kind_opt, 2, NULL, &size);
    if (j->status < 0)
        return j->status;
    grouped = mb_kind_grouped(c->plan.kind, given->kind ? &given->size : &size);
    if (grouped && !mb_kind_needs_groups(c->plan.kind) && c->data && !c->group_column)
        mb_json_refuse(j, "group_column", "", "the column of groups, which the model needs");
    if (!grouped && c->group_column)
        mb_json_refuse(j, "group_column", "", "none, because the model is of rows alone");
    return j->status;
}
