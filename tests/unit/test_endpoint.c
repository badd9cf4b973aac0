/* Where a status is served, as a text. */
#include "base/endpoint.h"

#include "base/ask.h"
#include "test.h"

#include <string.h>

TEST(a_port_has_a_host_in_numbers)
{
    static const struct {
        const char *text;
        int         family;
    } good[] = {{"127.0.0.1:8100", AF_INET},
                {"localhost:1", AF_INET},
                {"0.0.0.0:65535", AF_INET},
                {"[::1]:8100", AF_INET6}};
    static const char *const bad[] = {"",           "8100",         ":8100",        "127.0.0.1",
                                      "127.0.0.1:", "1.2.3:80",     "edge-7:80",    "::1:80",
                                      "[::1:80",    "[::1]:",       "[1.2.3.4]:80", "127.0.0.1:0",
                                      "1.2.3.4:8x", "1.2.3.4:65536"};
    endpoint                 to;

    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_true(endpoint_tcp(good[k].text, strlen(good[k].text), &to));
        assert_int_equal(to.any.sa_family, good[k].family);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(endpoint_tcp(bad[k], strlen(bad[k]), &to), 0);
}

TEST(an_address_that_can_be_asked_is_one_without_tls)
{
    assert_true(ask_is_address("unix:status.sock"));
    assert_true(ask_is_address("http://192.0.2.7:8100/"));
    assert_true(ask_is_address("http://[2001:db8::7]:8100"));
    assert_false(ask_is_address("unix:"));
    assert_false(ask_is_address("https://127.0.0.1:8100"));
    assert_false(ask_is_address("http://127.0.0.1:8100/status"));
    assert_false(ask_is_address("127.0.0.1:8100"));
}

RUN_TESTS(NULL, NULL)
