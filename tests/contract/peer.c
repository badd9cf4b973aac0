/* peer.c - what a mesh promises for every kind of model: nodes that draw their own genesis, know
 * neither N nor H and lose a fifth of their frames settle at a fixed point of central VB. Where they are
 * listed, audits accuse no honest one, and name one with more rows than it has declared. */
#include "fits.h"
#include "kinds.h"
#include "listed.h"
#include "mesh.h"
#include "mesh/state.h"
#include "model/kind.h"
#include "test.h"

enum { COLUMNS = 3, EACH = 20, LIAR = 3, SECONDS_60 = 3000 /* ticks of 20 ms */ };

static const char *const names[COLUMNS] = {"a", "b", "c"};

/* Rows in two groups, whose last column follows the others. */
static void draw(mb_rng *r, double *x)
{
    for (int j = 0; j < EACH; j++, x += COLUMNS) {
        x[0] = mb_rng_normal(r) + 6 * (j % 2);
        x[1] = 5 + 2 * mb_rng_normal(r) - 4 * (j % 2);
        x[2] = 1 + 2 * x[0] - x[1] + 0.3 * mb_rng_normal(r);
    }
}

typedef struct world {
    mb_network net;
    mb_rows    rows[NODES];
    mb_case    c; /* only what mesh_plan and mesh_up read */
    mb_plan    plan;
    mesh       m;
} world;

/* The first columns of such rows as those of a kind that says what they are. */
static void suit_form(mb_rows *rows, double *x)
{
    const mb_columns *is = kinds_form();

    for (int32_t j = 0; j < EACH; j++)
        for (int32_t d = 0; d < is->d; d++)
            x[j * is->d + d] =
                (int32_t)fabs(x[j * COLUMNS + d]) % (is->of[d].levels ? is->of[d].levels : 9);
    rows->d = is->d;
    rows->ld = (size_t)is->d;
}

static void make(world *w, const mb_kind *kind, void *opt, mb_genesis_from from)
{
    static const int64_t whole[] = {0, EACH};

    mb_rng   r = gen_rng(11);
    mb_sizes size;
    mb_model m;

    *w = (world){.net = network("ring:n=5")};
    mb_kind_sizes(kind, opt, kind->form ? kinds_form()->d : COLUMNS,
                  kind->form ? kinds_form() : NULL, &size);
    OK(mb_kind_model(arena, kind, &size, &m, &err));
    for (int32_t i = 0; i < NODES; i++) {
        double *x = doubles(EACH * COLUMNS);
        double *work = doubles(m.layout.len + mb_group_scratch_(&m, EACH));

        draw(&r, x);
        w->rows[i] = (mb_rows){.x = x, .n = EACH, .d = COLUMNS, .ld = COLUMNS};
        if (mb_kind_needs_groups(kind)) { /* as a peer takes them */
            w->rows[i].first = whole;
            w->rows[i].ngroup = 1;
        }
        if (kind->form)
            suit_form(&w->rows[i], x);
        kind_suit(kind, &m, &w->rows[i], x, work, work + m.layout.len);
    }
    w->c = (mb_case){.kind = kind, .data = w->rows};
    w->c.table.rows.d = w->rows[0].d;
    w->c.table.column = names;
    w->plan = mesh_plan(&w->c, opt, from);
    w->plan.kinds = size.columns;
}

static void up(world *w, const mb_kind *kind, void *opt, mb_genesis_from from)
{
    make(w, kind, opt, from);
    mesh_up(&w->m, &w->net, &w->c, &w->plan, NULL, 0, 0);
    w->m.loss = 0.2;
}

