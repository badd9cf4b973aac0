/* fit_keep.c - `fit --checkpoint` and `--resume` (docs/adr/0058). Initialisations, moves, merges and numbers
 * of components that are over are units, a file each; the run at hand has checkpoints as `sim` has
 * them. Where every process does the same, process 0 writes, and reads the units for all; where they
 * make initialisations or numbers of components apart (run/fit_share.h), each has units of its own. */
#include "run/fit_keep.h"
#include "base/text.h"
#include "data/data.h"
#include "run/fit_follow.h"
#include "run/fit_share.h"

#include <string.h>

/* NULL: no memory. */
static const char *name_of(const fit_keep *k, const char *what, mb_err *err)
{
    return k->of ? mb_text(k->job->a, err, "%s-%s", k->of, what)
                 : mb_text(k->job->a, err, "%s", what);
}

/* 1: a unit of this process, where the others have theirs. */
static int by_itself(const fit_keep *k, const char *what)
{
    return k->alone || (sim_shares_starts(k->job, k->cs) &&
                        (!strncmp(what, "start-", 6) || !strncmp(what, "merge-of-", 9)));
}

static void tell(const sim_case *cs, const char *what, const char *name)
{
    char line[512];

    snprintf(line, sizeof line, "%s%s with --resume %.400s", what, name,
             cs->args->opt.checkpoint ? cs->args->opt.checkpoint : cs->resume);
    ranks_notice(line);
}

/* Of the bytes of a file; NULL: no fact. */
static mb_status file_fact(sim_job *job, mb_checkpoint *c, const char *name, const char *file,
                           mb_err *err)
{
    char      text[32], *bytes;
    size_t    n;
    mb_arena *draft;
    mb_status st;

    if (!file)
        return sim_fact(job, c, name, "", 0, err);
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %s", file);
    st = mb_file_read(draft, file, &bytes, &n, err);
    if (st >= 0)
        snprintf(text, sizeof text, "of hash %016llx", (unsigned long long)mb_bytes_hash(bytes, n));
    mb_arena_free(draft);
    return st < 0 ? st : sim_fact(job, c, name, text, 1, err);
}

/* A search depends on how many rounds each run may have. */
static int rounds_matter(const sim_case *cs)
{
    return cs->n_init != 1 || cs->args->sweep || cs->args->opt.prune == SIM_PRUNE_ON;
}

static mb_status facts(fit_keep *k, mb_err *err)
{
    sim_job        *job = k->job;
    const sim_case *cs = k->cs;
    const fit_opt  *own = cs->args->own;
    const char     *colon = strchr(cs->args->opt.init, ':');
    char            text[96];

    MB_TRY(sim_facts(job, cs, cs->args->choice, &k->c, err));
    if (cs->args->opt.components) /* several: that of the model is the one of its first run */
        MB_TRY(sim_fact(job, &k->c, "n-components", cs->args->opt.components, 1, err));
    if (cs->args->sweep && cs->args->opt.form)
        MB_TRY(sim_fact(job, &k->c, "covariance-type", cs->args->opt.form, 1, err));
    snprintf(text, sizeof text, "%.17g", own->forget);
    MB_TRY(sim_fact(job, &k->c, "forget", text, own->forget < 1, err));
    MB_TRY(sim_fact(job, &k->c, "prefer", own->prefer == MB_PREFER_BOUND ? "bound" : "held-out",
                    own->prefer != MB_PREFER_BOUND, err));
    snprintf(text, sizeof text, "%lld", rounds_matter(cs) ? (long long)cs->args->opt.rounds : 0);
    MB_TRY(sim_fact(job, &k->c, "rounds", text, 1, err));
    MB_TRY(file_fact(job, &k->c, "--update", own->update, err));
    MB_TRY(file_fact(job, &k->c, "--prior posterior", sim_prior_file(cs->args), err));
    MB_TRY(file_fact(job, &k->c, "--init", colon ? colon + 1 : NULL, err));
    MB_TRY(file_fact(job, &k->c, "--group-file", cs->args->opt.read.group_file, err));
    snprintf(text, sizeof text, "%lld x %d of hash %016llx", (long long)cs->rows->data.n,
             cs->rows->data.d, (unsigned long long)cs->hash);
    return sim_fact(job, &k->c, "--data", text, 1, err);
}

static void refuse(void *to, const char *why)
{
    fit_keep *k = to;

    k->refused++;
    sim_warn(k->job, "%s; it is computed again", why);
}

