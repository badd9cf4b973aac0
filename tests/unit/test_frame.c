/* The fixed part of a frame against the table of docs/protocol.md, and what is refused. */
#include "crc_by_bit.h"
#include "mesh/frame.h"
#include "test.h"

#include <float.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>

enum { PAYLOAD = 19, WHOLE = 128 + PAYLOAD + 4 };

/* No two fields, and no two bytes of a field, are the same. */
static mb_frame_ sample(void)
{
    return (mb_frame_){.magic = 0x314d424d,
                       .version = 1,
                       .flags = 0x65,
                       .count = 0x9c,
                       .plan = UINT64_C(0x8182838485868788),
                       .run = UINT64_C(0x9192939495969798),
                       .from = 0x01020304,
                       .to = 0x05060708,
                       .incarnation = 0xf1f2f3f4,
                       .echo_life = 0xe1e2e3e4,
                       .tick = UINT64_C(0x1112131415161718),
                       .echo = UINT64_C(0x2122232425262728),
                       .base = UINT64_C(0x3132333435363738),
                       .beat = UINT64_C(0x1a1b1c1d1e1f2a2b),
                       .leader = 0x41424344,
                       .hop = 0x45464748,
                       .hops = 0x494a4b4c,
                       .ttl = 0x4d4e4f50,
                       .quiet = 0x51525354,
                       .rounds = 0xd1d2d3d4,
                       .degree = 0x55565758,
                       .code = 2,
                       .kappa = 4.7,
                       .n_nodes = 51.3,
                       .samples = 64,
                       .bytes = PAYLOAD};
}

static size_t sealed(const mb_frame_ *f, unsigned char *out)
{
    for (uint32_t k = 0; k < f->bytes; k++)
        out[128 + k] = (unsigned char)(200 + k);
    return mb_frame_seal_(f, out);
}

