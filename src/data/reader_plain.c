/* reader_plain.c - lines of CSV that are plain numbers, many at a time, on several threads. A line that
 * is anything else, and what follows it, is left to the reader of single records, which has the last
 * word on all text: here a line is taken only where both read the same numbers. */
#include "base/pool.h"
#include "data/reader.h"

#include <string.h>

/* LEAST: bytes of a part. RARE: lines in a row that make up for looking in vain; MOST: lines that
 * are left to the other reader after that, at most. */
enum { PARTS = 64, LEAST = 1 << 14, RARE = 64, MOST = 1024 };

typedef struct part {
    const char *at, *end; /* whole lines, unless it is the only part      */
    double     *x;        /* of its first row                             */
    int64_t     rows;     /* to take at most: all of its lines, but for the last part */
    int64_t     done;
} part;

typedef struct job {
    const mb_reader *s;
    char             sep;
    part             part[PARTS];
} job;

/* A cell that is not read; a quote stops it. */
static const char *skip(const char *p, char sep)
{
    while (*p && *p != sep && *p != '\n' && *p != '\r' && *p != '"')
        p++;
    return p;
}

static int is_value(const mb_reader *s, int32_t k, double x)
{
    return k == s->weight ? x >= 0 && x <= MB_WEIGHT_MAX : fabs(x) <= MB_VALUE_MAX;
}

/* The line at p into x; returns the next line, NULL: it is not plain. */
static const char *take_line(const job *j, const char *p, double *x)
{
    const mb_reader *s = j->s;
    const int32_t    last = s->sheet.cols - 1;

    for (int32_t c = 0; c <= last; c++, p++) {
        const int32_t k = s->to[c];

        if (k >= 0)
            p = mb_scan_double_(p, s->sheet.end, &x[k]);
        if (!p || (k >= 0 && !is_value(s, k, x[k])))
            return NULL;
        if (k < 0)
            p = skip(p, j->sep);
        if (c == last && *p == '\r')
            p++;
        if (*p != (c < last ? j->sep : '\n'))
            return NULL;
    }
    return p;
}

static void take_part(void *arg, int32_t thread, int64_t number)
{
    job        *j = arg;
    part       *p = &j->part[number];
    const int   d = j->s->d;
    const char *next;

    (void)thread;
    for (double *x = p->x; p->done < p->rows && p->at < p->end; x += d) {
        next = take_line(j, p->at, x);
        if (!next)
            return;
        p->at = next;
        p->done++;
    }
}

static void count_part(void *arg, int32_t thread, int64_t number)
{
    part *p = &((job *)arg)->part[number];

    (void)thread;
    for (const char *s = p->at; s < p->end && (s = memchr(s, '\n', (size_t)(p->end - s))); s++)
        p->rows++;
}

/* Cuts whole lines of the buffer into parts of at most `max` rows together, which go to x. Returns
 * how many. */
static int32_t cut(job *j, mb_pool *pool, const char *at, const char *end, int64_t max, double *x)
{
    const int64_t fit = (end - at) / LEAST, want = 4 * (int64_t)mb_pool_threads(pool);
    const int64_t n = mb_pool_threads(pool) < 2 || fit < 2 ? 1 : fit < want ? fit : want;
    const int32_t most = (int32_t)(n < PARTS ? n : PARTS);
    int32_t       used = 0;

    for (int32_t k = 0; k < most && at < end; k++) {
        const char *stop = k + 1 < most ? at + (end - at) / (most - k) : end;

        stop = stop < end ? memchr(stop, '\n', (size_t)(end - stop)) : NULL;
        stop = stop ? stop + 1 : end;
        j->part[used++] = (part){.at = at, .end = stop};
        at = stop;
    }
    if (used > 1)
        mb_pool_run(pool, mb_pool_threads(pool), used, count_part, j);
    else
        j->part[0].rows = max;
    for (int32_t k = 0; k < used; k++) {
        part *p = &j->part[k];

        p->rows = p->rows < max ? p->rows : max;
        p->x = x;
        x += p->rows * j->s->d;
        max -= p->rows;
    }
    return used;
}

/* to[c]: which number of a row column c of the file is; -1: none. */
static mb_status find_columns(mb_reader *s, mb_err *err)
{
    MB_NEW(s->to, s->a, s->sheet.cols, err);
    for (int32_t c = 0; c < s->sheet.cols; c++)
        s->to[c] = -1;
    s->plain = !s->groups && !s->k && !s->coder && !s->as_texts &&
               (!s->opt || s->opt->separator <= MB_SEPARATOR_COMMA);
    for (int32_t k = 0; k < s->d; k++) {
        int32_t *to = &s->to[s->here[s->pick[k]]];

        s->plain &= *to < 0; /* a column may be read twice */
        *to = k;
    }
    return MB_OK;
}

/* Takes the parts in their order, up to the first that is not complete: what a later one made of
 * its bytes may be wrong then, as within quotes. */
static void keep(mb_reader *s, const job *j, int32_t parts, int64_t *n)
{
    mb_csv_text_ *t = &s->sheet.text;
    int64_t       rows = 0;
    int           whole = 1, stuck = 0;

    for (int32_t k = 0; k < parts && whole; k++) {
        const part *p = &j->part[k];

        rows += p->done;
        t->at += p->at - t->at;
        whole = p->at == p->end;
        stuck = !whole && p->done < p->rows;
    }
    for (int64_t r = 0; r < rows; r++, ++*n) {
        s->number[*n] = s->seen++;
        s->line[*n] = t->line++;
    }
    s->sheet.done += rows;
    s->sheet.line = rows ? t->line - 1 : s->sheet.line;
    s->wait = !stuck || rows >= RARE ? 0 : s->wait < MOST ? 2 * s->wait + 1 : s->wait;
    s->slow = s->wait;
}

/* Where about `rows` lines end, as far as the lines before show, so that threads share what will be
 * taken, not all of the buffer. */
static const char *reach(const mb_reader *s, const char *end, int64_t rows)
{
    const char  *at = s->sheet.text.at;
    const double used = (double)s->sheet.pulled - (double)(s->sheet.end - at);
    const double some =
        s->sheet.done ? 1.1 * (double)rows * used / (double)s->sheet.done + LEAST : HUGE_VAL;
    const char *stop = some < (double)(end - at) ? at + (ptrdiff_t)some : end;

    stop = stop < end ? memchr(stop, '\n', (size_t)(end - stop)) : NULL;
    return stop ? stop + 1 : end;
}

mb_status mb_plain_rows_(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    mb_csv_text_ *t = &s->sheet.text;
    const char   *end = s->sheet.end;
    job           j = {.s = s, .sep = t->sep};
    int32_t       parts;

    if (!s->to)
        MB_TRY(find_columns(s, err));
    if (!s->plain || s->slow-- > 0)
        return MB_OK;
    s->slow = 0;
    while (end > t->at && end[-1] != '\n')
        end--;
    if (t->pending || end == t->at || *n == max)
        return MB_OK;
    end = reach(s, end, max - *n);
    parts = cut(&j, s->opt ? s->opt->pool : NULL, t->at, end, max - *n, x + *n * s->d);
    mb_pool_run(s->opt ? s->opt->pool : NULL, mb_pool_threads(s->opt ? s->opt->pool : NULL), parts,
                take_part, &j);
    keep(s, &j, parts, n);
    return MB_OK;
}
