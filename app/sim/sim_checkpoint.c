/* sim_checkpoint.c - --checkpoint and --resume. Every algorithm has its own checkpoints; one that
 * had ended is loaded and not run again. */
#include "sim/sim_stand.h"

#include <assert.h>
#include <string.h>

enum { MOST_FACTS = 128 /* options of the command, a model and an algorithm, and three more */ };

/* Data and network are compared by their content (stand_on). */
static int is_free(const char *name)
{
    return sim_option_is_output(name) || !strcmp(name, "network") || !strcmp(name, "rounds") ||
           !strcmp(name, "algorithm");
}

static mb_status add(sim *s, const char *name, const char *value, mb_fact *fact, int32_t *n,
                     mb_err *err)
{
    const char *copy = mb_text(s->a, err, "%s", value);

    if (!copy)
        return MB_E_NOMEM;
    assert(*n < MOST_FACTS);
    fact[(*n)++] = (mb_fact){name, copy};
    return MB_OK;
}

static mb_status add_options(sim *s, const mb_opt *table, const void *obj, mb_fact *fact,
                             int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name; table++)
        if (!is_free(table->name))
            MB_TRY(add(s, table->name, sim_option_text(table, obj, number), fact, n, err));
    return MB_OK;
}

/* The traced metrics, and whether lines name the algorithm. Those that a folder has by default may
 * begin and end with any session. */
static mb_status add_trace(sim *s, mb_fact *fact, int32_t *n, mb_err *err)
{
    char   text[512] = "off";
    size_t at = 0;

    const int asked = sim_traced(s) && !s->asked.sampled;

    for (int m = 0; asked && m < MB_M_COUNT; m++)
        if (s->asked.metrics & 1u << m)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "," : "",
                                   mb_metric_table()[m].name);
    if (asked && s->asked.nchoice > 1)
        snprintf(text + at, sizeof text - at, " of several algorithms");
    return add(s, "metrics traced", text, fact, n, err);
}

/* Where an algorithm resumes, and every option that affects its iterates or trace. */
static mb_status describe(sim *s, const sim_choice *c, mb_checkpoint *out, mb_err *err)
{
    const mb_opt *own = c->cvb ? NULL : c->algo->opts;
    const char   *dumps = s->opt.dump_phi && s->opt.dump_at ? s->opt.dump_at : "";
    int32_t      *n = &out->nfact;
    mb_fact      *fact;

    MB_NEW(fact, s->a, MOST_FACTS, err);
    *out = (mb_checkpoint){.dir = s->opt.resume, .name = c->name, .fact = fact};
    MB_TRY(add(s, "meshbayes", MB_VERSION, fact, n, err));
    MB_TRY(add_options(s, s->asked.table, &s->opt, fact, n, err));
    MB_TRY(add_options(s, s->asked.kind->opts, s->asked.model_opt, fact, n, err));
    MB_TRY(add_options(s, own, c->opt, fact, n, err));
    MB_TRY(add(s, "dump-at", dumps, fact, n, err));
    return add_trace(s, fact, n, err);
}

/* Length without trailing slashes. */
static size_t bare(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

/* 1 if a run resumes from the folder it saves to. */
static int same_folder(const sim *s)
{
    const char *a = s->opt.checkpoint, *b = s->opt.resume;

    return a && b && bare(a) == bare(b) && !memcmp(a, b, bare(a));
}

static mb_status check_folders(sim *s, mb_err *err)
{
    int32_t count = 0;

    if (s->opt.checkpoint && !same_folder(s)) {
        MB_TRY(mb_checkpoint_count(s->opt.checkpoint, &count, err));
        if (count)
            MB_FAIL(err, MB_E_ARG,
                    "--checkpoint: %s holds the checkpoints of a run: resume it with --resume %s, "
                    "or name another folder",
                    s->opt.checkpoint, s->opt.checkpoint);
    }
    if (!s->opt.resume)
        return MB_OK;
    MB_TRY(mb_checkpoint_count(s->opt.resume, &count, err));
    if (count)
        return MB_OK;
    if (!same_folder(s))
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint", s->opt.resume);
    sim_warn(s, "%s holds no checkpoint yet: the run begins with round 1", s->opt.resume);
    s->opt.resume = NULL;
    return MB_OK;
}

mb_status sim_keep_check(sim *s, mb_err *err)
{
    int32_t found = 0;

    MB_TRY(check_folders(s, err));
    for (int32_t k = 0; s->opt.resume && k < s->asked.nchoice; k++) {
        mb_checkpoint at;
        int64_t       t = 0;
        mb_status     st;

        MB_TRY(describe(s, &s->asked.choice[k], &at, err));
        st = mb_checkpoint_find(&at, &t, err);
        MB_TRY(st);
        found += st == MB_OK;
        if (st == MB_OK && t > s->opt.rounds)
            MB_FAIL(err, MB_E_ARG,
                    "--rounds: %lld, but the checkpoint of %s in %s is of round %lld; expected "
                    "%lld or more",
                    (long long)s->opt.rounds, at.name, at.dir, (long long)t, (long long)t);
    }
    if (s->opt.resume && !found)
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint of %s", s->opt.resume,
                s->asked.nchoice > 1 ? "these algorithms" : s->asked.choice[0].name);
    return MB_OK;
}

