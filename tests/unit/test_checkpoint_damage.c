/* A checkpoint with a flipped byte, truncated anywhere or assembled from two is refused with a message. */
#define _XOPEN_SOURCE 700 /* truncate */
#include "data/file.h"
#include "keeping_small.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static const mb_faults rough = {
    .loss = 0.1, .loss_directed = 0.1, .silent = 0.1, .delay = 3, .seed = 9};

static const char *const files[] = {"manifest.mbck", "part-0000.mbck", "journal.mbck"};

static const char *inside(scratch *s, const keeping *k, const char *file)
{
    char name[128];

    snprintf(name, sizeof name, "c/round-000000007-%s/%s", k->c.name, file);
    return scratch_path(s, name);
}

static char *bytes_of(scratch *s, const char *path, size_t *n)
{
    char *bytes;

    must(mb_file_read(s->a, path, &bytes, n, &s->err));
    return bytes;
}

static void write_over(const char *path, const char *bytes, size_t n)
{
    FILE *fp = fopen(path, "wb");

    assert_non_null(fp);
    assert_int_equal(fwrite(bytes, 1, n, fp), n);
    assert_int_equal(fclose(fp), 0);
}

/* In place: rewriting the whole file for every byte would take minutes. */
static void write_byte(const char *path, size_t at, char byte)
{
    FILE *fp = fopen(path, "r+b");

    assert_non_null(fp);
    assert_int_equal(fseek(fp, (long)at, SEEK_SET), 0);
    assert_int_equal(fputc((unsigned char)byte, fp), (unsigned char)byte);
    assert_int_equal(fclose(fp), 0);
}

static void expect_refused(keeping *k, const char *file)
{
    k->refused = 0;
    assert_int_equal(keeping_load(k), MB_E_FORMAT);
    assert_int_equal(k->refused, 1);
    if (!strstr(k->why, file))
        fail_msg("\"%s\" does not name %s", k->why, file);
    assert_null(strchr(k->why, '\n'));
}

TEST(any_flipped_byte_is_refused)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_dsvb, &rough);

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *path = inside(s, k, files[f]);
        size_t      n;
        char       *bytes = bytes_of(s, path, &n);

        for (size_t at = 0; at < n; at++) {
            write_byte(path, at, (char)(bytes[at] ^ 1 << at % 8));
            expect_refused(k, files[f]);
            write_byte(path, at, bytes[at]);
        }
    }
    must(keeping_load(k));
    keeping_end(k);
}

TEST(any_cut_is_refused)
{
    scratch *s = *state;
    keeping *k = saved(s, small(s), &mb_algo_edge, NULL);

    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *path = inside(s, k, files[f]);
        size_t      n;
        char       *bytes = bytes_of(s, path, &n);

        for (size_t at = n; at--;) {
            assert_int_equal(truncate(path, (off_t)at), 0);
            expect_refused(k, files[f]);
        }
        remove(path);
        expect_refused(k, files[f]);
        write_over(path, bytes, n);
    }
    must(keeping_load(k));
    keeping_end(k);
}

TEST(a_part_of_another_checkpoint_is_refused)
{
    scratch     *s = *state;
    const world *w = small(s);
    keeping     *k = saved(s, w, &mb_algo_dsvb, NULL), *other;
    size_t       n;
    char        *bytes;

    other = keeping_of(world_run(w, &mb_algo_dsvb, "", NULL), scratch_path(s, "d"));
    keeping_go(other, 8);
    keeping_save(other, 0);
    bytes = bytes_of(s, scratch_path(s, "d/round-000000008-dsvb/part-0000.mbck"), &n);
    write_over(inside(s, k, files[1]), bytes, n);
    expect_refused(k, "part-0000.mbck: belongs to another checkpoint");
    keeping_end(k);
    keeping_end(other);
}

/* A limit on the size of files is what a full disk looks like to the program. */
TEST(a_failed_write_leaves_the_one_before)
{
    scratch     *s = *state;
    const world *w = gmm_world(s->a, "geometric:n=20,side=2,radius=0.8", MB_METROPOLIS, 5, 5);
    keeping     *a = keeping_of(world_run(w, &mb_algo_edge, "", NULL), scratch_path(s, "c"));
    keeping     *b = keeping_of(world_run(w, &mb_algo_edge, "", NULL), a->c.dir);
    const struct rlimit tight = {4096, RLIM_INFINITY}, loose = {RLIM_INFINITY, RLIM_INFINITY};

    keeping_go(a, 5);
    keeping_save(a, 0);
    keeping_go(a, 6);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    assert_int_equal(mb_checkpoint_save(&a->c, &a->r->problem, &a->r->state, 0, &s->err), MB_E_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &loose), 0);
    scratch_expect(s, MB_E_IO, MB_E_IO, "part-0000.mbck: cannot write");
    must(keeping_load(b));
    assert_int_equal(b->r->state.t, 5);
    assert_int_equal(b->refused, 0);
    keeping_end(a);
    keeping_end(b);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
