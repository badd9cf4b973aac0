/* checkpoint.c - saving: parts side by side, then the manifest, then the rename that makes it count;
 * loading: the newest that is whole. */
#include "checkpoint/parts.h"
#include "data/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* A checkpoint that is being written. */
typedef struct job {
    mb_scope_   k;
    int64_t     key;
    const char *final, *temp,
        *old; /* folders: its place, where it is made, what was in its place */
    mb_manifest_  m;
    mb_transport *tp;   /* joins the processes */
    double       *sums; /* what they add up    */
} job;

/* Memory and names: what fails here fails before any communication with other processes. */
static mb_status prepare(job *j, mb_err *err)
{
    const mb_checkpoint *c = j->k.c;
    const int            numbers = c->ranks * MB_SHARE_;

    j->m.k = &j->k;
    MB_NEW(j->sums, j->k.a, numbers + 2, err);
    MB_NEW(j->m.share, j->k.a, numbers, err);
    j->final = mb_key_path_(j->k.a, c, j->key, "", err);
    j->temp = mb_key_path_(j->k.a, c, j->key, ".tmp", err);
    j->old = mb_key_path_(j->k.a, c, j->key, ".old.tmp", err);
    return j->final && j->temp && j->old ? MB_OK : MB_E_NOMEM;
}

static mb_status make_folders(const job *j, mb_err *err)
{
    MB_TRY(mb_dir_make(j->k.c->dir, err));
    MB_TRY(mb_unfinished_remove_(j->k.c->dir, err));
    return mb_dir_make(j->temp, err);
}

/* Every process fills in its own share; whole numbers add up exactly. */
static mb_status gather(job *j, mb_err *err)
{
    const mb_part *part = j->k.p->part;
    const int32_t  n = part->n_local, ranks = j->k.c->ranks;
    double        *all = j->sums, *mine = all + j->k.c->rank * MB_SHARE_;

    mine[0] = n;
    mine[1] = n ? part->gid[0] : 0;
    mine[2] = n ? part->gid[n - 1] : 0;
    all[ranks * MB_SHARE_] = (double)j->k.s.sent.frames;
    all[ranks * MB_SHARE_ + 1] = (double)j->k.s.sent.bytes;
    if (ranks > 1)
        MB_TRY(j->tp->ops->reduce(j->tp, MB_SUM, all, ranks * MB_SHARE_ + 2, err));
    for (int32_t q = 0; q < ranks * MB_SHARE_; q++)
        j->m.share[q] = (int64_t)all[q];
    j->m.parts = ranks;
    j->m.sent.frames = (int64_t)all[ranks * MB_SHARE_];
    j->m.sent.bytes = (int64_t)all[ranks * MB_SHARE_ + 1];
    return MB_OK;
}

/* A checkpoint already in place was refused, or is of the same round: it is replaced. */
static mb_status move_into_place(const job *j, mb_err *err)
{
    const int in_the_way = rename(j->final, j->old) == 0; /* rarely */

    if (rename(j->temp, j->final) != 0)
        return mb_io_failed_(j->final, "write", errno, err);
    MB_TRY(mb_folder_sync_(j->k.c->dir, err));
    if (in_the_way)
        mb_folder_remove_(AT_FDCWD, j->old);
    return MB_OK;
}

static mb_status finish(job *j, mb_err *err)
{
    j->m.journal = j->k.c->journal != NULL;
    if (j->m.journal)
        MB_TRY(mb_journal_move_(j->temp, &j->k, 0, err));
    MB_TRY(mb_manifest_move_(j->temp, &j->m, 0, err));
    MB_TRY(mb_folder_sync_(j->temp, err));
    MB_TRY(move_into_place(j, err));
    return mb_outdated_remove_(j->k.c, j->key, err);
}

static mb_status out_of_memory(const mb_checkpoint *c, mb_err *err)
{
    MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for a checkpoint", c->dir);
}

static mb_status save(job *j, mb_err *err)
{
    const mb_checkpoint *c = j->k.c;

    MB_TRY(mb_agree_(c, j->tp, c->rank ? MB_OK : make_folders(j, err), err));
    MB_TRY(mb_agree_(c, j->tp, mb_part_write_(j->temp, &j->k, err), err));
    MB_TRY(gather(j, err));
    return mb_agree_(c, j->tp, c->rank ? MB_OK : finish(j, err), err);
}

mb_status mb_checkpoint_save(const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                             int end, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 17);
    job       j = {.key = 2 * s->t + (end != 0), .tp = p->tp};
    mb_status st = a ? mb_scope_of_(a, c, p, s, &j.k, err) : out_of_memory(c, err);

    if (st >= 0)
        st = prepare(&j, err);
    st = mb_agree_(c, p->tp, st, err);
    if (st >= 0) {
        st = save(&j, err);
        if (st < 0 && !c->rank)
            mb_folder_remove_(AT_FDCWD, j.temp);
    }
    mb_arena_free(a);
    return st;
}

