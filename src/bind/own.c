/* own.c - an algorithm of the caller's: two functions as the table of an algorithm. */
#include "base/text.h"
#include "bind/handle.h"

#include <string.h>

static int32_t vectors(const void *opt)
{
    return ((const mb_bind_own_ *)opt)->vectors;
}

static mb_bind_node view(const mb_node *nd, const double *phi_star, double *msg)
{
    return (mb_bind_node){.len = (int64_t)nd->len,
                          .t = nd->t,
                          .id = nd->id,
                          .deg = nd->deg,
                          .scale = nd->scale,
                          .prior = nd->prior,
                          .phi_star = phi_star,
                          .phi = nd->phi,
                          .state = nd->aux,
                          .message = msg};
}

static mb_status failed(const char *half, const mb_node *nd, mb_err *err)
{
    MB_FAIL(err, MB_E_ARG, "algorithm: %s ended with an error at node %d in round %lld", half,
            (int)nd->id, (long long)nd->t);
}

static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const mb_bind_own_ *own = nd->opt;
    const mb_bind_node  node = view(nd, phi_star, msg);
    const int           answer = own->emit(own->self, &node);

    (void)ld;
    return answer == 0 ? MB_OK : answer == 1 ? MB_QUIET : failed("emit", nd, err);
}

static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_bind_own_ *own = nd->opt;
    mb_bind_node        node = view(nd, phi_star, (double *)(uintptr_t)msg);

    (void)ld;
    node.received = in->msg;
    node.fresh = in->fresh;
    node.weight = in->w;
    node.weight_self = in->w_self;
    return own->absorb(own->self, &node) ? failed("absorb", nd, err) : MB_OK;
}

mb_status mb_bind_own_algo_(mb_arena *a, const char *name, const mb_bind_own_ *half,
                            const mb_algo **out, mb_err *err)
{
    const char *own_name = mb_text(a, err, "%s", name);
    mb_algo    *algo;

    if (!own_name)
        return MB_E_NOMEM;
    MB_NEW(algo, a, 1, err);
    *algo = (mb_algo){.name = own_name,
                      .title = "the caller's own",
                      .opt_size = sizeof *half,
                      .fanout = MB_BROADCAST,
                      .consensus = 1,
                      .naux = vectors,
                      .emit = emit,
                      .absorb = absorb};
    *out = algo;
    return MB_OK;
}

/* Central VB, one of the list, or the caller's. */
static mb_status choose(mb_bind *b, const char *name, mb_arena *a, const mb_bind_own_ *half,
                        mb_err *err)
{
    const mb_algo *algo = NULL;

    if ((half->emit != NULL) != (half->absorb != NULL) || (half->emit && !name) ||
        half->vectors < 0 || half->vectors > 1000)
        MB_FAIL(err, MB_E_ARG,
                "algorithm: one of the caller's own needs a name, emit, absorb and 0 to 1000 "
                "vectors");
    if (half->emit)
        MB_TRY(mb_bind_own_algo_(a, name, half, &algo, err));
    else if (name && strcmp(name, "cvb") != 0) {
        algo = mb_algo_find(name);
        if (!algo)
            MB_FAIL(err, MB_E_ARG,
                    "algorithm: got \"%.60s\"; expected cvb or one of the list \"algorithms\"",
                    name);
    }
    b->algo = algo;
    return MB_OK;
}

int mb_bind_algorithm(mb_bind *b, const char *name, mb_bind_half emit_half,
                      mb_bind_half absorb_half, int32_t vectors_of, void *self)
{
    const int          failed_before = mb_bind_begin_(b);
    const mb_bind_own_ half = {emit_half, absorb_half, self, vectors_of};
    mb_arena          *a;
    mb_status          st;

    if (failed_before)
        return failed_before;
    a = mb_arena_new(1 << 10);
    st = a ? choose(b, name, a, &half, &b->fault) : MB_E_NOMEM;
    mb_arena_free(st < 0 ? a : b->algo_a);
    if (st >= 0) {
        b->algo_a = a;
        b->half = half;
    }
    return mb_bind_end_(b, st, "algorithm");
}
