/* Metrics on a network of three nodes whose state is written by hand. */
#include "arena.h"
#include "base/rows.h"
#include "core/observe.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "net.h"
#include "test.h"

enum { NODES = 3, K = 2, EACH = 4 };

/* Two clusters, about -5 and 5, on every node; classes 0 and 1. Node 2's rows weigh double. */
static const double  x[NODES * EACH] = {-5, -4, 5, 6, -6, 5, 4, -5, 5, 5.5, -5.5, -4.5};
static const double  heavy[EACH] = {2, 2, 2, 2};
static const int32_t label[NODES * EACH] = {0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0};

static mb_model   model;
static mb_rows    rows[NODES];
static mb_problem problem;
static double    *good;    /* a fixed point of central VB, component 0 at -5 */
static double    *swapped; /* the same with its components exchanged             */

static double *phi_of(const mb_state *s, int i)
{
    return s->phi + (size_t)i * s->ld;
}

/* Central VB on all rows, from the classes. */
static int solve(void)
{
    double  w[NODES * EACH], resp[NODES * EACH * K], moved, bound;
    double *scratch = doubles(mb_local_scratch(&model));
    double *next = doubles(model.layout.len);
    mb_rows all = {.x = x, .w = w, .n = NODES * EACH, .d = 1, .ld = 1};
    mb_err  err;
    for (int j = 0; j < NODES * EACH; j++) {
        w[j] = j < 2 * EACH ? 1 : 2;
        resp[2 * j] = label[j] == 0;
        resp[2 * j + 1] = label[j] == 1;
    }
    if (!scratch || !next || mb_seed_step(&model, &all, 1, resp, good, scratch, &err) < 0)
        return 1;
    for (int t = 0; t < 200; t++) {
        if (mb_local_step(&model, &all, 1, good, next, NULL, NULL, scratch, &err) < 0)
            return 1;
        memcpy(good, next, model.layout.len * sizeof *good);
    }
    return mb_central_check(arena, &problem, good, &moved, &bound, &err) < 0;
}

static int set_up(void **state)
{
    const mb_gmm_opt opt = mb_gmm_defaults(K, 1);
    const int32_t    swap[K] = {1, 0};
    mb_err           err;
    if (arena_up(state))
        return 1;
    if (mb_gmm_new(arena, &opt, &model, &err) < 0)
        return 1;
    for (int i = 0; i < NODES; i++)
        rows[i] =
            (mb_rows){.x = x + EACH * i, .w = i == 2 ? heavy : NULL, .n = EACH, .d = 1, .ld = 1};
    problem = (mb_problem){
        .model = &model, .part = &net_make(arena, "path:n=3")->part, .rows = rows, .scale = NODES};
    good = doubles(model.layout.len);
    swapped = doubles(model.layout.len);
    if (!good || !swapped || solve())
        return 1;
    mb_permute(&model.layout, K, swap, good, swapped);
    return 0;
}

static mb_state all_at(const double *phi)
{
    mb_state s = state_by_hand(arena, &problem);
    for (int i = 0; i < NODES; i++)
        memcpy(phi_of(&s, i), phi, model.layout.len * sizeof *phi);
    return s;
}

static mb_metrics look(const mb_state *s, uint32_t on)
{
    mb_metrics m = {.on = on, .truth = good, .cvb = good, .label = label, .nclass = 2};
    mb_err     err;
    must(mb_metrics_new(arena, &problem, &m, &err));
    must(mb_metrics_see(&m, &problem, s, &err));
    return m;
}

enum { EVERYTHING = (1 << MB_M_COUNT) - 1 };

