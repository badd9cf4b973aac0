/* block.c - the genesis block of a node: given, heard, or made from the sample (docs/protocol.md,
 * section 6). */
#include "base/far.h"
#include "mesh/genesis.h"
#include "mesh/state.h"

#include <string.h>

mb_status mb_peer_remake_(mb_peer *p, mb_err *err)
{
    mb_life_ *l = p->life;

    p->len = p->L + MB_EXTRA_;
    if (MB_EPOCHS_(p->sum_len > 0))
        p->sum_len = p->L + (size_t)mb_algo_sum.extra;
    p->made = mb_arena_fixed(p->made_at, p->made_bytes);
    if (!p->made)
        MB_FAIL(err, MB_E_NOMEM, "no room for the genesis block");
    MB_TRY(mb_genesis_decode(p->made, p->encoded, l->block, &p->g, err));
    MB_TRY(mb_genesis_model(p->made, &p->g, &p->model, err));
    if (p->model.layout.len != p->L)
        MB_FAIL(err, MB_E_ARG, "the genesis has posteriors of %zu numbers; expected %zu",
                p->model.layout.len, p->L);
    l->run = p->g.hash;
    memcpy(p->prior, p->model.prior, p->L * sizeof *p->prior);
    if (MB_BOUNDS_(1))
        MB_TRY(mb_peer_bounds_(p, err));
    if (MB_EPOCHS_(p->sum_len > 0))
        MB_TRY(mb_epoch_largest_(p, err));
    for (int64_t i = 0; i < l->n; i++)
        mb_peer_units_(p, i);
    return MB_OK;
}

mb_status mb_peer_planned_(const mb_peer *p, const mb_genesis *g, mb_err *err)
{
    mb_genesis mine = *g;

    mine.kind = p->plan.kind;
    mine.size = p->size;
    mine.columns = p->plan.columns;
    mine.column = p->plan.column;
    return mb_genesis_same(&mine, g, err);
}

static mb_status try_block(mb_peer *p, const void *bytes, size_t n, uint64_t run, mb_err *err)
{
    mb_genesis g;
    mb_model   model;

    p->made = mb_arena_fixed(p->made_at, p->made_bytes);
    if (!p->made)
        MB_FAIL(err, MB_E_NOMEM, "no room for the genesis block");
    MB_TRY(mb_genesis_decode(p->made, bytes, n, &g, err));
    MB_TRY(mb_genesis_model(p->made, &g, &model, err));
    MB_TRY(mb_peer_planned_(p, &g, err));
    if (model.layout.len != p->L || g.hash != run)
        MB_FAIL(err, MB_E_FORMAT, "the genesis block %016llx is not that of run %016llx",
                (unsigned long long)g.hash, (unsigned long long)run);
    return MB_OK;
}

mb_status mb_peer_try_block_(mb_peer *p, const void *bytes, size_t n, uint64_t run, mb_err *err)
{
    const mb_status st = try_block(p, bytes, n, run, err);

    if (p->life->block)
        MB_TRY(mb_peer_remake_(p, err));
    return st;
}

mb_status mb_peer_adopt_(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    if (bytes != p->encoded)
        memmove(p->encoded, bytes, n);
    p->life->block = (uint32_t)n;
    for (int32_t j = 0; j < p->life->links; j++)
        p->link_guard[j].ours = p->link_guard[j].other = 0;
    p->guard->stored = p->guard->apart = p->guard->equal = p->guard->held = 0;
    MB_TRY(mb_peer_remake_(p, err));
    mb_peer_blank_(p);
    return MB_OK;
}

mb_block_ mb_peer_block_(mb_peer *p, const void *bytes, size_t n)
{
    mb_arena  *scratch_arena = mb_arena_fixed(p->scratch_arena_at, p->scratch_arena_bytes);
    mb_genesis theirs;
    mb_model   model;
    mb_err     err;

    if (!scratch_arena || mb_genesis_decode(scratch_arena, bytes, n, &theirs, &err) < 0 ||
        mb_peer_planned_(p, &theirs, &err) < 0)
        return MB_BLOCK_BAD_;
    if (MB_BOUNDS_(1) &&
        (!theirs.maker || mb_genesis_model(scratch_arena, &theirs, &model, &err) < 0 ||
         !mb_peer_prior_fits_(p, &theirs, &model, &err)))
        return MB_BLOCK_BAD_;
    return !p->life->run || mb_genesis_wins(&theirs, &p->g) ? MB_BLOCK_WINS_ : MB_BLOCK_LOSES_;
}

/* Rows of all nodes, from the smallest of the n largest of their keys, which are uniform in 0 to 1; 0: the
 * sample is of all. */
static double rows_of_all(const mb_peer *p)
{
    const uint32_t n = p->life->samples;

    return p->sums || n < MB_GENESIS_ROWS ? 0 : (n - 1) / (1 - p->key[n - 1].key);
}

/* The block that this node has made becomes its own. */
static mb_status publish(mb_peer *p, mb_genesis *g, mb_err *err)
{
    size_t n;

    g->maker = 1 + (uint32_t)p->opt.id;
    g->counter = p->life->incarnation;
    MB_TRY(mb_genesis_encode(g, p->encoded, p->room, &n, err));
    return mb_peer_adopt_(p, p->encoded, n, err);
}

mb_status mb_peer_seal_(mb_peer *p, mb_err *err)
{
    mb_rows   rows = {.x = p->key_x,
                      .n = p->life->samples,
                      .d = p->plan.columns,
                      .ld = (size_t)p->plan.columns,
                      .gaps = mb_peer_gaps_(p)};
    mb_arena *scratch_arena = mb_arena_fixed(p->scratch_arena_at, p->scratch_arena_bytes);
    const mb_row_moments *seen = p->sums ? mb_peer_moments_(p) : NULL;
    const double         *means = NULL;
    mb_genesis            g;

    if (MB_FAR_(p->trims)) {
        if (mb_peer_search_on_(p, seen))
            return MB_OK;
        means = mb_peer_means_(p);
    }
    if (means) {
        rows.x = means;
        rows.n = p->size.K;
    }
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "no room to make a genesis block");
    if (MB_EPOCHS_(p->start_len > 0)) {
        MB_TRY(mb_peer_start_genesis_(p, scratch_arena, &g, err));
        return publish(p, &g, err);
    }
    MB_TRY(mb_genesis_drawn_(scratch_arena, scratch_arena, &p->plan, seen,
                             MB_FAR_(p->trims) ? mb_peer_limits_(p) : NULL, &rows, rows_of_all(p),
                             &g, err));
    return publish(p, &g, err);
}