/* What a field of the document holds in the sample, as an integer of 64 bits. */
static int value_of(const mb_frame_ *f, const char *name, uint64_t *x)
{
#define FIELD(field)                                                                               \
    if (!strcmp(name, #field)) {                                                                   \
        *x = (uint64_t)f->field;                                                                   \
        return 1;                                                                                  \
    }
#define REAL(field)                                                                                \
    if (!strcmp(name, #field)) {                                                                   \
        memcpy(x, &f->field, sizeof *x);                                                           \
        return 1;                                                                                  \
    }
    FIELD(magic)
    FIELD(version)
    FIELD(flags)
    FIELD(count)
    FIELD(plan)
    FIELD(run)
    FIELD(from)
    FIELD(to)
    FIELD(incarnation)
    FIELD(echo_life)
    FIELD(tick)
    FIELD(echo)
    FIELD(base)
    FIELD(beat)
    FIELD(leader)
    FIELD(hop)
    FIELD(hops)
    FIELD(ttl)
    FIELD(quiet)
    FIELD(rounds)
    FIELD(degree)
    FIELD(code)
    FIELD(parts)
    REAL(kappa)
    REAL(n_nodes)
    FIELD(samples)
    FIELD(bytes)
    return 0;
}

TEST(bytes_are_those_of_the_documents_table)
{
    const mb_frame_ f = sample();
    unsigned char   b[WHOLE];
    char            line[1024], type[8], name[32];
    int             at, fields = 0, next = 0;
    FILE           *doc = fopen("docs/protocol.md", "r");

    assert_non_null(doc);
    sealed(&f, b);
    while (next < 128 && fgets(line, sizeof line, doc)) {
        uint64_t want = 0, got = 0;

        if (sscanf(line, "| %d | %3s | %31s |", &at, type, name) != 3 || !strchr("uf", *type))
            continue;
        assert_true(value_of(&f, name, &want));
        assert_int_equal(at, next);
        next += atoi(type + 1) / 8;
        for (int k = next; k-- > at;)
            got = got << 8 | b[k];
        if (got != want)
            fail_msg("%s at %d: %" PRIx64 ", expected %" PRIx64, name, at, got, want);
        fields++;
    }
    fclose(doc);
    assert_int_equal(fields, 27);
    assert_int_equal(next, 128);
}

TEST(flags_are_those_of_the_document)
{
    static const char text[] = "1 hears, 2 blank, 4 vector, 8 own, 16 block, 32 sample, 64 words, "
                               "128 asks |";
    char              line[1024];
    int               found = 0;
    FILE             *doc = fopen("docs/protocol.md", "r");

    assert_non_null(doc);
    while (fgets(line, sizeof line, doc))
        found |= strstr(line, text) != NULL;
    fclose(doc);
    assert_true(found);
    assert_int_equal(MB_FRAME_HEARS_, 1);
    assert_int_equal(MB_FRAME_BLANK_, 2);
    assert_int_equal(MB_FRAME_VECTOR_, 4);
    assert_int_equal(MB_FRAME_OWN_, 8);
    assert_int_equal(MB_FRAME_BLOCK_, 16);
    assert_int_equal(MB_FRAME_SAMPLE_, 32);
    assert_int_equal(MB_FRAME_WORDS_, 64);
    assert_int_equal(MB_FRAME_ASKS_, 128);
    assert_int_equal(MB_FRAME_FLAGS_, 255);
}

TEST(a_frame_begins_with_its_name_and_ends_with_its_sum)
{
    const mb_frame_ f = sample();
    unsigned char   b[WHOLE];
    uint32_t        sum;

    assert_int_equal(sealed(&f, b), WHOLE);
    assert_memory_equal(b, "MBM1", 4);
    sum = mb_crc32c_(b, WHOLE - 4);
    for (int k = 0; k < 4; k++)
        assert_int_equal(b[WHOLE - 4 + k], sum >> 8 * k & 255);
    assert_int_equal(b[128 + PAYLOAD - 1], 200 + PAYLOAD - 1);
}

TEST(every_field_comes_back)
{
    const mb_frame_ f = sample();
    mb_frame_       g;
    unsigned char   b[WHOLE];
    mb_err          err;

    memset(&g, 0x5a, sizeof g);
    assert_int_equal(mb_frame_open_(b, sealed(&f, b), &g, &err), MB_REFUSED_NONE);
    assert_memory_equal(&f, &g, sizeof f);
}

TEST(magic_and_version_are_written_whatever_the_struct_says)
{
    mb_frame_     f = sample(), g;
    unsigned char b[WHOLE];

    f.magic = 0;
    f.version = 0;
    assert_int_equal(mb_frame_open_(b, sealed(&f, b), &g, NULL), MB_REFUSED_NONE);
    assert_int_equal(g.magic, 0x314d424d);
    assert_int_equal(g.version, 1);
}

TEST(every_flip_of_a_bit_is_refused)
{
    const mb_frame_ f = sample();
    mb_frame_       g;
    unsigned char   b[WHOLE];
    const size_t    n = sealed(&f, b);

    for (size_t bit = 0; bit < 8 * n; bit++) {
        mb_err     err = {0};
        mb_refusal why;

        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
        why = mb_frame_open_(b, n, &g, &err);
        if (why != (bit / 32 == 31 ? MB_REFUSED_SHORT : MB_REFUSED_DAMAGED))
            fail_msg("bit %zu: cause %d", bit, why);
        assert_int_equal(err.code, MB_E_FORMAT);
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_int_equal(mb_frame_open_(b, n, &g, NULL), MB_REFUSED_NONE);
}

TEST(every_truncation_and_every_longer_frame_is_short)
{
    const mb_frame_ f = sample();
    mb_frame_       g;
    unsigned char   b[WHOLE + 8] = {0};
    mb_err          err;

    sealed(&f, b);
    for (size_t n = 0; n <= sizeof b; n++) {
        const mb_refusal why = mb_frame_open_(b, n, &g, &err);

        assert_int_equal(why, n == WHOLE ? MB_REFUSED_NONE : MB_REFUSED_SHORT);
    }
    assert_int_equal(mb_frame_open_(NULL, 0, &g, &err), MB_REFUSED_SHORT);
    assert_string_equal(err.msg, "frame: got 0 bytes; expected at least 132");
}

/* A frame with `width` bytes at `at` replaced, its checksum corrected: the cause, and a part of the
 * message. */
static void expect(size_t at, const void *bytes, size_t width, mb_refusal want, const char *part)
{
    const mb_frame_ f = sample();
    mb_frame_       g;
    unsigned char   b[WHOLE];
    const size_t    n = sealed(&f, b);
    mb_err          err = {0};
    mb_refusal      got;
    uint32_t        sum;

    memcpy(b + at, bytes, width);
    sum = by_bit(b, n - 4);
    for (int k = 0; k < 4; k++)
        b[n - 4 + (size_t)k] = (unsigned char)(sum >> 8 * k);
    got = mb_frame_open_(b, n, &g, &err);
    if (got != want || !strstr(err.msg, part))
        fail_msg("byte %zu: cause %d, expected %d, \"%s\", expected \"%s\"", at, got, want, err.msg,
                 part);
}

TEST(another_version_is_distinguished_from_damage)
{
    expect(4, "\2\0", 2, MB_REFUSED_VERSION, "version of the protocol: got 2; expected 1");
    expect(4, "\0\0", 2, MB_REFUSED_VERSION, "got 0; expected 1");
    /* its other layout may have another length where this one has `bytes` */
    expect(0, "MBM1\2\0", 6, MB_REFUSED_VERSION, "version");
    expect(0, "MBM2", 4, MB_REFUSED_DAMAGED, "magic: got 0x324d424d; expected 0x314d424d");
}

TEST(a_frame_of_another_version_may_have_another_length)
{
    unsigned char b[300] = "MBM1\3";
    uint32_t      sum = by_bit(b, sizeof b - 4);
    mb_frame_     g;

    for (int k = 0; k < 4; k++)
        b[sizeof b - 4 + (size_t)k] = (unsigned char)(sum >> 8 * k);
    assert_int_equal(mb_frame_open_(b, sizeof b, &g, NULL), MB_REFUSED_VERSION);
    b[77] = 1;
    assert_int_equal(mb_frame_open_(b, sizeof b, &g, NULL), MB_REFUSED_DAMAGED);
}

TEST(whole_numbers_out_of_range_are_refused)
{
    expect(32, "\0\0\0\0", 4, MB_REFUSED_VALUE, "incarnation: got 0; expected 1 to 4294967295");
    expect(100, "\3\0\0\0", 4, MB_REFUSED_VALUE, "code: got 3; expected 0 to 2");
    expect(24, "\xff\xff\xff\x7f", 4, MB_REFUSED_VALUE, "from: got 2147483647");
    expect(28, "\xff\xff\xff\xff", 4, MB_REFUSED_VALUE, "to: got 4294967295");
    expect(72, "\xff\xff\xff\xff", 4, MB_REFUSED_VALUE, "leader: got 4294967295");
    expect(76, "\0\0\0\x80", 4, MB_REFUSED_VALUE, "hop: got 2147483648");
    expect(88, "\xff\xff\xff\xff", 4, MB_REFUSED_VALUE, "quiet: got 4294967295");
    expect(40, "\1\0\0\0\0\0\0\x80", 8, MB_REFUSED_VALUE, "tick: got");
    expect(120, "\x41\x42\x0f\0", 4, MB_REFUSED_VALUE,
           "samples: got 1000001; expected 0 to 1000000");
}

TEST(differences_and_only_they_have_a_base)
{
    expect(56, "\0\0\0\0\0\0\0\0", 8, MB_REFUSED_VALUE, "base: got 0 with code 2");
    expect(100, "\0\0\0\0", 4, MB_REFUSED_VALUE, "with code 0; expected 0 with codes 0 and 1");
    expect(6, "\x61\0", 2, MB_REFUSED_NONE, ""); /* no vector: code and base are not read */
    expect(6, "\x45\0", 2, MB_REFUSED_VALUE, "samples: got 64 without");
}

static void expect_real(size_t at, double x, const char *part)
{
    uint64_t      bits;
    unsigned char b[8];

    memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 8; k++)
        b[k] = (unsigned char)(bits >> 8 * k);
    expect(at, b, 8, *part ? MB_REFUSED_VALUE : MB_REFUSED_NONE, part);
}

TEST(reals_that_cannot_be_are_refused)
{
    expect_real(104, (double)NAN, "kappa: got nan; expected 1e-100 to 1e+100");
    expect_real(104, (double)INFINITY, "kappa: got inf");
    expect_real(104, 0, "kappa: got 0");
    expect_real(104, -4, "kappa: got -4");
    expect_real(104, 1e308, "kappa: got 1e+308");
    expect_real(104, 1e-99, "");
    expect_real(112, (double)NAN, "n_nodes: got nan; expected 0 to 1e+100");
    expect_real(112, -(double)INFINITY, "n_nodes: got -inf");
    expect_real(112, -1e-9, "n_nodes: got -1e-09");
    expect_real(112, DBL_MAX, "n_nodes: got 1.797");
    expect_real(112, 0, "");
}

/* A field as 64 bits of frames.csv: reals have a point or an exponent. */
static uint64_t bits_of(const char *text)
{
    const double x = strtod(text, NULL);
    uint64_t     bits;

    memcpy(&bits, &x, sizeof bits);
    return strpbrk(text, ".e") ? bits : strtoull(text, NULL, 10);
}

/* A frame in hexadecimal digits; returns its bytes. */
static size_t bytes_of(const char *hex, unsigned char *out)
{
    size_t   n = 0;
    unsigned b;

    for (; sscanf(hex, "%2x", &b) == 1; hex += 2)
        out[n++] = (unsigned char)b;
    return n;
}

/* tests/formats/frames.py has read the fields by the document's table of that version. */
static void read_frames(const char *path)
{
    char          head[512], line[4096], *names, *cells;
    unsigned char b[2048];
    FILE         *f = fopen(path, "r");
    int           frames = 0;

    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    for (; fgets(line, sizeof line, f); frames++) {
        char      name[512];
        mb_frame_ got;

        line[strcspn(line, "\n")] = 0;
        cells = strchr(line, ',');
        *cells++ = 0;
        assert_int_equal(mb_frame_open_(b, bytes_of(line, b), &got, NULL), MB_REFUSED_NONE);
        strcpy(name, strchr(head, ',') + 1);
        for (names = strtok(name, ",\n"); names; names = strtok(NULL, ",\n")) {
            const size_t n = strcspn(cells, ",");
            const int    last = !cells[n];
            uint64_t     x;

            cells[n] = 0;
            assert_true(value_of(&got, names, &x));
            if (x != bits_of(cells))
                fail_msg("%s: %s of frame %d is %" PRIx64 ", expected %s", path, names, frames, x,
                         cells);
            cells += n + !last;
        }
    }
    fclose(f);
    assert_true(frames >= 6);
}

TEST(frames_of_earlier_versions_have_the_fields_that_they_were_written_with)
{
    glob_t found;

    assert_int_equal(glob("tests/formats/*/frames.csv", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++)
        read_frames(found.gl_pathv[k]);
    globfree(&found);
}

RUN_TESTS(NULL, NULL)