TEST(kl_is_zero_at_the_reference_in_any_component_order)
{
    mb_state s = all_at(good);
    memcpy(phi_of(&s, 1), swapped, model.layout.len * sizeof *swapped);
    const mb_metrics m = look(&s, 1 << MB_M_KL_CVB | 1 << MB_M_KL_TRUTH);
    assert_true(m.value[MB_M_KL_CVB].mean == 0 && m.value[MB_M_KL_CVB].max == 0);
    assert_true(m.value[MB_M_KL_TRUTH].mean == 0 && m.value[MB_M_KL_TRUTH].sd == 0);
    assert_int_equal(m.value[MB_M_KL_CVB].outside, 0);
}

TEST(a_node_outside_omega_is_counted_and_left_out)
{
    mb_state s = all_at(good);
    double   kl, work[512];
    mb_err   err;
    memcpy(phi_of(&s, 0), model.prior, model.layout.len * sizeof *work);
    phi_of(&s, 2)[0] = -2; /* alpha = -1 */
    s.outside[2] = 1;
    const mb_metrics m = look(&s, 1 << MB_M_KL_CVB);
    assert_true(mb_kl_aligned_scratch(&model) <= sizeof work / sizeof *work);
    must(mb_kl_aligned(&model, model.prior, good, &kl, NULL, work, &err));
    assert_true(kl > 1);
    assert_int_equal(m.value[MB_M_KL_CVB].outside, 1);
    assert_true(m.value[MB_M_KL_CVB].max == kl && m.value[MB_M_KL_CVB].min == 0);
    assert_true(m.value[MB_M_KL_CVB].mean == kl / 2);
    assert_true(m.value[MB_M_KL_CVB].sd == kl / 2); /* of {kl, 0}, divisor count */
    s.outside[2] = 0;                               /* not yet noticed by the loop: the same */
    assert_int_equal(look(&s, 1 << MB_M_KL_CVB).value[MB_M_KL_CVB].outside, 1);
}

TEST(the_bound_moves_by_the_log_jacobian_of_the_replicated_rows)
{
    mb_state   s = all_at(good);
    mb_metrics m = {.on = 1 << MB_M_BOUND, .log_jacobian = 0.5};
    mb_err     err;
    s.bound[0] = 10;
    s.bound[1] = 20;
    s.bound[2] = 30;
    must(mb_metrics_new(arena, &problem, &m, &err));
    must(mb_metrics_see(&m, &problem, &s, &err));
    assert_true(m.value[MB_M_BOUND].min == 10 - 3 * 4 * 0.5);
    assert_true(m.value[MB_M_BOUND].max == 30 - 3 * 8 * 0.5);
    assert_true(m.value[MB_M_BOUND].mean == 20 - 16 * 0.5); /* total weight of the network: 16 */
    s.bound[1] = (double)NAN;
    must(mb_metrics_see(&m, &problem, &s, &err));
    assert_int_equal(m.value[MB_M_BOUND].outside, 1);
    assert_true(m.value[MB_M_BOUND].mean == (4 + 18) / 2.0);
}

/* The sum scikit-learn writes, over rows and components: A(phi*) - A(prior) + entropies of the
 * responsibilities at phi, with the -D/2 ln 2 pi of every row. */
static double summed_bound_after(const mb_rows *r, const double *phi, const double *phi_star,
                                 double *scratch)
{
    double resp[EACH * K], A, sum = 0;
    mb_err err;
    must(mb_moments(&model.layout, phi_star, NULL, &A, scratch, &err));
    must(model.ops->predict(&model, phi, r, MB_WANT_RESP, resp, scratch, &err));
    for (int j = 0; j < EACH; j++) {
        const double w = r->w ? r->w[j] : 1;
        sum -= w * 0.5 * log(2 * acos(-1));
        for (int k = 0; k < K; k++)
            if (resp[j * K + k] > 0)
                sum -= w * resp[j * K + k] * log(resp[j * K + k]);
    }
    return A - model.A_prior + NODES * sum;
}

