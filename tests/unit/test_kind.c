/* Kinds of models: what every one that is listed must say of itself. */
#include "arena.h"
#include "expfam/expfam.h"
#include "gen.h"
#include "kinds.h"
#include "model/kind.h"
#include "test.h"

enum { MOST = 64 };

/* Sizes that a kind can have, with each of its choices; 0 after the last. */
static int sizes_of(const mb_kind *k, int which, mb_sizes *out)
{
    static const mb_sizes some[] = {{.K = 1, .D = 1},
                                    {.K = 1, .D = 3, .intercept = 1},
                                    {.K = 3, .D = 2},
                                    {.K = 2, .D = 3, .intercept = 1}};
    enum { SOME = sizeof some / sizeof *some };

    *out = some[which % SOME];
    if (!mb_kind_has_components(k))
        out->factors = k->factors ? out->K : 0, out->K = 0;
    out->intercept = mb_kind_takes_intercept(k) ? out->intercept : 0;
    return which / SOME < kind_choose(k, which / SOME, out);
}

/* Predictions that a kind offers at the sizes of its defaults. */
static int32_t wants_of(const mb_kind *k)
{
    void    *opt = mb_alloc(arena, 1, k->opt_size);
    mb_sizes size;
    int32_t  n;

    must(mb_opt_defaults(k->opts, opt, NULL));
    mb_kind_sizes(k, opt, 3, NULL, &size);
    assert_non_null(mb_kind_wants(k, &size, &n));
    return n;
}

/* The numbers that a kind's options may be given as, with 3 columns. */
static int32_t numbers_of(const mb_kind *k, const void *opt, mb_numbers *list)
{
    return k->numbers ? k->numbers(opt, 3, list) : 0;
}

TEST(numbers_are_given_by_the_name_of_their_option)
{
    static const double x[16] = {1};
    mb_numbers          list[MB_NUMBERS_MAX];
    int32_t             tried = 0;
    mb_err              err;

    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        void   *opt = mb_alloc(arena, 1, (*k)->opt_size);
        int32_t n;

        must(mb_opt_defaults((*k)->opts, opt, NULL));
        n = numbers_of(*k, opt, list);
        for (int32_t e = 0; e < n; e++, tried++) {
            const mb_numbers one = list[e];

            assert_non_null(mb_opt_find((*k)->opts, one.name));
            must(mb_kind_numbers_set(*k, opt, 3, one.name, x, one.n, &err));
            numbers_of(*k, opt, list);
            for (int32_t f = 0; f < n; f++)
                assert_ptr_equal(list[f].x, f == e ? x : NULL);
            assert_int_equal(mb_kind_numbers_set(*k, opt, 3, one.name, x, one.n + 1, &err),
                             MB_E_SHAPE);
            must(mb_kind_numbers_set(*k, opt, 3, one.name, NULL, 0, &err));
            numbers_of(*k, opt, list);
            assert_null(list[e].x);
        }
        assert_int_equal(mb_kind_numbers_set(*k, opt, 3, "prior.nu0", x, 1, &err), MB_E_ARG);
    }
    assert_true(tried >= 8);
}

TEST(every_kind_has_its_names)
{
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        assert_non_null((*k)->name);
        assert_non_null((*k)->title);
        assert_ptr_equal(mb_kind_find((*k)->name), *k);
        assert_true(wants_of(*k) > 0);
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
                const size_t at = mb_field_at(&f[k], i, l);

                assert_true(at < len);
                count[at]++;
            }
}

TEST(fields_cover_the_parameters_exactly_once)
{
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        mb_sizes s;

        for (int which = 0; sizes_of(*k, which, &s); which++) {
            mb_field f[MB_FIELDS_MAX];
            int      count[MOST] = {0};
            mb_model m;
            mb_err   err;
            int32_t  n = mb_kind_fields(*k, &s, f);

            assert_int_equal(mb_kind_model(arena, *k, &s, &m, &err), MB_OK);
            assert_true(n <= MB_FIELDS_MAX && m.layout.len <= MOST);
            mark(f, n, 0, m.layout.len, count);
            for (size_t l = 0; l < m.layout.len; l++)
                assert_int_equal(count[l], 1);
            memset(count, 0, sizeof count);
            n = mb_kind_drawn(*k, &s, f);
            mark(f, n, 0, mb_random_len(&m.layout), count);
            for (size_t l = 0; n && l < mb_random_len(&m.layout); l++)
                assert_int_equal(count[l], 1);
        }
    }
}

/* The option of a choice has its words, and each of them sets the sizes. */
TEST(choices_are_those_of_their_options)
{
    for (const mb_kind *const *k = mb_kind_list(); *k; k++) {
        void *opt = mb_alloc(arena, 1, (*k)->opt_size);

        assert_true(mb_kind_choices(*k) <= MB_CHOICES_MAX);
        for (int32_t c = 0; c < mb_kind_choices(*k); c++) {
            const mb_choice *choice = &(*k)->choices[c];
            const mb_opt    *o = mb_opt_find((*k)->opts, choice->option);
            int32_t          w = 0;

            assert_non_null(o);
            assert_string_equal(o->def, choice->word[0]);
            for (; choice->word[w]; w++) {
                mb_sizes s;
                mb_err   err;

                must(mb_opt_set(o, choice->word[w], opt, &err));
                mb_kind_sizes(*k, opt, 3, NULL, &s);
                assert_int_equal(s.choice[c], w);
                assert_string_equal(mb_kind_word(*k, &s, c), choice->word[w]);
            }
        }
    }
}

TEST(arrays_hold_the_fields_whole)
{
    const mb_sizes s = {.K = 2, .D = 2};
    mb_rng         r = gen_rng(4);
    mb_model       m;
    mb_array      *x;
    int32_t        n;
    mb_err         err;
    double        *par;

    must(mb_kind_gmm.model(arena, &s, &m, &err));
    par = doubles(m.layout.len);
    gen_par(&r, &m.layout, par);
    must(mb_kind_arrays(arena, &mb_kind_gmm, &s, par, &x, &n, &err));
    assert_int_equal(n, 7);
    assert_string_equal(x[6].name, "w_inverse");
    for (int k = 0; k < 2; k++) {
        const double *c = par + 2 + 7 * k, *full = x[6].x + 4 * k, *cov = x[5].x + 4 * k;

        assert_memory_equal(x[4].x + 2 * k, c + 2, 2 * sizeof *c);
        assert_true(full[0] == c[4] && full[1] == c[5] && full[2] == c[5] && full[3] == c[6]);
        assert_true(cov[2] == c[5] / c[0]);
    }
}

TEST(sizes_out_of_range_are_refused)
{
    const mb_sizes none = {.D = 2}, empty = {.K = 0};
    mb_model       m;
    mb_err         err;

    assert_int_equal(mb_kind_gmm.model(arena, &none, &m, &err), MB_E_ARG);
    assert_int_equal(mb_kind_linreg.model(arena, &empty, &m, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
