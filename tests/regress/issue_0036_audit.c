/* Where the genesis lists members, neighbours audit each other at rest: honest networks accuse nobody;
 * a member that puts in other rows than it declared, or a share of b that it has not, is named by all,
 * and with drop the others come to their own answer. */
#include "base/bytes.h"
#include "listed.h"
#include "mesh/audit.h"
#include "mesh/frame.h"
#include "mesh_fit.h"
#include "test.h"

enum { LIAR = 3, SECONDS_60 = 3000 /* ticks of 20 ms */ };

/* A network whose genesis lists its nodes, their rows and links. */
typedef struct audited {
    world       w;
    mb_declared d;
    mb_declared of_liar; /* the same list, by whose range and weights it does not go */
    mb_signer  *signer;
    int32_t     drop;
    int32_t     stopped; /* node that does not run; -1, 0: none */
    int32_t     liar;
    int64_t     tick_ms;
    void (*lie)(mb_frame_ *f, unsigned char *payload, const mesh *m); /* of the liar; NULL: none */
    void (*act)(mb_peer *liar); /* before its ticks; NULL: nothing */
} audited;

static void up_audited(audited *a)
{
    mb_peer_opt *like = mb_alloc(arena, (size_t)a->w.net.n, sizeof *like);

    a->of_liar = a->d;
    a->of_liar.range = NULL;
    a->of_liar.weight_max = MB_WEIGHT_MAX;
    for (int32_t i = 0; i < a->w.net.n; i++)
        like[i] = (mb_peer_opt){.declared = i == a->liar ? &a->of_liar : &a->d,
                                .tick_ms = a->tick_ms,
                                .signer = a->signer[i].verify ? &a->signer[i] : NULL,
                                .drop_broken = a->drop};
    mesh_up_with(&a->w.m, &a->w.net, &a->w.c, &a->w.plan, &a->w.g, like);
}

static void make_with(audited *a, const char *topology, mb_covariance covariance)
{
    *a = (audited){.liar = LIAR, .tick_ms = 20};
    fit_case_with(&a->w, topology, covariance);
    a->d = listed(&a->w.net, a->w.c.data, &a->signer);
}

static void make(audited *a, const char *topology)
{
    make_with(a, topology, MB_COVARIANCE_FULL);
}

/* A regression of the last column on the others. */
static void make_regression(audited *a)
{
    const mb_table  table = some_rows();
    mb_linreg_kind *opt = mb_alloc(arena, 1, sizeof *opt);

    *a = (audited){.liar = LIAR, .tick_ms = 20};
    OK(mb_opt_defaults(mb_kind_linreg.opts, opt, &err));
    case_of(&a->w, "ring:n=6", &table, &mb_kind_linreg, opt);
    OK(mb_genesis_of_case(arena, &a->w.c, NULL, &a->w.g, &err));
    a->w.plan = mesh_plan(&a->w.c, opt, MB_GENESIS_GIVEN);
    a->d = listed(&a->w.net, a->w.c.data, &a->signer);
}

/* A logistic regression of whether the last column is large, whose entries count no rows. */
static void make_logistic(audited *a)
{
    const mb_table table = some_rows();
    mb_glm_kind   *opt = mb_alloc(arena, 1, sizeof *opt);
    double        *x = (double *)(uintptr_t)table.rows.x;

    *a = (audited){.liar = LIAR, .tick_ms = 20};
    for (int64_t r = 0; r < table.rows.n; r++)
        x[r * COLS + COLS - 1] = r % 3 == 0;
    OK(mb_opt_defaults(mb_kind_glm.opts, opt, &err));
    case_of(&a->w, "ring:n=6", &table, &mb_kind_glm, opt);
    OK(mb_genesis_of_case(arena, &a->w.c, NULL, &a->w.g, &err));
    a->w.plan = mesh_plan(&a->w.c, opt, MB_GENESIS_GIVEN);
    a->d = listed(&a->w.net, a->w.c.data, &a->signer);
}

