/* Texts of the command line: numbers, options of every kind, networks in words. */
#include "base/opt.h"
#include "fuzz.h"
#include "network/graph.h"

#include "data/parse.h"

#include <math.h>
#include <string.h>

/* What mb_parse_double takes is what strtod says. */
static void number(const char *text)
{
    double x, want;
    char  *end;

    if (mb_parse_double(text, &x) != 0)
        return;
    want = strtod(text, &end);
    if (end[strspn(end, " \t")] || memcmp(&x, &want, sizeof x) != 0 || !isfinite(x))
        abort();
}

/* What is read many digits at a time is what is read one at a time. */
static void scan(const char *text)
{
    double      x[2] = {0, 0};
    const char *end[2] = {mb_scan_double_(text, text, &x[0]),
                          mb_scan_double_(text, text + strlen(text) + 1, &x[1])};

    if (end[0] != end[1] || memcmp(&x[0], &x[1], sizeof *x) != 0)
        abort();
}

static void options(const char *text)
{
    mb_err err = {0};
    double room[8];
    char   back[256];

    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++)
        for (const mb_opt *o = (*algo)->opts; o && o->name; o++) {
            mb_status st;

            if ((*algo)->opt_size > sizeof room || mb_opt_defaults((*algo)->opts, room, &err) < 0)
                abort();
            st = mb_opt_set(o, text, room, &err);
            fuzz_check(st, &err);
            if (st < 0)
                continue;
            mb_opt_text(o, room, back, sizeof back);
            if (mb_opt_set(o, back, room, &err) < 0) /* what it prints it takes */
                abort();
        }
}

static void network(const char *text)
{
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_topology top;
    int32_t     n;
    mb_status   st = mb_topology_size(text, &n, &err);

    fuzz_check(st, &err);
    if (st >= 0 && n <= 60) {
        st = mb_topology_make(a, text, 1, &top, &err);
        fuzz_check(st, &err);
        if (st >= 0 && top.g.n != n)
            abort();
    }
    mb_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[200];

    if (size >= sizeof text || memchr(data, 0, size))
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    number(text);
    scan(text);
    options(text);
    network(text);
    return 0;
}
