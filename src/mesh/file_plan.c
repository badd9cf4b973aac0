/* file_plan.c - the plan of nodes that make their block themselves: the object "model" of a
 * configuration and of a genesis file without a block (docs/formats.md). */
#include "mesh/file_plan.h"
#include "base/columns.h"
#include "base/opt.h"
#include "base/text.h"
#include "mesh/file_declared.h"
#include "mesh/genesis.h"
#include "mesh/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };
static const int64_t SEED_MOST = INT64_C(9007199254740000);

/* ---- written ---- */

/* An option under its name in JSON, a number as one, unless it has its default. */
static void put_option(const mb_opt *o, const void *obj, const void *defaults, mb_json_out *j)
{
    char        key[64], number[64], before[64];
    const char *text = mb_opt_value(o, obj, number);
    size_t      n = 0;

    if (!strcmp(text, mb_opt_value(o, defaults, before)))
        return;
    for (; o->name[n] && n + 1 < sizeof key; n++)
        key[n] = o->name[n] == '-' ? '_' : o->name[n];
    key[n] = 0;
    if (o->kind == MB_OPT_INT)
        mb_json_integer(j, key, strtoll(text, NULL, 10));
    else
        mb_json_text(j, key, text);
}

static mb_status put_bounds(mb_arena *a, const mb_bounds *b, mb_json_out *j)
{
    const int64_t shape[2] = {b->d, 2};
    double       *ends;

    MB_NEW(ends, a, 2 * (size_t)b->d, j->err);
    for (int32_t d = 0; d < b->d; d++) {
        ends[2 * d] = b->low[d];
        ends[2 * d + 1] = b->high[d];
    }
    mb_json_numbers(j, "bounds", 2, shape, ends);
    return MB_OK;
}

static void put_promise(const mb_promise *p, mb_json_out *j)
{
    mb_json_object(j, "privacy");
    mb_json_number(j, "epsilon", p->epsilon);
    mb_json_number(j, "delta", p->delta);
    if (p->colluders >= 0)
        mb_json_integer(j, "colluders", p->colluders);
    mb_json_close(j);
}

mb_status mb_plan_put_model_(mb_arena *a, const mb_plan *plan, mb_json_out *j)
{
    const mb_opt *opts = plan->kind->opts;
    char         *defaults;

    MB_NEW(defaults, a, plan->kind->opt_size + 1, j->err);
    MB_TRY(mb_opt_defaults(opts, defaults, j->err));
    mb_json_object(j, "model");
    mb_json_text(j, "name", plan->kind->name);
    for (const mb_opt *o = opts; o && o->name; o++)
        put_option(o, plan->kind_opt, defaults, j);
    mb_json_texts(j, "columns", plan->columns, plan->column);
    if (plan->kinds)
        mb_json_text(j, "column", plan->kinds->text);
    mb_json_integer(j, "seed", (int64_t)plan->seed);
    mb_json_text(j, "genesis", mb_genesis_from_text_(plan->from));
    if (plan->bounds)
        MB_TRY(put_bounds(a, plan->bounds, j));
    if (plan->privacy)
        put_promise(plan->privacy, j);
    mb_json_close(j);
    return MB_OK;
}

mb_status mb_plan_write_(mb_arena *a, const mb_plan *plan, const mb_declared *declared,
                         const char *file, mb_err *err)
{
    const mb_genesis g = {.columns = plan->columns, .declared = declared};
    mb_json_out      j;

    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "format", "meshbayes genesis");
    mb_json_integer(&j, "version", VERSION);
    mb_json_text(&j, "meshbayes", MB_VERSION);
    MB_TRY(mb_plan_put_model_(a, plan, &j));
    mb_declared_write_(&j, &g);
    mb_json_close(&j);
    return mb_json_write(&j, file);
}

/* ---- read ---- */

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

static mb_status get_columns(mb_arena *a, mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    const mb_json *list = mb_json_at(m, "columns");
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
    plan->column = name;
    plan->columns = (int32_t)list->n;
    return j->status;
}

/* "column": kinds of the columns, as --column declares them, or a kind for each in their order. All
 * nodes must have the same, so none is recognised from a file. */
