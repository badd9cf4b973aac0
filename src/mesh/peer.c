/* peer.c - a node of the mesh: its memory. */
#include "base/far.h"
#include "base/straighten.h"
#include "mesh/audit.h"
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "model/kind.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static double *numbers(mb_carver_ *c, size_t n)
{
    return mb_carve_(c, n, sizeof(double));
}

/* What SUM adds to the state. */
static void carve_epochs(mb_peer *p, mb_carver_ *c)
{
    const size_t M = (size_t)p->opt.neighbours, len = p->sum_most;

    if (!MB_EPOCHS_(len > 0))
        return;
    p->epoch = mb_carve_(c, 1, sizeof *p->epoch);
    p->branch = mb_carve_(c, M, sizeof *p->branch);
    p->sum_memo = numbers(c, (size_t)mb_algo_sum.memo);
    p->sum_aux = numbers(c, (size_t)mb_algo_sum.naux(NULL) * len);
    p->sum_edge = numbers(c, M * len);
    p->sum_in = numbers(c, 2 * M * len);
    p->sum_out = numbers(c, 2 * M * len);
    p->sum_best = numbers(c, MB_EPOCHS_(p->start_len > p->L) ? p->start_len : p->L);
    p->sum_words = mb_carve_(c, M, sizeof *p->sum_words);
    p->sum_most_of = numbers(c, p->L);
    if (p->plan.privacy)
        p->released = mb_carve_(c, mb_release_numbers_(&p->plan), sizeof *p->released);
    if (p->plan.mask)
        p->left_out = mb_carve_(c, (size_t)p->opt.declared->members, sizeof *p->left_out);
    if (p->plan.mask && p->opt.declared->rows_batch) {
        p->taken_at = mb_carve_(c, 1, sizeof *p->taken_at);
        p->taken = mb_carve_(c, (size_t)p->opt.declared->members, sizeof *p->taken);
    }
}

/* What SUM adds to what is made again. */
static void carve_sums(mb_peer *p, mb_carver_ *c)
{
    p->sum_tree = mb_carve_(c, (size_t)p->opt.neighbours, 1);
    p->sum_own_most = numbers(c, p->L);
}

/* What masks add to what is made again. */
static void carve_masks(mb_peer *p, mb_carver_ *c)
{
    const size_t n = (size_t)p->opt.declared->members;

    p->taking = mb_carve_(c, n, sizeof *p->taking);
    p->partner = mb_carve_(c, n, sizeof *p->partner);
    p->record = mb_carve_(c, 16 + mb_participants_most_(p->opt.declared), 1);
    p->mask_text = mb_carve_(c, MB_PEER_MESSAGE_, 1);
    if (p->opt.declared->rows_batch)
        p->batch_text = mb_carve_(c, MB_PEER_MESSAGE_, 1);
}

/* What a local step reads and makes. */
static void carve_step(mb_peer *p, mb_carver_ *c, size_t len)
{
    p->prior = numbers(c, p->most);
    p->phi = numbers(c, MB_EPOCHS_(p->start_len > 0) ? p->most : len);
    p->star = numbers(c, p->most);
    p->mu = numbers(c, len);
    p->at = MB_STRAIGHTEN_(p->model.ops->straighten != NULL) ? numbers(c, len) : p->phi;
    p->s = numbers(c, p->most);
    p->phi_before = numbers(c, len);
    p->mu_before = numbers(c, len);
}

