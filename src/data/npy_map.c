/* npy_map.c - the rows of a NumPy file where they lie, mapped into memory: pages are read when they are
 * accessed, so a process pays for its own rows only, and of a long file those just read are released
 * at once, while the next ones are read ahead. */
#define _DEFAULT_SOURCE 1 /* madvise */
#include "base/within.h"
#include "data/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* STAYS: bytes of a file that is never released by itself. WINDOW: what a longer one releases and
 * reads ahead, a multiple of pages and numbers. CHUNK: numbers that are looked at together. */
enum { STAYS = 1 << 27, WINDOW = 1 << 22, CHUNK = 1024 };

static int is_little_endian(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1;
}

int mb_npy_is_long(const mb_npy_rows *m)
{
    return m->bytes > STAYS && !m->parts;
}

static mb_npy_head_ head_of(const mb_npy_rows *m)
{
    return (mb_npy_head_){.width = m->width, .type = m->type, .big = m->big};
}

/* Byte `end` of the file comes next: releases the windows up to it that began at `from` or
 * later. An optimisation: it may fail. */
static void pass(const mb_npy_rows *m, size_t from, size_t end)
{
    const size_t first = from / WINDOW * WINDOW, last = end / WINDOW * WINDOW;
    char        *base = m->base;

    if (first == last || !mb_npy_is_long(m))
        return;
    (void)madvise(base + first, last - first, MADV_DONTNEED);
    if (last + WINDOW < m->bytes)
        (void)madvise(base + last + WINDOW,
                      m->bytes - last - WINDOW < WINDOW ? m->bytes - last - WINDOW : WINDOW,
                      MADV_WILLNEED);
}

static size_t place(const mb_npy_rows *m, int64_t number)
{
    return (size_t)(m->numbers - (const char *)m->base) + (size_t)number * (size_t)m->width;
}

static int is_native(const mb_npy_rows *m)
{
    return m->type == 'f' && m->width == sizeof(double) && !m->big && is_little_endian();
}

/* Numbers k .. k + n - 1: where they are, or in room. */
static const double *numbers_at(const mb_npy_rows *m, const mb_npy_head_ *h, int64_t k, size_t n,
                                double *room)
{
    const char *bytes = (const char *)m->base + place(m, k);

    if (is_native(m))
        return (const double *)(const void *)bytes;
    mb_npy_numbers_(h, bytes, n, room);
    return room;
}

static double at(const mb_stored *s, int64_t j, int32_t d)
{
    const mb_npy_rows *m = (const mb_npy_rows *)(const void *)s;
    const mb_npy_head_ h = head_of(m);
    const size_t       from = place(m, j * m->d + d);
    double             x;

    if (from % WINDOW == 0)
        pass(m, from - WINDOW, from);
    mb_npy_numbers_(&h, (const char *)m->base + from, 1, &x);
    return x;
}

static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const mb_npy_rows *m = (const mb_npy_rows *)(const void *)s;
    const mb_npy_head_ h = head_of(m);
    const size_t       from = place(m, j * m->d), count = (size_t)(n * m->d);

    mb_npy_numbers_(&h, (const char *)m->base + from, count, out);
    pass(m, from, from + count * (size_t)m->width);
}

/* The header, and where the numbers are. least: rows, 1 or 0. */
static mb_status look(mb_arena *scratch_arena, const char *file, int64_t least, mb_npy_rows *m,
                      mb_err *err)
{
    mb_npy_head_ h;

    MB_TRY(mb_npy_head_read_(scratch_arena, file, m->base, m->bytes, &h, err));
    MB_TRY(mb_npy_exact_(file, &h, m->bytes - h.size, err));
    h.shape[0] += 1 - least;
    MB_TRY(mb_npy_shape_(file, h.ndim, h.shape, &m->n, &m->d, err));
    m->n -= 1 - least;
    if (h.size % 8 || (h.fortran && m->n > 1 && m->d > 1) || (size_t)m->d > WINDOW / 8)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: rows of this kind cannot be read in place; expected numbers in C order that "
                "begin at a multiple of 8 bytes, as numpy.save writes them",
                file);
    m->numbers = (const char *)m->base + h.size;
    m->width = h.width;
    m->type = h.type;
    m->big = h.big;
    if (is_native(m) && !mb_npy_is_long(m))
        m->x = (const double *)(const void *)m->numbers;
    m->stored = (mb_stored){at, take};
    return MB_OK;
}

