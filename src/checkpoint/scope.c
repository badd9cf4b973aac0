/* scope.c - what belongs to a checkpoint, and the facts it is compared by. */
#include "base/format.h"
#include "checkpoint/parts.h"

#include <stdio.h>
#include <string.h>

enum { OWN_FACTS = 8, NUMBER = 24 };

mb_status mb_path_(mb_arena *a, const char *dir, const char *name, const char **out, mb_err *err)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char        *path;

    MB_NEW(path, a, n, err);
    mb_format_(path, n, "%s/%s", dir, name);
    *out = path;
    return MB_OK;
}

mb_status mb_part_path_(mb_arena *a, const char *dir, int64_t number, const char **out, mb_err *err)
{
    char name[48];

    snprintf(name, sizeof name, "part-%04lld.mbck", (long long)number);
    return mb_path_(a, dir, name, out, err);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    uint64_t byte = 1;

    for (; byte; text++) {
        byte = (unsigned char)*text;
        hash = mb_words_hash_(hash, &byte, 1);
    }
    return hash;
}

static mb_status add_fact(mb_arena *a, mb_scope_ *k, const char *name, int64_t value, mb_err *err)
{
    char *text;

    MB_NEW(text, a, NUMBER, err);
    mb_format_(text, NUMBER, "%lld", (long long)value);
    k->fact[k->nfact++] = (mb_fact){name, text};
    return MB_OK;
}

/* "stop.taken 8, stop.phi 168 a node, stop.heard 8 a link": runs that keep other things have other options. */
static mb_status add_kept(mb_arena *a, mb_scope_ *k, mb_err *err)
{
    size_t cap = 1, at = 0;
    char  *text;

    for (int32_t q = 0; q < k->nkept; q++)
        cap += strlen(k->kept[q].name) + 2 * NUMBER;
    MB_NEW(text, a, cap, err);
    for (int32_t q = 0; q < k->nkept; q++) {
        const mb_kept *o = &k->kept[q];

        at += (size_t)mb_format_(text + at, cap - at, "%s%s %lld%s", q ? ", " : "", o->name,
                                 (long long)o->bytes * (long long)o->pieces,
                                 o->of_links ? " a link"
                                 : o->stride ? " a node"
                                             : "");
    }
    k->fact[k->nfact++] = (mb_fact){"bytes kept", text};
    return MB_OK;
}

static mb_status add_facts(mb_arena *a, mb_scope_ *k, mb_err *err)
{
    MB_NEW(k->fact, a, k->c->nfact + OWN_FACTS, err);
    for (int32_t q = 0; q < k->c->nfact; q++)
        k->fact[k->nfact++] = k->c->fact[q];
    k->fact[k->nfact++] = (mb_fact){"name", k->c->name};
    MB_TRY(add_fact(a, k, "nodes", k->p->part->n_global, err));
    MB_TRY(add_fact(a, k, "length of phi", (int64_t)k->s.mail.len, err));
    MB_TRY(add_fact(a, k, "vectors of a node", k->s.naux, err));
    MB_TRY(add_fact(a, k, "vectors of a link", k->s.nedge, err));
    MB_TRY(add_fact(a, k, "numbers of a node", k->s.nmemo, err));
    MB_TRY(add_fact(a, k, "messages of a link", k->s.mail.fanout, err));
    return add_kept(a, k, err);
}

/* phi is filled from there, so its rows are the state's. */
static mb_status collect(mb_arena *a, mb_scope_ *k, mb_err *err)
{
    const mb_checkpoint *c = k->c;

    MB_NEW(k->kept, a, c->nkept + MB_KEPT * c->nobs + 1, err);
    for (int32_t q = 0; q < c->nkept; q++)
        k->kept[k->nkept++] = c->kept[q];
    for (int32_t q = 0; q < c->nobs; q++)
        if (c->obs[q].keep)
            k->nkept += c->obs[q].keep(c->obs[q].self, k->kept + k->nkept);
    for (int32_t q = 0; q < k->nkept; q++)
        if (k->kept[q].bytes % 8 || k->kept[q].pieces < 1)
            MB_FAIL(err, MB_E_ARG,
                    "%s: %lld pieces of %zu bytes are kept: 1 or more of whole words",
                    k->kept[q].name, (long long)k->kept[q].pieces, k->kept[q].bytes);
    return MB_OK;
}

mb_status mb_scope_of_(mb_arena *a, const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                       mb_scope_ *out, mb_err *err)
{
    *out = (mb_scope_){.c = c, .p = p, .tp = p->tp ? p->tp : &out->none, .s = *s, .t = s->t};
    if (!p->tp)
        MB_TRY(mb_transport_none(a, p->part, &out->none, err));
    if (!out->tp->ops->held || !out->tp->ops->put)
        MB_FAIL(err, MB_E_NOSUP, "messages of the transport %s can not be kept",
                out->tp->ops->scheme);
    MB_TRY(collect(a, out, err));
    MB_TRY(add_facts(a, out, err));
    for (int32_t q = 0; q < out->nfact; q++)
        out->hash = hash_text(hash_text(out->hash, out->fact[q].name), out->fact[q].value);
    return MB_OK;
}

mb_status mb_facts_compare_(const char *path, const mb_fact *ours, int32_t n, const mb_fact *theirs,
                            int32_t nthem, mb_err *err)
{
    for (int32_t q = 0; q < n; q++) {
        if (q >= nthem || strcmp(ours[q].name, theirs[q].name) != 0)
            MB_FAIL(err, MB_E_ARG,
                    "%s: was made by another version: it does not say %s where this "
                    "one does",
                    path, ours[q].name);
        if (strcmp(ours[q].value, theirs[q].value) != 0)
            MB_FAIL(err, MB_E_ARG, "%s: was made with %s %.120s, but this run has %.120s", path,
                    ours[q].name, *theirs[q].value ? theirs[q].value : "(none)",
                    *ours[q].value ? ours[q].value : "(none)");
    }
    return MB_OK;
}

mb_status mb_agree_(const mb_checkpoint *c, mb_transport *tp, mb_status st, mb_err *err)
{
    enum { TEXT = sizeof err->msg };
    double first = st < 0 ? c->rank : c->ranks, text[1 + TEXT] = {0};
    char   said[TEXT];

    if (c->ranks == 1)
        return st;
    MB_TRY(tp->ops->reduce(tp, MB_MIN, &first, 1, err));
    if (first >= c->ranks)
        return st;
    if (!(first < c->rank) && !(first > c->rank)) {
        text[0] = st;
        for (size_t l = 0; err && l < TEXT; l++)
            text[1 + l] = (unsigned char)err->msg[l];
    }
    MB_TRY(tp->ops->reduce(tp, MB_SUM, text, 1 + TEXT, err));
    for (size_t l = 0; l < TEXT; l++)
        said[l] = (char)(unsigned char)text[1 + l];
    said[TEXT - 1] = 0;
    MB_FAIL(err, (mb_status)(int)text[0], "%s", said);
}