/* Room for n numbers in an arena of its own, which the caller frees in any case. */
static mb_status room_for(size_t n, mb_arena **a, double **x, mb_err *err)
{
    *a = mb_arena_new(8 * n + 4096);
    *x = *a ? mb_alloc(*a, n, sizeof **x) : NULL;
    if (!*x)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a checkpoint");
    return MB_OK;
}

/* The n numbers, and whether the rows were found to be repeated. Process 0. */
static mb_status put_file(const fit_keep *k, const char *name, const double *x, size_t n,
                          mb_err *err)
{
    mb_checkpoint c = k->c;
    mb_arena     *a;
    double       *all;
    mb_status     st = room_for(n + 1, &a, &all, err);

    c.dir = k->cs->args->opt.checkpoint;
    if (st == MB_OK) {
        memcpy(all, x, n * sizeof *x);
        all[n] = k->job->mentioned || k->cs->drawn->repeated;
        st = mb_checkpoint_put(&c, name, all, n + 1, err);
    }
    mb_arena_free(a);
    return st;
}

/* Checkpoints of a run that is over, also those of its merges down to `left` components. Process 0. */
static mb_status forget(const fit_keep *k, const char *run, int32_t K, int32_t left, mb_err *err)
{
    mb_checkpoint c = k->c;

    c.dir = k->cs->args->opt.checkpoint;
    c.name = run;
    MB_TRY(mb_checkpoint_forget(&c, err));
    for (; K > left && k->cs->args->opt.prune == SIM_PRUNE_ON; K--) {
        c.name = mb_text(k->job->a, err, "%s-%d", run, K);
        if (!c.name)
            return MB_E_NOMEM;
        MB_TRY(mb_checkpoint_forget(&c, err));
    }
    return MB_OK;
}

/* Process 0. */
static mb_status put_and_forget(const fit_keep *k, const char *what, const char *name,
                                const double *x, size_t n, mb_err *err)
{
    const int   tried = !strncmp(what, "of-", 3);
    const char *run = mb_text(k->job->a, err, "%s%s", name, tried ? "-fit" : "");

    if (!run)
        return MB_E_NOMEM;
    MB_TRY(put_file(k, name, x, n, err));
    return tried || !strncmp(what, "start-", 6)
               ? forget(k, run, sim_components(k->cs->args), 0, err)
               : MB_OK;
}

static mb_status put(void *self, const char *what, const double *x, size_t n, mb_err *err)
{
    fit_keep   *k = self;
    const char *name = name_of(k, what, err);
    mb_status   st = name ? MB_OK : MB_E_NOMEM;

    if (!k->cs->args->opt.checkpoint)
        return MB_OK;
    if (name && (by_itself(k, what) || !k->job->ranks.rank))
        st = put_and_forget(k, what, name, x, n, err);
    MB_TRY(by_itself(k, what) ? st : ranks_agree(&k->job->ranks, st, err));
    tell(k->cs, "resume after ", name);
    return MB_OK;
}

/* Process 0 reads, and says it to all, unless each reads its own. MB_QUIET: there is none. */
static mb_status get_file(const fit_keep *k, const char *name, int alone, double *x, size_t n,
                          mb_err *err)
{
    sim_job      *job = k->job;
    mb_checkpoint c = k->c;
    mb_status     st = MB_QUIET;
    int32_t       found;

    c.dir = k->cs->resume;
    if (alone || !job->ranks.rank)
        st = mb_checkpoint_get(&c, name, x, n, err);
    if (alone)
        return st;
    found = st == MB_OK;
    MB_TRY(ranks_agree(&job->ranks, st, err));
    MB_TRY(ranks_share(&job->ranks, 0, &found, sizeof found, err));
    if (!found)
        return MB_QUIET;
    return ranks_share(&job->ranks, 0, x, n * sizeof *x, err);
}

static mb_status get(void *self, const char *what, double *x, size_t n, mb_err *err)
{
    fit_keep       *k = self;
    const sim_case *cs = k->cs;
    const char     *name = name_of(k, what, err);
    mb_arena       *a;
    double         *all;
    mb_status       st;

    if (!cs->resume)
        return MB_QUIET;
    if (!name)
        return MB_E_NOMEM;
    st = room_for(n + 1, &a, &all, err);
    if (st == MB_OK)
        st = get_file(k, name, by_itself(k, what), all, n + 1, err);
    if (st == MB_OK) {
        memcpy(x, all, n * sizeof *x);
        cs->drawn->repeated |= all[n] > 0;
        sim_check_repeated(k->job, cs);
    }
    mb_arena_free(a);
    if (st == MB_OK && !sim_same_folder(cs))
        return put(self, what, x, n, err);
    return st;
}

