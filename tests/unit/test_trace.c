/* The text of the trace. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "core/observe.h"
#include "net.h"

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
    assert_int_equal(mb_metrics_new(arena, &problem, &m, &err), MB_OK);
    assert_int_equal(mb_trace_new(arena, &m, algorithm, append, pg, &ob, &err), MB_OK);
    assert_int_equal(ob.every, 1);
    assert_int_equal(ob.wants_bound, (on >> MB_M_BOUND) & 1);
    run.t = 12;
    return ob.see(ob.self, &problem, &run, &err);
}

static void a_line_has_every_column_of_the_header(void **state)
{
    page pg = {.lines_left = -1};
    (void)state;
    run.bound[0] = -1.5;
    run.bound[1] = 0.1;
    run.by[0].bytes = 1234560;
    run.by[1].bytes = 40;
    assert_int_equal(trace_once(1u << MB_M_BOUND | 1u << MB_M_BYTES, NULL, &pg), MB_OK);
    assert_string_equal(mb_trace_header(0), "t,metric,unit,mean,sd,min,max,outside,total\n");
    assert_string_equal(pg.text, "12,bound,nats,-0.69999999999999996,0.80000000000000004,-1.5,"
                                 "0.10000000000000001,0,\n"
                                 "12,bytes,bytes,617300,617260,40,1234560,0,1234600\n");
}

static void with_an_algorithm_it_comes_first(void **state)
{
    page pg = {.lines_left = -1};
    (void)state;
    run.by[0].frames = run.by[1].frames = 4;
    assert_int_equal(trace_once(1u << MB_M_FRAMES, "edge", &pg), MB_OK);
    assert_string_equal(mb_trace_header(1),
                        "algorithm,t,metric,unit,mean,sd,min,max,outside,total\n");
    assert_string_equal(pg.text, "edge,12,frames,frames,4,0,4,4,0,8\n");
}

static void what_no_node_has_leaves_cells_empty(void **state)
{
    page pg = {.lines_left = -1};
    (void)state;
    run.bound[0] = run.bound[1] = (double)NAN;
    assert_int_equal(trace_once(1u << MB_M_BOUND, NULL, &pg), MB_OK);
    assert_string_equal(pg.text, "12,bound,nats,,,,,2,\n");
}

static void a_failing_writer_ends_the_trace(void **state)
{
    page pg = {.lines_left = 1};
    (void)state;
    assert_int_equal(trace_once(1u << MB_M_BYTES | 1u << MB_M_FRAMES, NULL, &pg), MB_E_IO);
}

static void numbers_come_back_from_the_text_exactly(void **state)
{
    page pg = {.lines_left = -1};
    (void)state;
    run.phi[0] = 3 + 1.0 / 3;
    assert_int_equal(trace_once(1u << MB_M_DISAGREEMENT, NULL, &pg), MB_OK);
    double mean[2], worst;
    mb_err err;
    assert_int_equal(mb_mean_phi(&problem, &run, mean, &err), MB_OK);
    assert_int_equal(mb_disagreement(&problem, &run, mean, NULL, &worst, &err), MB_OK);
    const char *last = strrchr(pg.text, ',');
    for (int k = 0; k < 2; k++) /* back over total and outside */
        while (*--last != ',') {
        }
    assert_true(worst > 0);
    assert_true(strtod(last + 1, NULL) == worst); /* the column max */
}

static void costly_metrics_are_taken_in_few_rounds_of_many(void **state)
{
    const mb_metrics m = {.on = 1 << MB_M_BOUND_MEAN | 1 << MB_M_BYTES};
    const mb_metrics few = {.on = m.on, .sampled = 1};
    int              count = 0;
    (void)state;
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

static void the_next_of_these_rounds_is_the_first_one_after(void **state)
{
    (void)state;
    for (int64_t t = 0; t <= 20000; t++) {
        int64_t next = t + 1;

        while (!mb_metrics_sampled(next))
            next++;
        assert_int_equal(mb_metrics_next(t), next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_every_column_of_the_header),
        cmocka_unit_test(with_an_algorithm_it_comes_first),
        cmocka_unit_test(what_no_node_has_leaves_cells_empty),
        cmocka_unit_test(a_failing_writer_ends_the_trace),
        cmocka_unit_test(numbers_come_back_from_the_text_exactly),
        cmocka_unit_test(costly_metrics_are_taken_in_few_rounds_of_many),
        cmocka_unit_test(the_next_of_these_rounds_is_the_first_one_after),
    };
    return cmocka_run_group_tests(tests, set_up, arena_down);
}