static mb_status map(const char *file, mb_npy_rows *m, mb_err *err)
{
    struct stat st;
    int         fd = open(file, O_RDONLY), code;
    void       *base;

    if (fd < 0 || fstat(fd, &st) < 0) {
        code = errno;
        if (fd >= 0)
            close(fd);
        return mb_io_failed_(file, "open", code, err);
    }
    m->bytes = (size_t)st.st_size;
    base = m->bytes ? mmap(NULL, m->bytes, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    code = errno;
    close(fd);
    if (base == MAP_FAILED)
        return mb_io_failed_(file, "map", code, err);
    m->base = base;
    return MB_OK;
}

static mb_status map_and_look(const char *file, int64_t least, mb_npy_rows *out, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 12);
    mb_status st;

    memset(out, 0, sizeof *out);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its header", file);
    st = map(file, out, err);
    if (st >= 0)
        st = look(scratch_arena, file, least, out, err);
    mb_arena_free(scratch_arena);
    if (st < 0)
        mb_npy_unmap(out);
    return st;
}

mb_status mb_npy_map(const char *file, mb_npy_rows *out, mb_err *err)
{
    return map_and_look(file, 1, out, err);
}

mb_status mb_npy_map_part_(const char *file, mb_npy_rows *out, mb_err *err)
{
    return map_and_look(file, 0, out, err);
}

mb_status mb_npy_in_memory_(const char *file, mb_npy_rows *m, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 12);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its header", file);
    st = look(scratch_arena, file, 1, m, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_rows mb_npy_view(const mb_npy_rows *m)
{
    return (mb_rows){
        .x = m->x, .n = m->n, .d = m->d, .ld = (size_t)m->d, .stored = m->x ? NULL : &m->stored};
}

/* The error for the first of n numbers from number k on that is none; NaN is counted where gaps is
 * not NULL. */
static mb_status judge(const char *file, const mb_npy_rows *m, int64_t k, int64_t n,
                       const double *x, int64_t *gaps, mb_err *err)
{
    for (int64_t l = 0; l < n; l++) {
        const int64_t row = (k + l) / m->d, col = (k + l) % m->d;

        if (gaps && isnan(x[l]))
            ++*gaps;
        else if (isnan(x[l]))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: row %lld, column %lld: nan is not a finite number; --missing drop leaves "
                    "such rows out",
                    file, (long long)row + 1, (long long)col + 1);
        else if (!mb_npy_is_value_(x[l]))
            return mb_npy_no_value_(file, row, col, x[l], err);
    }
    return MB_OK;
}

mb_status mb_npy_scan_(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                       int64_t *gaps, mb_err *err)
{
    const mb_npy_head_ h = head_of(m);
    double             room[CHUNK];

    for (int64_t k = from * m->d, n; k < to * m->d; k += n) {
        const double *x;

        n = to * m->d - k < CHUNK ? to * m->d - k : CHUNK;
        x = numbers_at(m, &h, k, (size_t)n, room);
        if (!mb_within_(x, (size_t)n, MB_VALUE_MAX))
            MB_TRY(judge(file, m, k, n, x, gaps, err));
        pass(m, place(m, k), place(m, k + n));
    }
    return MB_OK;
}

mb_status mb_npy_check(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                       mb_err *err)
{
    return mb_npy_scan_(file, m, from, to, NULL, err);
}

const double *mb_npy_rows_at_(const mb_npy_rows *m, int64_t j, int64_t n, double *room)
{
    const mb_npy_head_ h = head_of(m);

    return numbers_at(m, &h, j * m->d, (size_t)(n * m->d), room);
}

void mb_npy_hash_rows_(const mb_npy_rows *m, int64_t from, int64_t to, mb_hash_ *hash)
{
    const size_t first = from ? place(m, from * m->d) : 0;

    mb_hash_more_(hash, (const char *)m->base + first, place(m, to * m->d) - first);
}

void mb_npy_passed_(const mb_npy_rows *m, int64_t from, int64_t to)
{
    pass(m, place(m, from * m->d), place(m, to * m->d));
}

uint64_t mb_npy_hash(const mb_npy_rows *m)
{
    mb_hash_ hash = mb_hash_begin_();

    for (size_t k = 0, n; k < m->bytes; k += n) {
        n = m->bytes - k < WINDOW ? m->bytes - k : WINDOW;
        mb_hash_more_(&hash, (const char *)m->base + k, n);
        pass(m, k, k + n);
    }
    return mb_hash_end_(&hash);
}

void mb_npy_rest(const mb_npy_rows *m)
{
    if (m->base && !m->parts)
        (void)madvise(m->base, m->bytes, MADV_DONTNEED); /* an optimisation: it may fail */
}

void mb_npy_unmap(mb_npy_rows *m)
{
    if (m->base)
        (void)munmap(m->base, m->bytes);
    if (m->parts)
        mb_npy_unmap(&((struct mb_parts *)m->parts)->own);
    memset(m, 0, sizeof *m);
}
