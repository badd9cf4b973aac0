/* Shares of a network: every process sees its rows, their neighbours and its peers as the whole
 * network has them, and both ends of a list agree on its order. */
#include "arena.h"
#include "net.h"
#include "test.h"

enum { MAX_PARTS = 4 };

typedef struct shares {
    net    *n;
    int32_t parts;
    int32_t owner[64];
    mb_part part[MAX_PARTS];
} shares;

typedef enum how { BLOCKS, ROUND_ROBIN, METIS } how;

static shares share_of(const char *text, int32_t parts, how split)
{
    shares s = {.n = net_make(arena, text), .parts = parts};
    mb_err err;

    for (int32_t i = 0; i < s.n->part.n_local; i++)
        s.owner[i] = i % parts;
    if (split == BLOCKS)
        mb_split_blocks(s.n->part.n_local, parts, s.owner);
    if (split == METIS && mb_split_metis(arena, &s.n->part.g, parts, s.owner, &err) == MB_E_NOSUP)
        skip();
    for (int32_t k = 0; k < parts; k++)
        must(mb_part_share(arena, &s.n->part.g, &s.n->part.w, s.owner, k, &s.part[k], &err));
    return s;
}

/* Neighbours in the order of the whole network, with its weights and degrees. */
static void expect_rows(const shares *s, const mb_part *p)
{
    const mb_part *all = &s->n->part;

    assert_int_equal(p->n_global, all->n_global);
    for (int32_t r = 0; r < p->n_local; r++) {
        const int32_t i = p->gid[r];
        int           border = 0;

        assert_true(r == 0 || p->gid[r - 1] < i);
        assert_int_equal(p->deg[r], all->deg[i]);
        assert_int_equal(p->g.ptr[r + 1] - p->g.ptr[r], all->deg[i]);
        assert_true(p->w.self[r] == all->w.self[i]);
        for (int32_t k = 0; k < p->deg[r]; k++) {
            const int64_t e = p->g.ptr[r] + k, at = all->g.ptr[i] + k;

            assert_int_equal(p->gid[p->g.adj[e]], all->g.adj[at]);
            assert_int_equal(p->deg[p->g.adj[e]], all->deg[all->g.adj[at]]);
            assert_true(p->w.edge[e] == all->w.edge[at]);
            border |= p->g.adj[e] >= p->n_local;
            if (p->g.adj[e] < p->n_local)
                assert_int_equal(p->g.adj[p->g.rev[e]], r);
        }
        assert_int_equal(p->border ? p->border[r] : 0, border);
    }
}

/* The k-th row that `from` sends to `to` is the k-th ghost of `to` from there; likewise edges. */
static void expect_lists(const shares *s, int32_t from, int32_t to)
{
    const mb_part *a = &s->part[from], *b = &s->part[to];
    int32_t        ka = 0, kb = 0;

    while (ka < a->halo.npeer && a->halo.peer[ka] != to)
        ka++;
    while (kb < b->halo.npeer && b->halo.peer[kb] != from)
        kb++;
    assert_int_equal(ka < a->halo.npeer, kb < b->halo.npeer);
    if (ka == a->halo.npeer)
        return;
    const int32_t *read = a->halo.read + a->halo.read_ptr[ka];
    const int32_t  ghosts = b->halo.ghost_ptr[kb + 1] - b->halo.ghost_ptr[kb];

    assert_int_equal(a->halo.read_ptr[ka + 1] - a->halo.read_ptr[ka], ghosts);
    for (int32_t q = 0; q < ghosts; q++) {
        const int32_t ghost = b->halo.ghost_ptr[kb] + q;

        assert_int_equal(a->gid[read[q]], b->gid[b->n_local + ghost]);
        assert_int_equal(b->owner[ghost], from);
    }
    for (int32_t r = 0; r < b->n_local; r++)
        for (int64_t e = b->g.ptr[r]; e < b->g.ptr[r + 1]; e++) {
            const int64_t cross = b->g.rev[e] - b->g.ptr[b->n_local];

            if (b->g.adj[e] < b->n_local || b->owner[b->g.adj[e] - b->n_local] != from)
                continue;
            assert_in_range(cross, b->halo.cross_ptr[kb], b->halo.cross_ptr[kb + 1] - 1);
            const int64_t leave =
                a->halo.leave[a->halo.cross_ptr[ka] + cross - b->halo.cross_ptr[kb]];

            assert_int_equal(a->gid[a->g.adj[leave]], b->gid[r]);
            int32_t sender = 0;
            while (a->g.ptr[sender + 1] <= leave)
                sender++;
            assert_int_equal(a->gid[sender], b->gid[b->g.adj[e]]);
        }
}