/* A range that just holds all rows. */
static void declare_range(audited *a)
{
    const int32_t D = a->w.g.columns;
    double       *range = doubles(2 * (size_t)D);

    for (int32_t d = 0; d < 2 * D; d++)
        range[d] = d % 2 ? -HUGE_VAL : HUGE_VAL;
    for (int32_t i = 0; i < a->w.net.n; i++)
        for (int64_t r = 0; r < a->w.c.data[i].n; r++)
            for (int32_t d = 0; d < D; d++) {
                const double x = mb_rows_at(&a->w.c.data[i], r, d);

                range[2 * d] = fmin(range[2 * d], x);
                range[2 * d + 1] = fmax(range[2 * d + 1], x);
            }
    a->d.range = range;
    a->d.columns = D;
}

/* As mesh_tick, with lies. */
static void tick(audited *a)
{
    mesh *m = &a->w.m;

    m->now += a->tick_ms;
    if (a->act)
        a->act(m->peer[a->liar]);
    for (int32_t i = 0; i < m->net.n; i++)
        if (i == 0 || i != a->stopped)
            OK(mb_peer_tick(m->peer[i], m->now, &err));
    for (int32_t i = 0; i < m->net.n; i++)
        mesh_write(m, i);
    for (int64_t e = m->net.g.ptr[a->liar]; a->lie && e < m->net.g.ptr[a->liar + 1]; e++) {
        unsigned char *at = m->frame + (size_t)e * m->room;
        mb_frame_      f;

        if (!m->bytes[e])
            continue;
        assert_int_equal(mb_frame_open_(at, m->bytes[e], &f, NULL), MB_REFUSED_NONE);
        a->lie(&f, at + MB_FRAME_HEAD_, m);
        m->bytes[e] = mb_frame_seal_(&f, at);
    }
    for (int32_t i = 0; i < m->net.n; i++)
        for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++)
            if (m->bytes[e])
                (void)mb_peer_hear(m->peer[m->net.g.adj[e]], m->now, i,
                                   m->frame + (size_t)e * m->room, m->bytes[e], &err);
}

static mb_audit look(const audited *a, int32_t i)
{
    mb_audit is;

    mb_peer_audit(a->w.m.peer[i], &is);
    return is;
}

static const char *why(const audited *a, int32_t i, int32_t of, int32_t *broken)
{
    return mb_peer_audit_of(a->w.m.peer[i], of, broken);
}

/* Ticks until two audits of all members were judged everywhere; no member is accused on the way. */
static void accuses_none(audited *a, const char *what)
{
    int t = 0;

    declare_range(a);
    up_audited(a);
    for (int32_t done = 0; done < a->w.net.n && t < SECONDS_60; t++) {
        tick(a);
        done = 0;
        for (int32_t i = 0; i < a->w.net.n; i++) {
            const mb_audit is = look(a, i);
            int32_t        broken;

            done += is.rounds >= 2 && is.judged == a->w.net.n;
            for (int32_t k = 0; k < a->w.net.n; k++)
                if (*why(a, i, k, &broken))
                    fail_msg("%s: node %d accuses %d: %s", what, i, k, why(a, i, k, &broken));
            assert_int_equal(is.refused, 0);
        }
    }
    if (t >= SECONDS_60)
        fail_msg("%s: %d of %d judged by node 0 in %lld audits", what, look(a, 0).judged,
                 a->w.net.n, (long long)look(a, 0).rounds);
    assert_int_equal(look(a, 0).judged, a->w.net.n);
    for (int32_t i = 0; i < a->w.net.n; i++)
        assert_int_equal(mesh_look(&a->w.m, i).verdict, MB_PEER_SETTLED);
}

TEST(an_honest_network_accuses_no_member)
{
    static const char *const topology[] = {"ring:n=6", "grid:rows=3,cols=3",
                                           "barbell:clique=3,path=0"};
    audited                  a;

    for (int k = 0; k < 3; k += sized(1, 2)) {
        make(&a, topology[k]);
        accuses_none(&a, topology[k]);
    }
    for (int32_t c = MB_COVARIANCE_FULL; c <= MB_COVARIANCE_TIED; c += sized(1, 3)) {
        make_with(&a, "ring:n=6", (mb_covariance)c);
        accuses_none(&a, "a covariance");
    }
    make_regression(&a);
    accuses_none(&a, "a regression");
}

