/* posted.c - the log of rows that were posted. */
#define _XOPEN_SOURCE 700
#include "posted.h"
#include "base/text.h"
#include "data/data.h"
#include "data/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3154534f50424d) /* "MBPOST1" */
enum { KEYS = 256 /* that are remembered */, PATH = 4200 };

/* A file begins with it. Plain numbers, here and below. */
typedef struct head {
    uint64_t magic, hash; /* of the checkpoint; 0: none */
    int64_t  columns, weighted;
} head;

/* Rows of one request: n x columns numbers follow, then n weights; n 0: only the key. */
typedef struct record {
    uint64_t check; /* FNV-1a of what follows */
    uint64_t key;
    int64_t  now, n;
} record;

struct posted {
    char    *folder;
    int32_t  d, weighted;
    int      fd;            /* of the newest file; -1: none is open            */
    int64_t  size, before;  /* of it; before the newest record                 */
    int64_t  first, number; /* oldest and newest file; number 0: there is none */
    int64_t  marked;        /* file of the newest mark                         */
    int32_t  rows, fresh;   /* 1: some files have rows; the newest one has     */
    uint64_t key[KEYS];
    int32_t  keys;  /* so far: the next one goes to keys % KEYS    */
    int32_t  keyed; /* 1: the newest rows have a key                */
};

mb_status posted_open(const char *folder, int32_t d, int weighted, posted **out, mb_err *err)
{
    posted *p = calloc(1, sizeof *p);

    *out = p;
    if (!p || !(p->folder = strdup(folder))) {
        free(p);
        *out = NULL;
        MB_FAIL(err, MB_E_NOMEM, "out of memory for posted rows");
    }
    p->d = d;
    p->weighted = weighted;
    p->fd = -1;
    p->first = 1;
    return MB_OK;
}

void posted_close(posted *p)
{
    if (!p)
        return;
    if (p->fd >= 0)
        close(p->fd);
    free(p->folder);
    free(p);
}

static void path_of(const posted *p, int64_t number, char path[PATH])
{
    snprintf(path, PATH, "%s/posted-%lld", p->folder, (long long)number);
}

static void keep_key(posted *p, uint64_t key)
{
    if (key)
        p->key[p->keys++ % KEYS] = key;
    if (p->keys == 2 * KEYS)
        p->keys = KEYS;
}

int posted_known(const posted *p, uint64_t key)
{
    for (int32_t k = 0; p && key && k < p->keys && k < KEYS; k++)
        if (p->key[k] == key)
            return 1;
    return 0;
}

static size_t numbers_of(const posted *p, int64_t n)
{
    return (size_t)n * (size_t)(p->d + p->weighted);
}

/* ---- reading ---- */

/* The files that are there: the oldest and the newest. */
static void find(posted *p)
{
    DIR                 *dir = opendir(p->folder);
    const struct dirent *e;

    p->first = INT64_MAX;
    while (dir && (e = readdir(dir))) {
        char     *end;
        long long n = strncmp(e->d_name, "posted-", 7) ? 0 : strtoll(e->d_name + 7, &end, 10);

        if (n < 1 || *end)
            continue;
        p->first = n < p->first ? n : p->first;
        p->number = n > p->number ? n : p->number;
    }
    if (dir)
        closedir(dir);
    p->first = p->first < INT64_MAX ? p->first : p->number + 1;
}

/* The head of a file, and its bytes; 0: there is no such file, or it is none of this node. */
static int read_file(const posted *p, mb_arena *a, int64_t number, head *h, char **bytes, size_t *n)
{
    char   path[PATH];
    mb_err why;

    path_of(p, number, path);
    if (access(path, R_OK) || mb_file_read(a, path, bytes, n, &why) < 0 || *n < sizeof *h)
        return 0;
    memcpy(h, *bytes, sizeof *h);
    return h->magic == MAGIC && h->columns == p->d && h->weighted == p->weighted;
}

/* The next whole record of n bytes, and its numbers in the arena; 0: there is none. */
static int next(const posted *p, mb_arena *a, const char *bytes, size_t n, size_t *at, record *r,
                double **x)
{
    size_t size;

    if (n - *at < sizeof *r)
        return 0;
    memcpy(r, bytes + *at, sizeof *r);
    if (r->n < 0 || r->n > (int64_t)(n / sizeof **x) ||
        numbers_of(p, r->n) > (n - *at - sizeof *r) / sizeof **x)
        return 0;
    size = numbers_of(p, r->n) * sizeof **x;
    *x = mb_alloc(a, size / sizeof **x + 1, sizeof **x);
    if (!*x || mb_bytes_hash(bytes + *at + sizeof r->check, sizeof *r + size - sizeof r->check) !=
                   r->check)
        return 0;
    memcpy(*x, bytes + *at + sizeof *r, size);
    *at += sizeof *r + size;
    return 1;
}