/* The state. Its order is that of a checkpoint. */
static void carve_state(mb_peer *p, mb_carver_ *c)
{
    const size_t M = (size_t)p->opt.neighbours, R = (size_t)p->opt.rows;
    const size_t D = (size_t)p->plan.columns, len = p->L + MB_EXTRA_, most = p->most;
    const size_t S = p->sums ? p->keys : p->plan.from == MB_GENESIS_SAMPLE ? p->keys + 1 : 0;
    const size_t ring = p->sent_room ? MB_RING_ : 0;

    p->life = mb_carve_(c, 1, sizeof *p->life);
    p->link = mb_carve_(c, M, sizeof *p->link);
    carve_step(p, c, len);
    p->aux = numbers(c, len * (size_t)p->algo->mesh->naux);
    p->memo = numbers(c, (size_t)p->algo->memo);
    p->z = numbers(c, M * most);
    p->out = numbers(c, M * most);
    p->x = numbers(c, R * D);
    p->w = numbers(c, R);
    p->number = mb_carve_(c, R, sizeof *p->number);
    p->stamp = mb_carve_(c, R, sizeof *p->stamp);
    p->group = mb_carve_(c, MB_GROUPS_(p->grouped) ? R : 0, sizeof *p->group);
    p->key = mb_carve_(c, S, sizeof *p->key);
    p->key_x = numbers(c, S * D);
    p->ends = numbers(c, p->sums ? 2 * D : 0);
    p->search = numbers(c, MB_FAR_(p->trims) ? mb_search_len_(p) : 0);
    p->encoded = mb_carve_(c, p->room, 1);
    p->sent = numbers(c, M * ring * most);
    p->got = numbers(c, M * ring * most);
    p->sent_tick = mb_carve_(c, M * ring, sizeof *p->sent_tick);
    p->got_tick = mb_carve_(c, M * ring, sizeof *p->got_tick);
    p->guard = mb_carve_(c, 1, sizeof *p->guard);
    p->link_guard = mb_carve_(c, M, sizeof *p->link_guard);
    p->stored = numbers(c, MB_BOUNDS_(1) ? len : 0);
    if (MB_CHANGES_(p->opt.wire == MB_WIRE_CHANGES))
        p->known = mb_carve_(c, M, sizeof *p->known);
    carve_epochs(p, c);
}

/* With sums: the moments of all rows, and those that a frame says. */
static void carve_moments(mb_peer *p, mb_carver_ *c)
{
    const size_t D = p->sums || MB_EPOCHS_(p->start_len > 0) ? (size_t)p->plan.columns : 0;

    p->seen = (mb_row_moments){.d = p->plan.columns};
    p->seen.mean = numbers(c, D);
    p->seen.sd = numbers(c, D);
    p->seen.middle = numbers(c, D);
    p->seen.spread = numbers(c, D);
    p->seen.constant = mb_carve_(c, D, 1);
    p->seen.cov = mb_plan_needs_covariance_(&p->plan) ? numbers(c, D * D) : NULL;
    p->mean = numbers(c, D);
    p->new_ends = numbers(c, 2 * D);
    if (!MB_FAR_(p->trims))
        return;
    p->limits.middle = numbers(c, D);
    p->limits.reach = numbers(c, D);
    p->width = numbers(c, mb_search_len_(p));
    p->searched = numbers(c, mb_search_len_(p));
    p->near = numbers(c, (size_t)p->opt.rows);
}

/* What is made from the state again, and room to compute in. */
static void carve_work(mb_peer *p, mb_carver_ *c)
{
    const size_t M = (size_t)p->opt.neighbours, R = (size_t)p->opt.rows;
    const size_t D = (size_t)p->plan.columns;

    p->run_x = numbers(c, R * D);
    p->resp = numbers(c, R * (size_t)p->size.K);
    p->first = mb_carve_(c, MB_GROUPS_(p->grouped) ? R + 1 : 0, sizeof *p->first);
    p->rho = numbers(c, M);
    p->old_rho = numbers(c, M);
    p->msg = mb_carve_(c, M, sizeof *p->msg);
    p->age = mb_carve_(c, M, sizeof *p->age);
    p->fresh = mb_carve_(c, M, 1);
    if (MB_EPOCHS_(p->sum_len > 0))
        carve_sums(p, c);
    if (MB_EPOCHS_(p->plan.mask > 0))
        carve_masks(p, c);
    p->vector = numbers(c, 2 * p->most);
    p->vector_row = numbers(c, D);
    p->scratch = numbers(c, p->most + p->model.layout.scratch);
    p->local = numbers(c, mb_local_scratch(&p->model));
    p->made_at = mb_carve_(c, p->made_bytes, 1);
    p->scratch_arena_at = mb_carve_(c, p->scratch_arena_bytes, 1);
    if (MB_AUDIT_(p->opt.declared != NULL))
        p->audit = mb_carve_(c, mb_audit_bytes_(p), 1);
    carve_moments(p, c);
    if (!MB_BOUNDS_(1))
        return;
    p->entry = mb_carve_(c, p->L, sizeof *p->entry);
    p->bound = numbers(c, p->L + MB_EXTRA_);
    p->range = numbers(c, 4 * D);
    p->weight = mb_carve_(c, (size_t)p->size.K, sizeof *p->weight);
}