/* Ticks until every other node names the liar, and nobody else, with these words. */
static void is_named(audited *a, const char *words)
{
    int32_t named = 0, broken;
    int     t = 0;

    while (named < a->w.net.n - 1 && t++ < 60000 / a->tick_ms) {
        tick(a);
        named = 0;
        for (int32_t i = 0; i < a->w.net.n; i++)
            for (int32_t k = 0; i != a->liar && k < a->w.net.n; k++) {
                const char *is = why(a, i, k, &broken);

                named += broken && k == a->liar && strstr(is, words) != NULL;
                if (broken && k != a->liar)
                    fail_msg("tick %d: node %d accuses %d: %s", t, i, k, is);
            }
    }
    if (t >= 60000 / a->tick_ms)
        fail_msg("named by %d: %s; node 0 is %s (%s), %d judged in %lld audits", named,
                 why(a, 0, a->liar, &broken), mb_peer_verdict_text(mesh_look(&a->w.m, 0).verdict),
                 mesh_look(&a->w.m, 0).message, look(a, 0).judged, (long long)look(a, 0).rounds);
    print_message("named after %d ticks: %s\n", t, why(a, 0, a->liar, &broken));
}

static void invent_rows(audited *a, double weight)
{
    double *w = doubles((size_t)a->w.c.data[a->liar].n);

    for (int64_t j = 0; j < a->w.c.data[a->liar].n; j++)
        w[j] = weight;
    a->w.c.data[a->liar].w = w;
    up_audited(a);
}

TEST(invented_rows_are_named)
{
    audited a;

    make(&a, "ring:n=6");
    invent_rows(&a, 3);
    is_named(&a, "rows: got ");
    make(&a, "grid:rows=3,cols=3");
    invent_rows(&a, 1.5);
    is_named(&a, "rows: got ");
}

TEST(rows_beyond_the_range_are_named)
{
    audited a;

    make(&a, "ring:n=6");
    declare_range(&a);
    for (int64_t r = 0; r < a.w.c.data[LIAR].n; r++)
        ((double *)(uintptr_t)a.w.c.data[LIAR].x)[(size_t)r * a.w.c.data[LIAR].ld] += 1000;
    up_audited(&a);
    is_named(&a, "sum of ");
}

static void more_leaders(mb_frame_ *f, unsigned char *payload, const mesh *m)
{
    const size_t at = 8 * mb_peer_block(m->peer[LIAR])->len;
    double       x;

    if (!(f->flags & MB_FRAME_VECTOR_))
        return;
    (void)mb_get_doubles_(payload + at, &x, 1);
    x += 5;
    mb_put_doubles_(payload + at, &x, 1);
}

TEST(a_lasting_lie_about_b_is_named)
{
    audited a;

    make(&a, "ring:n=6");
    up_audited(&a);
    a.lie = more_leaders;
    is_named(&a, "");
}

/* The others are at the answer of their own rows. */
static void others_come_right(audited *a)
{
    uint8_t use[16];
    int     t = 0, right = 0;

    memset(use, 1, sizeof use);
    use[LIAR] = 0;
    while (right < a->w.net.n - 1 && t++ < SECONDS_60) {
        tick(a);
        right = 0;
        for (int32_t i = 0; i < a->w.net.n; i++)
            right += i != LIAR && mesh_look(&a->w.m, i).verdict == MB_PEER_SETTLED &&
                     fabs(mesh_look(&a->w.m, i).n_nodes - (a->w.net.n - 1)) < 1e-6 &&
                     mesh_step_changes(&a->w.m, a->w.c.data, i, use) < 1e-5;
    }
    if (t >= SECONDS_60)
        fail_msg("%d of the others are right", right);
}

TEST(of_a_model_that_counts_no_rows_b_is_audited_and_their_number_is_not)
{
    audited a;
    int32_t broken;

    make_logistic(&a);
    accuses_none(&a, "a logistic regression");
    make_logistic(&a);
    up_audited(&a);
    a.lie = more_leaders;
    is_named(&a, "b: got ");
    make_logistic(&a);
    invent_rows(&a, 3);
    for (int t = 0; t < 1500; t++)
        tick(&a);
    for (int32_t i = 0; i < a.w.net.n; i++) {
        assert_true(look(&a, i).rounds > 1);
        assert_int_equal(mesh_look(&a.w.m, i).verdict, MB_PEER_SETTLED);
        assert_string_equal(why(&a, i, LIAR, &broken), "");
    }
}

