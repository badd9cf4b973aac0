/* Networks from arrays, descriptions and files, and the share of a process. */
#include "network/graph.h"
#include "network/network.h"
#include "scratch.h"
#include "test.h"
#include "transport/transport.h"

static const mb_network_opt links_only = {.links_only = 1};

static mb_network read_net(scratch *s, const char *file, const mb_network_opt *opt)
{
    mb_network net;

    if (mb_network_read(s->a, file, opt, &net, &s->err) < 0)
        fail_msg("%s", s->err.msg);
    return net;
}

static mb_network draw(scratch *s, const char *text, const mb_network_opt *opt)
{
    mb_network net;

    if (mb_network_draw(s->a, text, 7, opt, &net, &s->err) < 0)
        fail_msg("%s", s->err.msg);
    return net;
}

TEST(ring_from_ends_has_the_facts_of_a_ring)
{
    scratch                 *s = *state;
    static const char *const id[5] = {"e", "d", "c", "b", "a"};
    const int32_t            ends[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 0};
    const double             turn = cos(2 * acos(-1) / 5);
    mb_network               net;

    must(mb_network_from(s->a, 5, id, 5, ends, NULL, &net, &s->err));
    assert_int_equal(net.n, 5);
    assert_string_equal(net.id[0], "e"); /* the caller's order */
    assert_int_equal(net.facts.edges, 5);
    assert_int_equal(net.facts.deg_min, 2);
    assert_int_equal(net.facts.deg_max, 2);
    assert_int_equal(net.facts.diameter, 2);
    assert_true(fabs(net.facts.algebraic_connectivity - (2 - 2 * turn)) < 1e-12);
    assert_true(fabs(net.facts.lambda2 - fabs((1 + 2 * turn) / 3)) < 1e-12);
    assert_string_equal(net.xy_from, "layout");
    assert_int_equal(net.drawn, 1);
    assert_null(net.warning);
}

TEST(rows_of_weights_sum_to_one_under_every_rule)
{
    static const char *const rule[] = {"nearest", "metropolis", "laplacian"};

    for (int k = 0; k < 3; k++) {
        const mb_network net = draw(*state, "star:n=9", &(mb_network_opt){.weights = rule[k]});

        for (int32_t i = 0; i < net.n; i++) {
            double sum = net.w.self[i];

            for (int64_t e = net.g.ptr[i]; e < net.g.ptr[i + 1]; e++)
                sum += net.w.edge[e];
            assert_true(fabs(sum - 1) < 1e-14);
        }
    }
}

TEST(unknown_weights_are_refused)
{
    scratch   *s = *state;
    mb_network net;

    scratch_expect(
        s,
        mb_network_draw(s->a, "ring:n=4", 1, &(mb_network_opt){.weights = "even"}, &net, &s->err),
        MB_E_ARG, "\"even\", which is not known; expected nearest, metropolis, laplacian");
}

TEST(network_in_two_pieces_names_them)
{
    scratch                 *s = *state;
    static const char *const id[4] = {"north", "south", "east", "west"};
    const int32_t            ends[4] = {0, 1, 2, 3};
    mb_network               net;

    scratch_expect(s, mb_network_from(s->a, 4, id, 2, ends, NULL, &net, &s->err), MB_E_ARG,
                   "{north, south}, {east, west}");
    must(mb_network_from(s->a, 4, id, 2, ends, &links_only, &net, &s->err));
    assert_null(net.xy);
}

TEST(nodes_need_names_of_their_own)
{
    scratch                 *s = *state;
    static const char *const id[3] = {"a", "b", "a"};
    const int32_t            ends[4] = {0, 1, 1, 2};
    const mb_network_opt     names = {.id = id, .nid = 3};
    mb_network               net;

    scratch_expect(s, mb_network_from(s->a, 3, id, 2, ends, NULL, &net, &s->err), MB_E_ARG,
                   "node \"a\": got the name twice");
    scratch_expect(s, mb_network_from(s->a, 0, NULL, 0, NULL, NULL, &net, &s->err), MB_E_ARG,
                   "got 0 nodes");
    scratch_expect(s, mb_network_draw(s->a, "ring:n=4", 1, &names, &net, &s->err), MB_E_ARG,
                   "got 3 names; expected one for each of 4 nodes");
}