/* Where tests are small, every other kind, the first or the second one on. */
static void settle_all(mb_genesis_from from, int first)
{
    int n = 0;

    for (const mb_kind *const *kind = mb_kind_list(); *kind; kind++) {
        void *opt = mb_alloc(arena, 1, (*kind)->opt_size);
        world w;

        if (n++ % sized(1, 2) != sized(0, first))
            continue;
        OK(mb_opt_defaults((*kind)->opts, opt, &err));
        up(&w, *kind, opt, from);
        assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 10, 5000);
        for (int32_t i = 0; i < NODES; i++) {
            const mb_peer_status s = mesh_look(&w.m, i);
            mb_posterior         p;

            assert_int_equal(s.run, mesh_look(&w.m, 0).run);
            assert_true(fabs(s.n_nodes - NODES) < 1e-6);
            assert_true(isfinite(s.bound));
            assert_true(mesh_step_changes(&w.m, w.rows, i, NULL) < 1e-6);
            OK(mb_peer_posterior(arena, w.m.peer[i], &p, &err));
            assert_ptr_equal(p.kind, *kind);
        }
    }
}

TEST(every_kind_settles_at_a_fixed_point_of_central_vb)
{
    settle_all(MB_GENESIS_SAMPLE, 0);
}

TEST(every_kind_does_so_from_sums)
{
    settle_all(MB_GENESIS_SUMS, 1);
}

/* All rows in the order of the nodes; in groups where the kind has some. */
static mb_table all_rows(const world *w, const mb_kind *kind)
{
    double  *x = doubles(NODES * EACH * COLUMNS);
    int64_t *first = mb_alloc(arena, NODES + 1, sizeof *first);
    mb_table t = {.rows = {.x = x, .n = NODES * EACH, .d = COLUMNS, .ld = COLUMNS},
                  .column = names};

    for (size_t i = 0; i < NODES; i++)
        memcpy(x + i * EACH * COLUMNS, w->rows[i].x, EACH * COLUMNS * sizeof *x);
    for (int64_t i = 0; i <= NODES; i++)
        first[i] = i * EACH;
    if (mb_kind_needs_groups(kind)) {
        t.rows.first = first;
        t.rows.ngroup = NODES;
    }
    return t;
}

/* Nodes of SUM with these options, from the units and the prior of all rows. */
static void up_for_sums(world *w, const mb_kind *kind, void *opt, const mb_table *t)
{
    mb_local_part place;
    mb_peer_opt   like[NODES];
    mb_genesis    g;

    OK(mb_place_make(arena, &w->net, NULL, &place, &err));
    OK(mb_case_make(arena, &place, t, kind, opt, NULL, &w->c, &err));
    OK(mb_genesis_of_case(arena, &w->c, NULL, &g, &err));
    w->plan.algo = &mb_algo_sum;
    for (int32_t i = 0; i < NODES; i++)
        like[i] = (mb_peer_opt){.min_nodes = NODES, .tol = 1e-11};
    mesh_up_with(&w->m, &w->net, &w->c, &w->plan, &g, like);
    w->m.loss = 0.2;
}

static uint64_t passes_to_rest(world *w)
{
    const uint64_t before = w->m.peer[0]->epoch->pass;

    assert_in_range(mesh_settle(&w->m, mesh_tick_in_turn, 5000), 10, 5000);
    return w->m.peer[0]->epoch->pass - before;
}

/* A fifth of the frames is lost. Steps are Newton's but for variances, or nearly, and at rest below
 * 1e-11 posterior standard deviations: sums of doubles in another order are within 1e-10. When
 * rows change, the bound before is none for the others: no step is halved again and again for it. */
static void sum_to_fit(const mb_kind *kind, const char *word)
{
    void        *opt = mb_alloc(arena, 1, kind->opt_size);
    mb_fit_opt   how = mb_fit_defaults();
    world        w;
    mb_table     t;
    mb_fit       fit;
    mb_posterior is;
    uint64_t     passes;

    OK(mb_opt_defaults(kind->opts, opt, &err));
    if (word)
        OK(mb_opt_assign(kind->opts, opt, word, &err));
    make(&w, kind, opt, MB_GENESIS_GIVEN);
    t = all_rows(&w, kind);
    up_for_sums(&w, kind, opt, &t);
    passes = passes_to_rest(&w);
    how.kind = kind;
    how.kind_opt = opt;
    how.tol = 1e-12;
    OK(mb_fit_run(arena, NULL, &t, &how, &fit, &err));
    for (int32_t i = 0; i < NODES; i++) {
        const size_t L = w.c.model.layout.len;

        OK(mb_peer_posterior(arena, w.m.peer[i], &is, &err));
        assert_memory_equal(mb_peer_phi(w.m.peer[i]), mb_peer_phi(w.m.peer[0]), L * sizeof *is.par);
        for (size_t l = 0; l < L; l++)
            assert_near(is.par[l], fit.posterior.par[l], 1e-10 * fmax(1, fabs(is.par[l])));
    }
    mb_fit_close(&fit);
    if (kind != &mb_kind_glm)
        return;
    OK(mb_peer_replace(w.m.peer[1], w.m.now, 3, w.rows[1].x, 5, &err));
    assert_in_range(passes_to_rest(&w), 2, passes + 20);
}

