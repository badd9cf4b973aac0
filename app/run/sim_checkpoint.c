/* sim_checkpoint.c - --checkpoint and --resume. Every algorithm has its own checkpoints; one that
 * had ended is loaded and not run again. */
#include "run/sim_fingerprint.h"
#include "run/sim_keep.h"

#include <string.h>

mb_status sim_keep_rounds(const sim_args *args, const mb_checkpoint *at, int64_t t, mb_err *err)
{
    if (t > args->opt.rounds)
        MB_FAIL(err, MB_E_ARG,
                "--rounds: %lld, but the checkpoint of %s in %s is of round %lld; expected "
                "%lld or more",
                (long long)args->opt.rounds, at->name, at->dir, (long long)t, (long long)t);
    return MB_OK;
}

mb_status sim_keep_check(sim_job *job, sim_case *cs, mb_err *err)
{
    int32_t found = 0;

    MB_TRY(sim_keep_folders(job, cs, err));
    for (int32_t k = 0; cs->resume && k < cs->args->nchoice; k++) {
        mb_checkpoint at;
        int64_t       t = 0;
        mb_status     st;

        MB_TRY(sim_facts(job, cs, &cs->args->choice[k], &at, err));
        st = mb_checkpoint_find(&at, &t, err);
        MB_TRY(st);
        found += st == MB_OK;
        if (st == MB_OK)
            MB_TRY(sim_keep_rounds(cs->args, &at, t, err));
    }
    if (cs->resume && !found)
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint of %s", cs->resume,
                cs->args->nchoice > 1 ? "these algorithms" : cs->args->choice[0].name);
    return MB_OK;
}

static void refuse(void *to, const char *why)
{
    sim_keep *k = to;

    k->refused++;
    sim_warn(k->r->job, "%s; the checkpoint before it is tried", why);
}

/* Such a failure ends the command, unlike a failed run. */
static mb_status ends(mb_status st, mb_err *err)
{
    return st != MB_E_ARG && st != MB_E_FORMAT ? st : (err->code = MB_E_IO);
}

void sim_keep_of(sim_keep *k, sim_result *r, mb_session *session)
{
    const ranks *all = &r->job->ranks;

    k->r = r;
    k->session = session;
    k->trace = sim_trace_file(r->job, r->cs);
    k->c.kept = k->kept;
    k->c.rank = r->choice->cvb ? 0 : all->rank; /* cvb is in every process */
    k->c.ranks = r->choice->cvb ? 1 : all->size;
    k->c.refused = refuse;
    k->c.to = k;
    r->keep = k;
}

mb_status sim_keep_new(sim_result *r, mb_err *err)
{
    sim_job        *job = r->job;
    const sim_case *cs = r->cs;
    sim_keep       *k;
    int64_t         t;
    mb_status       st;

    if (!cs->args->opt.checkpoint && !cs->resume)
        return MB_OK;
    MB_NEW(k, job->a, 1, err);
    MB_TRY(sim_facts(job, cs, r->choice, &k->c, err));
    sim_keep_of(k, r, &r->session);
    k->c.journal = job->ranks.rank ? NULL : &k->lines;
    st = cs->resume ? ends(mb_checkpoint_find(&k->c, &t, err), err) : MB_QUIET;
    MB_TRY(st);
    k->resumed = st == MB_OK;
    if (!k->resumed && cs->args->opt.checkpoint)
        ranks_notice("there is no checkpoint yet: begin again");
    return MB_OK;
}

/* The current numbers of a run; traffic of initialisation is summed over processes. */
static mb_status look_once(sim_keep *k, mb_err *err)
{
    const sim_result *r = k->r;
    const mb_centres *drawn = r->cs->drawn;
    const mb_case    *c = k->session->c;
    mb_transport     *tp = &(c->nodes ? c->nodes : c)->place->tp;
    double            sent[2] = {(double)drawn->sent.frames, (double)drawn->sent.bytes};

    MB_TRY(tp->ops->reduce(tp, MB_SUM, sent, 2, err));
    k->once = (sim_once){.attempt = r->found.attempt,
                         .at_best = r->found.at_best,
                         .ended = k->session->stopped,
                         .drawn = drawn->counted,
                         .frames = (int64_t)sent[0],
                         .bytes = (int64_t)sent[1],
                         .seconds = k->earlier + app_now() - r->began};
    return MB_OK;
}

static void restore_once(sim_keep *k)
{
    const sim_once *once = &k->once;
    const int       first = !k->r->job->ranks.rank;

    k->r->found.attempt = (int32_t)once->attempt;
    k->r->found.at_best = (int32_t)once->at_best;
    k->session->stopped = (int32_t)once->ended;
    k->r->cs->drawn->counted = (int32_t)once->drawn;
    k->r->cs->drawn->attempt = -1; /* its centres are not here */
    k->r->cs->drawn->sent = (mb_traffic){first ? once->frames : 0, first ? once->bytes : 0};
    k->earlier = once->seconds;
}

/* The notice that is printed if a process is killed. */
static void tell_where(const sim_keep *k, const char *dir)
{
    char line[512];

    snprintf(line, sizeof line, "resume from round %lld of %s with --resume %.400s",
             (long long)k->session->state.t, k->c.name, dir);
    ranks_notice(line);
}