/* A checkpoint into the state of this process. */
static mb_status load(mb_scope_ *k, int64_t key, mb_traffic *sent, mb_err *err)
{
    const char  *folder = mb_key_path_(k->a, k->c, key, "", err);
    mb_manifest_ m = {.k = k};

    if (!folder)
        return MB_E_NOMEM;
    k->t = key / 2;
    MB_TRY(mb_manifest_move_(folder, &m, 1, err));
    k->hash = m.hash; /* of its facts, which another version may list otherwise */
    MB_TRY(mb_parts_read_(folder, k, &m, err));
    *sent = m.sent;
    return k->c->journal ? mb_journal_move_(folder, k, 1, err) : MB_OK;
}

/* One candidate; its memory is its own, so that refused ones leave nothing. */
static mb_status load_key(const mb_checkpoint *c, const mb_problem *p, mb_state *s, int64_t key,
                          mb_err *err)
{
    mb_arena  *a = mb_arena_new(1 << 17);
    mb_scope_  k;
    mb_traffic sent;
    mb_status  st = a ? mb_scope_of_(a, c, p, s, &k, err) : out_of_memory(c, err);

    if (st >= 0)
        st = load(&k, key, &sent, err);
    if (st >= 0) {
        s->t = k.t;
        s->sent = c->rank ? (mb_traffic){0} : sent; /* only the sum matters */
    }
    mb_arena_free(a);
    return st;
}

/* The newest key below *key on any process. */
static mb_status next_key(const mb_checkpoint *c, mb_transport *tp, int64_t *key, mb_err *err)
{
    mb_status st = mb_key_newest_(c, *key, key, err);
    double    newest;

    MB_TRY(mb_agree_(c, tp, st, err));
    newest = (double)*key;
    if (c->ranks > 1)
        MB_TRY(tp->ops->reduce(tp, MB_MAX, &newest, 1, err));
    *key = (int64_t)newest;
    return MB_OK;
}

static int is_fault_of_file(mb_status st)
{
    return st == MB_E_FORMAT || st == MB_E_IO;
}

/* Tries the keys of a folder from the newest on, until one is good or an error is not the
 * file's. */
mb_status mb_checkpoint_load(const mb_checkpoint *c, const mb_problem *p, mb_state *s, mb_err *err)
{
    int64_t key = INT64_MAX;
    int     refused = 0;

    for (;; refused++) {
        mb_err    why = {0};
        mb_status st;

        MB_TRY(next_key(c, p->tp, &key, err));
        if (key < 0)
            break;
        st = load_key(c, p, s, key, &why);
        st = mb_agree_(c, p->tp, st, &why);
        if (st >= 0)
            return MB_OK;
        if (!is_fault_of_file(st))
            MB_FAIL(err, st, "%s", why.msg);
        if (c->refused)
            c->refused(c->to, why.msg);
    }
    if (!refused)
        return MB_QUIET;
    MB_FAIL(err, MB_E_FORMAT, "%s: none of the %d checkpoints of %s can be used", c->dir, refused,
            c->name);
}

/* Round and facts of a candidate. */
static mb_status look(const mb_checkpoint *c, int64_t key, int64_t *t, mb_err *err)
{
    mb_scope_    k = {.c = c, .a = mb_arena_new(1 << 17)};
    mb_manifest_ m = {.k = &k};
    const char  *folder;
    mb_status    st;

    k.f = k.a ? mb_alloc(k.a, 1, sizeof *k.f) : NULL;
    folder = k.f ? mb_key_path_(k.a, c, key, "", err) : NULL;
    st = folder ? mb_manifest_facts_(folder, &m, err) : out_of_memory(c, err);
    mb_arena_free(k.a);
    *t = m.t;
    return st;
}

mb_status mb_checkpoint_find(const mb_checkpoint *c, int64_t *t, mb_err *err)
{
    int64_t   key = INT64_MAX;
    mb_status st = MB_QUIET;
    mb_err    why = {0};

    for (;;) {
        MB_TRY(mb_key_newest_(c, key, &key, err));
        if (key < 0)
            break;
        st = look(c, key, t, &why);
        if (!is_fault_of_file(st))
            break;
    }
    if (is_fault_of_file(st))
        MB_FAIL(err, st, "%s; %s holds no other checkpoint of %s that can be used", why.msg, c->dir,
                c->name);
    if (st < 0)
        MB_FAIL(err, st, "%s", why.msg);
    return st;
}

typedef struct watch {
    const mb_checkpoint *c;
    int64_t              every, rounds;
} watch;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const watch *w = self;

    if (s->t % w->every || s->t == w->rounds)
        return MB_OK; /* the last round of a run */
    return mb_checkpoint_save(w->c, p, s, 0, err);
}

mb_status mb_checkpoint_watch(mb_arena *a, const mb_checkpoint *c, int64_t every, int64_t rounds,
                              mb_observer *out, mb_err *err)
{
    watch *w;

    if (every < 1)
        MB_FAIL(err, MB_E_ARG, "a checkpoint every %lld rounds: expected 1 or more",
                (long long)every);
    MB_NEW(w, a, 1, err);
    *w = (watch){.c = c, .every = every, .rounds = rounds};
    *out = (mb_observer){.self = w, .every = every, .see = see};
    return MB_OK;
}