TEST(sums_of_regressions_end_where_fit_does_and_are_equal_to_the_bit)
{
    static const struct {
        const mb_kind *kind;
        const char    *word;
    } of[] = {{&mb_kind_linreg, NULL},
              {&mb_kind_linreg, "linreg.relevance=on"},
              {&mb_kind_glm, NULL},
              {&mb_kind_glm, "glm.link=poisson"},
              {&mb_kind_mixed, NULL}};

    for (size_t k = 0; k < sizeof of / sizeof *of; k += (size_t)sized(1, 3))
        sum_to_fit(of[k].kind, of[k].word);
}

/* What rows may be besides: with cells that have no value, or in groups of two. */
typedef enum form { PLAIN, GAPS, GROUPS, FORMS } form;

/* The option that says that rows come in groups; NULL: there is none. */
static const mb_opt *group_option(const mb_kind *kind)
{
    for (const mb_opt *o = kind->opts; o->name; o++)
        if (o->choices && !strcmp(o->choices, "row|group"))
            return o;
    return NULL;
}

/* 0: rows of this kind have no such form. */
static int has_form(const mb_kind *kind, form f, void *opt)
{
    const mb_opt *group = group_option(kind);
    char          word[64];

    if (f == GAPS)
        return kind->gaps;
    if (f != GROUPS || !group)
        return f == PLAIN;
    (void)snprintf(word, sizeof word, "%s=group", group->name);
    OK(mb_opt_assign(kind->opts, opt, word, &err));
    return 1;
}

static void reform(mb_rows *rows, form f)
{
    double *x = (double *)(uintptr_t)rows->x;

    for (int32_t j = 0; f == GAPS && j < EACH; j += 5)
        x[j * COLUMNS + j % 2] = NAN;
    rows->gaps = f == GAPS;
    if (f == GROUPS) {
        int64_t *first = mb_alloc(arena, EACH / 2 + 1, sizeof *first);

        for (int32_t g = 0; g <= EACH / 2; g++)
            first[g] = 2 * g;
        rows->first = first;
        rows->ngroup = EACH / 2;
    }
}

/* All are listed with EACH rows, which those of LIAR weigh; where it lies it does not go by the list. */
static void up_listed(world *w, form f, double weight)
{
    mb_peer_opt      like[NODES] = {{.id = 0}};
    static mb_signer none;
    mb_signer       *signer = &none;
    mb_declared     *d = mb_alloc(arena, 2, sizeof *d);
    double          *heavy = doubles(EACH);

    for (int32_t i = 0; i < NODES; i++)
        reform(&w->rows[i], f);
    for (int32_t j = 0; j < EACH; j++)
        heavy[j] = weight;
    d[0] = d[1] = listed(&w->net, w->rows, &signer);
    d[0].gaps = d[1].gaps = f == GAPS;
    d[1].weight_max = MB_WEIGHT_MAX;
    for (int32_t i = 0; i < NODES; i++)
        like[i] = (mb_peer_opt){.declared = &d[i == LIAR], .signer = &signer[i]};
    if (weight > 1)
        w->rows[LIAR].w = heavy;
    mesh_up_with(&w->m, &w->net, &w->c, &w->plan, NULL, like);
}