static void begins_always(mb_peer *liar)
{
    liar->audit->wait_ms = 1;
}

static void begins_often(mb_peer *liar)
{
    liar->audit->wait_ms = 500;
}

/* On a ring on which word needs longer from end to end than half a rest. */
static void begins_again(void (*act)(mb_peer *liar))
{
    audited a;

    make(&a, "ring:n=14");
    a.liar = 0;
    a.tick_ms = 100;
    a.act = act;
    invent_rows(&a, 1.5);
    is_named(&a, "rows: got ");
}

TEST(a_leader_that_begins_audits_again_and_again_is_named)
{
    begins_again(NULL);
    begins_again(begins_often);
    begins_again(begins_always);
}

/* The member is in an audit of its own in every beat. */
static void announces_always(mb_peer *liar)
{
    mb_auditor_ *is = liar->audit;

    is->leader = liar->life->leader;
    is->beat = liar->life->beat;
    is->moved = is->here = 0;
}

/* To neighbours of even ids audits of even numbers, to others of odd ones, with a statement in each. */
static void two_audits(mb_frame_ *f, unsigned char *payload, const mesh *m)
{
    const mb_peer     *liar = m->peer[f->from];
    const mb_auditor_ *is = liar->audit;
    const mb_signer   *s = liar->opt.signer;
    const size_t       n = is->member[is->me].size;
    const uint64_t     odd = f->to / 2 % 2, number = (f->beat - odd) / 2 * 2 + odd;
    unsigned char     *end = payload + f->bytes;

    if (!(f->parts & MB_FRAME_AUDIT_))
        return;
    (void)mb_put_u32_(end - 24, (uint32_t)(24 + n));
    (void)mb_put_u64_(end - 16, number);
    end = mb_put_u32_(end, (uint32_t)n);
    memcpy(end, is->store + is->member[is->me].at, n - MB_SIGNATURE);
    (void)mb_put_u64_(mb_put_u32_(end + 24, f->leader) + 4, number);
    (void)s->sign(s->self, end, n - MB_SIGNATURE, end + n - MB_SIGNATURE);
    f->bytes += 4 + (uint32_t)n;
}

TEST(who_announces_different_audits_to_its_neighbours_is_named)
{
    audited a;

    make(&a, "ring:n=14");
    a.act = announces_always;
    a.lie = two_audits;
    invent_rows(&a, 1.5);
    is_named(&a, "rows: got ");
}

static mb_peer *blamer; /* who signs so */

/* Signs that in turn one of its two neighbours received so much that it has put in no more than it
 * declared: two thirds of what it has. */
static int sign_blame(void *self, const void *bytes, size_t n, uint8_t *signature)
{
    static int         turn;
    const mb_auditor_ *is = blamer->audit;
    unsigned char     *at = (unsigned char *)(uintptr_t)bytes + MB_AUDIT_HEAD_ + MB_AUDIT_LINK_;
    const size_t       each = mb_audit_link_bytes_(is->entries);

    turn ^= 1;
    for (size_t e = 0; e + 1 < is->entries; e++) {
        double own[2];

        for (int l = 0; l < 2; l++)
            (void)mb_get_doubles_(at + (size_t)l * each + 8 * e, &own[l], 1);
        own[turn] += (blamer->s[is->entry[e]] - own[0] - own[1]) / 3;
        mb_put_doubles_(at + (size_t)turn * each + 8 * e, &own[turn], 1);
    }
    return listed_sign(self, bytes, n, signature);
}

/* The leader, whose statement is the first one in its audits. */
TEST(who_contradicts_another_neighbour_in_each_audit_is_named)
{
    audited a;

    make(&a, "ring:n=6");
    a.liar = 0;
    a.signer[0].sign = sign_blame;
    invent_rows(&a, 1.5);
    blamer = a.w.m.peer[0];
    is_named(&a, "its statements contradict");
}

