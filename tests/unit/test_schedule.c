/* Schedules of virtual networks: what is read, and what is refused with which words. */
#include "network/graph.h"
#include "scratch.h"
#include "test.h"
#include "virtual/virtual.h"

static const char *const names[4] = {"n1", "n2", "n3", "n4"};

/* The path n1 - n2 - n3 - n4. */
static mb_status read(scratch *s, const char *text, mb_schedule *out)
{
    static const int32_t ends[6] = {0, 1, 1, 2, 2, 3};
    mb_graph             g;

    must(mb_graph_from_edges(s->a, 4, 3, ends, &g, &s->err));
    return mb_schedule_read(s->a, scratch_text(s, "s.csv", text), &g, names, out, &s->err);
}

static void accept(scratch *s, const char *rows)
{
    char        text[1000];
    mb_schedule got;

    snprintf(text, sizeof text, "time,event,a,b\n%s", rows);
    if (read(s, text, &got) != MB_OK)
        fail_msg("%s", s->err.msg);
}

/* The rows are refused with this message, which follows "s.csv:". */
static void refuse(scratch *s, const char *rows, const char *message)
{
    char        text[1000], part[400];
    mb_schedule got;

    snprintf(text, sizeof text, "time,event,a,b\n%s", rows);
    snprintf(part, sizeof part, "s.csv:%s", message);
    scratch_expect(s, read(s, text, &got), MB_E_FORMAT, part);
}

TEST(every_kind_is_read)
{
    mb_schedule got;

    must(read(*state,
              "time,event,a,b\n0,pause,n1,2.5\n1,cut,n2,n1\n2,heal,n1,n2\n"
              "3,oneway,n3,n2\n4,partition,n4  n2,\n5,rejoin,,\n6.25,clock,n1,-3e7\n"
              "6.25,drift,n2,1.5\n7,diskfull,n3,4\n8,rows,n3,more.csv\n9,kill,n3,\n"
              "10,start,n3,\n11,wipe,n3,\n12,join,n4,\n13,leave,n4,\n14,pause,n1,\n"
              "15,resume,n1,\n",
              &got));
    assert_int_equal(got.n, 17);
    assert_int_equal(got.event[0].kind, MB_EVENT_PAUSE);
    assert_true(got.event[0].x == 2.5);
    assert_int_equal(got.event[1].a, 1);
    assert_int_equal(got.event[1].b, 0);
    assert_int_equal(got.event[4].nset, 2);
    assert_int_equal(got.event[4].set[0], 3);
    assert_int_equal(got.event[4].set[1], 1);
    assert_int_equal(got.event[6].at_us, 6250000);
    assert_true(got.event[6].x == -3e7);
    assert_string_equal(got.event[9].file, "more.csv");
    assert_true(got.event[15].x == 0);
    assert_int_equal(got.event[16].line, 18);
}

TEST(texts_name_every_kind)
{
    for (int k = 0; k < MB_EVENT_KINDS; k++) {
        assert_true(strlen(mb_event_text((mb_event_kind)k)) > 2);
        assert_true(strlen(mb_event_help((mb_event_kind)k)) > 10);
    }
}

TEST(times_must_ascend_and_be_seconds)
{
    refuse(*state, "5,kill,n1,\n4.5,start,n1,\n",
           "3: got time 4.500000; expected seconds, 5.000000 to 1e9");
    refuse(*state, "-1,kill,n1,\n", "2: column \"time\": got \"-1\"; expected seconds, 0 to 1e9");
    refuse(*state, "nan,kill,n1,\n", "2: column \"time\": got \"nan\"; expected seconds");
    refuse(*state, "2e9,kill,n1,\n", "2: column \"time\": got \"2e9\"; expected seconds");
    accept(*state, "5,kill,n1,\n5,start,n1,\n");
}

TEST(unknown_words_are_refused)
{
    refuse(*state, "1,stop,n1,\n",
           "2: column \"event\": got \"stop\"; expected kill, start, wipe, leave, join");
    refuse(*state, "1,settled,n1,\n", "2: column \"event\": got \"settled\"; expected kill");
    refuse(*state, "1,kill,n5,\n", "2: column \"a\": got \"n5\"; expected the name of a node");
    refuse(*state, "1,cut,n1,x\n", "2: column \"b\": got \"x\"; expected the name of a node");
    refuse(*state, "1,partition,n1 n9,\n", "2: column \"a\": got \"n1 n9\"; expected names");
    refuse(*state, "1,kill,n1,n2\n", "2: column \"b\": got \"n2\"; expected nothing for this");
    refuse(*state, "1,rejoin,n1,\n", "2: column \"a\": got \"n1\"; expected nothing for this");
    refuse(*state, "1,clock,n1,soon\n", "2: column \"b\": got \"soon\"; expected a number");
    refuse(*state, "1,rows,n1,\n", "2: column \"b\": got \"\"; expected the name of a file");
}