static void refuse(void *to, const char *why)
{
    sim_keep *k = to;

    k->refused++;
    sim_warn(k->r->s, "%s; the checkpoint before it is tried", why);
}

/* Such a failure ends the command, unlike a failed run. */
static mb_status ends(mb_status st, mb_err *err)
{
    return st != MB_E_ARG && st != MB_E_FORMAT ? st : (err->code = MB_E_IO);
}

mb_status sim_keep_new(sim_result *r, mb_err *err)
{
    sim      *s = r->s;
    sim_keep *k;
    int64_t   t;
    mb_status st;

    if (!s->opt.checkpoint && !s->opt.resume)
        return MB_OK;
    MB_NEW(k, s->a, 1, err);
    k->r = r;
    k->trace = sim_trace_file(s);
    MB_TRY(describe(s, r->choice, &k->c, err));
    k->c.kept = k->kept;
    k->c.journal = s->ranks.rank ? NULL : &k->journal;
    k->c.rank = r->choice->cvb ? 0 : s->ranks.rank; /* cvb is in every process */
    k->c.ranks = r->choice->cvb ? 1 : s->ranks.size;
    k->c.refused = refuse;
    k->c.to = k;
    st = s->opt.resume ? ends(mb_checkpoint_find(&k->c, &t, err), err) : MB_QUIET;
    MB_TRY(st);
    k->resumed = st == MB_OK;
    r->keep = k;
    return MB_OK;
}

/* The current numbers of a run; traffic of initialisation is summed over processes. */
static mb_status look_once(sim_keep *k, mb_err *err)
{
    const sim_result *r = k->r;
    const mb_drawn   *drawn = &r->s->begin.drawn;
    mb_transport     *tp = &r->s->world.fit.place.tp;
    double            sent[2] = {(double)drawn->sent.frames, (double)drawn->sent.bytes};

    MB_TRY(tp->ops->reduce(tp, MB_SUM, sent, 2, err));
    k->once = (sim_once){.attempt = r->found.attempt,
                         .at_best = r->found.at_best,
                         .ended = r->session.stopped,
                         .drawn = drawn->counted,
                         .frames = (int64_t)sent[0],
                         .bytes = (int64_t)sent[1],
                         .seconds = k->earlier + app_now() - r->began};
    return MB_OK;
}

static void restore_once(sim_keep *k)
{
    const sim_once *once = &k->once;
    const int       first = !k->r->s->ranks.rank;

    k->r->found.attempt = (int32_t)once->attempt;
    k->r->found.at_best = (int32_t)once->at_best;
    k->r->session.stopped = (int32_t)once->ended;
    k->r->s->begin.drawn.counted = (int32_t)once->drawn;
    k->r->s->begin.drawn.attempt = -1; /* its centres are not here */
    k->r->s->begin.drawn.sent = (mb_traffic){first ? once->frames : 0, first ? once->bytes : 0};
    k->earlier = once->seconds;
}

/* The notice that is printed if a process is killed. */
static void tell_where(const sim_keep *k, const char *dir)
{
    char line[512];

    snprintf(line, sizeof line, "resume from round %lld of %s with --resume %.400s",
             (long long)k->r->session.state.t, k->c.name, dir);
    ranks_notice(line);
}

/* Central VB is in every process; process 0 saves it. */
static mb_status save(sim_keep *k, int end, mb_err *err)
{
    const mb_session *session = &k->r->session;
    const ranks      *all = &k->r->s->ranks;
    const int         cvb = k->r->choice->cvb;
    mb_status         st = MB_OK;

    MB_TRY(look_once(k, err));
    if (!cvb || !all->rank)
        st = mb_checkpoint_save(&k->c, &session->problem, &session->state, end, err);
    if (cvb)
        st = ranks_agree(all, st, err);
    if (st >= 0)
        tell_where(k, k->r->s->opt.checkpoint);
    return st;
}