/* They are more than all rows of the network can make, so that no vector of it is taken. */
TEST(a_million_times_the_rows_are_refused_by_the_neighbours)
{
    audited a;

    make(&a, "ring:n=6");
    invent_rows(&a, 1e6);
    others_come_right(&a);
}

TEST(with_drop_the_others_come_to_their_answer)
{
    audited a;

    make(&a, "ring:n=6");
    a.drop = 1;
    invent_rows(&a, 1e6);
    others_come_right(&a);
    make(&a, "ring:n=6");
    a.drop = 1;
    up_audited(&a);
    a.lie = more_leaders;
    others_come_right(&a);
}

/* LIAR states to neighbour i, in the audit that i takes part in, that all its edges are in use. */
static void claim_edges(audited *a, int32_t i)
{
    mb_peer             *p = a->w.m.peer[i];
    const mb_auditor_   *is = p->audit;
    const mb_graph      *g = &a->d.links;
    const mb_signer     *s = &a->signer[LIAR];
    unsigned char        part[4096], *from = part + 24, *to = from;
    const uint32_t       degree = (uint32_t)(g->ptr[LIAR + 1] - g->ptr[LIAR]);
    const unsigned char *magic = is->store + is->member[is->me].at;

    assert_true(24 + is->member[LIAR].size <= sizeof part);
    memset(part, 0, sizeof part);
    memcpy(to, magic, 4);
    to = mb_put_u32_(to + 4, (uint32_t)a->d.member[LIAR].id);
    to = mb_put_u64_(mb_put_u64_(to, a->d.hash), p->life->run);
    to = mb_put_u64_(mb_put_u32_(mb_put_u32_(to, is->leader), degree), is->beat);
    for (int64_t e = g->ptr[LIAR]; e < g->ptr[LIAR + 1]; e++, to += 8 * is->entries)
        to = mb_put_u32_(mb_put_u32_(to, (uint32_t)a->d.member[g->adj[e]].id), 1);
    assert_true(s->sign(s->self, from, (size_t)(to - from), to));
    to = mb_put_u64_(mb_put_u64_(mb_put_u32_(part, is->leader), is->beat), 0);
    (void)mb_put_u32_(to, (uint32_t)is->member[LIAR].size);
    mb_audit_take_(p, a->w.m.now, mb_peer_find_(p, LIAR), part, 24 + is->member[LIAR].size);
}

TEST(who_was_dropped_is_not_there_by_its_own_word)
{
    audited a;
    int32_t heard = 0;

    make(&a, "ring:n=6");
    a.drop = 1;
    up_audited(&a);
    a.lie = more_leaders;
    others_come_right(&a);
    for (int t = 0; t < 1000; t++) {
        tick(&a);
        for (int64_t e = a.d.links.ptr[LIAR]; e < a.d.links.ptr[LIAR + 1]; e++)
            if (a.w.m.peer[a.d.links.adj[e]]->audit->here)
                claim_edges(&a, a.d.links.adj[e]);
        heard += a.w.m.peer[0]->audit->member[LIAR].here;
    }
    assert_true(heard > 0);
    for (int32_t i = 0; i < a.w.net.n; i++)
        if (i != LIAR)
            assert_string_equal(mesh_look(&a.w.m, i).message, "");
}

/* Turns a bit of the first statement in a frame. */
static void forge(mb_frame_ *f, unsigned char *payload, const mesh *m)
{
    (void)m;
    if (f->parts & MB_FRAME_AUDIT_ && f->bytes > 400)
        payload[f->bytes - 80] ^= 1;
}

TEST(a_forged_statement_is_refused_and_accuses_nobody)
{
    audited a;
    int64_t refused = 0;
    int32_t broken;

    make(&a, "ring:n=6");
    up_audited(&a);
    a.lie = forge;
    for (int t = 0; t < 1000; t++)
        tick(&a);
    for (int32_t i = 0; i < a.w.net.n; i++) {
        refused += look(&a, i).refused;
        for (int32_t k = 0; k < a.w.net.n; k++)
            if (*why(&a, i, k, &broken))
                fail_msg("node %d accuses %d: %s", i, k, why(&a, i, k, &broken));
    }
    assert_true(refused > 0);
}

