/* list.c - what there is: models, algorithms, options, answers. */
#include "algo/nodes.h"
#include "base/format.h"
#include "bind/handle.h"
#include "fit/fit.h"
#include "formula/inputs.h"
#include "model/kind.h"

#include <string.h>

enum { OPTION_COLUMNS = 10, MODEL_COLUMNS = 6 };

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static mb_status models(mb_bind *b, mb_bind_listed_ *to, mb_err *err)
{
    const mb_kind *const *kind = mb_kind_list();

    while (kind[to->rows])
        to->rows++;
    to->columns = MODEL_COLUMNS;
    MB_NEW(to->text, b->own, MODEL_COLUMNS * to->rows, err);
    for (const char **at = to->text; *kind; kind++) {
        *at++ = (*kind)->name;
        *at++ = (*kind)->title;
        *at++ = or_empty((*kind)->estimator);
        *at++ = or_empty((*kind)->groups);
        *at++ = (*kind)->gaps ? "gaps" : "";
        *at++ = mb_network_algo_(*kind);
    }
    return MB_OK;
}

static mb_status algorithms(mb_bind *b, mb_bind_listed_ *to, mb_err *err)
{
    const mb_algo *const *algo = mb_algo_list();

    while (algo[to->rows])
        to->rows++;
    to->columns = 2;
    MB_NEW(to->text, b->own, 2 * to->rows, err);
    for (int64_t k = 0; k < to->rows; k++) {
        to->text[2 * k] = algo[k]->name;
        to->text[2 * k + 1] = algo[k]->title;
    }
    return MB_OK;
}

static mb_status number(mb_bind *b, double x, const char **out, mb_err *err)
{
    char *text;

    MB_NEW(text, b->own, 32, err);
    mb_format_exact_(text, 32, x);
    *out = text;
    return MB_OK;
}

/* A table's options after those that are there; text NULL: they are only counted. */
static mb_status options_of(mb_bind *b, const char *whose, const mb_opt *o, mb_bind_listed_ *to,
                            mb_err *err)
{
    /* Characters, not addresses, which cost as much again when the library is loaded. */
    static const char types[][8] = {
        [MB_OPT_REAL] = "real",  [MB_OPT_AUTO] = "auto",     [MB_OPT_INT] = "integer",
        [MB_OPT_TEXT] = "text",  [MB_OPT_CHOICE] = "choice", [MB_OPT_FLAG] = "flag",
        [MB_OPT_INPUT] = "text", [MB_OPT_OUTPUT] = "text"};

    for (; o && o->name; o++, to->rows++) {
        const char **at = to->text ? to->text + to->rows * OPTION_COLUMNS : NULL;
        const int    ranged = o->lo < o->hi;

        if (!at)
            continue;
        *at++ = o->name;
        *at++ = whose;
        *at++ = types[o->kind];
        *at++ = or_empty(o->def);
        at[0] = at[1] = "";
        if (ranged)
            MB_TRY(number(b, o->lo, &at[0], err));
        if (ranged)
            MB_TRY(number(b, o->hi, &at[1], err));
        at += 2;
        *at++ = or_empty(o->choices);
        *at++ = or_empty(o->unit);
        *at++ = or_empty(o->sklearn);
        *at = o->help;
    }
    return MB_OK;
}

static mb_status options(mb_bind *b, mb_bind_listed_ *to, mb_err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        to->columns = OPTION_COLUMNS;
        to->rows = 0;
        MB_TRY(options_of(b, "fit", mb_bind_run_options_, to, err));
        MB_TRY(options_of(b, b->kind->name, b->kind->opts, to, err));
        for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++)
            MB_TRY(options_of(b, (*algo)->name, (*algo)->opts, to, err));
        if (!pass)
            MB_NEW(to->text, b->own, to->rows * OPTION_COLUMNS, err);
    }
    return MB_OK;
}

/* What the posterior can say, or one that these options lead to. */
static mb_status answers(mb_bind *b, mb_bind_listed_ *to, mb_err *err)
{
    enum { ANSWERS = 16 };
    mb_arena      *a = mb_arena_new(1 << 12);
    void          *opt = NULL;
    mb_sizes       s = {0};
    const mb_want *want;
    int32_t        n;
    mb_status      st = a ? MB_OK : MB_E_NOMEM;

    if (st >= 0 && !b->now)
        st = mb_options_new_(a, b->kind->name, b->kind->opts, b->kind->opt_size, &opt, err);
    if (st >= 0 && !b->now)
        st = mb_bind_options_(b, b->kind->opts, opt, err);
    if (st >= 0 && b->now)
        s = b->now->p.size;
    else if (st >= 0)
        mb_kind_sizes(b->kind, opt, mb_kind_least_inputs(b->kind, &s) + b->kind->targets, NULL, &s);
    mb_arena_free(a);
    MB_TRY(st);
    if (!b->answer[0])
        MB_NEW(b->answer[0], b->own, ANSWERS, err);
    want = mb_kind_wants(b->kind, &s, &n);
    *to = (mb_bind_listed_){b->answer[0], n < ANSWERS ? n : ANSWERS, 1};
    for (int64_t k = 0; k < to->rows; k++)
        to->text[k] = mb_want_text(want[k]);
    return MB_OK;
}

/* The columns that the option formula names. */
static mb_status named(mb_bind *b, mb_bind_listed_ *to, mb_err *err)
{
    mb_bind_run_ run = {.formula = NULL};

    MB_TRY(mb_bind_options_(b, mb_bind_run_options_, &run, err));
    *to = (mb_bind_listed_){.columns = 2};
    if (!MB_STORED_(run.formula != NULL))
        return MB_OK;
    return mb_inputs_named(b->own, run.formula, &to->text, &to->rows, err);
}

static mb_status list(mb_bind *b, const char *what, mb_bind_listed_ *out, mb_err *err)
{
    static const char all[][11] = {"models", "algorithms", "options"};
    mb_status         st = MB_OK;
    int               k = 0;

    while (k < MB_BIND_LISTS_ && strcmp(what, all[k]) != 0)
        k++;
    if (k < MB_BIND_LISTS_) {
        if (!b->list[k].text)
            st = k == 0   ? models(b, &b->list[k], err)
                 : k == 1 ? algorithms(b, &b->list[k], err)
                          : options(b, &b->list[k], err);
        *out = b->list[k];
        return st;
    }
    if (!strcmp(what, "answers"))
        return answers(b, out, err);
    if (!strcmp(what, "formula"))
        return named(b, out, err);
    MB_FAIL(err, MB_E_ARG,
            "list: got \"%.60s\"; expected models, algorithms, options, answers or formula", what);
}

int mb_bind_list(mb_bind *b, const char *what, const char *const **text, int64_t *rows,
                 int64_t *columns)
{
    mb_bind_listed_ found = {0};
    int             st = mb_bind_begin_(b);

    if (st)
        return st;
    st = list(b, what, &found, &b->fault);
    *text = st ? NULL : found.text;
    *rows = st ? 0 : found.rows;
    *columns = st ? 0 : found.columns;
    return mb_bind_end_named_(b, st, what);
}
