/* checkpoint.c - --checkpoint and --resume (docs/adr/0058): a folder of units, each a file. Of
 * `fit` initialisations, moves, merges and numbers of components that are over are units; the
 * state of a run at hand is one (docs/adr/0018), in `sim` of each algorithm: one that had ended
 * is loaded and not run again. Where every process does the same, process 0 writes, and reads
 * the units for all; where they make initialisations or numbers of components apart
 * (run/fit_share.h), each has its own. */
#include "run/checkpoint.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/data.h"
#include "run/fit_follow.h"
#include "run/fit_share.h"

#include <assert.h>
#include <string.h>

static const uint64_t BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    for (size_t k = 0; k + 8 <= n; k += 8) {
        uint64_t word;

        memcpy(&word, from + k, 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (size_t k = n / 8 * 8; k < n; k++)
        hash = (hash ^ from[k]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The hash of earlier rows and of these. */
static uint64_t more_rows(uint64_t hash, const mb_rows *rows, double *room)
{
    for (int64_t j = 0; j < rows->n; j++)
        hash = rows->x32 ? mix(hash, rows->x32 + (size_t)j * rows->ld, (size_t)rows->d * 4)
                         : mix(hash, mb_rows_row(rows, j, room), (size_t)rows->d * 8);
    return rows->w ? mix(hash, rows->w, (size_t)rows->n * sizeof *rows->w) : hash;
}

/* The hash goes from process to process. */
static mb_status pass_on(const mb_comm *c, const mb_rows *rows, double *room, uint64_t *hash,
                         mb_err *err)
{
    for (int32_t q = 0; q < c->size; q++) {
        if (q == c->rank)
            *hash = more_rows(*hash, rows, room);
        MB_TRY(mb_comm_share(c, q, hash, sizeof *hash, err));
    }
    return MB_OK;
}

/* Of a node's rows and weights in run units, thus of the common scale. room: a row. Collective
 * where processes share the rows: the hash of all of them. */
static mb_status hash_rows(const sim_job *job, const mb_rows *rows, double *room, uint64_t *hash,
                           mb_err *err)
{
    const int64_t all = rows->n + rows->remote_rows;

    *hash = mix(BASIS, &all, sizeof all);
    if (rows->share)
        return pass_on(job->ranks.comm, rows, room, hash, err);
    *hash = more_rows(*hash, rows, room);
    return MB_OK;
}

/* Of a node's neighbours and combination weights. */
static uint64_t hash_links(const mb_part *part, int32_t i)
{
    uint64_t hash = mix(BASIS, &part->w.self[i], sizeof *part->w.self);

    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
        hash = mix(hash, &part->gid[part->g.adj[e]], sizeof *part->gid);
        hash = mix(hash, &part->w.edge[e], sizeof *part->w.edge);
    }
    return hash;
}

enum { MOST_FACTS = 128 /* options of the command, a model and an algorithm, and three more */ };

/* Data and network are compared by their content (stand_on). */
static int is_free(const sim_command *command, const char *name)
{
    return sim_option_is_output(command, name) || !strcmp(name, "network") ||
           !strcmp(name, "rounds") || !strcmp(name, "algorithm");
}

/* A fact, or another value of one; set: it is not the default. */
static mb_status add(sim_job *job, mb_checkpoint *to, const char *name, const char *value, int set,
                     mb_err *err)
{
    mb_fact    *fact = (mb_fact *)(uintptr_t)to->fact; /* made by facts */
    const char *copy = mb_text(job->a, err, "%s", value);
    int32_t     q = 0;

    if (!copy)
        return MB_E_NOMEM;
    while (q < to->nfact && strcmp(fact[q].name, name) != 0)
        q++;
    assert(q < MOST_FACTS);
    to->nfact += q == to->nfact;
    fact[q] = (mb_fact){name, copy, set ? MB_FACT_SET : MB_FACT_DEFAULT};
    return MB_OK;
}

static mb_status add_options(sim_job *job, const sim_command *command, mb_checkpoint *to,
                             const mb_opt *table, const void *obj, mb_err *err)
{
    char number[64];

    for (; table && table->name; table++)
        if (!is_free(command, table->name))
            MB_TRY(add(job, to, table->name, sim_option_text(table, obj, number),
                       sim_option_given(table, obj), err));
    return MB_OK;
}

/* The traced metrics, and whether lines name the algorithm. Those that a folder has by default may
 * begin and end with any session. */
static mb_status add_trace(sim_job *job, const sim_case *cs, mb_checkpoint *to, mb_err *err)
{
    const int traced = sim_traced(job, cs) && !cs->args->sampled;
    char      text[512] = "off";
    size_t    at = 0;

    for (int m = 0; traced && m < MB_M_COUNT; m++)
        if (cs->metrics & 1u << m)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "," : "",
                                   mb_metric_table()[m].name);
    if (traced && cs->args->nchoice > 1)
        snprintf(text + at, sizeof text - at, " of several algorithms");
    return add(job, to, "metrics traced", text, traced, err);
}

/* Of the bytes of a file; NULL: no fact. */
static mb_status add_file(sim_job *job, mb_checkpoint *to, const char *name, const char *file,
                          mb_err *err)
{
    char      text[32], *bytes;
    size_t    n;
    mb_arena *scratch_arena;
    mb_status st;

    if (!file)
        return add(job, to, name, "", 0, err);
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %s", file);
    st = mb_file_read(scratch_arena, file, &bytes, &n, err);
    if (st >= 0)
        snprintf(text, sizeof text, "of hash %016llx", (unsigned long long)mb_bytes_hash(bytes, n));
    mb_arena_free(scratch_arena);
    return st < 0 ? st : add(job, to, name, text, 1, err);
}

/* A search depends on how many rounds each run may have. */
static int rounds_matter(const sim_case *cs)
{
    return cs->n_init != 1 || cs->args->sweep || cs->args->opt.prune == SIM_PRUNE_ON;
}

/* The options of the command alone, but for rows that arrive: those are of --follow, which has no
 * checkpoints, or of --update. */
static mb_status add_own(sim_job *job, const sim_args *args, mb_checkpoint *to, mb_err *err)
{
    for (const sim_row *row = args->command->more; row && row->opt.name; row++) {
        const mb_opt one[2] = {row->opt};

        if (row->group != SIM_ARRIVING)
            MB_TRY(add_options(job, args->command, to, one, args->own, err));
    }
    return MB_OK;
}

static mb_status facts_of_fit(sim_job *job, const sim_case *cs, mb_checkpoint *to, mb_err *err)
{
    const sim_opt *o = &cs->args->opt;
    const fit_opt *own = cs->args->own;
    const char    *colon = strchr(o->init, ':');
    char           text[96];

    if (o->components) /* several: that of the model is the one of its first run */
        MB_TRY(add(job, to, "n-components", o->components, 1, err));
    if (cs->args->sweep && o->form)
        MB_TRY(add(job, to, "covariance-type", o->form, 1, err));
    snprintf(text, sizeof text, "%.17g", own->forget);
    MB_TRY(add(job, to, "forget", text, own->forget < 1, err));
    MB_TRY(add_own(job, cs->args, to, err));
    snprintf(text, sizeof text, "%lld", rounds_matter(cs) ? (long long)o->rounds : 0);
    MB_TRY(add(job, to, "rounds", text, 1, err));
    MB_TRY(add_file(job, to, "--update", own->update, err));
    MB_TRY(add_file(job, to, "--prior posterior", sim_prior_file(cs->args), err));
    MB_TRY(add_file(job, to, "--init", colon ? colon + 1 : NULL, err));
    MB_TRY(add_file(job, to, "--group-file", o->read.group_file, err));
    snprintf(text, sizeof text, "%lld x %d of hash %016llx", (long long)cs->rows->data.n,
             cs->rows->data.d, (unsigned long long)cs->hash);
    return add(job, to, "--data", text, 1, err);
}

/* What a run and the checkpoint it resumes from must have in common: every option that affects the
 * iterates of an algorithm, or its trace. */
static mb_status facts(sim_job *job, const sim_case *cs, const sim_choice *c, mb_checkpoint *out,
                       mb_err *err)
{
    const sim_args *args = cs->args;
    const char     *dumps = args->opt.dump_phi && args->opt.dump_at ? args->opt.dump_at : "";
    mb_fact        *fact;

    MB_NEW(fact, job->a, MOST_FACTS, err);
    *out = (mb_checkpoint){.dir = job->checkpoints->resume, .name = c->name, .fact = fact};
    MB_TRY(add_options(job, args->command, out, args->table, &args->opt, err));
    MB_TRY(add_options(job, args->command, out, args->kind->opts, args->model_opt, err));
    MB_TRY(add_options(job, args->command, out, c->cvb ? NULL : c->algo->opts, c->opt, err));
    MB_TRY(add(job, out, "dump-at", dumps, *dumps, err));
    MB_TRY(add_trace(job, cs, out, err));
    return args->command->fit ? facts_of_fit(job, cs, out, err) : MB_OK;
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
static int same_folder(const sim_checkpoints *k)
{
    const char *a = k->cs->args->opt.checkpoint, *b = k->resume;

    return a && b && bare(a) == bare(b) && !memcmp(a, b, bare(a));
}

/* Refuses a folder in use, and one with nothing to resume from. */
static mb_status check_folders(sim_checkpoints *k, mb_err *err)
{
    const char *to = k->cs->args->opt.checkpoint;
    int32_t     count = 0;

    if (to && !same_folder(k)) {
        MB_TRY(mb_checkpoint_count(to, &count, err));
        if (count)
            MB_FAIL(err, MB_E_ARG,
                    "--checkpoint: %s holds the checkpoints of a run: resume it with --resume %s, "
                    "or name another folder",
                    to, to);
    }
    if (!k->resume)
        return MB_OK;
    MB_TRY(mb_checkpoint_count(k->resume, &count, err));
    if (count)
        return MB_OK;
    if (!same_folder(k))
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint", k->resume);
    sim_warn(k->job, "%s holds no checkpoint yet: the run begins with round 1", k->resume);
    k->resume = NULL;
    return MB_OK;
}

/* Refuses fewer rounds than a checkpoint, of round t, has. */
static mb_status check_rounds(const sim_args *args, const mb_checkpoint *at, int64_t t, mb_err *err)
{
    if (t > args->opt.rounds)
        MB_FAIL(err, MB_E_ARG,
                "--rounds: %lld, but the checkpoint of %s in %s is of round %lld; expected "
                "%lld or more",
                (long long)args->opt.rounds, at->name, at->dir, (long long)t, (long long)t);
    return MB_OK;
}

static void refuse_state(void *to, const char *why)
{
    sim_checkpoint *k = to;

    k->refused++;
    sim_warn(k->r->job, "%s; the checkpoint before it is tried", why);
}

/* Such a failure ends the command, unlike a failed run. */
static mb_status ends(mb_status st, mb_err *err)
{
    return st != MB_E_ARG && st != MB_E_FORMAT ? st : (err->code = MB_E_IO);
}

/* The current numbers of a run; traffic of initialisation is summed over processes. */
static mb_status look_once(sim_checkpoint *k, mb_err *err)
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

static void restore_once(sim_checkpoint *k)
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
static void tell_where(const sim_checkpoint *k, const char *dir)
{
    char line[512];

    snprintf(line, sizeof line, "resume from round %lld of %s with --resume %.400s",
             (long long)k->session->state.t, k->c.name, dir);
    ranks_notice(line);
}

/* Central VB is in every process; process 0 saves it. */
static mb_status save(sim_checkpoint *k, int end, mb_err *err)
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

static int is_due(const sim_checkpoint *k)
{
    const sim_opt *o = &k->r->cs->args->opt;
    const int64_t  t = k->session->state.t;

    return t % o->every == 0 && t != o->rounds; /* the last round: saved as the end */
}

/* A round that ends the run is saved as the end, if at all. */
static int is_last(const sim_checkpoint *k)
{
    return k->session->stopped || k->session->finished_early;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    (void)p, (void)st;
    return is_due(self) && !is_last(self) ? save(self, 0, err) : MB_OK;
}

mb_status checkpoint_save(sim_checkpoint *k, int end, mb_err *err)
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

static mb_status stand_on(sim_checkpoint *k, mb_err *err)
{
    const mb_problem *p = &k->session->problem;
    const int32_t     n = p->part->n_local;
    uint64_t         *rows, *links;
    double           *room;

    MB_NEW(room, k->session->own, k->session->c->run.d, err);
    MB_NEW(rows, k->session->own, n, err);
    MB_NEW(links, k->session->own, n, err);
    for (int32_t i = 0; i < n; i++) {
        MB_TRY(hash_rows(k->r->job, &p->rows[i], room, &rows[i], err));
        links[i] = hash_links(p->part, i);
    }
    k->items[k->c.nitems++] = fixed("rows", rows);
    k->items[k->c.nitems++] = fixed("links", links);
    return MB_OK;
}

mb_status checkpoint_watch(sim_checkpoint *k, mb_err *err)
{
    mb_session       *session = k->session;
    const mb_observer obs = {.self = k, .every = k->r->cs->args->opt.every, .see = see};

    k->c.obs = session->obs;
    k->c.nobs = session->nobs;
    if (!k->r->cs->args->command->fit)
        MB_TRY(stand_on(k, err));
    k->items[k->c.nitems++] =
        (mb_checkpoint_item){.name = "run", .at = &k->once, .bytes = sizeof k->once, .pieces = 1};
    if (k->r->dump)
        k->c.nitems += sim_dump_items(k->r->dump, k->items + k->c.nitems);
    return k->r->cs->args->opt.checkpoint ? mb_session_watch(session, &obs, err) : MB_OK;
}

/* Every process loads central VB by itself; all must have found the same round. */
static mb_status same_round(const sim_checkpoint *k, mb_err *err)
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

static mb_status load(sim_checkpoint *k, mb_err *err)
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

mb_status checkpoint_load(sim_checkpoint *k, mb_err *err)
{
    if (k->resumed)
        MB_TRY(load(k, err));
    k->c.dir = k->r->cs->args->opt.checkpoint;
    if (!k->resumed && k->session->state.t) /* after a merge: the trace so far */
        return k->c.dir ? save(k, 0, err) : MB_OK;
    return MB_OK;
}

mb_status checkpoint_line(void *to, const char *line, size_t len, mb_err *err)
{
    sim_checkpoint *k = to;

    if (!k->trace)
        return MB_OK;
    MB_TRY(mb_journal_add(k->c.journal, line, len, err));
    return mb_file_write(k->trace, line, len, err);
}

/* NULL: no memory. */
static const char *name_of(const sim_checkpoints *k, const char *what, mb_err *err)
{
    return k->of ? mb_text(k->job->a, err, "%s-%s", k->of, what)
                 : mb_text(k->job->a, err, "%s", what);
}

/* 1: a unit of this process, where the others have theirs. */
static int by_itself(const sim_checkpoints *k, const char *what)
{
    return k->alone || (sim_shares_starts(k->job, k->cs) &&
                        (!strncmp(what, "start-", 6) || !strncmp(what, "merge-of-", 9)));
}

static void tell(const sim_case *cs, const char *what, const char *name)
{
    char line[512];

    snprintf(line, sizeof line, "%s%s with --resume %.400s", what, name,
             cs->args->opt.checkpoint ? cs->args->opt.checkpoint : cs->args->opt.resume);
    ranks_notice(line);
}

static void refuse_unit(void *to, const char *why)
{
    sim_checkpoints *k = to;

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
static mb_status put_file(const sim_checkpoints *k, const char *name, const double *x, size_t n,
                          mb_err *err)
{
    mb_checkpoint c = *k->c;
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
static mb_status forget(const sim_checkpoints *k, const char *run, int32_t K, int32_t left,
                        mb_err *err)
{
    mb_checkpoint c = *k->c;

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
static mb_status put_and_forget(const sim_checkpoints *k, const char *what, const char *name,
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
    sim_checkpoints *k = self;
    const char      *name = name_of(k, what, err);
    mb_status        st = name ? MB_OK : MB_E_NOMEM;

    if (!k->cs->args->opt.checkpoint)
        return MB_OK;
    if (name && (by_itself(k, what) || !k->job->ranks.rank))
        st = put_and_forget(k, what, name, x, n, err);
    MB_TRY(by_itself(k, what) ? st : ranks_agree(&k->job->ranks, st, err));
    tell(k->cs, "resume after ", name);
    return MB_OK;
}

/* Process 0 reads, and says it to all, unless each reads its own. MB_QUIET: there is none. */
static mb_status get_file(const sim_checkpoints *k, const char *name, int alone, double *x,
                          size_t n, mb_err *err)
{
    sim_job      *job = k->job;
    mb_checkpoint c = *k->c;
    mb_status     st = MB_QUIET;
    int32_t       found;

    c.dir = k->resume;
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
    sim_checkpoints *k = self;
    const sim_case  *cs = k->cs;
    const char      *name = name_of(k, what, err);
    mb_arena        *a;
    double          *all;
    mb_status        st;

    if (!k->resume)
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
    if (st == MB_OK && !same_folder(k))
        return put(self, what, x, n, err);
    return st;
}

/* The first unit, which says what the folder is for: other options and other data are refused before
 * anything is computed. */
static mb_status begin(sim_checkpoints *k, mb_err *err)
{
    static const char none[] = "begin";
    double            x = 0;
    mb_status         st = get(k, none, &x, 1, err);

    MB_TRY(st);
    if (k->resume && st == MB_QUIET && !k->job->ranks.rank && !k->refused)
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint of fit", k->resume);
    if (st == MB_QUIET)
        st = put(k, none, &x, 1, err);
    return st;
}

/* Of `sim`: whether any of the algorithms has a state. */
static mb_status find_any(const sim_checkpoints *all, mb_err *err)
{
    const sim_case *cs = all->cs;
    int32_t         found = 0;

    for (int32_t k = 0; all->resume && k < cs->args->nchoice; k++) {
        int64_t         t = 0;
        const mb_status st = mb_checkpoint_find(&all->c[k], &t, err);

        MB_TRY(st);
        found += st == MB_OK;
        if (st == MB_OK)
            MB_TRY(check_rounds(cs->args, &all->c[k], t, err));
    }
    if (all->resume && !found)
        MB_FAIL(err, MB_E_ARG, "--resume: %s holds no checkpoint of %s", all->resume,
                cs->args->nchoice > 1 ? "these algorithms" : cs->args->choice[0].name);
    return MB_OK;
}

static mb_status look(sim_checkpoints *all, mb_err *err)
{
    const sim_case *cs = all->cs;

    MB_TRY(check_folders(all, err));
    for (int32_t k = 0; k < cs->args->nchoice; k++)
        MB_TRY(facts(all->job, cs, &cs->args->choice[k], &all->c[k], err));
    return cs->args->command->fit ? MB_OK : find_any(all, err);
}

mb_status checkpoints_open(sim_job *job, const sim_case *cs, mb_err *err)
{
    const sim_opt   *o = &cs->args->opt;
    sim_checkpoints *all;

    if (!o->checkpoint && !o->resume)
        return MB_OK;
    MB_NEW(all, job->a, 1, err);
    *all = (sim_checkpoints){
        .job = job, .cs = cs, .resume = o->resume, .store = {.get = get, .put = put}};
    MB_NEW(all->c, job->a, cs->args->nchoice, err);
    all->store.self = all;
    job->checkpoints = all;
    MB_TRY(ranks_agree(&job->ranks, look(all, err), err));
    all->c->refused = refuse_unit;
    all->c->to = all;
    if (cs->args->command->fit) {
        MB_TRY(begin(all, err));
        tell(cs, "no round is saved yet: begin again", "");
    }
    return MB_OK;
}

const mb_store *checkpoints_store(const sim_job *job)
{
    return job->checkpoints ? &job->checkpoints->store : NULL;
}

void checkpoints_try(const sim_job *job, const sim_case *cs, const char *of, int alone)
{
    sim_checkpoints *all = job->checkpoints;

    if (!all)
        return;
    all->cs = cs;
    all->of = of;
    all->alone = alone;
}

/* The algorithm; in `fit` "fit", "start-3"; with merges, which change the model, and the components
 * that are left: "fit-7". */
static const char *run_name(const sim_checkpoints *k, const sim_result *r,
                            const mb_session *session, int32_t attempt, mb_err *err)
{
    const char *what = attempt < 0 ? "fit" : mb_text(k->job->a, err, "start-%d", attempt);
    const char *name = what ? name_of(k, what, err) : NULL;

    if (!r->cs->args->command->fit)
        return r->choice->name;
    if (!name || !session->how.prune)
        return name;
    return mb_text(k->job->a, err, "%s-%d", name, session->c->model.K);
}

static mb_status find(sim_checkpoint *k, mb_err *err)
{
    int64_t   t = 0;
    mb_status st = mb_checkpoint_find(&k->c, &t, err);
    double    found = st == MB_OK;

    if (st == MB_OK)
        st = check_rounds(k->r->cs->args, &k->c, t, err);
    if (!k->r->cs->args->command->fit)
        st = ends(st, err);
    MB_TRY(ranks_agree(&k->r->job->ranks, st, err));
    MB_TRY(ranks_most(&k->r->job->ranks, &found, err));
    k->resumed = found > 0;
    return MB_OK;
}

mb_status checkpoint_run(sim_result *r, mb_session *session, int32_t attempt, sim_checkpoint **out,
                         mb_err *err)
{
    const sim_case  *cs = r->cs;
    const int        fits = cs->args->command->fit != NULL;
    const int        cvb = r->choice->cvb; /* it is in every process */
    sim_checkpoints *all = r->job->checkpoints;
    sim_checkpoint  *k;

    *out = NULL;
    /* the try of a merge is short, and attempts of `sim` are made again */
    if (!all || attempt == INT32_MAX || (attempt >= 0 && !fits))
        return MB_OK;
    r->checkpoint = NULL;
    if (r->apart) /* at most 2^18 rows */
        return MB_OK;
    MB_NEW(k, r->job->a, 1, err);
    *k = (sim_checkpoint){.r = r, .session = session, .trace = sim_trace_file(r->job, cs)};
    k->c = all->c[r->choice - cs->args->choice];
    k->c.name = run_name(all, r, session, attempt, err);
    if (!k->c.name)
        return MB_E_NOMEM;
    k->c.items = k->items;
    k->c.rank = cvb ? 0 : r->job->ranks.rank;
    k->c.ranks = cvb ? 1 : r->job->ranks.size;
    k->c.refused = refuse_state;
    k->c.to = k;
    if (attempt < 0 && !all->of && !r->job->ranks.rank)
        k->c.journal = &all->lines;
    r->checkpoint = *out = k;
    if (all->resume)
        MB_TRY(find(k, err));
    if (!fits && !k->resumed && cs->args->opt.checkpoint)
        ranks_notice("there is no checkpoint yet: begin again");
    return MB_OK;
}

mb_status checkpoint_end(sim_result *r, mb_err *err)
{
    const sim_case  *cs = r->cs;
    const mb_pruned *p = &cs->fit->pruned;
    mb_status        st = MB_OK;

    MB_TRY(checkpoint_save(r->checkpoint, 1, err));
    if (!cs->args->command->fit)
        return MB_OK;
    if (!r->job->ranks.rank && cs->args->opt.checkpoint && cs->args->opt.prune == SIM_PRUNE_ON)
        st = forget(r->job->checkpoints, "fit", p->first, p->left, err);
    return ranks_agree(&r->job->ranks, st, err);
}

void checkpoints_close(sim_checkpoints *all)
{
    if (all)
        mb_journal_free(&all->lines);
}
