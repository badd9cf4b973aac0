/* fit_facts.c - what a run and the checkpoint it resumes from must have in common, and the folders of
 * both. */
#include "base/text.h"
#include "run/sim_keep.h"

#include <assert.h>
#include <string.h>

enum { MOST_FACTS = 128 /* options of the command, a model and an algorithm, and three more */ };

/* Data and network are compared by their content (stand_on). */
static int is_free(const char *name)
{
    return sim_option_is_output(name) || !strcmp(name, "network") || !strcmp(name, "rounds") ||
           !strcmp(name, "algorithm");
}

static mb_status add(sim_job *job, const char *name, const char *value, int set, mb_fact *fact,
                     int32_t *n, mb_err *err)
{
    const char *copy = mb_text(job->a, err, "%s", value);

    if (!copy)
        return MB_E_NOMEM;
    for (int32_t q = 0; q < *n; q++)
        if (!strcmp(fact[q].name, name)) { /* a search over numbers of components has its own */
            fact[q] = (mb_fact){name, copy, set ? MB_FACT_SET : MB_FACT_DEFAULT};
            return MB_OK;
        }
    assert(*n < MOST_FACTS);
    fact[(*n)++] = (mb_fact){name, copy, set ? MB_FACT_SET : MB_FACT_DEFAULT};
    return MB_OK;
}

static mb_status add_options(sim_job *job, const mb_opt *table, const void *obj, mb_fact *fact,
                             int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name; table++)
        if (!is_free(table->name))
            MB_TRY(add(job, table->name, sim_option_text(table, obj, number),
                       sim_option_given(table, obj), fact, n, err));
    return MB_OK;
}

/* The traced metrics, and whether lines name the algorithm. Those that a folder has by default may
 * begin and end with any session. */
static mb_status add_trace(sim_job *job, const sim_case *cs, mb_fact *fact, int32_t *n, mb_err *err)
{
    char   text[512] = "off";
    size_t at = 0;

    const int asked = sim_traced(job, cs) && !cs->args->sampled;

    for (int m = 0; asked && m < MB_M_COUNT; m++)
        if (cs->metrics & 1u << m)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "," : "",
                                   mb_metric_table()[m].name);
    if (asked && cs->args->nchoice > 1)
        snprintf(text + at, sizeof text - at, " of several algorithms");
    return add(job, "metrics traced", text, asked, fact, n, err);
}

mb_status sim_fact(sim_job *job, mb_checkpoint *to, const char *name, const char *value, int set,
                   mb_err *err)
{
    return add(job, name, value, set, (mb_fact *)(uintptr_t)to->fact, &to->nfact,
               err); /* made by sim_facts */
}

mb_status sim_facts(sim_job *job, const sim_case *cs, const sim_choice *c, mb_checkpoint *out,
                    mb_err *err)
{
    const mb_opt *own = c->cvb ? NULL : c->algo->opts;
    const char   *dumps =
        cs->args->opt.dump_phi && cs->args->opt.dump_at ? cs->args->opt.dump_at : "";
    int32_t *n = &out->nfact;
    mb_fact *fact;

    MB_NEW(fact, job->a, MOST_FACTS, err);
    *out = (mb_checkpoint){.dir = cs->resume, .name = c->name, .fact = fact};
    MB_TRY(add_options(job, cs->args->table, &cs->args->opt, fact, n, err));
    MB_TRY(add_options(job, cs->args->kind->opts, cs->args->model_opt, fact, n, err));
    MB_TRY(add_options(job, own, c->opt, fact, n, err));
    MB_TRY(add(job, "dump-at", dumps, *dumps, fact, n, err));
    return add_trace(job, cs, fact, n, err);
}

/* Length without trailing slashes. */
static size_t bare(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

int sim_same_folder(const sim_case *cs)
{
    const char *a = cs->args->opt.checkpoint, *b = cs->resume;

    return a && b && bare(a) == bare(b) && !memcmp(a, b, bare(a));
}

mb_status sim_keep_folders(sim_job *job, sim_case *cs, mb_err *err)
{
    int32_t count = 0;

    if (cs->args->opt.checkpoint && !sim_same_folder(cs)) {
        MB_TRY(mb_checkpoint_count(cs->args->opt.checkpoint, &count, err));
        if (count)
            MB_FAIL(err, MB_E_ARG,
                    "--checkpoint: %s holds the checkpoints of a run: resume it with --resume %s, "
                    "or name another folder",
                    cs->args->opt.checkpoint, cs->args->opt.checkpoint);
    }
    if (!cs->resume)
        return MB_OK;
    MB_TRY(mb_checkpoint_count(cs->resume, &count, err));
    if (count)
        return MB_OK;
    if (!sim_same_folder(cs))
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint", cs->resume);
    sim_warn(job, "%s holds no checkpoint yet: the run begins with round 1", cs->resume);
    cs->resume = NULL;
    return MB_OK;
}