static mb_status get_kinds(mb_arena *a, mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    const char   *text = mb_json_get_text(j, m, "column");
    const int32_t d = plan->columns;
    mb_columns   *kinds;
    mb_column    *of;
    mb_sizes      size;
    uint8_t      *given;

    MB_TRY(j->status);
    MB_TRY(mb_kind_declare(a, plan->kind, plan->kind_opt, &text, j->err));
    mb_kind_sizes(plan->kind, plan->kind_opt, d, NULL, &size);
    if (!text && mb_kind_category(plan->kind, &size))
        mb_json_refuse(
            j, "column", "",
            "the categories of the target, NAME:category(a|b|c): all nodes must have the "
            "same");
    MB_TRY(j->status);
    if (!text)
        return MB_OK;
    if (!(mb_kind_takes_kinds(plan->kind, &size) || mb_kind_takes_levels(plan->kind, &size) ||
          mb_kind_marks(plan->kind)) ||
        !plan->column)
        mb_json_refuse(j, "column", "",
                       plan->column ? "none: the columns of this model are numbers"
                                    : "the names of the columns beside it, \"columns\"");
    MB_TRY(j->status);
    MB_NEW(kinds, a, 1, j->err);
    plan->kinds = kinds;
    if (mb_columns_parse(a, text, strlen(text), d, kinds, NULL) == MB_OK)
        return MB_OK;
    MB_NEW(of, a, d, j->err);
    MB_NEW(given, a, d, j->err);
    MB_TRY(mb_columns_declare(a, text, d, plan->column, of, given, j->err));
    return mb_columns_make(a, d, of, kinds, j->err);
}

/* "genesis" of the model: how the network makes its block. */
static mb_status get_from(mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    const char *from = mb_json_get_text(j, m, "genesis");

    plan->from = MB_GENESIS_SAMPLE;
    while (from && plan->from <= MB_GENESIS_RANGES &&
           strcmp(from, mb_genesis_from_text_(plan->from)) != 0)
        plan->from++;
    if (plan->from > MB_GENESIS_RANGES)
        mb_json_refuse(j, "genesis", "", "sample, sums or ranges");
    return j->status;
}

/* The bounds, where they are a list: [low, high] of every column. */
static mb_status get_bounds(mb_arena *a, mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    const int32_t D = plan->columns, shape[2] = {D, 2};
    double       *ends, *low, *high;
    mb_bounds    *b;

    if (mb_json_at(m, "bounds")->type != MB_JSON_LIST)
        return j->status;
    if (!plan->column)
        mb_json_refuse(j, "columns", "", "the names of the columns whose bounds are listed");
    MB_TRY(j->status);
    MB_NEW(ends, a, 2 * (size_t)D, j->err);
    MB_NEW(low, a, D, j->err);
    MB_NEW(high, a, D, j->err);
    MB_NEW(b, a, 1, j->err);
    mb_json_get_numbers(j, m, "bounds", 2, shape, ends);
    for (int32_t d = 0; d < D; d++) {
        low[d] = ends[2 * d];
        high[d] = ends[2 * d + 1];
    }
    *b = (mb_bounds){D, low, high};
    plan->bounds = b;
    return j->status;
}

