/* manifest.c - what makes a checkpoint whole: facts, what is kept once, the parts; and the journal. */
#include "checkpoint/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FACTS = 4096, MOST_PARTS = 1 << 24 };

static mb_status put_kept(const mb_scope_ *k, mb_pages_out_ *w, mb_err *err)
{
    for (int32_t q = 0; q < k->nkept; q++) {
        const mb_kept *o = &k->kept[q];

        for (int64_t piece = 0; !o->stride && piece < o->pieces; piece++)
            MB_TRY(mb_pages_put_(w, (char *)o->at + (size_t)piece * o->apart, o->bytes / 8, err));
    }
    return MB_OK;
}

static mb_status put_all(const mb_scope_ *k, const mb_manifest_ *m, mb_pages_out_ *w, mb_err *err)
{
    const int64_t head[] = {k->t, (int64_t)k->hash, k->nfact};
    const int64_t rest[] = {m->sent.frames, m->sent.bytes, m->journal, m->parts};

    MB_TRY(mb_pages_put_(w, head, 3, err));
    for (int32_t q = 0; q < k->nfact; q++) {
        MB_TRY(mb_pages_put_text_(w, k->fact[q].name, strlen(k->fact[q].name), err));
        MB_TRY(mb_pages_put_text_(w, k->fact[q].value, strlen(k->fact[q].value), err));
    }
    MB_TRY(mb_pages_put_(w, rest, 4, err));
    MB_TRY(mb_pages_put_(w, m->share, (size_t)m->parts * MB_SHARE_, err));
    return put_kept(k, w, err);
}

mb_status mb_manifest_write_(mb_arena *a, const char *path, const mb_scope_ *k,
                             const mb_manifest_ *m, mb_err *err)
{
    mb_pages_out_ *w;
    mb_status      st;

    MB_NEW(w, a, 1, err);
    st = mb_pages_begin_(a, path, MB_MANIFEST_, w, err);
    if (st >= 0)
        st = put_all(k, m, w, err);
    if (st >= 0)
        st = mb_pages_commit_(w, err);
    mb_pages_abort_(w);
    return st;
}

static mb_status get_facts(mb_arena *a, mb_pages_in_ *in, mb_manifest_ *m, mb_err *err)
{
    int64_t count;
    size_t  n;
    char   *text;

    MB_TRY(mb_pages_get_number_(in, 0, INT64_MAX, &m->t, err));
    MB_TRY(mb_pages_get_(in, &m->hash, 1, err));
    MB_TRY(mb_pages_get_number_(in, 0, MOST_FACTS, &count, err));
    MB_NEW(m->fact, a, count + 1, err);
    for (; m->nfact < count; m->nfact++) {
        MB_TRY(mb_pages_get_text_(a, in, &text, &n, err));
        m->fact[m->nfact].name = text;
        MB_TRY(mb_pages_get_text_(a, in, &text, &n, err));
        m->fact[m->nfact].value = text;
    }
    return MB_OK;
}

mb_status mb_manifest_facts_(mb_arena *a, const char *path, mb_pages_in_ *in, mb_manifest_ *out,
                             mb_err *err)
{
    *out = (mb_manifest_){0};
    MB_TRY(mb_pages_open_(path, MB_MANIFEST_, in, err));
    return get_facts(a, in, out, err);
}

static mb_status get_shares(mb_arena *a, const mb_scope_ *k, mb_pages_in_ *in, mb_manifest_ *m,
                            mb_err *err)
{
    MB_TRY(mb_pages_get_number_(in, 0, INT64_MAX, &m->sent.frames, err));
    MB_TRY(mb_pages_get_number_(in, 0, INT64_MAX, &m->sent.bytes, err));
    MB_TRY(mb_pages_get_number_(in, 0, 1, &m->journal, err));
    MB_TRY(mb_pages_get_number_(in, 1, MOST_PARTS, &m->parts, err));
    if (m->parts > (in->words - in->at) / MB_SHARE_)
        MB_FAIL(err, MB_E_FORMAT, "%s: too short for %lld parts", in->path, (long long)m->parts);
    MB_NEW(m->share, a, m->parts * MB_SHARE_, err);
    MB_TRY(mb_pages_get_(in, m->share, (size_t)m->parts * MB_SHARE_, err));
    for (int64_t q = 0; q < m->parts; q++)
        if (m->share[q * MB_SHARE_] < 0 || m->share[q * MB_SHARE_] > k->p->part->n_global)
            MB_FAIL(err, MB_E_FORMAT, "%s: part %lld has %lld nodes, accepted: 0 to %d", in->path,
                    (long long)q, (long long)m->share[q * MB_SHARE_], k->p->part->n_global);
    return MB_OK;
}

