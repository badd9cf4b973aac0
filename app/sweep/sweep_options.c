/* sweep_options.c - --n-components 4, 2,4,8, 1..8 or auto. */
#include "fit/update.h"
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

static const char name[] = "n-components";

const mb_opt sweep_options[] = {{name, MB_OPT_TEXT, offsetof(sim_opt, components), NULL, 0, 0,
                                 "K|K,K,..|K..K|auto", "components", "", "n_components",
                                 "number of mixture components"},
                                {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Sets the option of every kind that has it, so that a wrong value is refused as before. */
static mb_status set_all(sim *s, const char *text, int64_t *out, mb_err *err)
{
    const mb_kind *const *list = mb_kind_list();

    for (int k = 0; list[k] && k < SIM_MAX_KINDS; k++) {
        const mb_opt *o = mb_opt_find(list[k]->opts, name);

        if (!o)
            continue;
        MB_TRY(mb_opt_set(o, text, s->asked.kind_opt[k], err));
        *out = *(const int64_t *)(const void *)((const char *)s->asked.kind_opt[k] + o->at);
    }
    return MB_OK;
}

mb_status sweep_set(sim *s, int32_t K, mb_err *err)
{
    char    text[16];
    int64_t same;

    snprintf(text, sizeof text, "%d", K);
    return set_all(s, text, &same, err);
}

static mb_status add(sweep *w, int64_t K, const char *text, mb_err *err)
{
    if (w->count && K <= w->K[w->count - 1])
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected ascending numbers, each once", name, text);
    if (w->count == SWEEP_MOST)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected at most %d numbers", name, text, SWEEP_MOST);
    w->K[w->count++] = (int32_t)K;
    return MB_OK;
}

/* An entry of the list: a number or a range. */
static mb_status entry(sim *s, char *text, mb_err *err)
{
    sweep  *w = s->asked.sweep;
    char   *dots = strstr(text, "..");
    int64_t first = 0, last;

    if (dots)
        *dots = 0;
    MB_TRY(set_all(s, text, &first, err));
    last = first;
    if (dots)
        MB_TRY(set_all(s, dots + 2, &last, err));
    if (last < first)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected ascending numbers, each once", name,
                s->opt.components);
    for (int64_t K = first; K <= last; K++)
        MB_TRY(add(w, K, s->opt.components, err));
    return MB_OK;
}

static mb_status list(sim *s, mb_err *err)
{
    const char *at = s->opt.components;
    char        text[64];

    for (int more = 1; more;) {
        const size_t len = strcspn(at, ",");

        snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), at);
        MB_TRY(entry(s, text, err));
        more = at[len] == ',';
        at += len + 1;
    }
    return MB_OK;
}

mb_status sweep_take(sim *s, mb_err *err)
{
    const char *text = s->opt.components;
    const int   automatic = text && !strcmp(text, "auto");
    int64_t     one;
    sweep      *w;

    if (!text)
        return MB_OK;
    if (!automatic && !strchr(text, ',') && !strstr(text, ".."))
        return set_all(s, text, &one, err);
    MB_NEW(w, s->a, 1, err);
    MB_NEW(w->K, s->a, SWEEP_MOST, err);
    w->automatic = automatic;
    s->asked.sweep = w;
    if (automatic && s->opt.prune == SIM_PRUNE_AUTO)
        s->opt.prune = SIM_PRUNE_ON;
    return automatic ? sweep_set(s, 1, err) : list(s, err);
}

/* Why --n-components must be one number; NULL: it need not. */
static const char *obstacle(const sim *s)
{
    if (!s->command->print)
        return !strcmp(s->command->name, "genesis") ? "a genesis is for one model"
               : s->command->algorithm              ? "up is for one run"
                                                    : "plan is for one run";
    if (s->opt.runs > 1)
        return "--runs repeats one run";
    if (!s->command->fit && (s->opt.checkpoint || s->opt.resume))
        return "--checkpoint and --resume are for one run";
    if (strchr(s->opt.init, ':'))
        return "--init reads a file with as many components";
    if (s->begin.update)
        return "--update reads a file with as many components";
    if (sim_prior_file(s))
        return "--prior reads a file with as many components";
    return NULL;
}

mb_status sweep_check(const sim *s, mb_err *err)
{
    const char *why = obstacle(s);

    if (!s->asked.sweep)
        return MB_OK;
    if (!s->asked.kind->latent)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; --model %s has no components", name,
                s->opt.components, s->asked.kind->name);
    if (why)
        MB_FAIL(err, MB_E_ARG, "--%s: got %s; expected one number: %s", name, s->opt.components,
                why);
    if (s->asked.sweep->automatic && !s->command->fit)
        MB_FAIL(err, MB_E_ARG,
                "--%s: got auto, which is for fit; expected a number, a list 2,4,8 or a range 1..8",
                name);
    return MB_OK;
}