/* How many of the others name LIAR, and no other node. */
static int32_t naming(const world *w, const char *what)
{
    int32_t named = 0;

    for (int32_t i = 0; i < NODES; i++)
        for (int32_t k = 0; k < NODES; k++) {
            int32_t     broken;
            const char *why = mb_peer_audit_of(w->m.peer[i], k, &broken);

            if (*why && k != LIAR)
                fail_msg("%s: node %d accuses %d: %s", what, i, k, why);
            named += broken && i != k && !strncmp(why, "rows: got ", 10);
        }
    return named;
}

/* Ticks until all are in their second audit and have judged every member, or until the others name
 * LIAR. 0: this model has no audits. */
static int is_audited(world *w, const char *what, int lies)
{
    for (int t = 0; t < SECONDS_60; t++) {
        int32_t named, done = 0, off = 0;

        mesh_tick(&w->m);
        named = naming(w, what);
        for (int32_t i = 0; i < NODES; i++) {
            mb_audit is;

            mb_peer_audit(w->m.peer[i], &is);
            off += is.state == MB_AUDIT_NOT_POSSIBLE;
            done += is.rounds >= 2 && is.judged == NODES;
            assert_int_equal(is.refused, 0);
        }
        if (off == NODES)
            return 0;
        assert_true(lies || !named);
        if (lies ? named == NODES - 1 : done == NODES)
            return 1;
    }
    fail_msg("%s: %s in a minute", what, lies ? "the liar is not named" : "no audits");
    return 0;
}

/* 1: entries of the model say how many rows there are. */
static int counts_rows(const world *w)
{
    const mb_peer *p = w->m.peer[0];

    for (size_t e = 0; e < p->L; e++)
        if (p->counts[e] > 0)
            return 1;
    return 0;
}

/* 1: a node says that the sum of LIAR, or of a branch with it, cannot be. */
static int refuses_sum(const world *w)
{
    int named = 0;

    for (int32_t i = 0; i < NODES; i++)
        named |=
            strstr(mesh_look(&w->m, i).message, "rows of it and the nodes below it: got ") != NULL;
    return named;
}

TEST(sums_of_a_child_with_other_rows_than_declared_are_refused_and_named)
{
    for (int lies = 0; lies < 2; lies++) {
        mb_gmm_kind opt = {0};
        world       w;
        int         settled, named = 0;

        OK(mb_opt_defaults(mb_kind_gmm.opts, &opt, &err));
        make(&w, &mb_kind_gmm, &opt, MB_GENESIS_SAMPLE);
        w.plan.algo = &mb_algo_sum;
        up_listed(&w, PLAIN, lies ? 1.5 : 1);
        settled = mesh_settle(&w.m, mesh_tick, 100);
        for (int t = 0; t < 300 && settled > 100; t++) {
            settled = mesh_settle(&w.m, mesh_tick, 1) == 1 ? 0 : settled;
            named |= refuses_sum(&w);
        }
        assert_int_equal(settled > 100, lies);
        assert_int_equal(named, lies);
    }
}

TEST(audits_of_every_kind_name_who_has_other_rows_and_nobody_else)
{
    int32_t audited = 0;

    for (const mb_kind *const *kind = mb_kind_list(); *kind; kind++)
        for (form f = PLAIN; f < FORMS; f++) {
            void *opt = mb_alloc(arena, 1, (*kind)->opt_size);
            world w;

            OK(mb_opt_defaults((*kind)->opts, opt, &err));
            if (!has_form(*kind, f, opt))
                continue;
            make(&w, *kind, opt, MB_GENESIS_SAMPLE);
            up_listed(&w, f, 1);
            if (!is_audited(&w, (*kind)->name, 0)) {
                print_message("%s: %s\n", (*kind)->name, mb_audit_text(MB_AUDIT_NOT_POSSIBLE));
                continue;
            }
            if (!counts_rows(&w))
                continue;
            make(&w, *kind, opt, MB_GENESIS_SAMPLE);
            up_listed(&w, f, 1.5);
            audited += is_audited(&w, (*kind)->name, 1);
        }
    assert_true(audited > 3);
}

RUN_TESTS(arena_up, arena_down)
