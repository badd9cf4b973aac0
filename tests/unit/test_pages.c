/* Files in pages: words can be read from any position, and a damaged page returns none. */
#define _XOPEN_SOURCE 700 /* truncate */
#include "checkpoint/pages.h"
#include "scratch.h"
#include "test.h"

#include <unistd.h>

enum { KIND = 7, FULL = MB_PAGE_WORDS_ - 1, WORDS = 2 * FULL + 100 };

static mb_pages_ out, in;

static uint64_t word(int64_t k)
{
    return (uint64_t)k * UINT64_C(0x123456789abcdef) + 5;
}

/* A file of `count` words after the header, in pieces of changing length. */
static const char *written(scratch *s, int64_t count)
{
    const char *path = scratch_path(s, "pages");
    uint64_t    some[700];

    must(mb_pages_begin_(s->a, path, KIND, &out, &s->err));
    for (int64_t at = 0, n = 1; at < count; at += n, n = n % 700 + 1) {
        n = n < count - at ? n : count - at;
        for (int64_t k = 0; k < n; k++)
            some[k] = word(at + k);
        assert_int_equal(out.at, MB_PAGES_HEAD_ + at);
        must(mb_pages_put_(&out, some, (size_t)n, &s->err));
    }
    must(mb_pages_commit_(&out, &s->err));
    return path;
}

static void expect_words(scratch *s, int64_t from, int64_t count)
{
    uint64_t got;

    must(mb_pages_seek_(&in, MB_PAGES_HEAD_ + from, &s->err));
    for (int64_t k = from; k < from + count; k++) {
        must(mb_pages_move_(&in, &got, 1, &s->err));
        assert_true(got == word(k));
    }
}

TEST(words_come_back_from_anywhere)
{
    scratch      *s = *state;
    const int64_t counts[] = {1, FULL - MB_PAGES_HEAD_, FULL - MB_PAGES_HEAD_ + 1, WORDS};
    uint64_t      got;

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const char *path = written(s, counts[k]);

        must(mb_pages_open_(path, KIND, &in, &s->err));
        assert_int_equal(in.words, MB_PAGES_HEAD_ + counts[k]);
        expect_words(s, 0, counts[k]);
        scratch_expect(s, mb_pages_move_(&in, &got, 1, &s->err), MB_E_FORMAT, "1 more are needed");
        expect_words(s, counts[k] - 1, 1);
        expect_words(s, 0, 1);
        assert_int_equal(mb_pages_seek_(&in, in.words + 1, &s->err), MB_E_FORMAT);
        assert_int_equal(mb_pages_seek_(&in, -1, &s->err), MB_E_FORMAT);
        mb_pages_close_(&in);
    }
}

TEST(texts_of_any_length_come_back)
{
    scratch     *s = *state;
    const char  *path = scratch_path(s, "texts"), *text = "seventeen letters", *back;
    const size_t longest = strlen(text);
    int64_t      number = INT64_MAX;
    size_t       n;

    must(mb_pages_begin_(s->a, path, KIND, &out, &s->err));
    for (size_t len = 0; len <= longest; len++)
        must(mb_pages_text_(s->a, &out, &text, &len, &s->err));
    must(mb_pages_number_(&out, 0, INT64_MAX, &number, &s->err));
    must(mb_pages_commit_(&out, &s->err));
    must(mb_pages_open_(path, KIND, &in, &s->err));
    for (size_t len = 0; len <= longest; len++) {
        must(mb_pages_text_(s->a, &in, &back, &n, &s->err));
        assert_int_equal(n, len);
        assert_memory_equal(back, text, len);
        assert_int_equal(back[len], 0);
    }
    assert_int_equal(mb_pages_text_(s->a, &in, &back, &n, &s->err), MB_E_FORMAT);
    mb_pages_close_(&in);
}

