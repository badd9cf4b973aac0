/* ids.c - texts that name nodes and classes: their order, and from text to index. */
#include "base/text.h"
#include "data/parse.h"

#include <stdlib.h>
#include <string.h>

/* Of texts that are integers. */
static int compare_integers(const char *a, const char *b)
{
    int64_t x = 0, y = 0;

    (void)mb_parse_integer_(a, &x);
    (void)mb_parse_integer_(b, &y);
    return (x > y) - (x < y);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_number(const void *a, const void *b)
{
    int c = compare_integers(*(const char *const *)a, *(const char *const *)b);

    return c ? c : by_bytes(a, b);
}

static int all_integers(int32_t n, const char *const *id)
{
    int64_t value;

    for (int32_t i = 0; i < n; i++)
        if (mb_parse_integer_(id[i], &value))
            return 0;
    return 1;
}

void mb_ids_sort(const char **id, int32_t *count)
{
    int32_t unique = 0;

    if (*count > 1)
        qsort(id, (size_t)*count, sizeof *id, all_integers(*count, id) ? by_number : by_bytes);
    for (int32_t i = 0; i < *count; i++)
        if (!unique || strcmp(id[i], id[unique - 1]) != 0)
            id[unique++] = id[i];
    *count = unique;
}

/* Refuses two spellings of one integer in a sorted list without duplicates. */
static mb_status check_spelling(const char *where, int32_t n, const char *const *id, mb_err *err)
{
    if (!all_integers(n, id))
        return MB_OK;
    for (int32_t i = 1; i < n; i++)
        if (!compare_integers(id[i - 1], id[i]))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: \"%.40s\" and \"%.40s\" are the same number; expected one spelling", where,
                    id[i - 1], id[i]);
    return MB_OK;
}

uint64_t mb_bytes_hash(const void *from, size_t n)
{
    const unsigned char *bytes = from;
    uint64_t             h = UINT64_C(14695981039346656037);

    for (size_t k = 0; k < n; k++)
        h = (h ^ bytes[k]) * UINT64_C(1099511628211);
    return h;
}

/* Open addressing: slot holds an index into text, or -1. */
typedef struct table {
    const char **text; /* the distinct texts, in the order of their first occurrence */
    int32_t     *slot; /* mask + 1 */
    size_t       mask;
    int32_t      count;
} table;

static mb_status make_table(mb_arena *a, int64_t n, table *out, mb_err *err)
{
    size_t size = 16;

    while (size < 2 * (size_t)n)
        size *= 2;
    MB_NEW(out->slot, a, size, err);
    MB_NEW(out->text, a, n ? n : 1, err);
    memset(out->slot, 0xff, size * sizeof *out->slot);
    out->mask = size - 1;
    out->count = 0;
    return MB_OK;
}

/* The index of a text, adding it when it is new. */
static int32_t enter(table *t, const char *text)
{
    uint64_t h = mb_bytes_hash(text, strlen(text));

    for (size_t at = (size_t)(h ^ h >> 32) & t->mask;; at = (at + 1) & t->mask) {
        if (t->slot[at] < 0) {
            t->slot[at] = t->count;
            t->text[t->count] = text;
            return t->count++;
        }
        if (!strcmp(t->text[t->slot[at]], text))
            return t->slot[at];
    }
}

mb_status mb_ids_index(mb_arena *a, const char *where, int64_t n, const char *const *text,
                       int32_t *index, const char ***list, int32_t *count, mb_err *err)
{
    table    t;
    int32_t *rank;

    if (n > INT32_MAX)
        MB_FAIL(err, MB_E_NOSUP, "%s: got %lld rows; expected up to %d", where, (long long)n,
                INT32_MAX);
    MB_TRY(make_table(a, n, &t, err));
    for (int64_t i = 0; i < n; i++)
        index[i] = enter(&t, text[i]);
    *count = t.count;
    MB_NEW(*list, a, t.count ? t.count : 1, err);
    if (t.count)
        memcpy(*list, t.text, (size_t)t.count * sizeof **list);
    mb_ids_sort(*list, count);
    MB_TRY(check_spelling(where, *count, *list, err));
    MB_NEW(rank, a, t.count ? t.count : 1, err);
    for (int32_t k = 0; k < *count; k++)
        rank[enter(&t, (*list)[k])] = k;
    for (int64_t i = 0; i < n; i++)
        index[i] = rank[index[i]];
    return MB_OK;
}

mb_status mb_texts_twice_(mb_arena *a, int32_t n, const char *const *text, int32_t *first,
                          int32_t *second, mb_err *err)
{
    table t;

    MB_TRY(make_table(a, n, &t, err));
    *second = -1;
    for (int32_t i = 0; i < n && *second < 0; i++) {
        *first = enter(&t, text[i]);
        if (*first != i)
            *second = i;
    }
    return MB_OK;
}

mb_status mb_texts_copy_(mb_arena *a, int32_t n, const char *const *from, const char ***to,
                         mb_err *err)
{
    size_t bytes = 1;
    char  *block;

    for (int32_t i = 0; i < n; i++)
        bytes += strlen(from[i]) + 1;
    MB_NEW(*to, a, n ? n : 1, err);
    MB_NEW(block, a, bytes, err);
    for (int32_t i = 0; i < n; i++) {
        size_t len = strlen(from[i]) + 1;

        memcpy(block, from[i], len);
        (*to)[i] = block;
        block += len;
    }
    return MB_OK;
}

static mb_status grow(mb_words_ *w, mb_err *err)
{
    table         t;
    const int32_t room = w->room ? 2 * w->room : 64;

    MB_TRY(make_table(w->a, room, &t, err));
    for (int32_t k = 0; k < w->count; k++)
        (void)enter(&t, w->text[k]);
    w->text = t.text;
    w->slot = t.slot;
    w->mask = t.mask;
    w->room = room;
    return MB_OK;
}

mb_status mb_words_add_(mb_words_ *w, const char *text, int32_t *index, mb_err *err)
{
    table t;

    if (w->count && !strcmp(w->text[w->last], text)) {
        *index = w->last;
        return MB_OK;
    }
    if (w->count == w->room)
        MB_TRY(grow(w, err));
    t = (table){.text = w->text, .slot = w->slot, .mask = w->mask, .count = w->count};
    *index = w->last = enter(&t, text);
    if (*index < w->count)
        return MB_OK;
    w->text[*index] = mb_text(w->a, err, "%s", text);
    if (!w->text[*index])
        return MB_E_NOMEM;
    w->count++;
    return MB_OK;
}