static mb_status get_kept(const mb_scope_ *k, mb_pages_in_ *in, mb_err *err)
{
    for (int32_t q = 0; q < k->nkept; q++) {
        const mb_kept *o = &k->kept[q];

        for (int64_t piece = 0; !o->stride && piece < o->pieces; piece++)
            MB_TRY(mb_pages_get_(in, (char *)o->at + (size_t)piece * o->apart, o->bytes / 8, err));
    }
    if (in->at != in->words)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld words too many", in->path,
                (long long)(in->words - in->at));
    return MB_OK;
}

mb_status mb_manifest_read_(mb_arena *a, const char *path, const mb_scope_ *k, mb_manifest_ *out,
                            mb_err *err)
{
    mb_pages_in_ *in;
    mb_status     st;

    MB_NEW(in, a, 1, err);
    st = mb_manifest_facts_(a, path, in, out, err);
    if (st >= 0)
        st = mb_facts_compare_(path, k->fact, k->nfact, out->fact, out->nfact, err);
    if (st >= 0)
        st = get_shares(a, k, in, out, err);
    if (st >= 0)
        st = get_kept(k, in, err);
    mb_pages_close_(in);
    return st;
}

mb_status mb_journal_add(mb_journal *j, const char *bytes, size_t n, mb_err *err)
{
    size_t room = j->room ? j->room : 4096;
    char  *larger;

    while (room < j->n + n)
        room *= 2;
    if (room > j->room) {
        larger = realloc(j->bytes, room);
        if (!larger)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for a journal of %zu bytes", room);
        j->bytes = larger;
        j->room = room;
    }
    memcpy(j->bytes + j->n, bytes, n);
    j->n += n;
    return MB_OK;
}

void mb_journal_free(mb_journal *j)
{
    free(j->bytes);
    *j = (mb_journal){0};
}

mb_status mb_journal_write_(mb_arena *a, const char *path, const mb_scope_ *k, mb_err *err)
{
    const int64_t     head[] = {(int64_t)k->hash, k->t};
    const mb_journal *j = k->c->journal;
    mb_pages_out_    *w;
    mb_status         st;

    MB_NEW(w, a, 1, err);
    st = mb_pages_begin_(a, path, MB_JOURNAL_, w, err);
    if (st >= 0)
        st = mb_pages_put_(w, head, 2, err);
    if (st >= 0)
        st = mb_pages_put_text_(w, j->n ? j->bytes : "", j->n, err);
    if (st >= 0)
        st = mb_pages_commit_(w, err);
    mb_pages_abort_(w);
    return st;
}

static mb_status get_journal(mb_arena *a, const mb_scope_ *k, mb_pages_in_ *in, mb_err *err)
{
    int64_t head[2];
    size_t  n;
    char   *text;

    MB_TRY(mb_pages_get_(in, head, 2, err));
    if (head[0] != (int64_t)k->hash || head[1] != k->t)
        MB_FAIL(err, MB_E_FORMAT, "%s: belongs to another checkpoint", in->path);
    MB_TRY(mb_pages_get_text_(a, in, &text, &n, err));
    k->c->journal->n = 0;
    return mb_journal_add(k->c->journal, text, n, err);
}

mb_status mb_journal_read_(mb_arena *a, const char *path, const mb_scope_ *k, mb_err *err)
{
    mb_pages_in_ *in;
    mb_status     st;

    MB_NEW(in, a, 1, err);
    MB_TRY(mb_pages_open_(path, MB_JOURNAL_, in, err));
    st = get_journal(a, k, in, err);
    mb_pages_close_(in);
    return st;
}
