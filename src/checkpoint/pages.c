/* pages.c - words into pages, each closed by its checksum, and out of them: a page whose checksum
 * differs yields no word. */
#define _XOPEN_SOURCE 700 /* fseeko */
#include "checkpoint/pages.h"
#include "data/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = MB_PAGE_WORDS_ * 8, FULL = MB_PAGE_WORDS_ - 1 };

/* Each step is a bijection of the running value: two files that differ in one word never get the
 * same value. */
uint64_t mb_words_hash_(uint64_t hash, const void *words, size_t n)
{
    const char *from = words;

    for (size_t k = 0; k < n; k++) {
        uint64_t word;

        memcpy(&word, from + 8 * k, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static uint64_t page_hash(const uint64_t *page, int64_t number, int last, size_t words)
{
    const uint64_t place = 2 * (uint64_t)number + (uint64_t)last;

    return mb_words_hash_(mb_words_hash_(0, &place, 1), page, words);
}

static mb_status write_page(mb_pages_ *p, int last, mb_err *err)
{
    const size_t used = (size_t)(p->at - p->held * FULL);

    p->page[used] = page_hash(p->page, p->held, last, used);
    p->held++;
    return mb_file_write(&p->f, p->page, (used + 1) * sizeof *p->page, err);
}

static mb_status load(mb_pages_ *p, int64_t number, mb_err *err)
{
    const int64_t from = number * PAGE, left = p->size - from;
    const size_t  words = (size_t)(left < PAGE ? left : PAGE) / 8;
    const int     last = left <= PAGE;

    p->held = -1;
    errno = 0;
    if (fseeko(p->fp, (off_t)from, SEEK_SET) != 0 || fread(p->page, 8, words, p->fp) != words)
        return mb_io_failed_(p->path, "read", errno ? errno : EIO, err);
    if (p->page[words - 1] != page_hash(p->page, number, last, words - 1)) {
        if (last && p->page[words - 1] == page_hash(p->page, number, 0, words - 1))
            MB_FAIL(err, MB_E_FORMAT, "%s: is cut: it ends after page %lld", p->path,
                    (long long)number + 1);
        MB_FAIL(err, MB_E_FORMAT, "%s: checksum of page %lld differs", p->path,
                (long long)number + 1);
    }
    p->held = number;
    return MB_OK;
}

static mb_status need(const mb_pages_ *p, int64_t words, mb_err *err)
{
    if (words > p->words - p->at)
        MB_FAIL(err, MB_E_FORMAT, "%s: ends at word %lld, %lld more are needed", p->path,
                (long long)p->words, (long long)(words - (p->words - p->at)));
    return MB_OK;
}

/* The page of the next word. A page that is full is written when more follows: it is not the last. */
static mb_status turn(mb_pages_ *p, mb_err *err)
{
    const int64_t number = p->at / FULL;

    if (number == p->held)
        return MB_OK;
    return p->reading ? load(p, number, err) : write_page(p, 0, err);
}

mb_status mb_pages_move_(mb_pages_ *p, void *words, size_t n, mb_err *err)
{
    char *at = words;

    if (p->reading)
        MB_TRY(need(p, (int64_t)n, err));
    while (n) {
        MB_TRY(turn(p, err));
        uint64_t *here = p->page + p->at % FULL;
        size_t    some = FULL - (size_t)(p->at % FULL);

        some = some < n ? some : n;
        if (p->reading)
            memcpy(at, here, 8 * some);
        else
            memcpy(here, at, 8 * some);
        at += 8 * some;
        p->at += (int64_t)some;
        n -= some;
    }
    return MB_OK;
}

mb_status mb_pages_put_(mb_pages_ *p, const void *words, size_t n, mb_err *err)
{
    return mb_pages_move_(p, (void *)(uintptr_t)words, n, err); /* only read */
}

mb_status mb_pages_number_(mb_pages_ *p, int64_t lo, int64_t hi, int64_t *x, mb_err *err)
{
    MB_TRY(mb_pages_move_(p, x, 1, err));
    if (p->reading && (*x < lo || *x > hi))
        MB_FAIL(err, MB_E_FORMAT, "%s: word %lld: got %lld; expected %lld to %lld", p->path,
                (long long)p->at - 1, (long long)*x, (long long)lo, (long long)hi);
    return MB_OK;
}

static mb_status get_text(mb_arena *a, mb_pages_ *p, const char **bytes, size_t n, mb_err *err)
{
    const int64_t words = ((int64_t)n + 7) / 8;
    char         *text;

    MB_TRY(need(p, words, err));
    MB_NEW(text, a, 8 * words + 1, err);
    MB_TRY(mb_pages_move_(p, text, (size_t)words, err));
    text[n] = 0;
    *bytes = text;
    return MB_OK;
}

mb_status mb_pages_text_(mb_arena *a, mb_pages_ *p, const char **bytes, size_t *n, mb_err *err)
{
    int64_t len = (int64_t)*n;
    char    rest[8] = {0};

    MB_TRY(mb_pages_number_(p, 0, 8 * p->words, &len, err));
    *n = (size_t)len;
    if (p->reading)
        return get_text(a, p, bytes, *n, err);
    MB_TRY(mb_pages_put_(p, *bytes, *n / 8, err));
    memcpy(rest, *bytes + *n / 8 * 8, *n % 8);
    return mb_pages_put_(p, rest, *n % 8 != 0, err);
}

mb_status mb_pages_stamp_(mb_pages_ *p, const int64_t *words, size_t n, mb_err *err)
{
    int64_t found[MB_STAMP_];

    if (!p->reading)
        return mb_pages_put_(p, words, n, err);
    MB_TRY(mb_pages_move_(p, found, n, err));
    if (memcmp(found, words, n * sizeof *words) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: belongs to another checkpoint", p->path);
    return MB_OK;
}

mb_status mb_pages_seek_(mb_pages_ *p, int64_t word, mb_err *err)
{
    if (word < 0 || word > p->words)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld words, not %lld", p->path, (long long)p->words,
                (long long)word);
    p->at = word;
    return MB_OK;
}

/* Magic, version and byte order, kind. */
static void make_head(uint64_t kind, char head[8 * MB_PAGES_HEAD_])
{
    const uint32_t order = 0x01020304, version = MB_PAGES_VERSION_;

    memcpy(head, "mbcheck", 8);
    memcpy(head + 8, &version, 4);
    memcpy(head + 12, &order, 4);
    memcpy(head + 16, &kind, 8);
}

mb_status mb_pages_begin_(mb_arena *a, const char *path, uint64_t kind, mb_pages_ *out, mb_err *err)
{
    char head[8 * MB_PAGES_HEAD_];

    out->reading = 0;
    out->fp = NULL;
    out->path = path;
    out->at = out->held = 0;
    MB_TRY(mb_file_open(a, path, &out->f, err));
    make_head(kind, head);
    return mb_pages_put_(out, head, MB_PAGES_HEAD_, err);
}

/* What does not depend on the version is checked first. */
static mb_status read_head(mb_pages_ *p, uint64_t kind, mb_err *err)
{
    char     head[8 * MB_PAGES_HEAD_], want[8 * MB_PAGES_HEAD_];
    uint32_t version;
    uint64_t found;

    errno = 0;
    if (fread(head, 1, sizeof head, p->fp) != sizeof head)
        return mb_io_failed_(p->path, "read", errno ? errno : EIO, err);
    make_head(kind, want);
    memcpy(&version, head + 8, 4);
    memcpy(&found, head + 16, 8);
    if (memcmp(head, want, 8) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: is not a file of a checkpoint", p->path);
    if (memcmp(head + 12, want + 12, 4) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: its byte order is not this machine's", p->path);
    if (version != MB_PAGES_VERSION_)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: checkpoint format: got version %u; expected version %d: start the run again, or "
            "resume it with the %s meshbayes that wrote this",
            p->path, version, MB_PAGES_VERSION_, version < MB_PAGES_VERSION_ ? "older" : "newer");
    MB_TRY(load(p, 0, err));
    if (found != kind)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: is another file of a checkpoint: got kind %llu; expected %llu", p->path,
                (unsigned long long)found, (unsigned long long)kind);
    return mb_pages_seek_(p, MB_PAGES_HEAD_, err);
}

static mb_status measure(mb_pages_ *p, mb_err *err)
{
    struct stat st;

    if (fstat(fileno(p->fp), &st) != 0)
        return mb_io_failed_(p->path, "read", errno, err);
    if (!S_ISREG(st.st_mode))
        MB_FAIL(err, MB_E_FORMAT, "%s: is not a regular file", p->path);
    p->size = (int64_t)st.st_size;
    /* A page of a checksum alone would never be read. */
    if (p->size < 8 * (MB_PAGES_HEAD_ + 1) || p->size % 8 || p->size % PAGE == 8)
        MB_FAIL(err, MB_E_FORMAT, "%s: is cut: it has %lld bytes", p->path, (long long)p->size);
    p->words = p->size / 8 - (p->size + PAGE - 1) / PAGE;
    return MB_OK;
}

mb_status mb_pages_open_(const char *path, uint64_t kind, mb_pages_ *out, mb_err *err)
{
    mb_status st;

    out->reading = 1;
    out->f = (mb_file){0};
    out->path = path;
    out->held = -1;
    out->at = 0;
    out->fp = fopen(path, "rb");
    if (!out->fp)
        return mb_io_failed_(path, "read", errno, err);
    st = measure(out, err);
    if (st >= 0)
        st = read_head(out, kind, err);
    if (st < 0)
        mb_pages_close_(out);
    return st;
}

mb_status mb_pages_commit_(mb_pages_ *p, mb_err *err)
{
    MB_TRY(write_page(p, 1, err));
    return mb_file_commit(&p->f, err);
}

void mb_pages_close_(mb_pages_ *p)
{
    mb_file_abort(&p->f);
    if (p->fp)
        fclose(p->fp);
    p->fp = NULL;
}
