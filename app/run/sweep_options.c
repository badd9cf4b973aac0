/* sweep_options.c - --n-components 4, 2,4,8, 1..8 or auto; --covariance-type auto. */
#include "base/opt.h"
#include "model/kind.h"
#include "run/fit_update.h"
#include "run/sweep.h"

#include <math.h>
#include <string.h>

static const char name[] = "n-components", form_name[] = "covariance-type";

const mb_opt sweep_options[] = {
    {name, MB_OPT_TEXT, offsetof(sim_opt, components), NULL, 0, 0, "K|K,K,..|K..K|auto",
     "components", "", "n_components",
     "number of mixture components; a list or a range (sim, fit): each is run and the best lower "
     "bound is taken; auto (fit): 1, 2, 3, .. while it rises; without it 2"},
    {form_name, MB_OPT_TEXT, offsetof(sim_opt, form), NULL, 0, 0, "full|diag|spherical|tied|auto",
     "", "math 16", "covariance_type",
     "form of the covariance matrices; auto (fit): each, and the one with the best lower bound is "
     "taken; without it full"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Sets the option of every kind that has it, so that a wrong value is refused as before. */
static mb_status set_all(const sim_args *args, const char *text, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        const mb_opt *o = mb_opt_find(list[k]->opts, name);

        if (o)
            MB_TRY(mb_opt_set(o, text, args->kind_opt[k], err));
    }
    return MB_OK;
}

/* Sets the form of one kind, whose forms others need not have. */
static mb_status set_form(const sim_args *args, const mb_kind *kind, const char *text, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    const mb_opt         *o = kind ? mb_opt_find(kind->opts, form_name) : NULL;

    for (int k = 0; o && list[k] && k < SIM_MAX_KINDS; k++)
        if (list[k] == kind)
            MB_TRY(mb_opt_set(o, text, args->kind_opt[k], err));
    return MB_OK;
}

/* The number of components as it was set last, or its default. */
static int64_t number(const sim_args *args)
{
    const mb_kind *const *list = mb_kind_list();

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        const mb_opt *o = mb_opt_find(list[k]->opts, name);

        if (o)
            return *(const int64_t *)(const void *)((const char *)args->kind_opt[k] + o->at);
    }
    return 1;
}

mb_status sweep_args(mb_arena *a, const sim_args *args, const sweep_at *at, sim_args *out,
                     mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();
    char                  text[16], *own;

    *out = *args;
    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        MB_NEW(own, a, list[k]->opt_size, err);
        memcpy(own, args->kind_opt[k], list[k]->opt_size);
        out->kind_opt[k] = own;
        out->model_opt = list[k] == args->kind ? own : out->model_opt;
    }
    snprintf(text, sizeof text, "%d", at->K);
    MB_TRY(set_all(out, text, err));
    return at->form ? set_form(out, args->kind, at->form, err) : MB_OK;
}

static mb_status add(sweep *w, int64_t K, const char *text, mb_err *err)
{
    if (w->count && K <= w->at[w->count - 1].K)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected ascending numbers, each once", name, text);
    if (w->count == SWEEP_MOST)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected at most %d numbers", name, text, SWEEP_MOST);
    w->at[w->count++].K = (int32_t)K;
    return MB_OK;
}

/* An entry of the list: a number or a range. */
static mb_status entry(const sim_args *args, sweep *w, char *text, mb_err *err)
{
    char   *dots = strstr(text, "..");
    int64_t first, last;

    if (dots)
        *dots = 0;
    MB_TRY(set_all(args, text, err));
    first = number(args);
    if (dots)
        MB_TRY(set_all(args, dots + 2, err));
    last = number(args);
    if (last < first)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected ascending numbers, each once", name,
                args->opt.components);
    for (int64_t K = first; K <= last; K++)
        MB_TRY(add(w, K, args->opt.components, err));
    return MB_OK;
}

static mb_status list(const sim_args *args, sweep *w, mb_err *err)
{
    const char *at = args->opt.components;
    char        text[64];

    for (int more = 1; more;) {
        const size_t len = strcspn(at, ",");

        snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), at);
        MB_TRY(entry(args, w, text, err));
        more = at[len] == ',';
        at += len + 1;
    }
    return MB_OK;
}

/* Every number of the first form once more with each other one. */
static void repeat(sweep *w)
{
    const int32_t each = w->count;

    for (int32_t f = 0; f < w->nform; f++)
        for (int32_t k = 0; k < each; k++)
            w->at[f * each + k] = (sweep_at){w->at[k].K, w->form[f]};
    w->count *= w->nform;
}

