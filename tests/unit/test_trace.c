/* The text of the trace. */
#include "arena.h"
#include "core/observe.h"
#include "net.h"
#include "test.h"

#include <stdlib.h>

static mb_model   model;
static mb_problem problem;
static mb_state   run;

static int set_up(void **state)
{
    static const double  prior[2] = {3, 4};
    static const mb_rows rows[2] = {{.d = 1, .ld = 1}, {.d = 1, .ld = 1}};
    static mb_model_ops  ops = {.name = "none"};
    mb_err               err;
    if (arena_up(state))
        return 1;
    if (mb_layout_add(&model.layout, &mb_dirichlet, 2, 1, &err) < 0)
        return 1;
    model.prior = prior;
    model.ops = &ops;
    problem = (mb_problem){
        .model = &model, .part = &net_make(arena, "path:n=2")->part, .rows = rows, .scale = 2};
    run = state_by_hand(arena, &problem);
    return 0;
}

typedef struct page {
    char   text[2048];
    size_t used;
    int    lines_left;
} page;

static mb_status append(void *to, const char *line, size_t len, mb_err *err)
{
    page *pg = to;
    if (pg->lines_left-- == 0)
        MB_FAIL(err, MB_E_IO, "page full");
    assert_true(pg->used + len < sizeof pg->text);
    memcpy(pg->text + pg->used, line, len);
    pg->used += len;
    pg->text[pg->used] = 0;
    return MB_OK;
}

static mb_status trace_once(uint32_t on, const char *algorithm, page *pg)
{
    mb_metrics  m = {.on = on};
    mb_observer ob;
    mb_err      err;
    must(mb_metrics_new(arena, &problem, &m, &err));
    must(mb_trace_new(arena, &m, algorithm, append, pg, &ob, &err));
    assert_int_equal(ob.every, 1);
    assert_int_equal(ob.wants_bound, (on >> MB_M_BOUND) & 1);
    run.t = 12;
    return ob.see(ob.self, &problem, &run, &err);
}

TEST(a_line_has_every_column_of_the_header)
{
    page pg = {.lines_left = -1};
    run.bound[0] = -1.5;
    run.bound[1] = 0.1;
    run.by[0].bytes = 1234560;
    run.by[1].bytes = 40;
    must(trace_once(1u << MB_M_BOUND | 1u << MB_M_BYTES, NULL, &pg));
    assert_string_equal(mb_trace_header(0), "t,metric,unit,mean,sd,min,max,outside,total\n");
    assert_string_equal(pg.text, "12,bound,nats,-0.69999999999999996,0.80000000000000004,-1.5,"
                                 "0.10000000000000001,0,\n"
                                 "12,bytes,bytes,617300,617260,40,1234560,0,1234600\n");
}

TEST(with_an_algorithm_it_comes_first)
{
    page pg = {.lines_left = -1};
    run.by[0].frames = run.by[1].frames = 4;
    must(trace_once(1u << MB_M_FRAMES, "edge", &pg));
    assert_string_equal(mb_trace_header(1),
                        "algorithm,t,metric,unit,mean,sd,min,max,outside,total\n");
    assert_string_equal(pg.text, "edge,12,frames,frames,4,0,4,4,0,8\n");
}

TEST(what_no_node_has_leaves_cells_empty)
{
    page pg = {.lines_left = -1};
    run.bound[0] = run.bound[1] = (double)NAN;
    must(trace_once(1u << MB_M_BOUND, NULL, &pg));
    assert_string_equal(pg.text, "12,bound,nats,,,,,2,\n");
}

TEST(a_failing_writer_ends_the_trace)
{
    page pg = {.lines_left = 1};
    assert_int_equal(trace_once(1u << MB_M_BYTES | 1u << MB_M_FRAMES, NULL, &pg), MB_E_IO);
}

TEST(numbers_come_back_from_the_text_exactly)
{
    page pg = {.lines_left = -1};
    run.phi[0] = 3 + 1.0 / 3;
    must(trace_once(1u << MB_M_DISAGREEMENT, NULL, &pg));
    double mean[2], worst;
    mb_err err;
    must(mb_mean_phi(&problem, &run, mean, &err));
    must(mb_disagreement(&problem, &run, mean, NULL, &worst, &err));
    const char *last = strrchr(pg.text, ',');
    for (int k = 0; k < 2; k++) /* back over total and outside */
        while (*--last != ',') {
        }
    assert_true(worst > 0);
    assert_true(strtod(last + 1, NULL) == worst); /* the column max */
}

TEST(costly_metrics_are_taken_in_few_rounds_of_many)
{
    const mb_metrics m = {.on = 1 << MB_M_BOUND_MEAN | 1 << MB_M_BYTES};
    const mb_metrics few = {.on = m.on, .sampled = 1};
    int              count = 0;
    for (int64_t t = 1; t <= 64; t++)
        assert_true(mb_metrics_sampled(t));
    for (int64_t t = 65; t <= 128; t++)
        assert_int_equal(mb_metrics_sampled(t), t % 2 == 0);
    for (int64_t t = 1; t <= 20000; t++)
        count += mb_metrics_sampled(t);
    assert_int_equal(count, 64 + 8 * 32 + (20000 - 16384) / 512);
    assert_int_equal(mb_metrics_due(&m, 65), 1 << MB_M_BYTES);
    assert_int_equal(mb_metrics_due(&few, 65), 0);
    assert_int_equal(mb_metrics_due(&few, 66), m.on);
}

TEST(the_next_of_these_rounds_is_the_first_one_after)
{
    for (int64_t t = 0; t <= 20000; t++) {
        int64_t next = t + 1;

        while (!mb_metrics_sampled(next))
            next++;
        assert_int_equal(mb_metrics_next(t), next);
    }
}

RUN_TESTS(set_up, arena_down)
