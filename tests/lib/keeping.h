/* keeping.h - runs that are saved and resumed, with the stopping rule observing them. */
#ifndef MB_TEST_KEEPING_H
#define MB_TEST_KEEPING_H

#include "checkpoint/checkpoint.h"
#include "core/observe.h"
#include "meshbayes/extend.h"
#include "test.h"
#include "world.h"

/* A run and what its checkpoint stores. */
typedef struct keeping {
    run               *r;
    mb_observer        stop;
    mb_fact            fact[3];
    uint64_t           stamp[64]; /* of each row: the state it was computed from */
    int64_t            once;
    mb_checkpoint_item items[2];
    mb_journal         journal;
    mb_checkpoint      c;
    char               why[512]; /* the last refusal */
    int                refused;
} keeping;

static inline void keeping_refused(void *to, const char *why)
{
    keeping *k = to;

    k->refused++;
    snprintf(k->why, sizeof k->why, "%s", why);
}

/* A network that the algorithm runs on. */
static inline const char *keeping_net(const mb_algo *algo)
{
    return algo->needs & MB_NEEDS_RING ? "ring:n=20" : "geometric:n=20,side=2,radius=0.8";
}

/* A stopping rule that never fires: tol is below what rounding allows. */
static inline keeping *keeping_of(run *r, const char *dir)
{
    keeping       *k = mb_alloc(r->w->a, 1, sizeof *k);
    const mb_part *part = r->problem.part;

    assert_non_null(k);
    k->r = r;
    must(mb_stop_new(r->w->a, &r->problem, 1e-300, NULL, &k->stop, &r->err));
    k->fact[0] = (mb_fact){"seed", "5", MB_FACT_SET};
    k->fact[1] = (mb_fact){"loss", "0.1", MB_FACT_SET};
    for (int32_t i = 0; i < part->n_local; i++)
        k->stamp[i] = UINT64_C(77) * (uint64_t)(part->gid[i] + 1);
    k->items[0] = (mb_checkpoint_item){
        .name = "rows", .at = k->stamp, .bytes = 8, .stride = 8, .pieces = 1, .fixed = 1};
    k->items[1] = (mb_checkpoint_item){.name = "once", .at = &k->once, .bytes = 8, .pieces = 1};
    k->c = (mb_checkpoint){.dir = dir,
                           .name = r->problem.algo->name,
                           .fact = k->fact,
                           .nfact = 2,
                           .items = k->items,
                           .nitems = 2,
                           .obs = &k->stop,
                           .nobs = 1,
                           .journal = &k->journal,
                           .ranks = 1,
                           .refused = keeping_refused,
                           .to = k};
    return k;
}

static inline void keeping_go(keeping *k, int64_t rounds)
{
    must(world_go(k->r, rounds, 1, &k->stop, 1));
}

static inline void keeping_save(keeping *k, int end)
{
    k->once = 1000 + k->r->state.t;
    k->journal.n = 0;
    must(mb_journal_add(&k->journal, "a,b\n", 3, NULL));
    must(mb_checkpoint_save(&k->c, &k->r->problem, &k->r->state, end, &k->r->err));
}

static inline mb_status keeping_load(keeping *k)
{
    return mb_checkpoint_load(&k->c, &k->r->problem, &k->r->state, &k->r->err);
}

static inline void keeping_end(keeping *k)
{
    mb_journal_free(&k->journal);
}

/* Rows of `here` are bit for bit those of the same nodes of `whole`, where every node is a row. */
static inline void expect_same_rows(const run *here, const run *whole)
{
    const mb_state *a = &here->state, *b = &whole->state;
    const mb_part  *part = here->problem.part;
    const size_t    len = here->w->model.layout.len, row = len * sizeof(double);

    assert_int_equal(a->t, b->t);
    for (int32_t i = 0; i < part->n_local; i++) {
        const size_t  j = (size_t)part->gid[i], n = (size_t)i;
        const int64_t e = part->g.ptr[i] * a->nedge, f = whole->problem.part->g.ptr[j] * b->nedge;

        assert_memory_equal(a->phi + n * a->ld, b->phi + j * b->ld, row);
        assert_memory_equal(a->phi_star + n * a->ld, b->phi_star + j * b->ld, row);
        if (a->nmemo)
            assert_memory_equal(a->memo + n * (size_t)a->nmemo, b->memo + j * (size_t)b->nmemo,
                                (size_t)a->nmemo * sizeof(double));
        if (a->naux)
            assert_memory_equal(a->aux + n * (size_t)a->naux * a->ld,
                                b->aux + j * (size_t)b->naux * b->ld, (size_t)a->naux * row);
        if (a->nedge)
            assert_memory_equal(a->edge + (size_t)e * a->ld, b->edge + (size_t)f * b->ld,
                                (size_t)(part->deg[i] * a->nedge) * row);
        assert_int_equal(a->outside[n], b->outside[j]);
        assert_int_equal(a->frozen[n], b->frozen[j]);
        assert_int_equal(a->projected[n], b->projected[j]);
    }
}

#endif
