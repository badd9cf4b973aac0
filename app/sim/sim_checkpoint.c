/* sim_checkpoint.c - --checkpoint and --resume: when a run is saved, what it goes on from. Every
 * algorithm has checkpoints of its own; one that was over is loaded, not run again. */
#include "sim/sim_checkpoint.h"
#include "sim/sim_facts.h"

#include <string.h>

/* 1 when a run goes on in the folder it came from. */
static int same_folder(const sim *s)
{
    const char *a = s->opt.checkpoint, *b = s->opt.resume;
    size_t      n, m;

    if (!a || !b)
        return 0;
    for (n = strlen(a); n > 1 && a[n - 1] == '/';)
        n--;
    for (m = strlen(b); m > 1 && b[m - 1] == '/';)
        m--;
    return n == m && !memcmp(a, b, n);
}

static int is_traced(const sim *s)
{
    return s->asked.metrics && (s->opt.trace || sim_to_folder(s));
}

static mb_status check_folders(sim *s, mb_err *err)
{
    int32_t count = 0;

    if (s->opt.checkpoint && !same_folder(s)) {
        MB_TRY(mb_checkpoint_count(s->opt.checkpoint, &count, err));
        if (count)
            MB_FAIL(
                err, MB_E_ARG,
                "--checkpoint: %s holds the checkpoints of a run: go on from them with --resume "
                "%s, or name another folder",
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

/* The checkpoint one algorithm would go on from; MB_QUIET: it begins. */
static mb_status find(sim *s, const sim_choice *c, int traced, int64_t *t, mb_err *err)
{
    mb_checkpoint at = {.dir = s->opt.resume, .name = c->name};
    mb_fact      *fact;

    MB_TRY(sim_facts(s, c, traced, &fact, &at.nfact, err));
    at.fact = fact;
    return mb_checkpoint_find(&at, t, err);
}

mb_status sim_keep_check(sim *s, mb_err *err)
{
    int32_t found = 0;

    MB_TRY(check_folders(s, err));
    for (int32_t k = 0; s->opt.resume && k < s->asked.nchoice; k++) {
        int64_t         t = 0;
        const mb_status st = find(s, &s->asked.choice[k], is_traced(s), &t, err);

        MB_TRY(st);
        found += st == MB_OK;
        if (st == MB_OK && t > s->opt.rounds)
            MB_FAIL(
                err, MB_E_ARG,
                "--rounds: %lld, but the checkpoint of %s in %s is of round %lld, accepted: %lld "
                "or more",
                (long long)s->opt.rounds, s->asked.choice[k].name, s->opt.resume, (long long)t,
                (long long)t);
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
    sim_warn(k->s, "%s; the checkpoint before it is tried", why);
}

/* Not the algorithm's doing: ends the command, unlike a run that fails. */
static mb_status ends(mb_status st, mb_err *err)
{
    if (st != MB_E_ARG && st != MB_E_FORMAT)
        return st;
    return err->code = MB_E_IO;
}

mb_status sim_keep_new(sim *s, const sim_choice *c, sim_watch *watch, sim_keep **out, mb_err *err)
{
    sim_keep *k;
    int64_t   t;

    *out = NULL;
    if (!s->opt.checkpoint && !s->opt.resume)
        return MB_OK;
    MB_NEW(k, s->a, 1, err);
    k->s = s;
    k->trace = watch->trace;
    k->began = sim_now();
    MB_TRY(sim_facts(s, c, is_traced(s), &k->fact, &k->nfact, err));
    k->c = (mb_checkpoint){.name = c->name,
                           .fact = k->fact,
                           .nfact = k->nfact,
                           .kept = k->kept,
                           .nkept = 3,
                           .journal = k->trace ? &k->journal : NULL,
                           .rank = c->cvb ? 0 : s->ranks.rank, /* cvb is in every process */
                           .ranks = c->cvb ? 1 : s->ranks.size,
                           .refused = refuse,
                           .to = k};
    if (s->opt.resume) {
        const mb_status st = find(s, c, is_traced(s), &t, err);

        MB_TRY(ends(st, err));
        k->resumed = st == MB_OK;
    }
    *out = k;
    return MB_OK;
}

/* What is kept once, as it is now. What was drawn is counted where it was sent. */
static mb_status look_once(sim_keep *k, mb_err *err)
{
    const mb_drawn *drawn = &k->s->begin.drawn;
    mb_transport   *tp = &k->s->world.fit.place.tp;
    double          sent[2] = {(double)drawn->sent.frames, (double)drawn->sent.bytes};

    MB_TRY(tp->ops->reduce(tp, MB_SUM, sent, 2, err));
    k->once = (sim_once){.attempt = k->r->attempt,
                         .ended = k->r->session.stopped,
                         .drawn = drawn->counted,
                         .frames = (int64_t)sent[0],
                         .bytes = (int64_t)sent[1],
                         .seconds = k->earlier + sim_now() - k->began};
    return MB_OK;
}

static void restore_once(sim_keep *k)
{
    mb_drawn *drawn = &k->s->begin.drawn;
    const int first = !k->s->ranks.rank;

    k->r->attempt = (int32_t)k->once.attempt;
    k->r->session.stopped = (int32_t)k->once.ended;
    drawn->counted = (int32_t)k->once.drawn;
    drawn->attempt = -1; /* its centres are not here */
    drawn->sent.frames = first ? k->once.frames : 0;
    drawn->sent.bytes = first ? k->once.bytes : 0;
    k->earlier = k->once.seconds;
}

/* Where a killed process says one can go on from. */
static void tell_where(const sim_keep *k, const char *dir)
{
    char line[512];

    snprintf(line, sizeof line, "go on from round %lld of %s with --resume %.400s",
             (long long)k->r->session.state.t, k->c.name, dir);
    ranks_notice(line);
}

/* Process 0 saves what every process has. */
static int saves(const sim_keep *k)
{
    return !k->r->choice->cvb || !k->s->ranks.rank;
}

static mb_status saved(const sim_keep *k, mb_status st, mb_err *err)
{
    if (k->r->choice->cvb)
        st = ranks_agree(&k->s->ranks, st, err);
    if (st >= 0)
        tell_where(k, k->s->opt.checkpoint);
    return st;
}

static int is_due(const sim_keep *k, int64_t t)
{
    return t % k->s->opt.every == 0 && t != k->s->opt.rounds; /* the last round: sim_keep_end */
}

static mb_status save(sim_keep *k, const mb_problem *p, const mb_state *st, mb_err *err)
{
    MB_TRY(look_once(k, err));
    return saved(k, saves(k) ? mb_checkpoint_save(&k->c, p, st, 0, err) : MB_OK, err);
}

static mb_status see(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    sim_keep *k = self;

    return is_due(k, st->t) ? save(k, p, st, err) : MB_OK;
}

mb_status sim_keep_now(sim_keep *k, const mb_problem *p, const mb_state *st, mb_err *err)
{
    return k->s->opt.checkpoint && !is_due(k, st->t) ? save(k, p, st, err) : MB_OK;
}

/* Rows and links of every node are hashed once for the run. */
static mb_status stand_on(sim_keep *k, mb_err *err)
{
    const mb_problem *p = &k->r->session.problem;
    const int32_t     n = p->part->n_local;

    MB_NEW(k->rows, k->r->session.own, n, err);
    MB_NEW(k->links, k->r->session.own, n, err);
    for (int32_t i = 0; i < n; i++) {
        k->rows[i] = sim_rows_hash(&p->rows[i]);
        k->links[i] = sim_links_hash(p->part, i);
    }
    k->kept[0] =
        (mb_kept){.name = "rows", .at = k->rows, .bytes = 8, .stride = 8, .pieces = 1, .fixed = 1};
    k->kept[1] = (mb_kept){
        .name = "links", .at = k->links, .bytes = 8, .stride = 8, .pieces = 1, .fixed = 1};
    k->kept[2] = (mb_kept){.name = "run", .at = &k->once, .bytes = sizeof k->once, .pieces = 1};
    return MB_OK;
}

mb_status sim_keep_watch(sim_keep *k, sim_result *r, sim_dump *dump, mb_err *err)
{
    const sim_opt *o = &k->s->opt;

    k->r = r;
    k->c.obs = r->session.obs;
    k->c.nobs = r->session.nobs;
    MB_TRY(stand_on(k, err));
    if (dump)
        k->c.nkept += sim_dump_kept(dump, k->kept + k->c.nkept);
    if (!o->checkpoint)
        return MB_OK;
    return mb_session_watch(&r->session, &(mb_observer){.self = k, .every = o->every, .see = see},
                            err);
}

/* Every process loads cvb by itself, and all must have found the same. */
static mb_status same_round(sim_keep *k, mb_err *err)
{
    mb_transport *tp = &k->s->world.fit.place.tp;
    double        ends[2] = {(double)k->r->session.state.t, -(double)k->r->session.state.t};

    MB_TRY(tp->ops->reduce(tp, MB_MAX, ends, 2, err));
    if (ends[0] > -ends[1])
        MB_FAIL(err, MB_E_IO, "%s: not every process can read round %.0f of %s", k->c.dir, ends[0],
                k->c.name);
    return MB_OK;
}

static mb_status load(sim_keep *k, mb_err *err)
{
    mb_status st = mb_checkpoint_load(&k->c, &k->r->session.problem, &k->r->session.state, err);

    if (k->r->choice->cvb)
        st = ranks_agree(&k->s->ranks, st, err);
    MB_TRY(ends(st, err));
    if (st == MB_QUIET)
        MB_FAIL(err, MB_E_IO, "%s: the checkpoints of %s are gone", k->c.dir, k->c.name);
    MB_TRY(same_round(k, err));
    restore_once(k);
    tell_where(k, k->c.dir);
    if (k->refused)
        sim_warn(k->s, "%s goes on from the checkpoint of round %lld", k->c.name,
                 (long long)k->r->session.state.t);
    if (k->trace && k->journal.n)
        MB_TRY(mb_file_write(k->trace, k->journal.bytes, k->journal.n, err));
    return MB_OK;
}

mb_status sim_keep_load(sim_keep *k, mb_err *err)
{
    k->c.dir = k->s->opt.resume;
    if (k->resumed)
        MB_TRY(load(k, err));
    k->c.dir = k->s->opt.checkpoint;
    return MB_OK;
}

mb_status sim_keep_end(sim_keep *k, mb_err *err)
{
    if (!k->s->opt.checkpoint)
        return MB_OK;
    MB_TRY(look_once(k, err));
    return saved(
        k,
        saves(k) ? mb_checkpoint_save(&k->c, &k->r->session.problem, &k->r->session.state, 1, err)
                 : MB_OK,
        err);
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