/* Central VB is in every process; process 0 saves it. */
static mb_status save(sim_keep *k, int end, mb_err *err)
{
    const mb_session *session = k->session;
    const ranks      *all = &k->r->job->ranks;
    const int         cvb = k->r->choice->cvb;
    mb_status         st = MB_OK;

    MB_TRY(look_once(k, err));
    if (!cvb || !all->rank)
        st = mb_checkpoint_save(&k->c, &session->problem, &session->state, end, err);
    if (cvb)
        st = ranks_agree(all, st, err);
    if (st >= 0)
        tell_where(k, k->r->cs->args->opt.checkpoint);
    return st;
}

static int is_due(const sim_keep *k)
{
    const sim_opt *o = &k->r->cs->args->opt;
    const int64_t  t = k->session->state.t;

    return t % o->every == 0 && t != o->rounds; /* the last round: saved as the end */
}

/* A round that ends the run is saved as the end, if at all. */
static int is_last(const sim_keep *k)
{
    return k->session->stopped || k->session->over;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    (void)p, (void)st;
    return is_due(self) && !is_last(self) ? save(self, 0, err) : MB_OK;
}

mb_status sim_keep_save(sim_keep *k, int end, mb_err *err)
{
    const int now = end || !(is_due(k) || is_last(k));

    return k->r->cs->args->opt.checkpoint && now ? save(k, end, err) : MB_OK;
}

/* A hash for each node, which must not change. */
static mb_checkpoint_item fixed(const char *name, uint64_t *hash)
{
    return (mb_checkpoint_item){
        .name = name, .at = hash, .bytes = 8, .stride = 8, .pieces = 1, .fixed = 1};
}

static mb_status stand_on(sim_keep *k, mb_err *err)
{
    const mb_problem *p = &k->session->problem;
    const int32_t     n = p->part->n_local;
    uint64_t         *rows, *links;
    double           *room;

    MB_NEW(room, k->session->own, k->session->c->run.d, err);
    MB_NEW(rows, k->session->own, n, err);
    MB_NEW(links, k->session->own, n, err);
    for (int32_t i = 0; i < n; i++) {
        MB_TRY(sim_fingerprint_rows(k->r->job, &p->rows[i], room, &rows[i], err));
        links[i] = sim_fingerprint_links(p->part, i);
    }
    k->kept[k->c.nkept++] = fixed("rows", rows);
    k->kept[k->c.nkept++] = fixed("links", links);
    return MB_OK;
}

mb_status sim_keep_watch(sim_keep *k, mb_err *err)
{
    mb_session       *session = k->session;
    const mb_observer obs = {.self = k, .every = k->r->cs->args->opt.every, .see = see};

    k->c.obs = session->obs;
    k->c.nobs = session->nobs;
    if (!k->r->cs->args->command->fit)
        MB_TRY(stand_on(k, err));
    k->kept[k->c.nkept++] =
        (mb_checkpoint_item){.name = "run", .at = &k->once, .bytes = sizeof k->once, .pieces = 1};
    if (k->r->dump)
        k->c.nkept += sim_dump_kept(k->r->dump, k->kept + k->c.nkept);
    return k->r->cs->args->opt.checkpoint ? mb_session_watch(session, &obs, err) : MB_OK;
}

/* Every process loads central VB by itself; all must have found the same round. */
static mb_status same_round(const sim_keep *k, mb_err *err)
{
    const double t = (double)k->session->state.t;
    double       ends[2] = {t, -t};

    for (int e = 0; e < 2; e++)
        MB_TRY(ranks_most(&k->r->job->ranks, &ends[e], err));
    if (ends[0] > -ends[1])
        MB_FAIL(err, MB_E_IO, "%s: not every process can read round %.0f of %s", k->c.dir, ends[0],
                k->c.name);
    return MB_OK;
}

static mb_status load(sim_keep *k, mb_err *err)
{
    mb_session  *session = k->session;
    const size_t written = k->c.journal ? k->c.journal->n : 0; /* lines of this process's own */
    mb_status    st = mb_checkpoint_load(&k->c, &session->problem, &session->state, err);

    if (k->r->choice->cvb)
        st = ranks_agree(&k->r->job->ranks, st, err);
    MB_TRY(ends(st, err));
    if (st == MB_QUIET)
        MB_FAIL(err, MB_E_IO, "%s: the checkpoints of %s are gone", k->c.dir, k->c.name);
    MB_TRY(same_round(k, err));
    restore_once(k);
    tell_where(k, k->c.dir);
    if (k->refused)
        sim_warn(k->r->job, "%s resumes from the checkpoint of round %lld", k->c.name,
                 (long long)session->state.t);
    if (k->trace && k->c.journal && k->c.journal->n > written)
        MB_TRY(
            mb_file_write(k->trace, k->c.journal->bytes + written, k->c.journal->n - written, err));
    return MB_OK;
}

mb_status sim_keep_load(sim_keep *k, mb_err *err)
{
    if (k->resumed)
        MB_TRY(load(k, err));
    k->c.dir = k->r->cs->args->opt.checkpoint;
    if (!k->resumed && k->session->state.t) /* after a merge: the trace so far */
        return k->c.dir ? save(k, 0, err) : MB_OK;
    return MB_OK;
}

void sim_keep_close(sim_keep *k)
{
    if (k)
        mb_journal_free(&k->lines);
}

mb_status sim_keep_line(void *to, const char *line, size_t len, mb_err *err)
{
    sim_keep *k = to;

    if (!k->trace)
        return MB_OK;
    MB_TRY(mb_journal_add(k->c.journal, line, len, err));
    return mb_file_write(k->trace, line, len, err);
}