/* What a release promises; its nodes are the members, who are not known here. */
static mb_status get_promise(mb_arena *a, mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    static const char *const known[] = {"epsilon", "delta", "colluders", NULL};
    const mb_json           *o = mb_json_at(m, "privacy");
    mb_promise              *p;

    if (o->type == MB_JSON_NONE)
        return j->status;
    o = mb_json_get(j, m, "privacy", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_NEW(p, a, 1, j->err);
    j->where = "model.privacy.";
    mb_json_only(j, o, known);
    p->epsilon = mb_json_get_real(j, o, "epsilon");
    p->delta = mb_json_get_real(j, o, "delta");
    p->colluders = -1;
    if (mb_json_at(o, "colluders")->type != MB_JSON_NONE)
        p->colluders = (int32_t)fmin(INT32_MAX, (double)mb_json_get_count(j, o, "colluders"));
    if (!(p->epsilon > 0))
        mb_json_refuse(j, "epsilon", "", "a number above 0");
    if (!(p->delta > 0 && p->delta < 1))
        mb_json_refuse(j, "delta", "", "a number above 0, below 1");
    j->where = "model.";
    plan->privacy = p;
    return j->status;
}

/* All members draw noise; half of them may collude, where nothing else is said. */
static mb_status count_promise(mb_arena *a, const mb_declared *d, mb_plan *plan, mb_err *err)
{
    mb_promise *p;

    if (!plan->privacy || !d || !d->members)
        return MB_OK;
    MB_NEW(p, a, 1, err);
    *p = *plan->privacy;
    p->nodes = d->members;
    if (p->colluders < 0)
        p->colluders = p->nodes / 2;
    plan->privacy = p;
    return MB_OK;
}

/* Options of the kind, and the columns. */
static mb_status get_options(mb_arena *a, mb_json_in *j, const mb_json *m, mb_plan *plan)
{
    static const char *const own[] = {"name",    "columns", "column",  "seed",
                                      "genesis", "bounds",  "privacy", NULL};
    char                    *opt;

    MB_NEW(opt, a, plan->kind->opt_size + 1, j->err);
    MB_TRY(mb_opt_defaults(plan->kind->opts, opt, j->err));
    for (size_t k = 0; k < m->n; k++) {
        const char *const *is = own;

        while (*is && strcmp(*is, m->item[k].key) != 0)
            is++;
        if (!*is)
            MB_TRY(set_option(a, j, &m->item[k], plan->kind, opt));
    }
    plan->kind_opt = opt;
    MB_TRY(get_kinds(a, j, m, plan));
    if (plan->column)
        return mb_kind_effects(a, plan->kind, opt, plan->columns, plan->column, &plan->kinds,
                               j->err);
    if (mb_kind_effects_given(plan->kind, opt))
        mb_json_refuse(j, "columns", "", "the columns' names, as an option has some");
    return j->status;
}

mb_status mb_plan_get_model_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_plan *plan)
{
    const mb_json *m = mb_json_get(j, o, "model", MB_JSON_OBJECT);
    const char    *name;
    int64_t        seed;

    MB_TRY(j->status);
    j->where = "model.";
    name = mb_json_get_text(j, m, "name");
    plan->kind = mb_kind_find(name ? name : MB_KIND_DEFAULT);
    if (!plan->kind)
        mb_json_refuse(j, "name", "", "the name of a model, as in meshbayes sim --model");
    MB_TRY(get_from(j, m, plan));
    seed = mb_json_at(m, "seed")->type == MB_JSON_NONE ? 1 : mb_json_get_count(j, m, "seed");
    if (seed < 0 || seed > SEED_MOST)
        mb_json_refuse(j, "seed", "", "a whole number from 0 to 9007199254740000");
    plan->seed = (uint64_t)seed;
    MB_TRY(get_columns(a, j, m, plan));
    MB_TRY(get_bounds(a, j, m, plan));
    MB_TRY(get_promise(a, j, m, plan));
    MB_TRY(get_options(a, j, m, plan));
    j->where = "";
    return j->status;
}

int mb_genesis_lacks_block_(const mb_json *o)
{
    return mb_json_at(o, "model")->type == MB_JSON_OBJECT;
}

/* What a file without a block has to have: nothing is left to each node. */
static mb_status check_whole(mb_json_in *j, const mb_plan *plan)
{
    j->where = "model.";
    if (plan->from != MB_GENESIS_RANGES)
        mb_json_refuse(j, "genesis", "",
                       "ranges: for others a file has the block (meshbayes genesis)");
    if (!plan->column)
        mb_json_refuse(j, "columns", "", "a list of names of columns");
    if (!plan->bounds)
        mb_json_refuse(j, "bounds", "", "[low, high] of every column");
    j->where = "";
    if (j->status >= 0 && mb_plan_bounded_(plan, j->err) < 0)
        j->status = MB_E_FORMAT;
    return j->status;
}

mb_status mb_plan_read_(mb_arena *a, const char *file, mb_plan *out, const mb_declared **declared,
                        int *lacks, mb_err *err)
{
    const char    *known[5 + MB_DECLARED_FIELDS_] = {"format", "version", "meshbayes", "model"};
    mb_json_in     j = {.file = file, .where = "", .err = err};
    mb_genesis     g = {.declared = NULL};
    const mb_json *o;
    const char    *format;

    MB_TRY(mb_json_read(a, file, &o, err));
    *lacks = mb_genesis_lacks_block_(o);
    if (!*lacks)
        return MB_OK;
    memcpy(known + 4, mb_declared_fields_, MB_DECLARED_FIELDS_ * sizeof *known);
    mb_json_only(&j, o, known);
    format = mb_json_get_text(&j, o, "format");
    if (!format || strcmp(format, "meshbayes genesis") != 0)
        mb_json_refuse(&j, "format", "", "\"meshbayes genesis\"");
    if (mb_json_get_count(&j, o, "version") != VERSION)
        mb_json_refuse(&j, "version", "", "1 (this is meshbayes " MB_VERSION ")");
    MB_TRY(j.status);
    *out = (mb_plan){.algo = &mb_algo_sum}; /* no other makes exact sums */
    MB_TRY(mb_plan_get_model_(a, &j, o, out));
    MB_TRY(check_whole(&j, out));
    g.columns = out->columns;
    MB_TRY(mb_declared_read_(a, &j, o, &g));
    *declared = g.declared;
    if (out->privacy && g.declared && g.declared->rows_batch)
        mb_json_refuse(&j, "rows_batch", "", "none with privacy, whose rows are summed once");
    MB_TRY(j.status);
    return count_promise(a, g.declared, out, err);
}