/* Those that are there say who is; that the others do not run is no reason for doubt. */
static void with_node_in_place_of(int32_t id, int32_t runs, const char *message)
{
    audited    a;
    mb_member *member;
    int32_t    said = 0;

    make(&a, "ring:n=6");
    member = (mb_member *)(uintptr_t)a.d.member;
    member[5].id = id;
    a.d.at_most = 1;
    a.d.hash = mb_declared_hash_(&a.d);
    up_audited(&a);
    a.stopped = runs ? -1 : 5;
    for (int t = 0; t < 1000; t++) {
        tick(&a);
        said += mesh_look(&a.w.m, 0).verdict == MB_PEER_SETTLED;
    }
    assert_true(said > 0); /* before the first audit */
    for (int32_t i = 0; i < 5; i++)
        assert_string_equal(mesh_look(&a.w.m, i).message, message);
    assert_true(look(&a, 0).rounds > 0);
}

TEST(nobody_settles_with_a_node_that_no_member_states_to_be_there)
{
    with_node_in_place_of(
        9, 1, "knows another number of nodes than the members that are there by their statements");
}

TEST(members_that_are_not_there_do_not_count)
{
    with_node_in_place_of(9, 0, "");
}

/* The declared rows of the network are checked by all, and without a list of members. */
static void settles_with(double rows, int32_t at_most, int32_t members, mb_peer_verdict verdict,
                         const char *message)
{
    audited a;

    make(&a, "ring:n=6");
    a.d.rows += rows;
    a.d.at_most = at_most;
    a.d.members = members;
    up_audited(&a);
    for (int t = 0; t < 1500; t++)
        tick(&a);
    for (int32_t i = 0; i < a.w.net.n; i++) {
        assert_int_equal(mesh_look(&a.w.m, i).verdict, verdict);
        assert_string_equal(mesh_look(&a.w.m, i).message, message);
    }
}

TEST(nobody_settles_on_other_rows_than_declared)
{
    static const char other[] = "finds other rows in all than are declared";

    settles_with(0, 0, 6, MB_PEER_SETTLED, "");
    settles_with(0, 0, 0, MB_PEER_SETTLED, "");
    settles_with(1, 1, 6, MB_PEER_SETTLED, "");
    settles_with(1, 0, 6, MB_PEER_MOVING, other);
    settles_with(-1, 1, 6, MB_PEER_MOVING, other);
    settles_with(-1, 0, 0, MB_PEER_MOVING, other);
}

TEST(nobody_settles_with_more_nodes_than_members)
{
    const mb_network five = network("path:n=5");
    audited          a;

    make(&a, "ring:n=6");
    a.d = listed(&five, a.w.c.data, &a.signer);
    a.d.at_most = 1;
    a.d.rows = (double)NAN;
    a.signer = mb_alloc(arena, 6, sizeof *a.signer);
    up_audited(&a);
    for (int t = 0; t < 500; t++)
        tick(&a);
    for (int32_t i = 0; i < 6; i++)
        assert_string_equal(mesh_look(&a.w.m, i).message,
                            "knows more nodes than the genesis lists");
}

/* Its frames have room for no statements, so it gets none. */
TEST(a_member_that_cannot_sign_settles_with_the_others)
{
    audited a;

    make(&a, "complete:n=8");
    a.signer[LIAR].verify = NULL;
    up_audited(&a);
    for (int t = 0; t < 1000; t++)
        tick(&a);
    assert_int_equal(look(&a, LIAR).state, MB_AUDIT_NO_SIGNER);
    for (int32_t i = 0; i < a.w.net.n; i++) {
        const mb_peer_status is = mesh_look(&a.w.m, i);

        assert_int_equal(is.verdict, MB_PEER_SETTLED);
        assert_int_equal(is.refused[MB_REFUSED_SHORT], 0);
        if (i != LIAR) /* the others have a link that is not stated */
            assert_int_equal(look(&a, i).judged, 1);
    }
}

RUN_TESTS(arena_up, arena_down)
