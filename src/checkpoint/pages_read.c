/* pages_read.c - words out of pages; no word is handed out of a page whose checksum differs. */
#define _XOPEN_SOURCE 700 /* fseeko */
#include "checkpoint/pages.h"
#include "io/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = MB_PAGE_WORDS_ * 8, FULL = MB_PAGE_WORDS_ - 1 };

static uint64_t page_hash(const uint64_t *page, int64_t number, int last, size_t words)
{
    const uint64_t place = 2 * (uint64_t)number + (uint64_t)last;

    return mb_words_hash_(mb_words_hash_(0, &place, 1), page, words);
}

static mb_status load(mb_pages_in_ *r, int64_t number, mb_err *err)
{
    const int64_t from = number * PAGE, left = r->size - from;
    const size_t  words = (size_t)(left < PAGE ? left : PAGE) / 8;
    const int     last = left <= PAGE;

    if (number == r->held)
        return MB_OK;
    r->held = -1;
    errno = 0;
    if (fseeko(r->fp, (off_t)from, SEEK_SET) != 0 || fread(r->page, 8, words, r->fp) != words)
        return mb_io_failed_(r->path, "read", errno ? errno : EIO, err);
    if (r->page[words - 1] != page_hash(r->page, number, last, words - 1)) {
        if (last && r->page[words - 1] == page_hash(r->page, number, 0, words - 1))
            MB_FAIL(err, MB_E_FORMAT, "%s: is cut: it ends behind page %lld", r->path,
                    (long long)number + 1);
        MB_FAIL(err, MB_E_FORMAT, "%s: checksum of page %lld differs", r->path,
                (long long)number + 1);
    }
    r->held = number;
    return MB_OK;
}

/* What does not depend on the version is looked at first. */
static mb_status read_head(mb_pages_in_ *r, uint64_t kind, mb_err *err)
{
    char     head[8 * MB_PAGES_HEAD_];
    uint32_t version, order;
    uint64_t found;

    errno = 0;
    if (fread(head, 1, sizeof head, r->fp) != sizeof head)
        return mb_io_failed_(r->path, "read", errno ? errno : EIO, err);
    memcpy(&version, head + 8, 4);
    memcpy(&order, head + 12, 4);
    memcpy(&found, head + 16, 8);
    if (memcmp(head, "mbcheck", 8) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: is no file of a checkpoint", r->path);
    if (order != 0x01020304)
        MB_FAIL(err, MB_E_FORMAT, "%s: its byte order is not this machine's", r->path);
    if (version != MB_PAGES_VERSION_)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: checkpoint format: got version %u; expected version %d: start the run again, or "
            "resume it with the %s meshbayes that wrote this",
            r->path, version, MB_PAGES_VERSION_, version < MB_PAGES_VERSION_ ? "older" : "newer");
    MB_TRY(load(r, 0, err));
    if (found != kind)
        MB_FAIL(err, MB_E_FORMAT, "%s: is another file of a checkpoint: kind %llu, accepted: %llu",
                r->path, (unsigned long long)found, (unsigned long long)kind);
    return mb_pages_seek_(r, MB_PAGES_HEAD_, err);
}

static mb_status measure(mb_pages_in_ *r, mb_err *err)
{
    struct stat st;

    if (fstat(fileno(r->fp), &st) != 0)
        return mb_io_failed_(r->path, "read", errno, err);
    if (!S_ISREG(st.st_mode))
        MB_FAIL(err, MB_E_FORMAT, "%s: is no regular file", r->path);
    r->size = (int64_t)st.st_size;
    /* A page that is a checksum alone would never be asked for. */
    if (r->size < 8 * (MB_PAGES_HEAD_ + 1) || r->size % 8 || r->size % PAGE == 8)
        MB_FAIL(err, MB_E_FORMAT, "%s: is cut: it has %lld bytes", r->path, (long long)r->size);
    r->words = r->size / 8 - (r->size + PAGE - 1) / PAGE;
    return MB_OK;
}

mb_status mb_pages_open_(const char *path, uint64_t kind, mb_pages_in_ *out, mb_err *err)
{
    mb_status st;

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

static mb_status need(const mb_pages_in_ *r, int64_t words, mb_err *err)
{
    if (words > r->words - r->at)
        MB_FAIL(err, MB_E_FORMAT, "%s: ends at word %lld, %lld more are needed", r->path,
                (long long)r->words, (long long)(words - (r->words - r->at)));
    return MB_OK;
}

mb_status mb_pages_get_(mb_pages_in_ *r, void *words, size_t n, mb_err *err)
{
    char *to = words;

    MB_TRY(need(r, (int64_t)n, err));
    while (n) {
        const size_t in_page = (size_t)(r->at % FULL);
        size_t       some = FULL - in_page;

        some = some < n ? some : n;
        MB_TRY(load(r, r->at / FULL, err));
        memcpy(to, r->page + in_page, 8 * some);
        to += 8 * some;
        r->at += (int64_t)some;
        n -= some;
    }
    return MB_OK;
}

mb_status mb_pages_get_number_(mb_pages_in_ *r, int64_t lo, int64_t hi, int64_t *x, mb_err *err)
{
    MB_TRY(mb_pages_get_(r, x, 1, err));
    if (*x < lo || *x > hi)
        MB_FAIL(err, MB_E_FORMAT, "%s: word %lld is %lld, accepted: %lld to %lld", r->path,
                (long long)r->at - 1, (long long)*x, (long long)lo, (long long)hi);
    return MB_OK;
}

mb_status mb_pages_get_text_(mb_arena *a, mb_pages_in_ *r, char **bytes, size_t *n, mb_err *err)
{
    int64_t len, words;

    MB_TRY(mb_pages_get_number_(r, 0, 8 * r->words, &len, err));
    words = (len + 7) / 8;
    MB_TRY(need(r, words, err));
    MB_NEW(*bytes, a, 8 * words + 1, err);
    MB_TRY(mb_pages_get_(r, *bytes, (size_t)words, err));
    (*bytes)[len] = 0;
    *n = (size_t)len;
    return MB_OK;
}

mb_status mb_pages_seek_(mb_pages_in_ *r, int64_t word, mb_err *err)
{
    if (word < 0 || word > r->words)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld words, not %lld", r->path, (long long)r->words,
                (long long)word);
    r->at = word;
    return MB_OK;
}

void mb_pages_close_(mb_pages_in_ *r)
{
    if (r->fp)
        fclose(r->fp);
    r->fp = NULL;
}
