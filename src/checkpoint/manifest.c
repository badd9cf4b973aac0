/* manifest.c - what completes a checkpoint: facts, what is stored once, the parts; and the
 * journal. */
#include "checkpoint/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FACTS = 4096, MOST_PARTS = 1 << 24 };

static mb_status move_facts(mb_manifest_ *m, mb_pages_ *f, mb_err *err)
{
    MB_TRY(mb_pages_number_(f, 0, MOST_FACTS, &m->nfact, err));
    if (f->reading)
        MB_NEW(m->fact, m->k->a, m->nfact + 1, err);
    for (int64_t q = 0; q < 2 * m->nfact; q++) {
        const char **text = q % 2 ? &m->fact[q / 2].value : &m->fact[q / 2].name;
        size_t       n = f->reading ? 0 : strlen(*text);

        MB_TRY(mb_pages_text_(m->k->a, f, text, &n, err));
    }
    for (int64_t q = 0; q < m->nfact; q++) {
        int64_t state = m->fact[q].state;

        MB_TRY(mb_pages_number_(f, MB_FACT_DEFAULT, MB_FACT_OWN, &state, err));
        m->fact[q].state = (mb_fact_state)state;
    }
    return MB_OK;
}

static const mb_fact *find(const mb_fact *list, int64_t n, const char *name)
{
    for (int64_t q = 0; q < n; q++)
        if (!strcmp(list[q].name, name))
            return &list[q];
    return NULL;
}

/* Refuses the file at the first of n facts that differs there, or that only one of both has and that
 * is no default. whole 0: the library's are not among the n. */
static mb_status compare(const mb_manifest_ *m, const mb_fact *ours, int32_t n, int whole,
                         const char *path, mb_err *err)
{
    for (int32_t q = 0; q < n; q++) {
        const mb_fact *theirs = find(m->fact, m->nfact, ours[q].name);

        if (!theirs && ours[q].state)
            MB_FAIL(err, MB_E_ARG, "%s: was made by a version without %s, but this run has %.120s",
                    path, ours[q].name, ours[q].value);
        if (theirs && strcmp(ours[q].value, theirs->value) != 0)
            MB_FAIL(err, MB_E_ARG, "%s: was made with %s %.120s, but this run has %.120s", path,
                    ours[q].name, *theirs->value ? theirs->value : "(none)",
                    *ours[q].value ? ours[q].value : "(none)");
    }
    for (int64_t q = 0; q < m->nfact; q++)
        if (m->fact[q].state == MB_FACT_SET || (whole && m->fact[q].state == MB_FACT_OWN))
            if (!find(ours, n, m->fact[q].name))
                MB_FAIL(err, MB_E_ARG,
                        "%s: was made with %.60s %.120s, which this version does not know", path,
                        m->fact[q].name, m->fact[q].value);
    return MB_OK;
}

static mb_status move_shares(mb_manifest_ *m, mb_pages_ *f, mb_err *err)
{
    const int32_t N = m->k->p->part->n_global;

    MB_TRY(mb_pages_number_(f, 0, INT64_MAX, &m->sent.frames, err));
    MB_TRY(mb_pages_number_(f, 0, INT64_MAX, &m->sent.bytes, err));
    MB_TRY(mb_pages_number_(f, 0, 1, &m->journal, err));
    MB_TRY(mb_pages_number_(f, 1, MOST_PARTS, &m->parts, err));
    if (f->reading && m->parts > (f->words - f->at) / MB_SHARE_)
        MB_FAIL(err, MB_E_FORMAT, "%s: too short for %lld parts", f->path, (long long)m->parts);
    if (f->reading)
        MB_NEW(m->share, m->k->a, m->parts * MB_SHARE_, err);
    MB_TRY(mb_pages_move_(f, m->share, (size_t)m->parts * MB_SHARE_, err));
    for (int64_t q = 0; q < m->parts; q++)
        if (m->share[q * MB_SHARE_] < 0 || m->share[q * MB_SHARE_] > N)
            MB_FAIL(err, MB_E_FORMAT, "%s: nodes of part %lld: got %lld; expected 0 to %d", f->path,
                    (long long)q, (long long)m->share[q * MB_SHARE_], N);
    return MB_OK;
}

