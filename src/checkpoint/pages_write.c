/* pages_write.c - words into pages, each closed by its checksum. */
#include "checkpoint/pages.h"

#include <string.h>

/* Each step is a bijection of the running value: two files that differ in one word never meet. */
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

static mb_status write_page(mb_pages_out_ *w, int last, mb_err *err)
{
    const uint64_t place = 2 * (uint64_t)w->number + (uint64_t)last;

    w->page[w->used] = mb_words_hash_(mb_words_hash_(0, &place, 1), w->page, w->used);
    MB_TRY(mb_file_write(&w->f, w->page, (w->used + 1) * sizeof *w->page, err));
    w->number++;
    w->used = 0;
    return MB_OK;
}

mb_status mb_pages_put_(mb_pages_out_ *w, const void *words, size_t n, mb_err *err)
{
    const char *from = words;

    while (n) {
        size_t some = MB_PAGE_WORDS_ - 1 - w->used;

        if (!some) { /* more is coming: this page is not the last */
            MB_TRY(write_page(w, 0, err));
            continue;
        }
        some = some < n ? some : n;
        memcpy(w->page + w->used, from, some * sizeof *w->page);
        w->used += some;
        from += some * sizeof *w->page;
        n -= some;
    }
    return MB_OK;
}

mb_status mb_pages_put_number_(mb_pages_out_ *w, int64_t x, mb_err *err)
{
    return mb_pages_put_(w, &x, 1, err);
}

mb_status mb_pages_put_text_(mb_pages_out_ *w, const char *bytes, size_t n, mb_err *err)
{
    char rest[8] = {0};

    MB_TRY(mb_pages_put_number_(w, (int64_t)n, err));
    MB_TRY(mb_pages_put_(w, bytes, n / 8, err));
    memcpy(rest, bytes + n / 8 * 8, n % 8);
    return n % 8 ? mb_pages_put_(w, rest, 1, err) : MB_OK;
}

int64_t mb_pages_at_(const mb_pages_out_ *w)
{
    return w->number * (MB_PAGE_WORDS_ - 1) + (int64_t)w->used;
}

mb_status mb_pages_begin_(mb_arena *a, const char *path, uint64_t kind, mb_pages_out_ *out,
                          mb_err *err)
{
    const uint32_t order = 0x01020304, version = MB_PAGES_VERSION_;
    const uint64_t head[MB_PAGES_HEAD_] = {0, 0, kind};
    mb_status      st;

    out->used = 0;
    out->number = 0;
    MB_TRY(mb_file_open(a, path, &out->f, err));
    st = mb_pages_put_(out, head, MB_PAGES_HEAD_, err);
    memcpy(out->page, "mbcheck", 8);
    memcpy((char *)out->page + 8, &version, 4);
    memcpy((char *)out->page + 12, &order, 4);
    return st;
}

mb_status mb_pages_commit_(mb_pages_out_ *w, mb_err *err)
{
    MB_TRY(write_page(w, 1, err));
    return mb_file_commit(&w->f, err);
}

void mb_pages_abort_(mb_pages_out_ *w)
{
    mb_file_abort(&w->f);
}
