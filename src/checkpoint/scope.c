/* scope.c - what belongs to a checkpoint, and the facts it is compared by. */
#include "base/text.h"
#include "checkpoint/parts.h"

#include <string.h>

enum { OWN_FACTS = 9 };

static uint64_t hash_text(uint64_t hash, const char *text)
{
    uint64_t byte = 1;

    for (; byte; text++) {
        byte = (unsigned char)*text;
        hash = mb_words_hash_(hash, &byte, 1);
    }
    return hash;
}

static mb_status add_fact(mb_scope_ *k, const char *name, int64_t value, mb_err *err)
{
    const char *text = mb_text(k->a, err, "%lld", (long long)value);

    k->fact[k->nfact++] = (mb_fact){name, text, MB_FACT_OWN};
    return text ? MB_OK : MB_E_NOMEM;
}

/* "stop.taken 8, stop.phi 168 a node, stop.heard 8 a link": runs that store other things have
 * other options. */
static mb_status add_items(mb_scope_ *k, mb_err *err)
{
    const char *text = "";

    for (int32_t q = 0; text && q < k->nitems; q++) {
        const mb_checkpoint_item *o = &k->items[q];

        text = mb_text(k->a, err, "%s%s%s %lld%s", text, q ? ", " : "", o->name,
                       (long long)o->bytes * (long long)o->pieces,
                       o->of_links ? " a link"
                       : o->stride ? " a node"
                                   : "");
    }
    k->fact[k->nfact++] = (mb_fact){"bytes kept", text, MB_FACT_OWN};
    return text ? MB_OK : MB_E_NOMEM;
}

static mb_status add_facts(mb_scope_ *k, mb_err *err)
{
    MB_NEW(k->fact, k->a, k->c->nfact + OWN_FACTS, err);
    for (int32_t q = 0; q < k->c->nfact; q++)
        k->fact[k->nfact++] = k->c->fact[q];
    k->fact[k->nfact++] = (mb_fact){"name", k->c->name, MB_FACT_OWN};
    MB_TRY(add_fact(k, "nodes", k->p->part->n_global, err));
    MB_TRY(add_fact(k, "length of phi", (int64_t)k->s.len, err));
    MB_TRY(add_fact(k, "vectors of a node", k->s.naux, err));
    MB_TRY(add_fact(k, "vectors of a link", k->s.nedge, err));
    MB_TRY(add_fact(k, "numbers of a node", k->s.nmemo, err));
    MB_TRY(add_fact(k, "messages of a link", k->s.mail.fanout, err));
    if (k->s.mail.len != k->s.len) /* as in checkpoints of versions without such messages */
        MB_TRY(add_fact(k, "length of a message", (int64_t)k->s.mail.len, err));
    return add_items(k, err);
}

/* The items of the caller, then those of the observers. */
static mb_status collect(mb_scope_ *k, mb_err *err)
{
    const mb_checkpoint *c = k->c;

    MB_NEW(k->items, k->a, c->nitems + MB_CHECKPOINT_ITEMS * c->nobs + 1, err);
    for (int32_t q = 0; q < c->nitems; q++)
        k->items[k->nitems++] = c->items[q];
    for (int32_t q = 0; q < c->nobs; q++)
        if (c->obs[q].keep)
            k->nitems += c->obs[q].keep(c->obs[q].self, k->items + k->nitems);
    for (int32_t q = 0; q < k->nitems; q++)
        if (k->items[q].bytes % 8 || k->items[q].pieces < 1)
            MB_FAIL(err, MB_E_ARG,
                    "%s: got %lld pieces of %zu bytes; expected 1 or more of whole words",
                    k->items[q].name, (long long)k->items[q].pieces, k->items[q].bytes);
    return MB_OK;
}

mb_status mb_scope_of_(mb_arena *a, const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                       mb_scope_ *out, mb_err *err)
{
    *out =
        (mb_scope_){.c = c, .p = p, .a = a, .tp = p->tp ? p->tp : &out->none, .s = *s, .t = s->t};
    MB_NEW(out->f, a, 1, err);
    if (!p->tp)
        MB_TRY(mb_transport_none(a, p->part, &out->none, err));
    if (!out->tp->ops->held || !out->tp->ops->put)
        MB_FAIL(err, MB_E_NOSUP, "messages of the transport %s cannot be stored",
                out->tp->ops->scheme);
    MB_TRY(collect(out, err));
    MB_TRY(add_facts(out, err));
    for (int32_t q = 0; q < out->nfact; q++)
        out->hash = hash_text(hash_text(out->hash, out->fact[q].name), out->fact[q].value);
    return MB_OK;
}

mb_status mb_scope_file_(const mb_scope_ *k, const char *folder, const char *name, uint64_t kind,
                         int reading, mb_mover_ move, void *self, mb_err *err)
{
    const char *path = mb_text(k->a, err, "%s/%s", folder, name);
    mb_status   st;

    if (!path)
        return MB_E_NOMEM;
    st = reading ? mb_pages_open_(path, kind, k->f, err)
                 : mb_pages_begin_(k->a, path, kind, k->f, err);
    if (st >= 0)
        st = move(self, k->f, err);
    if (st >= 0 && !reading)
        st = mb_pages_commit_(k->f, err);
    mb_pages_close_(k->f);
    return st;
}

mb_status mb_agree_(const mb_checkpoint *c, mb_transport *tp, mb_status st, mb_err *err)
{
    enum { TEXT = sizeof err->msg };
    double first = st < 0 ? c->rank : c->ranks, text[1 + TEXT] = {0};
    char   shared[TEXT];

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
        shared[l] = (char)(unsigned char)text[1 + l];
    shared[TEXT - 1] = 0;
    MB_FAIL(err, (mb_status)(int)text[0], "%s", shared);
}