/* Reads all of the file; the status of the first call that fails. */
static mb_status read_all(scratch *s, const char *path)
{
    uint64_t  got[100];
    mb_status st = mb_pages_open_(path, KIND, &in, &s->err);

    while (st >= 0 && in.at < in.words)
        st = mb_pages_move_(&in, got, (size_t)(in.words - in.at < 100 ? in.words - in.at : 100),
                            &s->err);
    mb_pages_close_(&in);
    return st;
}

TEST(a_flipped_byte_is_found_in_its_page)
{
    scratch    *s = *state;
    const char *path = written(s, WORDS);
    char        page[32];

    for (long at = 0; at < 8 * (WORDS + MB_PAGES_HEAD_ + 3); at += 997) {
        FILE *fp = fopen(path, "r+b");
        int   byte;

        assert_non_null(fp);
        fseek(fp, at, SEEK_SET);
        byte = fgetc(fp);
        fseek(fp, at, SEEK_SET);
        fputc(byte ^ 1 << at % 8, fp);
        fflush(fp);
        snprintf(page, sizeof page, at ? "of page %ld differs" : "not a file of a checkpoint",
                 at / (8 * MB_PAGE_WORDS_) + 1);
        scratch_expect(s, read_all(s, path), MB_E_FORMAT, page);
        fseek(fp, at, SEEK_SET);
        fputc(byte, fp);
        fclose(fp);
    }
    must(read_all(s, path));
}

TEST(a_cut_is_found_between_pages_too)
{
    scratch    *s = *state;
    const char *path = written(s, WORDS);
    const long  page = 8 * MB_PAGE_WORDS_;
    const struct {
        long        size;
        const char *words;
    } cut[] = {{2 * page + 16, "checksum of page 3"},
               {2 * page + 8, "it has 131080 bytes"},
               {2 * page, "it ends after page 2"},
               {2 * page - 8, "checksum of page 2"},
               {2 * page - 1, "it has 131071 bytes"},
               {page, "it ends after page 1"},
               {8, "it has 8 bytes"},
               {0, "it has 0 bytes"}};

    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        assert_int_equal(truncate(path, cut[k].size), 0);
        scratch_expect(s, read_all(s, path), MB_E_FORMAT, cut[k].words);
    }
}

TEST(another_kind_version_or_byte_order_is_reported)
{
    scratch    *s = *state;
    const char *path = written(s, 10);
    char       *bytes;
    size_t      n;

    scratch_expect(s, mb_pages_open_(path, KIND + 1, &in, &s->err), MB_E_FORMAT, "kind 7");
    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    bytes[8] = 1;
    path = scratch_bytes(s, "version", bytes, n);
    scratch_expect(s, mb_pages_open_(path, KIND, &in, &s->err), MB_E_FORMAT,
                   "version: checkpoint format: got version 1; expected version 4: start the run "
                   "again, or resume it with the older meshbayes");
    bytes[8] = 5;
    path = scratch_bytes(s, "version", bytes, n);
    scratch_expect(s, mb_pages_open_(path, KIND, &in, &s->err), MB_E_FORMAT, "the newer meshbayes");
    bytes[12]++;
    path = scratch_bytes(s, "order", bytes, n);
    scratch_expect(s, mb_pages_open_(path, KIND, &in, &s->err), MB_E_FORMAT, "byte order");
    scratch_expect(s, mb_pages_open_(scratch_path(s, "no"), KIND, &in, &s->err), MB_E_IO,
                   "cannot read");
}

/* Every step is a bijection, so one word that differs is always seen. */
TEST(one_changed_word_always_changes_the_checksum)
{
    uint64_t words[4] = {1, 2, 3, 4};

    const uint64_t hash = mb_words_hash_(0, words, 4);

    for (int k = 0; k < 4; k++)
        for (int bit = 0; bit < 64; bit++) {
            words[k] ^= UINT64_C(1) << bit;
            assert_true(mb_words_hash_(0, words, 4) != hash);
            words[k] ^= UINT64_C(1) << bit;
        }
    assert_true(mb_words_hash_(mb_words_hash_(0, words, 2), words + 2, 2) == hash);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