static int is_due(const sim_keep *k)
{
    const sim_opt *o = &k->r->s->opt;
    const int64_t  t = k->r->session.state.t;

    return t % o->every == 0 && t != o->rounds; /* the last round: saved as the end */
}

static mb_status see(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    (void)p, (void)st;
    return is_due(self) ? save(self, 0, err) : MB_OK;
}

mb_status sim_keep_save(sim_keep *k, int end, mb_err *err)
{
    return k->r->s->opt.checkpoint && (end || !is_due(k)) ? save(k, end, err) : MB_OK;
}

/* A hash for each node, which must not change. */
static mb_kept fixed(const char *name, uint64_t *hash)
{
    return (mb_kept){.name = name, .at = hash, .bytes = 8, .stride = 8, .pieces = 1, .fixed = 1};
}

static mb_status stand_on(sim_keep *k, mb_err *err)
{
    const mb_problem *p = &k->r->session.problem;
    const int32_t     n = p->part->n_local;
    uint64_t         *rows, *links;
    double           *room;

    MB_NEW(room, k->r->session.own, k->r->session.c->run.d, err);
    MB_NEW(rows, k->r->session.own, n, err);
    MB_NEW(links, k->r->session.own, n, err);
    for (int32_t i = 0; i < n; i++) {
        MB_TRY(sim_stand_rows(k->r->s, &p->rows[i], room, &rows[i], err));
        links[i] = sim_stand_links(p->part, i);
    }
    k->kept[0] = fixed("rows", rows);
    k->kept[1] = fixed("links", links);
    k->kept[2] = (mb_kept){.name = "run", .at = &k->once, .bytes = sizeof k->once, .pieces = 1};
    return MB_OK;
}

mb_status sim_keep_watch(sim_keep *k, mb_err *err)
{
    mb_session       *session = &k->r->session;
    const mb_observer obs = {.self = k, .every = k->r->s->opt.every, .see = see};

    k->c.obs = session->obs;
    k->c.nobs = session->nobs;
    MB_TRY(stand_on(k, err));
    k->c.nkept = 3 + (k->r->dump ? sim_dump_kept(k->r->dump, k->kept + 3) : 0);
    return k->r->s->opt.checkpoint ? mb_session_watch(session, &obs, err) : MB_OK;
}

/* Every process loads central VB by itself; all must have found the same round. */
static mb_status same_round(const sim_keep *k, mb_err *err)
{
    mb_transport *tp = &k->r->s->world.fit.place.tp;
    const double  t = (double)k->r->session.state.t;
    double        ends[2] = {t, -t};

    MB_TRY(tp->ops->reduce(tp, MB_MAX, ends, 2, err));
    if (ends[0] > -ends[1])
        MB_FAIL(err, MB_E_IO, "%s: not every process can read round %.0f of %s", k->c.dir, ends[0],
                k->c.name);
    return MB_OK;
}

static mb_status load(sim_keep *k, mb_err *err)
{
    mb_session *session = &k->r->session;
    mb_status   st = mb_checkpoint_load(&k->c, &session->problem, &session->state, err);

    if (k->r->choice->cvb)
        st = ranks_agree(&k->r->s->ranks, st, err);
    MB_TRY(ends(st, err));
    if (st == MB_QUIET)
        MB_FAIL(err, MB_E_IO, "%s: the checkpoints of %s are gone", k->c.dir, k->c.name);
    MB_TRY(same_round(k, err));
    restore_once(k);
    tell_where(k, k->c.dir);
    if (k->refused)
        sim_warn(k->r->s, "%s resumes from the checkpoint of round %lld", k->c.name,
                 (long long)session->state.t);
    if (k->trace && k->journal.n)
        MB_TRY(mb_file_write(k->trace, k->journal.bytes, k->journal.n, err));
    return MB_OK;
}

mb_status sim_keep_load(sim_keep *k, mb_err *err)
{
    if (k->resumed)
        MB_TRY(load(k, err));
    k->c.dir = k->r->s->opt.checkpoint;
    return MB_OK;
}

void sim_keep_close(sim_keep *k)
{
    if (k)
        mb_journal_free(&k->journal);
}

mb_status sim_keep_line(void *to, const char *line, size_t len, mb_err *err)
{
    sim_keep *k = to;

    if (!k->trace)
        return MB_OK;
    MB_TRY(mb_journal_add(&k->journal, line, len, err));
    return mb_file_write(k->trace, line, len, err);
}
