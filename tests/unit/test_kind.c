/* Kinds of models: what every one that is listed must say of itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "gen.h"
#include "meshbayes/kind.h"

enum { MOST = 64 };

/* Sizes that a kind can have; 0 after the last. */
static int sizes_of(const mb_kind *k, int which, mb_sizes *out)
{
    static const mb_sizes some[] = {{1, 1, 0}, {1, 3, 1}, {3, 2, 0}, {2, 3, 1}};

    if (which == (int)(sizeof some / sizeof *some))
        return 0;
    *out = some[which];
    out->K = k->latent ? out->K : 0;
    out->intercept = k->target ? out->intercept : 0;
    return 1;
}

static void every_kind_has_its_names(void **state)
{
    (void)state;
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        assert_non_null((*k)->name);
        assert_non_null((*k)->title);
        assert_ptr_equal(mb_kind_find((*k)->name), *k);
        assert_true((*k)->nwants > 0);
        assert_true(!(*k)->latent || (*k)->components_on);
        assert_true(!(*k)->latent || (*k)->before);
    }
    assert_null(mb_kind_find("no such kind"));
}

/* Counts how often each number of a vector belongs to a field. */
static void mark(const mb_field *f, int32_t n, int derived, size_t len, int *count)
{
    for (int32_t k = 0; k < n; k++)
        for (size_t i = 0; f[k].derived == derived && !f[k].absent && i < mb_field_items(&f[k]);
             i++)
            for (size_t l = 0; l < mb_field_stored(&f[k]); l++) {
                const size_t at = f[k].at + i * f[k].step + l;

                assert_true(at < len);
                count[at]++;
            }
}

static void fields_cover_the_parameters_exactly_once(void **state)
{
    (void)state;
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        mb_sizes s;

        for (int which = 0; sizes_of(*k, which, &s); which++) {
            mb_field f[MB_FIELDS_MAX];
            int      count[MOST] = {0};
            mb_model m;
            mb_err   err;
            int32_t  n = (*k)->fields(&s, f);

            assert_int_equal((*k)->model(arena, &s, &m, &err), MB_OK);
            assert_true(n <= MB_FIELDS_MAX && m.layout.len <= MOST);
            mark(f, n, 0, m.layout.len, count);
            for (size_t l = 0; l < m.layout.len; l++)
                assert_int_equal(count[l], 1);
            memset(count, 0, sizeof count);
            n = (*k)->drawn(&s, f);
            mark(f, n, 0, mb_random_len(&m.layout), count);
            for (size_t l = 0; l < mb_random_len(&m.layout); l++)
                assert_int_equal(count[l], 1);
        }
    }
}

static void arrays_hold_the_fields_whole(void **state)
{
    const mb_sizes s = {2, 2, 0};
    mb_rng         r = gen_rng(4);
    mb_model       m;
    mb_array      *x;
    int32_t        n;
    mb_err         err;
    double        *par;

    (void)state;
    assert_int_equal(mb_kind_gmm.model(arena, &s, &m, &err), MB_OK);
    par = mb_alloc(arena, m.layout.len, sizeof *par);
    gen_par(&r, &m.layout, par);
    assert_int_equal(mb_kind_arrays(arena, &mb_kind_gmm, &s, par, &x, &n, &err), MB_OK);
    assert_int_equal(n, 7);
    assert_string_equal(x[6].name, "w_inverse");
    for (int k = 0; k < 2; k++) {
        const double *c = par + 2 + 7 * k, *full = x[6].x + 4 * k, *cov = x[5].x + 4 * k;

        assert_memory_equal(x[4].x + 2 * k, c + 2, 2 * sizeof *c);
        assert_true(full[0] == c[4] && full[1] == c[5] && full[2] == c[5] && full[3] == c[6]);
        assert_true(cov[2] == c[5] / c[0]);
    }
}

static void sizes_out_of_range_are_refused(void **state)
{
    const mb_sizes none = {0, 2, 0}, empty = {0, 0, 0};
    mb_model       m;
    mb_err         err;

    (void)state;
    assert_int_equal(mb_kind_gmm.model(arena, &none, &m, &err), MB_E_ARG);
    assert_int_equal(mb_kind_linreg.model(arena, &empty, &m, &err), MB_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_names),
        cmocka_unit_test(fields_cover_the_parameters_exactly_once),
        cmocka_unit_test(arrays_hold_the_fields_whole),
        cmocka_unit_test(sizes_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, arena_up, arena_down);
}
