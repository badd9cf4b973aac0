/* checkpoint.c - saving: parts side by side, then the manifest, then the rename that makes it count;
 * loading: the newest that is whole. */
#include "checkpoint/folder.h"
#include "checkpoint/parts.h"

#include <stdio.h>
#include <string.h>

/* A checkpoint that is being written. */
typedef struct job {
    mb_scope_     k;
    mb_arena     *a;
    int64_t       key;
    const char   *final, *temp; /* folders: its place, and where it is made */
    mb_manifest_  m;
    mb_transport *tp;   /* joins the processes */
    double       *sums; /* what they add up    */
} job;

/* Memory and names: what fails here fails before the first word with the others. */
static mb_status prepare(job *j, mb_err *err)
{
    char        name[64 + 256], temp[64 + 256 + 8];
    const char *dir = j->k.c->dir;
    const int   numbers = j->k.c->ranks * MB_SHARE_;

    MB_NEW(j->sums, j->a, numbers + 2, err);
    MB_NEW(j->m.share, j->a, numbers, err);
    mb_key_name_(name, j->key, j->k.c->name);
    snprintf(temp, sizeof temp, "%s.tmp", name);
    MB_TRY(mb_path_(j->a, dir, name, &j->final, err));
    return mb_path_(j->a, dir, temp, &j->temp, err);
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

static mb_status write_part(const job *j, mb_err *err)
{
    const char *path;

    MB_TRY(mb_part_path_(j->a, j->temp, j->k.c->rank, &path, err));
    return mb_part_write_(j->a, path, &j->k, err);
}

/* One that is in the way was refused, or is of the same round: it makes room. */
static mb_status move_into_place(const job *j, mb_err *err)
{
    char        name[64 + 256], aside[64 + 256 + 16];
    const char *old;

    snprintf(aside, sizeof aside, "%s.old.tmp", mb_key_name_(name, j->key, j->k.c->name));
    MB_TRY(mb_path_(j->a, j->k.c->dir, aside, &old, err));
    if (mb_folder_rename_(j->final, old, NULL) < 0)
        old = NULL; /* the usual case: there is none */
    MB_TRY(mb_folder_rename_(j->temp, j->final, err));
    MB_TRY(mb_folder_sync_(j->k.c->dir, err));
    if (old)
        mb_folder_remove_(old);
    return MB_OK;
}

static mb_status finish(job *j, mb_err *err)
{
    const char *path;

    if (j->k.c->journal) {
        MB_TRY(mb_path_(j->a, j->temp, "journal.mbck", &path, err));
        MB_TRY(mb_journal_write_(j->a, path, &j->k, err));
        j->m.journal = 1;
    }
    MB_TRY(mb_path_(j->a, j->temp, "manifest.mbck", &path, err));
    MB_TRY(mb_manifest_write_(j->a, path, &j->k, &j->m, err));
    MB_TRY(mb_folder_sync_(j->temp, err));
    MB_TRY(move_into_place(j, err));
    return mb_outdated_remove_(j->k.c->dir, j->k.c->name, j->key, err);
}

static mb_status save(job *j, mb_err *err)
{
    const mb_checkpoint *c = j->k.c;

    MB_TRY(mb_agree_(c, j->tp, c->rank ? MB_OK : make_folders(j, err), err));
    MB_TRY(mb_agree_(c, j->tp, write_part(j, err), err));
    MB_TRY(gather(j, err));
    return mb_agree_(c, j->tp, c->rank ? MB_OK : finish(j, err), err);
}

mb_status mb_checkpoint_save(const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                             int end, mb_err *err)
{
    job       j = {.a = mb_arena_new(1 << 17), .tp = p->tp};
    mb_status st = MB_OK;

    if (!j.a)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "%s: out of memory for a checkpoint",
                      c->dir);
    if (st >= 0)
        st = mb_scope_of_(j.a, c, p, s, &j.k, err);
    j.key = 2 * s->t + (end != 0);
    if (st >= 0)
        st = prepare(&j, err);
    st = mb_agree_(c, p->tp, st, err);
    if (st >= 0) {
        st = save(&j, err);
        if (st < 0 && !c->rank)
            mb_folder_remove_(j.temp);
    }
    mb_arena_free(j.a);
    return st;
}

/* A checkpoint's folder into the state of this process. */
static mb_status load(mb_arena *a, mb_scope_ *k, const char *folder, mb_manifest_ *m, mb_err *err)
{
    const char *path;

    MB_TRY(mb_path_(a, folder, "manifest.mbck", &path, err));
    MB_TRY(mb_manifest_read_(a, path, k, m, err));
    if (m->t != k->t || m->hash != k->hash)
        MB_FAIL(err, MB_E_FORMAT, "%s: belongs to another checkpoint", path);
    MB_TRY(mb_parts_read_(a, folder, k, m, err));
    if (!k->c->journal)
        return MB_OK;
    if (!m->journal)
        MB_FAIL(err, MB_E_FORMAT, "%s: has no journal", path);
    MB_TRY(mb_path_(a, folder, "journal.mbck", &path, err));
    return mb_journal_read_(a, path, k, err);
}

/* One candidate; memory of its own, so that those before it leave nothing. */
static mb_status load_key(const mb_checkpoint *c, const mb_problem *p, mb_state *s, int64_t key,
                          mb_err *err)
{
    mb_arena    *a = mb_arena_new(1 << 17);
    mb_scope_    k;
    mb_manifest_ m = {0};
    char         name[64 + 256];
    const char  *folder;
    mb_status    st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for a checkpoint", c->dir);
    st = mb_scope_of_(a, c, p, s, &k, err);
    k.t = key / 2;
    if (st >= 0)
        st = mb_path_(a, c->dir, mb_key_name_(name, key, c->name), &folder, err);
    if (st >= 0)
        st = load(a, &k, folder, &m, err);
    if (st >= 0) {
        s->t = k.t;
        s->sent = c->rank ? (mb_traffic){0} : m.sent; /* only their sum is looked at */
    }
    mb_arena_free(a);
    return st;
}

/* The newest key below *key on any process. */
static mb_status next_key(const mb_checkpoint *c, mb_transport *tp, int64_t *key, mb_err *err)
{
    mb_status st = mb_key_newest_(c->dir, c->name, *key, key, err);
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

/* The keys of a folder from the newest on, until one is good or an error is not the file's. */
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
    mb_arena     *a = mb_arena_new(1 << 17);
    mb_pages_in_ *in = a ? mb_alloc(a, 1, sizeof *in) : NULL;
    mb_manifest_  m = {0};
    char          name[64 + 256];
    const char   *folder, *path;
    mb_status     st;

    if (!in) {
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for a checkpoint", c->dir);
    }
    st = mb_path_(a, c->dir, mb_key_name_(name, key, c->name), &folder, err);
    if (st >= 0)
        st = mb_path_(a, folder, "manifest.mbck", &path, err);
    if (st >= 0)
        st = mb_manifest_facts_(a, path, in, &m, err);
    if (st >= 0)
        st = mb_facts_compare_(path, c->fact, c->nfact, m.fact, m.nfact, err);
    mb_pages_close_(in);
    mb_arena_free(a);
    *t = m.t;
    return st;
}

mb_status mb_checkpoint_find(const mb_checkpoint *c, int64_t *t, mb_err *err)
{
    int64_t   key = INT64_MAX;
    mb_status st = MB_QUIET;
    mb_err    why = {0};

    for (;;) {
        MB_TRY(mb_key_newest_(c->dir, c->name, key, &key, err));
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