TEST(drawn_network_is_the_topology_bit_for_bit)
{
    static const char *const text = "geometric:n=40,side=3,radius=0.9";
    scratch                 *s = *state;
    const mb_network         net = draw(s, text, NULL);
    mb_topology              top;
    mb_weights               w;

    must(mb_topology_make(s->a, text, 7, &top, &s->err));
    must(mb_weights_make(s->a, &top.g, MB_METROPOLIS, &w, &s->err));
    assert_int_equal(net.n, 40);
    assert_int_equal(net.drawn, top.drawn);
    assert_string_equal(net.id[0], "1");
    assert_string_equal(net.id[39], "40");
    assert_string_equal(net.xy_from, "topology");
    assert_memory_equal(net.xy, top.xy, 80 * sizeof *net.xy);
    assert_memory_equal(net.g.ptr, top.g.ptr, 41 * sizeof *net.g.ptr);
    assert_memory_equal(net.g.adj, top.g.adj, (size_t)top.g.ptr[40] * sizeof *net.g.adj);
    assert_memory_equal(net.w.self, w.self, 40 * sizeof *w.self);
    assert_memory_equal(net.w.edge, w.edge, (size_t)top.g.ptr[40] * sizeof *w.edge);
}

TEST(ids_of_a_file_are_sorted)
{
    scratch         *s = *state;
    const mb_network net = read_net(s, scratch_text(s, "net.csv", "i,j\n10,9\n9,2\n"), NULL);

    assert_int_equal(net.n, 3);
    assert_string_equal(net.id[0], "2"); /* by number, not by bytes */
    assert_string_equal(net.id[1], "9");
    assert_string_equal(net.id[2], "10");
    assert_int_equal(net.facts.diameter, 2);
}

TEST(further_ids_are_nodes_that_links_must_reach)
{
    scratch                 *s = *state;
    static const char *const id[2] = {"b", "z"};
    mb_network_opt           opt = {.id = id, .nid = 1};
    const char              *file = scratch_text(s, "net.csv", "i,j\na,b\nb,c\n");
    mb_network               net = read_net(s, file, &opt);

    assert_int_equal(net.n, 3); /* b was a node already */
    opt.nid = 2;
    scratch_expect(s, mb_network_read(s->a, file, &opt, &net, &s->err), MB_E_ARG, "{a, b, c}, {z}");
    scratch_expect(s,
                   mb_network_read(s->a, scratch_text(s, "no.csv", "i,j\n"), NULL, &net, &s->err),
                   MB_E_FORMAT, "no.csv: no links in the file");
}

static const mb_network_opt delivering = {.delivery = MB_DELIVERY_NEEDED};

/* Both directions of a link have the value, whichever column says it. */
TEST(links_have_the_delivery_that_the_file_says)
{
    scratch         *s = *state;
    const char      *loss = "i,j,loss\na,b,0.25\nc,b,0\nb,a,.25\n";
    const char      *prob = "j,prob,i,km\na,0.75,b,3\nc,1,b,4\n";
    const char      *file = scratch_text(s, "loss.csv", loss);
    const mb_network by_loss = read_net(s, file, &delivering);
    const mb_network by_prob = read_net(s, scratch_text(s, "prob.csv", prob), &delivering);
    const mb_network without = read_net(s, file, NULL);
    const double     want[4] = {0.75, 0.75, 1, 1}; /* a-b, b-a, b-c, c-b */

    assert_memory_equal(by_loss.delivery, want, sizeof want);
    assert_memory_equal(by_prob.delivery, want, sizeof want);
    assert_null(by_loss.note);
    assert_non_null(strstr(by_prob.note, "prob.csv: columns not used: km"));
    assert_null(without.delivery);
    assert_non_null(strstr(without.note, "columns not used: loss"));
}

