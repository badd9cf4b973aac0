/* config_model.c - the model of a configuration, or the block that is given in its place. */
#include "base/columns.h"
#include "base/text.h"
#include "config_inside.h"
#include "data/table.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "posterior/file.h"

#include <stdio.h>
#include <string.h>

/* One option of the kind, by its name with _ for -. */
static mb_status set_option(mb_arena *a, mb_json_in *j, const mb_json *v, const mb_kind *kind,
                            void *opt)
{
    char          name[64], number[40];
    const char   *value = v->text;
    const mb_opt *o;
    size_t        n = 0;

    for (; v->key[n] && n + 1 < sizeof name; n++)
        name[n] = v->key[n] == '_' ? '-' : v->key[n];
    name[n] = 0;
    o = mb_opt_find(kind->opts, name);
    if (v->type == MB_JSON_INTEGER)
        snprintf(number, sizeof number, "%lld", (long long)v->integer);
    else
        snprintf(number, sizeof number, "%.17g", v->number);
    if (!value && (v->type == MB_JSON_INTEGER || v->type == MB_JSON_REAL))
        value = mb_text(a, j->err, "%s", number);
    if (!o || !value) {
        mb_json_refuse(j, v->key, "", o ? "a number or a text" : "an option of the model");
        return j->status;
    }
    return mb_opt_set(o, value, opt, j->err);
}

static mb_status get_columns(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const mb_json *list = mb_json_at(o, "columns");
    const char   **name;

    if (list->type == MB_JSON_NONE)
        return MB_OK;
    if (list->type != MB_JSON_LIST || !list->n) {
        mb_json_refuse(j, "columns", "", "a list of names of columns");
        return j->status;
    }
    MB_NEW(name, a, list->n, j->err);
    for (size_t k = 0; k < list->n; k++) {
        name[k] = list->item[k].text;
        if (!name[k] || !*name[k])
            mb_json_refuse(j, "columns", "", "a list of names of columns");
    }
    c->plan.column = name;
    c->plan.columns = (int32_t)list->n;
    return j->status;
}

/* "column": kinds of the columns, as --column declares them, or a kind for each in their order. All
 * nodes must have the same, so none is recognised from a file. */
static mb_status get_kinds(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const char   *text = mb_json_get_text(j, o, "column");
    const int32_t d = c->plan.columns;
    mb_columns   *kinds;
    mb_column    *of;
    mb_sizes      size;
    uint8_t      *given;

    MB_TRY(j->status);
    mb_kind_sizes(c->plan.kind, c->plan.kind_opt, d, NULL, &size);
    if (!text && mb_kind_category(c->plan.kind, &size))
        mb_json_refuse(
            j, "column", "",
            "the categories of the target, NAME:category(a|b|c): all nodes must have the "
            "same");
    MB_TRY(j->status);
    if (!text)
        return MB_OK;
    if (!(mb_kind_takes_kinds(c->plan.kind, &size) || mb_kind_takes_levels(c->plan.kind, &size) ||
          mb_kind_marks(c->plan.kind)) ||
        !c->plan.column)
        mb_json_refuse(j, "column", "",
                       c->plan.column ? "none: the columns of this model are numbers"
                                      : "the names of the columns beside it, \"columns\"");
    MB_TRY(j->status);
    MB_NEW(kinds, a, 1, j->err);
    c->plan.kinds = kinds;
    if (mb_columns_parse(a, text, strlen(text), d, kinds, NULL) == MB_OK)
        return MB_OK;
    MB_NEW(of, a, d, j->err);
    MB_NEW(given, a, d, j->err);
    MB_TRY(mb_columns_declare(a, text, d, c->plan.column, of, given, j->err));
    return mb_columns_make(a, d, of, kinds, j->err);
}

/* "genesis" of the model: how the network makes its block; and the bounds of one of exact sums. */
static mb_status get_from(mb_arena *a, mb_json_in *j, const mb_json *m, node_config *c)
{
    const char *from = mb_json_get_text(j, m, "genesis");

    c->plan.from = MB_GENESIS_SAMPLE;
    while (from && c->plan.from <= MB_GENESIS_RANGES &&
           strcmp(from, mb_genesis_from_text_(c->plan.from)) != 0)
        c->plan.from++;
    if (c->plan.from > MB_GENESIS_RANGES)
        mb_json_refuse(j, "genesis", "", "sample, sums or ranges");
    MB_TRY(node_path_of(a, j, m, "bounds", c, &c->bounds));
    if (!c->bounds != (c->plan.from != MB_GENESIS_RANGES))
        mb_json_refuse(j, "bounds", "",
                       c->bounds ? "none, but with genesis ranges"
                                 : "a file with column,low,high of every column, for ranges");
    return j->status;
}

/* "model": the network draws its genesis block. */
static mb_status get_model(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const own[] = {"name",    "columns", "column", "seed",
                                      "genesis", "bounds",  NULL};
    const mb_json           *m = mb_json_get(j, o, "model", MB_JSON_OBJECT);
    const char              *name;
    char                    *opt;

    MB_TRY(j->status);
    j->where = "model.";
    name = mb_json_get_text(j, m, "name");
    c->plan.kind = mb_kind_find(name ? name : MB_KIND_DEFAULT);
    if (!c->plan.kind)
        mb_json_refuse(j, "name", "", "the name of a model, as in meshbayes sim --model");
    MB_TRY(get_from(a, j, m, c));
    c->plan.seed = (uint64_t)node_count_of(j, m, "seed", 0, INT64_C(9007199254740000), 1);
    MB_TRY(get_columns(a, j, m, c));
    MB_TRY(j->status);
    MB_NEW(opt, a, c->plan.kind->opt_size + 1, j->err);
    MB_TRY(mb_opt_defaults(c->plan.kind->opts, opt, j->err));
    for (size_t k = 0; k < m->n; k++) {
        const char *const *is = own;

        while (*is && strcmp(*is, m->item[k].key) != 0)
            is++;
        if (!*is)
            MB_TRY(set_option(a, j, &m->item[k], c->plan.kind, opt));
    }
    c->plan.kind_opt = opt;
    MB_TRY(get_kinds(a, j, m, c));
    if (c->plan.column)
        MB_TRY(mb_kind_effects(a, c->plan.kind, opt, c->plan.columns, c->plan.column,
                               &c->plan.kinds, j->err));
    else if (mb_kind_effects_given(c->plan.kind, opt))
        mb_json_refuse(j, "columns", "", "the columns' names, as an option has some");
    MB_TRY(j->status);
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

static mb_status get_given(mb_arena *a, mb_json_in *j, node_config *c, mb_genesis *given)
{
    c->genesis = node_path(a, c, c->genesis, j->err);
    if (!c->genesis)
        return MB_E_NOMEM;
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
    if (model && c->plan.kind_opt)
        mb_kind_sizes(c->plan.kind, c->plan.kind_opt, 2, NULL, &size);
    if (j->status < 0)
        return j->status;
    grouped = mb_kind_grouped(c->plan.kind, model ? &size : &given->size);
    if (grouped && !mb_kind_needs_groups(c->plan.kind) && c->data && !c->group_column)
        mb_json_refuse(j, "group_column", "", "the column of groups, which the model needs");
    if (!grouped && c->group_column)
        mb_json_refuse(j, "group_column", "", "none, because the model is of rows alone");
    return j->status;
}