/* The forms of a kind. Rows in groups have no common matrix. */
static mb_status forms_of(sim_job *job, const sim_args *args, const mb_kind *kind, sweep *w,
                          mb_err *err)
{
    const int        grouped = args->opt.read.group_column || args->opt.read.group_file;
    const mb_choice *c = kind ? kind->choices : NULL;
    const char     **form;
    int32_t          n = 0;

    while (c && c->option && strcmp(c->option, form_name) != 0)
        c++;
    while (c && c->option && c->word[n])
        n++;
    if (n < 2)
        MB_FAIL(err, MB_E_ARG, "--%s: got auto; --model %s has one form", form_name,
                kind ? kind->name : "");
    MB_NEW(form, job->a, n, err);
    w->form = form;
    for (int32_t k = 0; k < n; k++)
        if (!grouped || strcmp(c->word[k], "tied") != 0)
            form[w->nform++] = c->word[k];
    return MB_OK;
}

mb_status sweep_take(sim_job *job, sim_args *args, const mb_kind *kind, mb_err *err)
{
    static const char *const as_given[] = {NULL};
    const char              *text = args->opt.components, *form = args->opt.form;
    const int automatic = text && !strcmp(text, "auto"), every = form && !strcmp(form, "auto");
    const int several = text && (automatic || strchr(text, ',') || strstr(text, ".."));
    sweep    *w;

    if (form && !every)
        MB_TRY(set_form(args, kind, form, err));
    if (text && !several)
        MB_TRY(set_all(args, text, err));
    if (!several && !every)
        return MB_OK;
    MB_NEW(w, job->a, 1, err);
    w->form = as_given;
    w->nform = 1;
    if (every) {
        w->nform = 0;
        MB_TRY(forms_of(job, args, kind, w, err));
    }
    MB_NEW(w->at, job->a, SWEEP_MOST * w->nform, err);
    w->automatic = automatic;
    args->sweep = w;
    if (automatic && args->opt.prune == SIM_PRUNE_AUTO)
        args->opt.prune = SIM_PRUNE_ON;
    if (automatic) /* sweep_run knows how many */
        return set_all(args, "1", err);
    MB_TRY(several ? list(args, w, err) : add(w, number(args), text, err));
    repeat(w);
    return MB_OK;
}

void sweep_grow(sweep *w, int32_t most)
{
    for (w->count = 0; w->count < most; w->count++)
        w->at[w->count].K = w->count + 1;
    repeat(w);
}

/* Why there must be one run; NULL: there need not. numbers: 1: it is about numbers of components. */
static const char *obstacle(const sim_args *args, int numbers)
{
    if (!args->command->print)
        return !strcmp(args->command->name, "genesis") ? "a genesis is for one model"
               : args->command->algorithm              ? "up is for one run"
                                                       : "plan is for one run";
    if (args->opt.runs > 1)
        return "--runs repeats one run";
    if (!args->command->fit && (args->opt.checkpoint || args->opt.resume))
        return "--checkpoint and --resume are for one run";
    if (args->update)
        return "--update reads a file with as many components";
    if (sim_prior_file(args))
        return "--prior reads a file with as many components";
    return numbers && strchr(args->opt.init, ':') ? "--init reads a file with as many components"
                                                  : NULL;
}

static mb_status check_forms(const sim_args *args, mb_err *err)
{
    const char *why = obstacle(args, 0);
    char        accepted[128];

    mb_opt_accepts(mb_opt_find(args->kind->opts, form_name), accepted, sizeof accepted);
    if (!args->command->fit)
        MB_FAIL(err, MB_E_ARG, "--%s: got auto, which is for fit; expected %s", form_name,
                accepted);
    if (why)
        MB_FAIL(err, MB_E_ARG, "--%s: got auto; expected one form: %s", form_name, why);
    return MB_OK;
}

static mb_status check_numbers(const sim_args *args, mb_err *err)
{
    const char *why = obstacle(args, 1);

    if (why)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected one number: %s", name, args->opt.components,
                why);
    if (args->sweep->automatic && !args->command->fit)
        MB_FAIL(err, MB_E_ARG,
                "--%s: got auto, which is for fit; expected a number, a list 2,4,8 or a range 1..8",
                name);
    return MB_OK;
}

mb_status sweep_check(const sim_args *args, mb_err *err)
{
    const sweep *w = args->sweep;

    if (!w)
        return MB_OK;
    if (!mb_kind_has_components(args->kind))
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; --model %s has no components%s", name,
                args->opt.components, args->kind->name,
                args->kind->factors ? ": expected the most factors; superfluous ones fade" : "");
    if (w->nform > 1)
        MB_TRY(check_forms(args, err));
    return w->automatic || w->count > w->nform ? check_numbers(args, err) : MB_OK;
}
