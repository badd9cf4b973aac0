/* sim_rows_out.c - an array with a row per node in one NPY file, each process writing its own rows
 * where they belong. The file appears when all are done. */
#define _XOPEN_SOURCE 700 /* pwrite */
#include "sim/sim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct out {
    const mb_part *part;
    int64_t        dumps;
    size_t         len;
    const double  *x;
    int64_t        head; /* bytes before the numbers */
} out;

static mb_status cannot(const char *path, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot write: %s", path, strerror(errno ? errno : EIO));
}

static mb_status put(int fd, const char *path, const double *x, size_t count, int64_t at,
                     mb_err *err)
{
    const char *from = (const char *)x;
    size_t      left = count * sizeof *x;

    while (left) {
        const ssize_t done = pwrite(fd, from, left, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return cannot(path, err);
        from += done;
        at += done;
        left -= (size_t)done;
    }
    return MB_OK;
}

/* Nodes with consecutive ids lie behind one another here and there. */
static mb_status put_rows(const out *o, int fd, const char *path, mb_err *err)
{
    const mb_part *part = o->part;
    const int32_t  n = part->n_local;

    for (int64_t k = 0; k < o->dumps; k++)
        for (int32_t i = 0, next; i < n; i = next) {
            const int64_t row = k * part->n_global + part->gid[i];

            for (next = i + 1; next < n && part->gid[next] == part->gid[next - 1] + 1;)
                next++;
            MB_TRY(put(fd, path, o->x + (size_t)(k * n + i) * o->len, (size_t)(next - i) * o->len,
                       o->head + row * (int64_t)(o->len * sizeof *o->x), err));
        }
    return MB_OK;
}

static mb_status write_share(const out *o, const char *temp, const char *path, mb_err *err)
{
    const int fd = open(temp, O_WRONLY);
    mb_status st;

    if (fd < 0)
        return cannot(path, err);
    st = put_rows(o, fd, path, err);
    if (st >= 0 && fsync(fd) != 0)
        st = cannot(path, err);
    if (close(fd) != 0 && st >= 0)
        st = cannot(path, err);
    return st;
}

/* Process 0 makes the file with its header; its name, where the header ends. */
static mb_status begin(const sim *s, out *o, const char *path, int32_t ndim, const int64_t *shape,
                       mb_file *f, char *temp, size_t room, mb_err *err)
{
    if (s->ranks.rank)
        return MB_OK;
    MB_TRY(mb_file_open(s->a, path, f, err));
    if (!f->temp || f->gzip || strlen(f->temp) >= room)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: several processes write into one file at once, accepted: a plain .npy file",
                path);
    MB_TRY(mb_npy_begin(f, ndim, shape, err));
    if (fflush(f->fp) != 0)
        return cannot(path, err);
    o->head = ftell(f->fp);
    memcpy(temp, f->temp, strlen(f->temp) + 1);
    return MB_OK;
}

static mb_status together(const sim *s, out *o, const char *path, int32_t ndim,
                          const int64_t *shape, mb_file *f, mb_err *err)
{
    char temp[4096] = "";

    MB_TRY(ranks_agree(&s->ranks, begin(s, o, path, ndim, shape, f, temp, sizeof temp, err), err));
    MB_TRY(ranks_share(&s->ranks, temp, sizeof temp, err));
    MB_TRY(ranks_share(&s->ranks, &o->head, sizeof o->head, err));
    MB_TRY(ranks_agree(&s->ranks, write_share(o, temp, path, err), err));
    return ranks_agree(&s->ranks, s->ranks.rank ? MB_OK : mb_file_commit(f, err), err);
}

mb_status sim_rows_out(sim *s, const mb_part *part, const char *path, int64_t dumps, size_t len,
                       const double *x, mb_err *err)
{
    const int32_t n = part->n_global, skip = dumps ? 0 : 1;
    const int64_t shape[3] = {dumps, n, (int64_t)len};
    out           o = {part, dumps ? dumps : 1, len, x, 0};
    mb_file       f = {0};
    mb_status     st;

    MB_TRY(sim_wrote(s, path, err)); /* or the run ends without a summary */
    if (s->ranks.size == 1)
        return mb_npy_write(s->a, path, 3 - skip, shape + skip, x, err);
    if (part->n_local == n) /* central VB: every process has it */
        return ranks_agree(
            &s->ranks,
            s->ranks.rank ? MB_OK : mb_npy_write(s->a, path, 3 - skip, shape + skip, x, err), err);
    st = together(s, &o, path, 3 - skip, shape + skip, &f, err);
    mb_file_abort(&f);
    return st;
}