static mb_status check(const mb_peer_opt *o, mb_err *err)
{
    const mb_plan *plan = o->plan;

    if (!MB_EPOCHS_(1) && plan && plan->from == MB_GENESIS_RANGES)
        MB_FAIL(err, MB_E_NOSUP, "genesis: this build has no sums (MB_EPOCHS=OFF)");
    if (!plan || !plan->kind || !plan->kind_opt || plan->columns < 1)
        MB_FAIL(err, MB_E_ARG, "plan: got none; expected a kind, its options and columns");
    if (o->id < 0 || o->id == INT32_MAX)
        MB_FAIL(err, MB_E_ARG, "id: got %ld; expected 0 to %ld", (long)o->id, (long)INT32_MAX - 1);
    if (!o->incarnation)
        MB_FAIL(err, MB_E_ARG, "incarnation: got 0; expected 1 or more");
    if (o->neighbours < 0 || o->neighbours > 1 << 20)
        MB_FAIL(err, MB_E_ARG, "neighbours: got %ld; expected 0 to 1048576", (long)o->neighbours);
    if (o->rows < 0 || o->rows > (int64_t)1 << 40 || o->window_rows < 0 || o->window_rows > o->rows)
        MB_FAIL(err, MB_E_ARG,
                "rows: got %lld with a window of %lld; expected 0 or more, and a window of as many "
                "at most",
                (long long)o->rows, (long long)o->window_rows);
    if (o->window_ms < 0 || o->tick_ms < 1 || o->rest_ms < o->tick_ms ||
        o->rest_ms > (int64_t)1 << 40)
        MB_FAIL(err, MB_E_ARG, "tick_ms, rest_ms: got %lld, %lld; expected 1 to 2^40, and no less",
                (long long)o->tick_ms, (long long)o->rest_ms);
    if (o->declared && o->declared->range && o->declared->columns != plan->columns)
        MB_FAIL(err, MB_E_SHAPE, "declared: got ranges of %ld columns; expected %ld",
                (long)o->declared->columns, (long)plan->columns);
    if (o->min_nodes < 0)
        MB_FAIL(err, MB_E_ARG, "min_nodes: got %ld; expected 0 or more", (long)o->min_nodes);
    if (!(o->n_nodes >= 0) || !(o->n_nodes < 1e9) || o->hops < 0 || !(o->kappa >= 0) ||
        !(o->eta >= 0) || !(o->eta <= 1) || !(o->tol > 0))
        MB_FAIL(
            err, MB_E_ARG,
            "n_nodes, hops, kappa, eta, tol: got %g, %ld, %g, %g, %g; expected 0 (automatic) or "
            "more, eta at most 1, tol above 0",
            o->n_nodes, (long)o->hops, o->kappa, o->eta, o->tol);
    return MB_OK;
}

static mb_peer_opt with_defaults(const mb_peer_opt *o)
{
    mb_peer_opt out = *o;

    if (!out.tick_ms)
        out.tick_ms = 20;
    if (!out.rest_ms)
        out.rest_ms = 1000 > out.tick_ms ? 1000 : out.tick_ms;
    if (!(out.tol > 0) && !(out.tol < 0))
        out.tol = 3e-7;
    return out;
}

/* Bytes of a fixed arena for mb_genesis_decode and mb_genesis_model, as genesis.h states them, and its
 * head; `model`: what mb_kind::model takes. */
static size_t made_bytes(const mb_peer *p, size_t model)
{
    const size_t scratch = sizeof(double) * p->model.layout.scratch;
    const size_t decode = model + 2 * p->room + scratch + 1200;
    const size_t remake = model + sizeof(double) * p->L + scratch + 400;

    return decode + remake + 4 * 64;
}

/* What is declared, and in the vectors of batches, are numbers of rows, whatever they weigh. */
static mb_status check_batch(const mb_peer *p, mb_err *err)
{
    const mb_declared *d = p->opt.declared;

    for (int32_t k = 0; k < d->members; k++)
        if (!(d->member[k].rows >= 0) || floor(d->member[k].rows) < d->member[k].rows)
            MB_FAIL(
                err, MB_E_ARG,
                "rows_batch: got %g declared rows of member %ld; expected a whole number, not the "
                "sum of weights",
                d->member[k].rows, (long)d->member[k].id);
    return MB_OK;
}