/* What belongs to no row. */
static mb_status move_items(const mb_scope_ *k, mb_pages_ *f, mb_err *err)
{
    for (int32_t q = 0; q < k->nitems; q++) {
        const mb_checkpoint_item *o = &k->items[q];

        for (int64_t piece = 0; !o->stride && piece < o->pieces; piece++)
            MB_TRY(mb_pages_move_(f, (char *)o->at + (size_t)piece * o->piece_stride, o->bytes / 8,
                                  err));
    }
    return MB_OK;
}

static mb_status move_head(mb_manifest_ *m, mb_pages_ *f, mb_err *err)
{
    MB_TRY(mb_pages_number_(f, 0, INT64_MAX, &m->t, err));
    MB_TRY(mb_pages_move_(f, &m->hash, 1, err));
    return move_facts(m, f, err);
}

static mb_status move_manifest(void *self, mb_pages_ *f, mb_err *err)
{
    mb_manifest_    *m = self;
    const mb_scope_ *k = m->k;

    MB_TRY(move_head(m, f, err));
    MB_TRY(compare(m, k->fact, k->nfact, 1, f->path, err));
    if (m->t != k->t)
        MB_FAIL(err, MB_E_FORMAT, "%s: belongs to another checkpoint", f->path);
    MB_TRY(move_shares(m, f, err));
    MB_TRY(move_items(k, f, err));
    if (f->reading && f->at != f->words)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld words too many", f->path,
                (long long)(f->words - f->at));
    if (k->c->journal && !m->journal)
        MB_FAIL(err, MB_E_FORMAT, "%s: has no journal", f->path);
    return MB_OK;
}

mb_status mb_manifest_move_(const char *folder, mb_manifest_ *m, int reading, mb_err *err)
{
    const mb_scope_ *k = m->k;

    m->t = k->t;
    m->hash = k->hash;
    m->fact = k->fact;
    m->nfact = k->nfact;
    return mb_scope_file_(k, folder, "manifest.mbck", MB_MANIFEST_, reading, move_manifest, m, err);
}

static mb_status get_facts(void *self, mb_pages_ *f, mb_err *err)
{
    mb_manifest_ *m = self;

    MB_TRY(move_head(m, f, err));
    return compare(m, m->k->c->fact, m->k->c->nfact, 0, f->path, err);
}

mb_status mb_manifest_facts_(const char *folder, mb_manifest_ *m, mb_err *err)
{
    return mb_scope_file_(m->k, folder, "manifest.mbck", MB_MANIFEST_, 1, get_facts, m, err);
}

mb_status mb_facts_move_(const mb_scope_ *k, mb_pages_ *f, mb_err *err)
{
    mb_manifest_ m = {.k = k, .fact = k->fact, .nfact = k->nfact};

    MB_TRY(move_facts(&m, f, err));
    return f->reading ? compare(&m, k->fact, k->nfact, 1, f->path, err) : MB_OK;
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

static mb_status move_journal(void *self, mb_pages_ *f, mb_err *err)
{
    const mb_scope_ *k = self;
    mb_journal      *j = k->c->journal;
    const int64_t    head[] = {(int64_t)k->hash, k->t};
    const char      *bytes = j->n ? j->bytes : "";
    size_t           n = j->n;

    MB_TRY(mb_pages_stamp_(f, head, sizeof head / sizeof *head, err));
    MB_TRY(mb_pages_text_(k->a, f, &bytes, &n, err));
    if (!f->reading)
        return MB_OK;
    j->n = 0;
    return mb_journal_add(j, bytes, n, err);
}

mb_status mb_journal_move_(const char *folder, mb_scope_ *k, int reading, mb_err *err)
{
    return mb_scope_file_(k, folder, "journal.mbck", MB_JOURNAL_, reading, move_journal, k, err);
}
