/* Large pages, as /proc tells which memory may have them. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "base/large_pages.h"
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

enum { LARGE = 1 << 21, ALL = 5 * LARGE };

/* Bytes from `at` on, of `bytes`, that were asked to be in large pages: the lines of smaps that begin a
 * mapping, and those of their flags. */
static size_t advised(const char *at, size_t bytes)
{
    FILE         *f = fopen("/proc/self/smaps", "r");
    char          line[512];
    unsigned long from = 0, to = 0, a, b;
    size_t        sum = 0;

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
            const unsigned long first = (unsigned long)(uintptr_t)at;

            from = a > first ? a : first;
            to = b < first + bytes ? b : first + bytes;
        }
        if (!strncmp(line, "VmFlags:", 8) && strstr(line, " hg") && from < to)
            sum += to - from;
    }
    if (f)
        fclose(f);
    return sum;
}

static int all_are(char c, const char *from, const char *to)
{
    return from == to || (*from == c && !memcmp(from, from + 1, (size_t)(to - from) - 1));
}

TEST(only_large_pages_within_change_and_all_bytes_stay)
{
    static const size_t skip[] = {0, 1, 64, 4096, LARGE / 2, LARGE - 1, LARGE, LARGE + 1};
    const int           tells = !access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK);

    for (size_t k = 0; k < sizeof skip / sizeof *skip; k++)
        for (size_t bytes = 0; bytes <= 3 * LARGE; bytes += LARGE / 2) {
            char *all = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            char *at = all + (LARGE - (uintptr_t)all % LARGE) % LARGE + skip[k];
            const char  *end = at + bytes;
            const size_t lost = (LARGE - (uintptr_t)at % LARGE) % LARGE;
            const size_t whole = bytes < lost ? 0 : (bytes - lost) / LARGE * LARGE;

            assert_true(all != MAP_FAILED); /* NOLINT(performance-no-int-to-ptr): MAP_FAILED */
            memset(all, 7, (size_t)(at - all));
            memset(at + bytes, 9, (size_t)(all + ALL - end));
            mb_large_pages_(at, bytes);
            assert_true(all_are(7, all, at) && all_are(0, at, end) && all_are(9, end, all + ALL));
            assert_int_equal(advised(all, ALL), tells ? whole : 0);
            assert_int_equal(advised(at, bytes), tells ? whole : 0);
            assert_int_equal(munmap(all, ALL), 0);
        }
}

RUN_TESTS(NULL, NULL)