TEST(the_bound_after_the_step_is_the_sum_over_rows)
{
    mb_state   s = all_at(good);
    double    *scratch = doubles(mb_local_scratch(&model)), want = 0;
    mb_metrics m = {.on = 1 << MB_M_BOUND | 1 << MB_M_BOUND_SKLEARN};
    mb_err     err;
    for (int i = 0; i < NODES; i++) {
        for (size_t l = 0; l < model.layout.len; l++) /* not at rest, so that the two differ */
            phi_of(&s, i)[l] = 0.25 * good[l] + 0.75 * model.prior[l];
        must(mb_local_step(&model, &rows[i], NODES, phi_of(&s, i), s.phi_star + (size_t)i * s.ld,
                           &s.bound[i], NULL, scratch, &err));
        want += summed_bound_after(&rows[i], phi_of(&s, i), s.phi_star + (size_t)i * s.ld, scratch);
    }
    must(mb_metrics_new(arena, &problem, &m, &err));
    must(mb_metrics_see(&m, &problem, &s, &err));
    /* some hundred terms of about 100, each right to 1e-14 relative */
    assert_true(fabs(m.value[MB_M_BOUND_SKLEARN].mean - want / NODES) < 1e-10);
    assert_true(m.value[MB_M_BOUND_SKLEARN].mean > m.value[MB_M_BOUND].mean + 0.1);
    s.outside[1] = 1;
    must(mb_metrics_see(&m, &problem, &s, &err));
    assert_int_equal(m.value[MB_M_BOUND_SKLEARN].outside, 1);
}

TEST(disagreement_is_relative_to_the_network_mean)
{
    mb_state     s = state_by_hand(arena, &problem);
    const size_t len = model.layout.len;
    double       mean[64], each[NODES], worst;
    mb_err       err;
    assert_true(len <= 64);
    for (int i = 0; i < NODES; i++)
        for (size_t l = 0; l < len; l++)
            phi_of(&s, i)[l] = l == 0 ? 4 : l == 1 ? (double)(i - 1) : 0;
    s.outside[1] = 1; /* counts all the same */
    must(mb_mean_phi(&problem, &s, mean, &err));
    assert_true(mean[0] == 4 && mean[1] == 0);
    must(mb_disagreement(&problem, &s, mean, each, &worst, &err));
    assert_true(worst == 0.25);
    assert_true(each[0] == 0.25 && each[1] == 0 && each[2] == 0.25);
    const mb_stat v = look(&s, 1 << MB_M_DISAGREEMENT).value[MB_M_DISAGREEMENT];
    assert_true(v.max == 0.25 && v.min == 0 && fabs(v.mean - 0.5 / 3) < 1e-16);
    assert_int_equal(v.outside, 0);
}

TEST(disagreement_needs_no_squares_that_are_numbers)
{
    mb_state     s = state_by_hand(arena, &problem);
    const size_t len = model.layout.len;
    double       mean[64], worst;
    mb_err       err;
    for (int i = 0; i < NODES; i++)
        for (size_t l = 0; l < len; l++)
            phi_of(&s, i)[l] = l == 0 ? 0x4p1000 : l == 1 ? (double)(i - 1) * 0x1p1000 : 0;
    must(mb_mean_phi(&problem, &s, mean, &err));
    must(mb_disagreement(&problem, &s, mean, NULL, &worst, &err));
    assert_true(worst == 0.25);
}

TEST(disagreement_of_zero_means_and_of_no_numbers)
{
    mb_state     s = state_by_hand(arena, &problem);
    const size_t len = model.layout.len;
    double       mean[64], worst;
    mb_err       err;
    memset(s.phi, 0, NODES * s.ld * sizeof *s.phi);
    must(mb_mean_phi(&problem, &s, mean, &err));
    must(mb_disagreement(&problem, &s, mean, NULL, &worst, &err));
    assert_true(worst == 0);
    phi_of(&s, 1)[len - 1] = (double)NAN;
    must(mb_mean_phi(&problem, &s, mean, &err));
    must(mb_disagreement(&problem, &s, mean, NULL, &worst, &err));
    assert_true(isnan(worst));
}