/* The first unit, which says what the folder is for: other options and other data are refused before
 * anything is computed. */
static mb_status begin(fit_keep *k, mb_err *err)
{
    static const char none[] = "begin";
    double            x = 0;
    mb_status         st = get(k, none, &x, 1, err);

    MB_TRY(st);
    if (k->cs->resume && st == MB_QUIET && !k->job->ranks.rank && !k->refused)
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint of fit", k->cs->resume);
    if (st == MB_QUIET)
        st = put(k, none, &x, 1, err);
    return st;
}

mb_status fit_keep_open(sim_job *job, sim_case *cs, mb_err *err)
{
    fit_keep *k;

    if (!cs->args->opt.checkpoint && !cs->resume)
        return MB_OK;
    MB_TRY(ranks_agree(&job->ranks, sim_keep_folders(job, cs, err), err));
    MB_NEW(k, job->a, 1, err);
    *k = (fit_keep){.job = job, .cs = cs, .store = {.get = get, .put = put}};
    k->store.self = k;
    MB_TRY(ranks_agree(&job->ranks, facts(k, err), err));
    k->c.refused = refuse;
    k->c.to = k;
    MB_TRY(begin(k, err));
    tell(cs, "no round is saved yet: begin again", "");
    cs->keep = k;
    return MB_OK;
}

const mb_store *fit_keep_store(const sim_case *cs)
{
    return cs->keep ? &cs->keep->store : NULL;
}

void fit_keep_try(const sim_case *cs, const char *of, int alone)
{
    if (!cs->keep)
        return;
    cs->keep->cs = cs;
    cs->keep->of = of;
    cs->keep->alone = alone;
}

/* "fit", "start-3"; with merges, which change the model, and the components that are left: "fit-7". */
static const char *run_name(const fit_keep *k, const mb_session *session, int32_t attempt,
                            mb_err *err)
{
    const char *what = attempt < 0 ? "fit" : mb_text(k->job->a, err, "start-%d", attempt);
    const char *name = what ? name_of(k, what, err) : NULL;

    if (!name || !session->how.prune)
        return name;
    return mb_text(k->job->a, err, "%s-%d", name, session->c->model.K);
}

static mb_status find(sim_keep *k, mb_err *err)
{
    int64_t   t = 0;
    mb_status st = mb_checkpoint_find(&k->c, &t, err);
    double    found = st == MB_OK;

    if (st == MB_OK)
        st = sim_keep_rounds(k->r->cs->args, &k->c, t, err);
    MB_TRY(ranks_agree(&k->r->job->ranks, st, err));
    MB_TRY(ranks_most(&k->r->job->ranks, &found, err));
    k->resumed = found > 0;
    return MB_OK;
}

mb_status fit_keep_run(sim_result *r, mb_session *session, int32_t attempt, sim_keep **out,
                       mb_err *err)
{
    const sim_case *cs = r->cs;
    fit_keep       *all = cs->keep;
    sim_keep       *k;

    *out = NULL;
    if (!all || attempt == INT32_MAX) /* the try of a merge is short */
        return MB_OK;
    r->keep = NULL;
    if (r->apart) /* at most 2^18 rows */
        return MB_OK;
    MB_NEW(k, r->job->a, 1, err);
    k->c = (mb_checkpoint){.dir = cs->resume, .fact = all->c.fact, .nfact = all->c.nfact};
    k->c.name = run_name(all, session, attempt, err);
    if (!k->c.name)
        return MB_E_NOMEM;
    sim_keep_of(k, r, session);
    if (attempt < 0 && !all->of && !r->job->ranks.rank)
        k->c.journal = &all->lines;
    if (cs->resume)
        MB_TRY(find(k, err));
    *out = k;
    return MB_OK;
}

mb_status fit_keep_end(sim_result *r, mb_err *err)
{
    const sim_case  *cs = r->cs;
    const mb_pruned *p = &cs->fit->pruned;
    mb_status        st = MB_OK;

    MB_TRY(sim_keep_save(r->keep, 1, err));
    if (!r->job->ranks.rank && cs->args->opt.checkpoint && cs->args->opt.prune == SIM_PRUNE_ON)
        st = forget(cs->keep, "fit", p->first, p->left, err);
    return ranks_agree(&r->job->ranks, st, err);
}

void fit_keep_close(fit_keep *k)
{
    if (k)
        mb_journal_free(&k->lines);
}