TEST(delivery_that_makes_no_sense_is_refused)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"i,j,loss\na,b,0.2\nb,c,1\n", "net.csv:3: column loss: got \"1\"; expected 0 to 0.999"},
        {"i,j,loss\na,b,\n", "net.csv:2: column loss: got \"\"; expected 0 to 0.999"},
        {"i,j,prob\na,b,0\n", "net.csv:2: column prob: got \"0\"; expected 0.001 to 1"},
        {"i,j,prob\na,b,nan\n", "net.csv:2: column prob: got \"nan\""},
        {"i,j,loss\na,b,.2\nb,c,.1\nb,a,.3\n",
         "net.csv:4: column loss: got .3 for the link of \"b\" "
         "and \"a\", and .2 in line 2"},
        {"i,j,loss,prob\na,b,.2,.8\n", "net.csv: got both columns prob and loss"},
        {"i,j,km,kind\na,b,.2,x\n", "net.csv: got columns i, j, km, kind; expected prob or loss"},
    };
    scratch   *s = *state;
    mb_network net;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        scratch_expect(s,
                       mb_network_read(s->a, scratch_text(s, "net.csv", bad[k].text), &delivering,
                                       &net, &s->err),
                       MB_E_FORMAT, bad[k].part);
}

TEST(names_without_one_in_common_are_shown)
{
    scratch                 *s = *state;
    static const char *const id[] = {"d", "c", "b", "a", "e"};
    const mb_network_opt     opt = {.id = id, .nid = 5};
    const char              *file = scratch_text(s, "net.csv", "i,j\n1,2\n2,3\n");
    mb_network               net;

    scratch_expect(s, mb_network_read(s->a, file, &opt, &net, &s->err), MB_E_ARG,
                   "net.csv: the data have \"a\", \"b\", \"c\" (and 2 more), the network has "
                   "\"1\", \"2\", \"3\"");
}

TEST(what_is_written_reads_back)
{
    scratch             *s = *state;
    const mb_network     net = draw(s, "geometric:n=12,side=2,radius=1", NULL);
    const char          *links = scratch_path(s, "links.csv"), *places = scratch_path(s, "xy.csv");
    const char          *w = scratch_path(s, "w.csv");
    char                 rule[256] = "file:";
    const mb_network_opt opt = {.weights = rule, .positions = places};
    mb_network           back;

    must(mb_network_write(s->a, &net, links, &s->err));
    must(mb_network_write_positions(s->a, &net, places, &s->err));
    must(mb_network_write_weights(s->a, &net, w, &s->err));
    back = read_net(s, links, &(mb_network_opt){.weights = strcat(rule, w), .positions = places});
    assert_string_equal(back.xy_from, "file");
    assert_memory_equal(back.xy, net.xy, 24 * sizeof *net.xy);
    assert_memory_equal(back.g.adj, net.g.adj, (size_t)net.g.ptr[12] * sizeof *net.g.adj);
    assert_memory_equal(back.w.edge, net.w.edge, (size_t)net.g.ptr[12] * sizeof *net.w.edge);
    assert_null(back.warning);
    scratch_expect(s,
                   mb_network_read(s->a, scratch_text(s, "more.csv", "i,j\n1,13\n1,2\n"), &opt,
                                   &back, &s->err),
                   MB_E_FORMAT, "xy.csv: node \"13\" has no position");
}

static void expect_same_delivery(const mb_network *back, const mb_network *net)
{
    assert_non_null(back->delivery);
    assert_int_equal(back->g.ptr[back->n], net->g.ptr[net->n]);
    assert_memory_equal(back->delivery, net->delivery,
                        (size_t)net->g.ptr[net->n] * sizeof *net->delivery);
}

TEST(what_a_link_delivers_reads_back)
{
    scratch             *s = *state;
    const mb_network_opt given = {.delivery = MB_DELIVERY_IF_GIVEN};
    const char          *links = scratch_path(s, "links.csv"), *xml = scratch_path(s, "l.graphml");
    const char          *text = "i,j,loss\na,b,.3\nc,b,0\nc,a,.12345678901234567\n";
    const mb_network     net = read_net(s, scratch_text(s, "net.csv", text), &given);
    mb_network           back;

    must(mb_network_write(s->a, &net, links, &s->err));
    back = read_net(s, links, &delivering);
    expect_same_delivery(&back, &net);
    back = read_net(s, scratch_text(s, "net.csv", "i,j\na,b\n"), &given);
    assert_null(back.delivery);
    must(mb_network_write(s->a, &net, xml, &s->err));
    if (mb_network_read(s->a, xml, &delivering, &back, &s->err) == MB_E_NOSUP)
        skip();
    expect_same_delivery(&back, &net);
}