TEST(labels_are_matched_once_for_the_whole_network)
{
    mb_state   s = all_at(good);
    mb_metrics m = look(&s, EVERYTHING);
    assert_true(m.value[MB_M_ACCURACY].mean == 1);
    assert_true(fabs(m.value[MB_M_NMI].mean - 1) < 1e-14 && m.value[MB_M_ARI].mean == 1);
    memcpy(phi_of(&s, 1), swapped, model.layout.len * sizeof *swapped);
    m = look(&s, EVERYTHING); /* node 1 alone would be right, but with another matching */
    assert_true(fabs(m.value[MB_M_ACCURACY].mean - 2.0 / 3) < 1e-15);
    assert_true(m.value[MB_M_ACCURACY].sd == 0);
    assert_true(m.value[MB_M_NMI].mean < 0.5 && m.value[MB_M_ARI].mean < 0.5);
}

TEST(rows_of_a_node_outside_are_errors_and_left_out_of_nmi)
{
    mb_state s = all_at(good);
    s.outside[0] = 1;
    mb_metrics m = look(&s, EVERYTHING);
    assert_true(fabs(m.value[MB_M_ACCURACY].mean - 2.0 / 3) < 1e-15);
    assert_int_equal(m.value[MB_M_ACCURACY].outside, 1);
    assert_true(m.value[MB_M_ARI].mean == 1);
    memset(s.outside, 1, NODES);
    m = look(&s, EVERYTHING);
    assert_true(m.value[MB_M_ACCURACY].mean == 0);
    assert_true(isnan(m.value[MB_M_NMI].mean));
    assert_int_equal(m.value[MB_M_NMI].outside, NODES);
}

TEST(totals_are_sums_over_the_network)
{
    mb_state s = all_at(good);
    s.by[0] = (mb_traffic){.frames = 5, .bytes = 400};
    s.by[2] = (mb_traffic){.frames = 2, .bytes = 600};
    s.frozen[0] = 2;
    s.frozen[2] = 3;
    s.projected[1] = 4;
    const mb_metrics m = look(&s, EVERYTHING);
    assert_true(m.value[MB_M_BYTES].total == 1000 && m.value[MB_M_FRAMES].total == 7);
    assert_true(m.value[MB_M_BYTES].max == 600 && m.value[MB_M_FRAMES].max == 5);
    assert_true(m.value[MB_M_BYTES].min == 0 && m.value[MB_M_FRAMES].min == 0);
    assert_true(m.value[MB_M_BYTES].mean == 1000.0 / NODES);
    assert_true(m.value[MB_M_FROZEN].total == 5 && m.value[MB_M_PROJECTED].total == 4);
    assert_true(isnan(m.value[MB_M_BOUND].total) && isnan(m.value[MB_M_KL_CVB].total));
    assert_true(isnan(m.value[MB_M_DISAGREEMENT].total) && isnan(m.value[MB_M_ACCURACY].total));
}

TEST(a_metric_without_its_reference_is_off)
{
    mb_metrics m = {.on = EVERYTHING};
    mb_err     err;
    must(mb_metrics_new(arena, &problem, &m, &err));
    assert_int_equal(m.on, EVERYTHING & ~(1 << MB_M_KL_TRUTH | 1 << MB_M_KL_CVB |
                                          1 << MB_M_ACCURACY | 1 << MB_M_NMI | 1 << MB_M_ARI));
}

TEST(references_that_can_not_be_used_are_refused)
{
    int32_t    wrong[NODES * EACH] = {0};
    double    *outside = doubles(model.layout.len);
    mb_metrics m = {.on = EVERYTHING, .label = wrong, .nclass = 2};
    mb_err     err;
    wrong[5] = 2;
    assert_int_equal(mb_metrics_new(arena, &problem, &m, &err), MB_E_ARG);
    memcpy(outside, good, model.layout.len * sizeof *outside);
    outside[0] = -2;
    m = (mb_metrics){.on = EVERYTHING, .cvb = outside};
    assert_int_equal(mb_metrics_new(arena, &problem, &m, &err), MB_E_DOMAIN);
}

