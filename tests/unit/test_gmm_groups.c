/* test_gmm_groups.c - mixtures whose rows come in groups: against all assignments of the groups to
 * components, one by one, and against sums over rows. */
#include "groups_world.h"
#include "test.h"

/* Sums over all assignments of the tiny groups to components of what each gives, weighted by the
 * product of what it makes likely. */
static void enumerate(form f, const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                      double *logz)
{
    const mb_block *b = &m->layout.block[1];
    double          ln_pi[K], ln[TINY][K], u[TINY][K][MAX], total = 0, sum[MAX] = {0};
    double          top = -1e300;

    must(m->layout.block[0].family->weights->expect(K, phi, ln_pi, NULL));
    for (int j = 0; j < TINY; j++)
        for (int k = 0; k < K; k++)
            ln[j][k] = one_row(f, m, phi, rows, j, k, u[j][k]);
    for (int pass = 0; pass < 2; pass++)
        for (int code = 0; code < 81; code++) {
            double one[MAX] = {0}, count[K] = {0}, p = 0;

            for (int i = 0, rest = code; i < GROUPS; i++, rest /= K) {
                const int k = rest % K;

                p += ln_pi[k];
                count[k] += 1;
                for (int64_t j = tiny[i]; j < tiny[i + 1]; j++) {
                    p += ln[j][k];
                    for (size_t e = 0; e < b->len; e++)
                        one[b->off + b->len * (size_t)k + e] += u[j][k][e];
                }
            }
            top = pass ? top : fmax(top, p);
            if (!pass)
                continue;
            m->layout.block[0].family->weights->add(K, count, one);
            total += exp(p - top);
            for (size_t e = 0; e < m->layout.len; e++)
                sum[e] += exp(p - top) * one[e];
        }
    *logz = top + log(total);
    for (size_t e = 0; e < m->layout.len; e++)
        s[e] = sum[e] / total;
}

static void compare_with_enumeration(int32_t gaps)
{
    draw_rows();
    if (gaps)
        x[1] = x[2 * 4] = x[2 * 6 + 1] = x[2 * 7] = x[2 * 7 + 1] = (double)NAN;
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        double         phi[MAX], s[MAX] = {0}, want[MAX], logz = 0, want_logz;
        mb_rows        rows = rows_of(TINY, tiny, GROUPS);

        rows.gaps = gaps;
        draw_rows();
        some_state(&m, phi);
        if (gaps)
            x[1] = x[2 * 4] = x[2 * 6 + 1] = x[2 * 7] = x[2 * 7 + 1] = (double)NAN;
        enumerate(forms[i], &m, phi, &rows, want, &want_logz);
        must(m.ops->stats(&m, phi, &rows, s, &logz, scratch, NULL));
        assert_near(logz, want_logz, 1e-12);
        assert_all_near(s, want, m.layout.len, 1e-12);
    }
}

TEST(the_e_step_is_the_sum_over_all_assignments)
{
    compare_with_enumeration(0);
}

TEST(gaps_in_groups_are_integrated_out)
{
    compare_with_enumeration(1);
}

TEST(groups_of_one_row_are_rows)
{
    int64_t first[ROWS + 1];

    draw_rows();
    for (int j = 0; j <= ROWS; j++)
        first[j] = j;
    for (int j = 0; j < ROWS; j++)
        w[j] = j % 4 ? 0.5 + j % 3 : 0;
    EACH_FORM(i)
    {
        const mb_model a = model_of(forms[i], K, 0), b = model_of(forms[i], K, 1);
        mb_rows        alone = rows_of(ROWS, NULL, 0), grouped = rows_of(ROWS, first, ROWS);
        double         phi[MAX], s[2][MAX] = {{0}}, logz[2] = {0, 0};

        some_state(&a, phi);
        alone.w = grouped.w = w;
        must(a.ops->stats(&a, phi, &alone, s[0], &logz[0], scratch, NULL));
        must(b.ops->stats(&b, phi, &grouped, s[1], &logz[1], scratch, NULL));
        assert_near(logz[1], logz[0], 1e-14);
        assert_all_near(s[1], s[0], a.layout.len, 1e-14);
        for (mb_want want = MB_WANT_LOGPDF; want <= MB_WANT_LABEL; want++) {
            must(a.ops->predict(&a, phi, &alone, want, resp, scratch, NULL));
            must(b.ops->predict(&b, phi, &grouped, want, other, scratch, NULL));
            assert_all_near(other, resp, want == MB_WANT_RESP ? ROWS * K : ROWS, 1e-13);
        }
        draw_rows();
        for (int j = 0; j < ROWS; j++)
            w[j] = j % 4 ? 0.5 + j % 3 : 0;
    }
}

/* want += the expected statistics of rows first .. end - 1, a group, from its rows one by one;
 * returns its ln Z. */
static double by_rows(form f, const mb_model *m, const double *phi, const mb_rows *rows,
                      int64_t first, int64_t end, double *want)
{
    const mb_block *b = &m->layout.block[1];
    double          a[K], u[K][MAX] = {{0}}, one[MAX], top = -1e300, norm = 0;

    must(m->layout.block[0].family->weights->expect(K, phi, a, NULL));
    for (int k = 0; k < K; k++) {
        for (int64_t j = first; j < end; j++) {
            a[k] += one_row(f, m, phi, rows, j, k, one);
            for (size_t e = 0; e < b->len; e++)
                u[k][e] += one[e];
        }
        top = fmax(top, a[k]);
    }
    for (int k = 0; k < K; k++)
        norm += exp(a[k] - top);
    for (int k = 0; k < K; k++) {
        a[k] = exp(a[k] - top) / norm;
        for (size_t e = 0; e < b->len; e++)
            want[b->off + b->len * (size_t)k + e] += a[k] * u[k][e];
    }
    m->layout.block[0].family->weights->add(K, a, want);
    return top + log(norm);
}