TEST(graphml_keeps_positions_unless_they_are_not_wanted)
{
    scratch         *s = *state;
    const mb_network net = draw(s, "grid:rows=2,cols=3", NULL);
    const char      *file = scratch_path(s, "net.graphml");
    mb_network       back;

    must(mb_network_write(s->a, &net, file, &s->err));
    if (mb_network_read(s->a, file, NULL, &back, &s->err) == MB_E_NOSUP)
        skip();
    assert_string_equal(back.xy_from, "file");
    assert_memory_equal(back.xy, net.xy, 12 * sizeof *net.xy);
    back = read_net(s, file, &(mb_network_opt){.skip_own = 1});
    assert_string_equal(back.xy_from, "layout");
}

TEST(weights_that_move_the_mean_give_a_warning)
{
    scratch    *s = *state;
    const char *w = scratch_text(s, "w.csv", "i,j,w\na,a,1\nb,a,0.5\nb,b,0.5\n");
    char        rule[256] = "file:";
    mb_network  net = read_net(s, scratch_text(s, "net.csv", "i,j\na,b\n"),
                               &(mb_network_opt){.weights = strcat(rule, w)});

    assert_non_null(net.warning);
    assert_non_null(strstr(net.warning, "w.csv: columns of the weights do not sum to 1 (by up to "
                                        "0.5)"));
}

TEST(place_of_one_process_is_the_whole)
{
    scratch         *s = *state;
    const mb_network net = draw(s, "ring:n=6", NULL);
    mb_local_part    all, one;

    must(mb_place_make(s->a, &net, NULL, &all, &s->err));
    assert_int_equal(all.part.n_local, 6);
    assert_int_equal(all.part.n_ghost, 0);
    assert_string_equal(all.tp.ops->scheme, "none");
    assert_ptr_equal(all.tp.part, &all.part);
    assert_ptr_equal(all.net, &net);
    must(mb_place_one(s->a, &one, &s->err));
    assert_int_equal(one.net->n, 1);
    assert_int_equal(one.part.n_global, 1);
    assert_true(one.part.w.self[0] >= 1 && one.part.w.self[0] <= 1);
    mb_place_close(&all);
    mb_place_close(&all);
    mb_place_close(&one);
}

/* A job whose processes meet nowhere: it notes what it is asked to link. */
static mb_status note(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                      mb_err *err)
{
    (void)a, (void)err;
    *(int32_t *)c->self += part->n_local;
    *out = (mb_transport){.part = part};
    return MB_OK;
}

static mb_status never(const mb_comm *c, mb_status st, mb_err *err)
{
    (void)c, (void)st;
    MB_FAIL(err, MB_E_PEER, "another process failed");
}

TEST(places_of_all_processes_hold_each_node_once)
{
    scratch         *s = *state;
    const mb_network net = draw(s, "grid:rows=3,cols=4", NULL);
    int32_t          nodes = 0;
    mb_comm          c = {.size = 3, .link = note, .self = &nodes};
    mb_local_part    place;

    for (c.rank = 0; c.rank < 3; c.rank++) {
        must(mb_place_make(s->a, &net, &c, &place, &s->err));
        assert_true(place.part.n_local > 0 && place.part.n_ghost > 0);
        assert_ptr_equal(place.comm, &c);
    }
    assert_int_equal(nodes, 12);
    c = (mb_comm){.size = 13, .link = note, .self = &nodes};
    scratch_expect(s, mb_place_make(s->a, &net, &c, &place, &s->err), MB_E_ARG,
                   "13 processes for a network of 12 nodes; expected 1 to 12");
}

TEST(one_process_agrees_with_itself)
{
    scratch      *s = *state;
    const mb_comm one = {.size = 1}, two = {.size = 2, .agree = never};
    int32_t       word = 5;

    assert_int_equal(mb_comm_agree(NULL, MB_STOP, &s->err), MB_STOP);
    assert_int_equal(mb_comm_agree(&one, MB_E_IO, &s->err), MB_E_IO);
    must(mb_comm_share(NULL, 0, &word, sizeof word, &s->err));
    assert_int_equal(word, 5);
    scratch_expect(s, mb_comm_agree(&two, MB_OK, &s->err), MB_E_PEER, "another process failed");
}

RUN_EACH_TEST(scratch_begin, scratch_end)