TEST(lives_must_be_possible)
{
    refuse(*state, "1,start,n1,\n", "2: got start of node \"n1\", which is running then");
    refuse(*state, "1,kill,n1,\n2,kill,n1,\n", "3: got kill of node \"n1\", which is dead then");
    refuse(*state, "1,leave,n1,\n2,start,n1,\n", "3: got start of node \"n1\", which has left");
    refuse(*state, "1,kill,n1,\n2,join,n1,\n",
           "2: got kill of node \"n1\", which has not joined yet then");
    refuse(*state, "1,join,n1,\n2,join,n1,\n", "3: got join of node \"n1\", which is running");
    refuse(*state, "1,wipe,n1,\n2,wipe,n1,\n", "3: got wipe of node \"n1\", which was wiped");
    refuse(*state, "1,resume,n1,\n", "2: got resume of node \"n1\", which is running then");
    refuse(*state, "1,pause,n1,5\n3,pause,n1,1\n", "3: got pause of node \"n1\", which is paused");
    refuse(*state, "1,pause,n1,5\n7,resume,n1,\n", "3: got resume of node \"n1\", which is runn");
    refuse(*state, "1,pause,n1,-5\n", "2: column \"b\": got \"-5\"; expected seconds above 0");
    refuse(*state, "1,kill,n1,\n2,clock,n1,5\n", "3: got clock of node \"n1\", which is dead");
    accept(*state, "1,kill,n1,\n2,wipe,n1,\n3,start,n1,\n4,wipe,n1,\n5,start,n1,\n");
    accept(*state, "1,pause,n1,5\n3,resume,n1,\n4,pause,n1,1\n5,pause,n1,1\n");
    accept(*state, "1,kill,n1,\n2,rows,n1,more.csv\n3,start,n1,\n");
}

TEST(links_must_be_there_and_in_the_state_that_is_changed)
{
    refuse(*state, "1,cut,n1,n3\n", "2: got cut; expected two nodes that the network links");
    refuse(*state, "1,cut,n1,n1\n", "2: got cut; expected two nodes that the network links");
    refuse(*state, "1,cut,n1,n2\n2,cut,n2,n1\n", "3: got cut; expected a link that is not cut");
    refuse(*state, "1,oneway,n1,n2\n2,oneway,n1,n2\n", "3: got oneway; expected a link that is");
    refuse(*state, "1,heal,n1,n2\n", "2: got heal; expected a link that is cut");
    refuse(*state, "1,rejoin,,\n", "2: got rejoin; expected a network with a partition");
    refuse(*state, "1,partition,n1 n1,\n", "2: got partition; expected some nodes but not all");
    refuse(*state, "1,partition,n1 n2 n3 n4,\n", "2: got partition; expected some nodes but not");
    accept(*state, "1,oneway,n1,n2\n2,oneway,n2,n1\n3,heal,n2,n1\n4,oneway,n1,n2\n5,cut,n1,n2\n");
}

TEST(numbers_have_ranges)
{
    refuse(*state, "1,clock,n1,0\n", "2: got clock; expected seconds, -1e9 to 1e9 but not 0");
    refuse(*state, "1,drift,n1,0\n", "2: got drift; expected a factor, 0.001 to 1000");
    refuse(*state, "1,diskfull,n1,0\n", "2: got diskfull; expected seconds, above 0 to 1e9");
}

TEST(events_made_in_memory_are_numbered)
{
    static const int32_t ends[2] = {0, 1};
    scratch             *s = *state;
    mb_event             event[2] = {{.kind = MB_EVENT_KILL}, {.at_us = 5, .kind = MB_EVENT_KILL}};
    const mb_schedule    made = {.n = 2, .event = event};
    mb_graph             g;

    must(mb_graph_from_edges(s->a, 2, 1, ends, &g, &s->err));
    scratch_expect(s, mb_schedule_check(s->a, &made, &g, NULL, &s->err), MB_E_FORMAT,
                   "schedule: event 2: got kill of node \"1\", which is dead then");
    event[1].kind = MB_EVENT_SETTLED;
    scratch_expect(s, mb_schedule_check(s->a, &made, &g, NULL, &s->err), MB_E_FORMAT,
                   "schedule: event 2: got kind");
    event[1] = (mb_event){.kind = MB_EVENT_KILL, .a = 2};
    scratch_expect(s, mb_schedule_check(s->a, &made, &g, NULL, &s->err), MB_E_FORMAT,
                   "schedule: event 2: got kill; expected a node of the network");
}

TEST(columns_are_needed)
{
    mb_schedule got;

    scratch_expect(*state, read(*state, "time,event,a\n", &got), MB_E_FORMAT,
                   "s.csv: no column \"b\" (the column of a schedule)");
    must(read(*state, "time,event,a,b\n", &got));
    assert_int_equal(got.n, 0);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
