/* options.c - options of bindings: of fits, of the model, of algorithms. */
#include "base/opt.h"
#include "base/run_rows.h"
#include "bind/handle.h"

#include <string.h>

#define AT(field) offsetof(mb_bind_run_, field)

const mb_opt mb_bind_run_options_[] = {
    {MB_ROW_SEED_(AT(seed))},
    {"init", MB_OPT_CHOICE, AT(init), "kmeans", 0, 0,
     MB_INIT_DRAWN_ "|centres|responsibilities|posterior", NULL, NULL, "init_params",
     "centres by k-means++, moved by k-means or as drawn, farthest-first, or any rows; random "
     "responsibilities; the array that is given; one step from the handle's posterior"},
    {MB_ROW_N_INIT_(AT(n_init))},
    {MB_ROW_PREFER_(AT(prefer))},
    {"prune", MB_OPT_CHOICE, AT(prune), "off", 0, 0, "off|on", NULL, NULL, NULL,
     "merge components that the rows do not need, where the lower bound does not fall"},
    {MB_ROW_ACCELERATE_(AT(accelerate))},
    {"rounds", MB_OPT_AUTO, AT(rounds), "auto", MB_RANGE_ROUNDS_, NULL, "rounds", NULL, "max_iter",
     "at most this many rounds; auto: 5000, of an algorithm of nodes 20000"},
    {MB_ROW_TOL_(AT(tol))},
    {MB_ROW_STOP_(AT(stop))},
    {MB_ROW_STANDARDIZE_(AT(standardize))},
    {MB_ROW_PRECISION_(AT(precision))},
    {MB_ROW_THREADS_(AT(threads))},
    {MB_ROW_DEAL_(AT(deal), "blocks")},
    {"weights", MB_OPT_TEXT, AT(weights), "metropolis", 0, 0, "nearest|metropolis|laplacian", NULL,
     "eq. (23), (47)", NULL, "combination weights of networks"},
    {"loss", MB_OPT_REAL, AT(loss), "0", 0, 0.999, NULL, "probability", NULL, NULL,
     "a link is down for a round, in both directions"},
    {MB_ROW_LOSS_DIRECTED_(AT(loss_directed))},
    {MB_ROW_SILENT_(AT(silent))},
    {MB_ROW_DELAY_(AT(delay))},
    {MB_ROW_SEND_(AT(send))},
    {MB_ROW_ON_DOMAIN_(AT(on_domain))},
    {MB_ROW_FORMULA_(AT(formula))},
    {MB_ROW_CODING_(AT(coding))},
    {"trace", MB_OPT_CHOICE, AT(trace), "off", 0, 0, "off|on", NULL, NULL, NULL,
     "keep the lower bound of each round"},
    {.name = NULL}};

/* 1: the same name, where "_" and "-" are alike. */
static int same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
            return 0;
    return !*a && !*b;
}

static const mb_opt *find(const mb_opt *table, const char *name)
{
    for (; table && table->name; table++)
        if (same(table->name, name))
            return table;
    return NULL;
}

const mb_opt *mb_bind_option_(const mb_bind *b, const char *name, const char **whose)
{
    const mb_opt *row = find(mb_bind_run_options_, name);

    *whose = "fit";
    if (!row) {
        *whose = b->kind->name;
        row = find(b->kind->opts, name);
    }
    for (const mb_algo *const *algo = mb_algo_list(); !row && *algo; algo++) {
        *whose = (*algo)->name;
        row = find((*algo)->opts, name);
    }
    return row;
}

/* MB_E_ARG for a value that is not accepted. */
static mb_status check(const mb_opt *row, const char *value, mb_err *err)
{
    mb_opt alone = *row;
    union {
        double      real;
        int64_t     integer;
        int32_t     choice;
        const char *text;
    } room = {0};

    alone.at = 0;
    return mb_opt_set(&alone, value, &room, err);
}

mb_status mb_bind_set_(mb_bind *b, const mb_opt *row, const char *value, mb_err *err)
{
    mb_bind_setting_ *s = b->setting;
    char             *text;
    mb_arena         *a;

    if (value)
        MB_TRY(check(row, value, err));
    while (s < b->setting + b->nsetting && s->row != row)
        s++;
    if (!value && s < b->setting + b->nsetting) {
        mb_arena_free(s->a);
        *s = b->setting[--b->nsetting];
    }
    if (!value)
        return MB_OK;
    if (s == b->setting + MB_BIND_SETTINGS_)
        MB_FAIL(err, MB_E_ARG, "options: got more than %d; expected fewer", MB_BIND_SETTINGS_);
    a = mb_arena_new(strlen(value) + 1);
    text = a ? mb_alloc(a, strlen(value) + 1, 1) : NULL;
    if (!text) {
        mb_arena_free(a);
        return MB_E_NOMEM;
    }
    memcpy(text, value, strlen(value));
    if (s < b->setting + b->nsetting)
        mb_arena_free(s->a);
    else
        b->nsetting++;
    *s = (mb_bind_setting_){a, row, text};
    return MB_OK;
}

mb_status mb_bind_options_(const mb_bind *b, const mb_opt *table, void *obj, mb_err *err)
{
    MB_TRY(mb_opt_defaults(table, obj, err));
    for (; table && table->name; table++)
        for (int32_t k = 0; k < b->nsetting; k++)
            if (b->setting[k].row == table)
                MB_TRY(mb_opt_set(table, b->setting[k].text, obj, err));
    return MB_OK;
}

static mb_status set(mb_bind *b, const char *name, const char *value)
{
    const char   *whose;
    const mb_opt *row = mb_bind_option_(b, name, &whose);

    if (!row)
        MB_FAIL(&b->fault, MB_E_ARG,
                "option: got \"%.60s\"; expected one of the list \"options\" of model %s", name,
                b->kind->name);
    return mb_bind_set_(b, row, value, &b->fault);
}

int mb_bind_set(mb_bind *b, const char *name, const char *value)
{
    const int st = mb_bind_begin_(b);

    return st ? st : mb_bind_end_named_(b, set(b, name, value), name);
}