static void check_all(how split)
{
    static const char *const text[] = {"geometric:n=40,side=3,radius=0.8", "star:n=9",
                                       "grid:rows=6,cols=7", "complete:n=5"};

    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        for (int32_t parts = 1; parts <= MAX_PARTS; parts++) {
            const shares s = share_of(text[k], parts, split);
            int32_t      rows = 0;

            for (int32_t a = 0; a < parts; a++) {
                expect_rows(&s, &s.part[a]);
                rows += s.part[a].n_local;
                for (int32_t b = 0; b < parts; b++)
                    if (a != b)
                        expect_lists(&s, a, b);
            }
            assert_int_equal(rows, s.n->part.n_global);
        }
}

TEST(shares_by_blocks_fit_together)
{
    check_all(BLOCKS);
}

TEST(shares_without_any_order_fit_together)
{
    check_all(ROUND_ROBIN);
}

TEST(metis_cuts_fewer_links_than_dealing_in_turn)
{
    const shares metis = share_of("grid:rows=6,cols=7", 2, METIS);
    const shares turns = share_of("grid:rows=6,cols=7", 2, ROUND_ROBIN);

    assert_true(metis.part[0].halo.ncross < turns.part[0].halo.ncross / 2);
    expect_lists(&metis, 0, 1);
}

/* METIS by itself leaves one of three parts of a ring of 4 nodes empty. */
TEST(metis_gives_every_process_a_node)
{
    static const char *const shape[] = {"ring", "path", "star", "complete"};

    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (int32_t nodes = 3; nodes <= 16; nodes++)
            for (int32_t parts = 1; parts <= nodes; parts++) {
                char    text[32];
                int32_t owner[16], size[16] = {0};
                mb_err  err;

                snprintf(text, sizeof text, "%s:n=%d", shape[k], nodes);
                if (mb_split_metis(arena, &net_make(arena, text)->part.g, parts, owner, &err) < 0)
                    skip();
                for (int32_t i = 0; i < nodes; i++)
                    size[owner[i]]++;
                for (int32_t p = 0; p < parts; p++)
                    assert_true(size[p] > 0);
            }
}

TEST(a_process_without_a_node_is_an_error_that_says_how_many_fit)
{
    net    *n = net_make(arena, "path:n=3");
    int32_t owner[3] = {0, 1, 1};
    mb_part p;
    mb_err  err;

    assert_int_equal(mb_part_share(arena, &n->part.g, &n->part.w, owner, 2, &p, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "at most 3"));
}

TEST(blocks_differ_by_one_at_most_and_use_every_process)
{
    for (int32_t n = 1; n < 30; n++)
        for (int32_t parts = 1; parts <= n; parts++) {
            int32_t owner[30], count[30] = {0};

            mb_split_blocks(n, parts, owner);
            for (int32_t i = 0; i < n; i++) {
                assert_true(i == 0 || owner[i] >= owner[i - 1]);
                count[owner[i]]++;
            }
            for (int32_t k = 0; k < parts; k++)
                assert_in_range(count[k], n / parts, n / parts + 1);
        }
}

RUN_TESTS(arena_up, arena_down)
