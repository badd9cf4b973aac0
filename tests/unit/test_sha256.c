/* SHA-256 of the standard's examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../app/data/fetch_sha256.c"

static void expect_hash(const char *text, size_t n, const char *want)
{
    char hex[65];

    fetch_sha256(text, n, hex);
    assert_string_equal(hex, want);
}

/* FIPS 180-4 and its examples: one block, two blocks, none, and the edges of the padding. */
static void hashes_of_the_standard(void **state)
{
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    (void)state;
    expect_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash(two, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters(void **state)
{
    static char letters[1000000];

    (void)state;
    memset(letters, 'a', sizeof letters);
    expect_hash(letters, sizeof letters,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    expect_hash(letters, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect_hash(letters, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_the_standard),
        cmocka_unit_test(a_million_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
