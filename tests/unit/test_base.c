/* Claims about the status list, the error record and the arena. */
#include "meshbayes/meshbayes.h"
#include "test.h"

#include <stdlib.h>

static mb_status fails(mb_err *err)
{
    MB_FAIL(err, MB_E_ARG, "K = %d", 7);
}

static mb_status passes_on(mb_err *err)
{
    MB_TRY(fails(err));
    MB_FAIL(err, MB_E_IO, "must not be reached");
}

static mb_status allocates(mb_arena *a, size_t n, mb_err *err)
{
    double *x;

    MB_NEW(x, a, n, err);
    x[0] = 1;
    return MB_OK;
}

TEST(every_status_has_its_own_text_and_number)
{
#define MB_X(name, value, text) {name, value, text},
    static const struct {
        mb_status   status;
        int         value;
        const char *text;
    } all[] = {MB_STATUS_LIST(MB_X)};
#undef MB_X
    const int count = sizeof all / sizeof *all;

    for (int i = 0; i < count; i++) {
        assert_int_equal(all[i].status, all[i].value);
        assert_string_equal(mb_status_text(all[i].status), all[i].text);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(all[i].value, all[j].value);
    }
}

TEST(the_first_failure_is_what_the_record_says)
{
    mb_err err = {0};

    assert_int_equal(passes_on(&err), MB_E_ARG);
    assert_int_equal(err.code, MB_E_ARG);
    assert_string_equal(err.msg, "K = 7");
    assert_string_equal(err.file, "test_base.c");
    assert_true(err.line > 0);
    assert_int_equal(passes_on(NULL), MB_E_ARG);
}

TEST(memory_is_zero_aligned_and_apart)
{
    mb_arena *a = mb_arena_new(1000);
    char     *last = NULL;

    assert_non_null(a);
    for (size_t n = 0; n < 300; n += 7) {
        char *p = mb_alloc(a, n, 3);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t l = 0; l < 3 * n; l++)
            assert_int_equal(p[l], 0);
        memset(p, 0x55, 3 * n);
        assert_ptr_not_equal(p, last);
        last = p;
    }
    assert_true(mb_arena_used(a) >= 3 * 150 * 43);
    mb_arena_free(a);
    mb_arena_free(NULL);
}

TEST(a_request_beyond_the_chunk_is_served)
{
    mb_arena *a = mb_arena_new(256);
    char     *small = mb_alloc(a, 1, 10), *large = mb_alloc(a, 100000, 8);
    char     *next = mb_alloc(a, 1, 10);

    assert_non_null(small);
    assert_non_null(large);
    memset(large, 1, 800000);
    assert_true(next >= small + 64 && next + 64 <= small + 256); /* the chunk with room is used */
    mb_arena_free(a);
}

TEST(a_product_that_overflows_is_refused)
{
    mb_arena *a = mb_arena_new(256);
    mb_err    err = {0};

    assert_null(mb_alloc(a, SIZE_MAX / 4, 8));
    assert_null(mb_alloc(a, SIZE_MAX, 1));
    assert_int_equal(allocates(a, SIZE_MAX / 8, &err), MB_E_NOMEM);
    assert_non_null(strstr(err.msg, "out of memory"));
    must(allocates(a, 1, &err));
    mb_arena_free(a);
}

TEST(a_fixed_arena_stays_in_its_buffer)
{
    char     *buf = malloc(4096);
    mb_arena *a = mb_arena_fixed(buf + 1, 4000);
    int       served = 0;

    assert_non_null(a);
    for (char *p; (p = mb_alloc(a, 1, 100)); served++) {
        assert_true(p >= buf + 1 && p + 100 <= buf + 4001);
        memset(p, 1, 100);
    }
    assert_true(served >= 28); /* 128 bytes each, less the header */
    mb_arena_free(a);
    assert_null(mb_arena_fixed(buf, 100));
    free(buf);
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

TEST(the_address_sanitizer_sees_the_end_of_each_piece)
{
    mb_arena *a = mb_arena_new(1000);

    for (size_t n = 1; n < 2000; n += 13) {
        char *p = mb_alloc(a, n, 1);

        assert_null(__asan_region_is_poisoned(p, n));
        assert_true(__asan_address_is_poisoned(p + n));
    }
    mb_arena_free(a);
}
#endif

RUN_TESTS(NULL, NULL)