/* Members and rows are those of the genesis, and nothing has shown rows before. */
static mb_status check_masks(mb_peer *p, mb_err *err)
{
    enum { FEWEST = 3 };
    const mb_peer_opt *o = &p->opt;
    const int32_t      n = o->declared ? o->declared->members : 0;

    p->member = mb_declared_find(o->declared, o->id);
    if (n < FEWEST)
        MB_FAIL(
            err, MB_E_ARG,
            "mask: got a genesis that lists %ld members; expected %d or more, since of two each "
            "computes the sums of the other",
            (long)n, FEWEST);
    if (p->member < 0)
        MB_FAIL(err, MB_E_ARG, "mask: node %ld is no member that the genesis lists", (long)o->id);
    MB_TRY(mb_genesis_bears_masks_(o->plan->from, 1, err));
    if (o->window_rows || o->window_ms)
        MB_FAIL(err, MB_E_NOSUP, "mask: masks have no window, as a row that leaves would be shown");
    if (o->declared->rows_batch)
        MB_TRY(check_batch(p, err));
    if (!o->masks || !o->masks->add || !o->masks->random || !o->masks->begin)
        MB_FAIL(err, MB_E_ARG, "mask: got no masks from the host of the node");
    return MB_OK;
}

/* SUM makes passes; what comes before them, genesis and edges, is EDGE's. */
static mb_status run_sum(mb_peer *p, mb_err *err)
{
    if (p->algo != &mb_algo_sum && p->plan.mask)
        MB_FAIL(err, MB_E_NOSUP, "mask: %s sends what cannot be masked; use sum", p->algo->name);
    if (p->algo != &mb_algo_sum)
        return MB_OK;
    if (p->opt.wire != MB_WIRE_FLOAT64)
        MB_FAIL(err, MB_E_NOSUP, "wire: sum sends integers, not differences; use float64");
    p->sum_len = p->sum_most = p->L + (size_t)mb_algo_sum.extra;
    p->algo = &mb_algo_edge;
    return p->plan.mask ? check_masks(p, err) : MB_OK;
}

/* Before there is a block the numbers of its passes are those of a start. */
static mb_status run_start(mb_peer *p, const mb_plan *plan, mb_err *err)
{
    MB_TRY(mb_plan_bounded_(plan, err));
    p->start_len = p->start.len = mb_peer_start_len_(plan);
    p->sum_len = p->start_len + (size_t)mb_algo_sum.extra;
    p->sum_most = p->sum_len > p->sum_most ? p->sum_len : p->sum_most;
    p->most = p->start_len > p->most ? p->start_len : p->most;
    p->keys = 0;
    return MB_OK;
}

/* Before there is a block, and after it. */
static mb_status measure_vectors(mb_peer *p, const mb_plan *plan, mb_err *err)
{
    p->sums = plan->from == MB_GENESIS_SUMS ? mb_sums_len_(plan) : 0;
    p->exact = p->sums;
    p->trims = MB_FAR_(1) && mb_far_len_(plan) > 0;
    p->sums += MB_FAR_(p->trims) ? mb_far_len_(plan) : 0;
    p->keys = p->sums ? (uint32_t)p->size.K : MB_GENESIS_ROWS;
    p->len = mb_peer_len_(p, 0);
    p->most = p->len > p->L + MB_EXTRA_ ? p->len : p->L + MB_EXTRA_;
    return MB_EPOCHS_(plan->from == MB_GENESIS_RANGES) ? run_start(p, plan, err) : MB_OK;
}

/* A sample of the model in `scratch_arena` says how long vectors are and how much memory a model takes. */
static mb_status measure(mb_arena *scratch_arena, mb_peer *p, mb_err *err)
{
    const mb_peer_opt *o = &p->opt;
    const size_t       before = mb_arena_used(scratch_arena);
    mb_entry          *is;

    p->algo = mb_node_algo_(o->plan);
    MB_TRY(mb_algo_on_nodes_(p->algo, err));
    p->sent_room = o->wire != MB_WIRE_FLOAT64;
    mb_plan_sizes(o->plan, &p->size);
    p->grouped = mb_kind_grouped(o->plan->kind, &p->size);
    if (p->grouped && !MB_GROUPS_(1))
        MB_FAIL(err, MB_E_NOSUP,
                "this build has no rows in groups (it was made with MB_GROUPS=OFF)");
    if (MB_GROUPS_(p->grouped) && (o->window_rows || o->window_ms))
        MB_FAIL(err, MB_E_ARG, "window: rows in groups have none, which would cut groups");
    MB_TRY(mb_kind_model(scratch_arena, o->plan->kind, &p->size, &p->model, err));
    if (MB_GROUPS_(p->grouped))
        p->model.scratch = mb_group_scratch_(&p->model, o->rows);
    p->L = p->model.layout.len;
    if (MB_EPOCHS_(1))
        MB_TRY(run_sum(p, err));
    MB_TRY(measure_vectors(p, o->plan, err));
    if (MB_EPOCHS_(o->plan->privacy != NULL))
        MB_TRY(mb_release_check_(o, err));
    p->room = mb_genesis_bytes(o->plan);
    if (MB_AUDIT_(o->declared != NULL)) {
        MB_NEW(is, scratch_arena, p->L, err);
        mb_model_entries(&p->model, is);
        p->audited = mb_audit_entries_(&p->model, is, NULL, NULL);
        MB_NEW(p->counts, scratch_arena, p->L, err);
        mb_audit_counts_(is, p->L, p->counts);
    }
    p->made_bytes = made_bytes(p, mb_arena_used(scratch_arena) - before);
    p->scratch_arena_bytes = o->plan->from == MB_GENESIS_GIVEN ? 0 : mb_genesis_scratch(o->plan);
    return MB_OK;
}