/* Rows of one file to *to, if there is one; all keys. Returns how many rows were taken. */
static int64_t replay_file(posted *p, mb_arena *a, int64_t number, const posted_taker *to,
                           int64_t least)
{
    size_t  at = sizeof(head), n;
    int64_t taken = 0;
    head    h;
    char   *bytes;
    record  r;
    double *x;

    if (!read_file(p, a, number, &h, &bytes, &n))
        return 0;
    while (next(p, a, bytes, n, &at, &r, &x)) {
        const mb_rows one = {.x = x,
                             .w = p->weighted ? x + r.n * p->d : NULL,
                             .n = r.n,
                             .d = p->d,
                             .ld = (size_t)p->d,
                             .gaps = 1};
        mb_err        why = {.msg = ""};

        keep_key(p, r.key);
        p->rows |= r.n > 0;
        if (to && r.n && r.now >= least && to->take(to->self, &one, &why) >= 0)
            taken += r.n;
    }
    return taken;
}

mb_status posted_replay(posted *p, uint64_t hash, int64_t least, const posted_taker *to,
                        int64_t *rows, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 16);
    int64_t   from;
    head      h;
    char     *bytes;
    size_t    n;

    *rows = 0;
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for posted rows");
    find(p);
    for (from = p->number; from >= p->first && hash; from--)
        if (read_file(p, a, from, &h, &bytes, &n) && h.hash == hash)
            break;
    for (int64_t k = p->first; k <= p->number; k++)
        *rows += replay_file(p, a, k, hash && k < from ? NULL : to, least);
    mb_arena_free(a);
    return MB_OK;
}

/* ---- writing ---- */

static mb_status failed(const char *path, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* All bytes, or the file is as it was. */
static int put(posted *p, const void *bytes, size_t n)
{
    const ssize_t did = pwrite(p->fd, bytes, n, (off_t)p->size);

    if (did >= 0 && (size_t)did == n) {
        p->before = p->size;
        p->size += did;
        return 1;
    }
    if (did >= 0)
        errno = ENOSPC;
    if (ftruncate(p->fd, (off_t)p->size) < 0) {
        /* A record that is not whole is left out when it is read. */
    }
    return 0;
}

static int put_key(posted *p, uint64_t key)
{
    record r = {.key = key};

    r.check = mb_bytes_hash((const char *)&r + sizeof r.check, sizeof r - sizeof r.check);
    return put(p, &r, sizeof r);
}

/* The next file, with the keys that are known. */
static mb_status begin(posted *p, uint64_t hash, mb_err *err)
{
    const head    h = {.magic = MAGIC, .hash = hash, .columns = p->d, .weighted = p->weighted};
    const int32_t keys = p->keys < KEYS ? p->keys : KEYS;
    char          path[PATH];
    int           fine;

    path_of(p, p->number + 1, path);
    if (p->fd >= 0)
        close(p->fd);
    p->size = 0;
    p->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fine = p->fd >= 0 && put(p, &h, sizeof h);
    for (int32_t k = 0; fine && k < keys; k++)
        fine = put_key(p, p->key[(p->keys - keys + k) % KEYS]);
    if (!fine || fsync(p->fd)) {
        (void)failed(path, err);
        if (p->fd >= 0)
            close(p->fd);
        p->fd = -1;
        unlink(path);
        return MB_E_IO;
    }
    p->number++;
    p->fresh = 0;
    return MB_OK;
}

mb_status posted_add(posted *p, int64_t now, uint64_t key, const mb_rows *rows, mb_err *err)
{
    const size_t size = sizeof(record) + numbers_of(p, rows->n) * sizeof(double);
    record       r = {.key = key, .now = now, .n = rows->n};
    char        *bytes, path[PATH];
    double      *x;
    int          fine;

    if (p->fd < 0)
        MB_TRY(begin(p, 0, err));
    bytes = malloc(size);
    if (!bytes)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for posted rows");
    x = (double *)(void *)(bytes + sizeof r);
    for (int64_t i = 0; i < rows->n; i++)
        for (int32_t d = 0; d < p->d; d++)
            *x++ = mb_rows_at(rows, i, d);
    for (int64_t i = 0; p->weighted && i < rows->n; i++)
        *x++ = rows->w ? rows->w[i] : 1;
    memcpy(bytes, &r, sizeof r);
    r.check = mb_bytes_hash(bytes + sizeof r.check, size - sizeof r.check);
    memcpy(bytes, &r, sizeof r);
    fine = put(p, bytes, size);
    free(bytes);
    path_of(p, p->number, path);
    if (!fine)
        return failed(path, err);
    keep_key(p, key);
    p->keyed = key != 0;
    p->rows = p->fresh = 1;
    return MB_OK;
}

void posted_undo(posted *p)
{
    if (!p || p->fd < 0)
        return;
    p->size = p->before;
    p->key[(p->keys + KEYS - 1) % KEYS] *= !p->keyed;
    if (ftruncate(p->fd, (off_t)p->size) < 0) {
        /* The rows are refused again when they are read. */
    }
}

int posted_fd(const posted *p)
{
    return p ? p->fd : -1;
}

mb_status posted_mark(posted *p, uint64_t hash, mb_err *err)
{
    if (!p || !p->rows)
        return MB_OK;
    MB_TRY(begin(p, hash, err));
    p->marked = p->number;
    return MB_OK;
}

void posted_cut(posted *p)
{
    char path[PATH];

    for (; p && p->first < p->marked; p->first++) {
        path_of(p, p->first, path);
        unlink(path);
    }
    if (p && p->marked)
        p->rows = p->number > p->marked || p->fresh;
}