TEST(every_metric_has_a_value)
{
    mb_state         s = all_at(good);
    const mb_metrics m = look(&s, EVERYTHING);

    for (int k = 0; k < MB_M_COUNT; k++)
        if (!isfinite(m.value[k].mean))
            fail_msg("%s: not measured", mb_metric_table()[k].name);
}

TEST(every_metric_has_a_name_unit_and_help)
{
    for (int k = 0; k < MB_M_COUNT; k++) {
        assert_non_null(mb_metric_table()[k].name);
        assert_non_null(mb_metric_table()[k].unit);
        assert_true(strlen(mb_metric_table()[k].help) > 10);
    }
    assert_string_equal(mb_metric_table()[MB_M_ARI].name, "ari");
    assert_string_equal(mb_metric_table()[MB_M_KL_TRUTH].name, "kl_truth");
    assert_string_equal(mb_metric_table()[MB_M_PROJECTED].name, "projected");
}

/* Where all nodes agree it is the mean of their own bounds; where they do not, it is the bound at
 * the mean of their parameters, and the local bounds do not enter. */
TEST(the_bound_at_the_mean_is_that_of_all_rows)
{
    mb_state s = all_at(good);
    double   moved, bound;
    mb_err   err;
    must(mb_central_check(arena, &problem, good, &moved, &bound, &err));
    mb_stat v = look(&s, 1 << MB_M_BOUND_MEAN).value[MB_M_BOUND_MEAN];
    assert_true(fabs(v.mean - bound) < 1e-12 * fabs(bound)); /* the mean of equal phi is rounded */
    assert_true(v.total == v.mean && v.sd == 0 && v.min == v.max);
    double *star = doubles(model.layout.len), sum = 0, local;
    double *scratch = doubles(mb_local_scratch(&model));
    assert_true(star && scratch);
    for (int i = 0; i < NODES; i++) {
        must(mb_local_step(&model, &rows[i], NODES, good, star, &local, NULL, scratch, &err));
        sum += local;
    }
    assert_true(fabs(v.mean - sum / NODES) < 1e-12 * fabs(sum));
    for (int i = 0; i < NODES; i++) /* at a distance, with the mean where it was */
        for (size_t l = 0; l < model.layout.len; l++)
            phi_of(&s, i)[l] = good[l] + (i - 1) * 0.01 * good[l];
    v = look(&s, 1 << MB_M_BOUND_MEAN).value[MB_M_BOUND_MEAN];
    assert_true(fabs(v.mean - bound) < 1e-9);
    mb_metrics m = {.on = 1 << MB_M_BOUND_MEAN, .log_jacobian = 1};
    must(mb_metrics_new(arena, &problem, &m, &err));
    must(mb_metrics_see(&m, &problem, &s, &err));
    double all = 0;
    for (int i = 0; i < NODES; i++)
        all += mb_rows_weight(&rows[i]);
    assert_true(fabs(v.mean - all - m.value[MB_M_BOUND_MEAN].mean) < 1e-9);
}

TEST(a_central_step_moves_the_fixed_point_by_nothing_and_others_by_much)
{
    double moved, bound, first;
    mb_err err;
    must(mb_central_check(arena, &problem, good, &moved, &bound, &err));
    assert_true(moved < 1e-10); /* 200 rounds of a well-separated mixture: rounding is left */
    must(mb_central_check(arena, &problem, model.prior, &moved, &first, &err));
    assert_true(moved > 0.5);
    assert_true(isfinite(bound) && first < bound);
    double *outside = doubles(model.layout.len);
    outside[0] = -2; /* alpha = -1 */
    assert_int_equal(mb_central_check(arena, &problem, outside, &moved, &bound, &err), MB_E_DOMAIN);
}

RUN_TESTS(set_up, arena_down)
