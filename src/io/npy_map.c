/* npy_map.c - the rows of an NPY file where they lie: pages are read when they are looked at, so a
 * process pays for its own rows only. */
#define _DEFAULT_SOURCE 1 /* madvise */
#include "io/npy.h"
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char  first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* The header, and where the numbers are. */
static mb_status look(mb_arena *draft, const char *file, mb_npy_rows *m, mb_err *err)
{
    mb_npy_head_ h;

    MB_TRY(mb_npy_head_read_(draft, file, m->base, m->bytes, &h, err));
    MB_TRY(mb_npy_exact_(file, &h, m->bytes - h.size, err));
    MB_TRY(mb_npy_shape_(file, h.ndim, h.shape, &m->n, &m->d, err));
    if (h.width != sizeof(double) || h.size % sizeof(double) || !is_little_endian())
        MB_FAIL(err, MB_E_NOSUP,
                "%s: rows of this kind cannot be read where they lie, accepted: float64 that "
                "begins at a multiple of 8 bytes, as numpy.save writes it",
                file);
    m->x = (const double *)(const void *)((const char *)m->base + h.size);
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

mb_status mb_npy_map(const char *file, mb_npy_rows *out, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 12);
    mb_status st;

    memset(out, 0, sizeof *out);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its header", file);
    st = map(file, out, err);
    if (st >= 0)
        st = look(draft, file, out, err);
    mb_arena_free(draft);
    if (st < 0)
        mb_npy_unmap(out);
    return st;
}

mb_status mb_npy_check(const char *file, const mb_npy_rows *m, int64_t from, int64_t to,
                       mb_err *err)
{
    for (int64_t k = from * m->d; k < to * m->d; k++)
        if (!mb_npy_is_value_(m->x[k]))
            return mb_npy_no_value_(file, k / m->d, k % m->d, m->x[k], err);
    return MB_OK;
}

void mb_npy_rest(const mb_npy_rows *m)
{
    if (m->base)
        (void)madvise(m->base, m->bytes, MADV_DONTNEED); /* only a saving: it may fail */
}

void mb_npy_unmap(mb_npy_rows *m)
{
    if (m->base)
        (void)munmap(m->base, m->bytes);
    memset(m, 0, sizeof *m);
}