static void begin(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->incarnation = p->opt.incarnation;
    l->phase = MB_WAITING_;
    l->N = p->opt.n_nodes > 0 ? p->opt.n_nodes : 1;
    l->leader = (uint32_t)p->opt.id;
    l->H = (uint32_t)p->opt.hops;
    l->mean_slow = 1;
    l->tick_ms = (double)p->opt.tick_ms;
    l->due_ms = INT64_MIN;
    l->moved = -1;
    if (MB_MASKS_(p))
        p->taken_by = -1;
    for (int32_t k = 0; MB_BATCH_(p) && k < p->opt.declared->members; k++)
        p->taken[k] = (int64_t)p->opt.declared->member[k].rows;
    for (size_t k = 0; p->sums && k < 2 * (size_t)p->plan.columns; k++)
        p->ends[k] = -HUGE_VAL;
    mb_peer_tune_(p);
}

mb_status mb_peer_new(mb_arena *a, const mb_peer_opt *opt, mb_peer **out, mb_err *err)
{
    const mb_peer_opt o = with_defaults(opt);
    mb_carver_        state = {NULL, 0}, work = {NULL, 0};
    mb_peer          *p;
    void             *auditor;

    MB_TRY(check(&o, err));
    MB_NEW(p, a, 1, err);
    *p = (mb_peer){
        .opt = o,
        .plan = *o.plan,
    };

    MB_TRY(measure(a, p, err));
    p->plan_hash = mb_plan_hash_(o.plan);
    carve_state(p, &state);
    carve_work(p, &work);
    p->bytes = state.used;
    MB_NEW(state.base, a, state.used, err);
    MB_NEW(work.base, a, work.used, err);
    p->block = state.base;
    state.used = work.used = 0;
    carve_state(p, &state);
    carve_work(p, &work);
    auditor = p->audit;
    if (MB_BOUNDS_(1))
        mb_peer_agree_(p, p->opt.declared);
    begin(p);
    p->audit = NULL;
    if (MB_AUDIT_(mb_audit_bytes_(p) > 0))
        mb_audit_make_(p, auditor);
    *out = p;
    return MB_OK;
}

size_t mb_peer_bytes(const mb_peer_opt *opt)
{
    const mb_peer_opt o = with_defaults(opt);
    mb_peer           p = {
                  .opt = o,
                  .plan = *o.plan,
    };

    mb_carver_ c = {NULL, 0};
    mb_arena  *scratch_arena = mb_arena_new(1 << 12);
    mb_err     err;

    if (!scratch_arena || measure(scratch_arena, &p, &err) < 0) {
        mb_arena_free(scratch_arena);
        return 0;
    }
    carve_state(&p, &c);
    carve_work(&p, &c);
    c.used += mb_arena_used(scratch_arena) + sizeof p + 3 * 64;
    mb_arena_free(scratch_arena);
    return c.used;
}

mb_status mb_peer_genesis(mb_peer *p, const mb_genesis *g, mb_err *err)
{
    mb_genesis copy = *g;
    size_t     n;

    if (p->life->tick)
        MB_FAIL(err, MB_E_ARG, "genesis: got one after the first tick; expected it before");
    MB_TRY(mb_peer_planned_(p, g, err));
    MB_TRY(mb_genesis_encode(&copy, p->encoded, p->room, &n, err));
    if (MB_BOUNDS_(g->declared != NULL))
        mb_peer_agree_(p, g->declared);
    return mb_peer_adopt_(p, p->encoded, n, err);
}

static const char *const refusals[MB_REFUSALS] = {
    "taken", "short", "damaged", "version", "own_id", "stranger", "plan", "run", "old", "value"};

const char *mb_refusal_text(mb_refusal why)
{
    return refusals[why];
}