TEST(a_long_group_is_the_sum_of_its_rows)
{
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        mb_rows        rows = rows_of(ROWS, mixed, MIXED);
        double         phi[MAX], s[MAX] = {0}, want[MAX] = {0}, logz = 0, sum = 0;

        draw_rows();
        some_state(&m, phi);
        w[601] = w[602] = 0; /* of group 5 */
        rows.w = w;
        for (int g = 0; g < MIXED; g++)
            if (mixed[g] < mixed[g + 1] && g != 5)
                sum += by_rows(forms[i], &m, phi, &rows, mixed[g], mixed[g + 1], want);
        must(m.ops->stats(&m, phi, &rows, s, &logz, scratch, NULL));
        assert_near(logz, sum, 1e-12);
        assert_all_near(s, want, m.layout.len, 1e-11);
        arena_down(NULL);
        arena_up(NULL);
    }
}

TEST(weight_w_is_w_groups)
{
    const int64_t twice[] = {0, 3, 6, 7, 12};

    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        mb_rows        rows = rows_of(9, tiny, 3);
        double         phi[MAX], s[2][MAX] = {{0}}, logz[2] = {0, 0};

        draw_rows();
        some_state(&m, phi);
        w[0] = w[1] = w[2] = 2;
        rows.w = w;
        must(m.ops->stats(&m, phi, &rows, s[0], &logz[0], scratch, NULL));
        memmove(x + 3 * D, x, 9 * D * sizeof *x);
        rows = rows_of(12, twice, 4);
        must(m.ops->stats(&m, phi, &rows, s[1], &logz[1], scratch, NULL));
        assert_near(logz[0], logz[1], 1e-13);
        assert_all_near(s[0], s[1], m.layout.len, 1e-13);
    }
}

TEST(a_group_starts_with_the_mean_of_its_rows)
{
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1), alone = model_of(forms[i], K, 0);
        const size_t   from = m.layout.block[1].off;
        mb_rows        rows = rows_of(ROWS, mixed, MIXED), bare = rows_of(ROWS, NULL, 0);
        double         s[2][MAX] = {{0}}, count[K] = {0}, want[MAX] = {0};

        draw_rows();
        for (int g = 0; g < MIXED; g++)
            for (int k = 0; k < K && mixed[g] < mixed[g + 1]; k++) {
                double mean = 0;

                for (int64_t j = mixed[g]; j < mixed[g + 1]; j++)
                    mean += resp[j * K + k] / (double)(mixed[g + 1] - mixed[g]);
                for (int64_t j = mixed[g]; j < mixed[g + 1]; j++)
                    other[j * K + k] = fmin(mean, 1);
                count[k] += mean;
            }
        m.layout.block[0].family->weights->add(K, count, want);
        must(m.ops->seed_stats(&m, &rows, resp, s[0], scratch, NULL));
        must(alone.ops->seed_stats(&alone, &bare, other, s[1], scratch, NULL));
        assert_all_near(s[0], want, from, 1e-12);
        assert_all_near(s[0] + from, s[1] + from, m.layout.len - from, 1e-12);
    }
}

TEST(single_precision_is_the_same_numbers)
{
    static float narrow[ROWS * D];

    draw_rows();
    for (int e = 0; e < ROWS * D; e++) {
        narrow[e] = (float)x[e];
        x[e] = (double)narrow[e];
    }
    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1);
        const mb_rows  rows = rows_of(ROWS, mixed, MIXED);
        mb_rows        same = rows;
        double         phi[MAX], s[2][MAX] = {{0}}, logz[2] = {0, 0};

        some_state(&m, phi);
        same.x = NULL;
        same.x32 = narrow;
        must(m.ops->stats(&m, phi, &rows, s[0], &logz[0], scratch, NULL));
        must(m.ops->stats(&m, phi, &same, s[1], &logz[1], scratch, NULL));
        assert_memory_equal(s[0], s[1], sizeof s[0]);
        assert_memory_equal(&logz[0], &logz[1], sizeof *logz);
    }
}

TEST(what_cannot_be_is_refused)
{
    double phi[MAX], s[MAX] = {0};

    EACH_FORM(i)
    {
        const mb_model m = model_of(forms[i], K, 1), alone = model_of(forms[i], K, 0);
        mb_rows        rows = rows_of(TINY, tiny, GROUPS);
        mb_err         err = {.msg = ""};

        draw_rows();
        some_state(&m, phi);
        assert_int_equal(alone.ops->stats(&alone, phi, &rows, s, NULL, scratch, &err), MB_E_NOSUP);
        assert_non_null(strstr(err.msg, "got groups"));
        w[5] = 2;
        rows.w = w;
        err.code = MB_OK;
        assert_int_equal(m.ops->stats(&m, phi, &rows, s, NULL, scratch, &err), MB_E_ARG);
        assert_non_null(strstr(err.msg, "row 5: got weight 2; expected 1"));
    }
}

RUN_TESTS(arena_up, arena_down)
