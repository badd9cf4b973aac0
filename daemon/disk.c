/* disk.c - checkpoints of a node. */
#define _XOPEN_SOURCE 700
#include "disk.h"
#include "base/text.h"
#include "data/data.h"
#include "data/file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x31504b43424d) /* "MBCKP1"                       */
#define EPOCH INT64_C(1767225600)      /* 2026-01-01, seconds since 1970 */
enum { VERSION = 1, EIGHTHS = 8 };

struct disk {
    mb_arena       *own;
    char           *folder;
    unsigned char  *room; /* head and node */
    size_t          bytes;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    int             runs, full, end; /* thread, buffer with a checkpoint, time to end */
    int             sync;            /* descriptor that is to be synced; -1: none     */
    int64_t         written;
    mb_err          failure;
};

static mb_status put(const disk *d, size_t n, mb_err *err)
{
    mb_arena   *a = mb_arena_new(4096);
    const char *path = a ? mb_text(a, err, "%s/checkpoint", d->folder) : NULL;
    mb_file     f = {.fp = NULL};
    mb_status   st = MB_E_NOMEM;

    if (path)
        st = mb_file_open(a, path, &f, err);
    if (path && st >= 0)
        st = mb_file_close(&f, mb_file_write(&f, d->room, n, err), err);
    mb_arena_free(a);
    return st;
}

/* Writes the checkpoint that is there; the lock is held, but not meanwhile, here and below. */
static void write_one(disk *d)
{
    disk_head head;
    mb_err    why = {.msg = ""};
    mb_status st;

    pthread_mutex_unlock(&d->lock);
    memcpy(&head, d->room, sizeof head);
    st = put(d, sizeof head + head.bytes, &why);
    pthread_mutex_lock(&d->lock);
    d->written += st >= 0;
    d->failure = why;
    d->full = 0;
    pthread_cond_broadcast(&d->changed);
}

static void sync_one(disk *d)
{
    const int fd = d->sync;

    d->sync = -1;
    pthread_mutex_unlock(&d->lock);
    fsync(fd);
    close(fd);
    pthread_mutex_lock(&d->lock);
}

static void *write_all(void *self)
{
    disk *d = self;

    pthread_mutex_lock(&d->lock);
    while (d->full || d->sync >= 0 || !d->end)
        if (d->full)
            write_one(d);
        else if (d->sync >= 0)
            sync_one(d);
        else
            pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

mb_status disk_open(const char *folder, size_t bytes, disk **out, mb_err *err)
{
    disk *d = calloc(1, sizeof *d);

    *out = d;
    if (!d)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for checkpoints");
    d->bytes = bytes;
    d->sync = -1;
    d->folder = strdup(folder);
    d->room = malloc(sizeof(disk_head) + bytes);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    if (!d->folder || !d->room)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for checkpoints");
    if (pthread_create(&d->thread, NULL, write_all, d))
        MB_FAIL(err, MB_E_IO, "checkpoints: no thread can be started");
    d->runs = 1;
    return MB_OK;
}

void disk_close(disk *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&d->lock);
    d->end = 1;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
    if (d->runs)
        pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d->folder);
    free(d->room);
    free(d);
}

void *disk_room(disk *d, int wait)
{
    int full;

    pthread_mutex_lock(&d->lock);
    while (wait && d->full)
        pthread_cond_wait(&d->changed, &d->lock);
    full = d->full;
    pthread_mutex_unlock(&d->lock);
    return full ? NULL : d->room + sizeof(disk_head);
}

uint64_t disk_seal(disk *d, const disk_head *head)
{
    disk_head h = *head;

    h.magic = MAGIC;
    h.version = VERSION;
    h.bytes = d->bytes;
    h.hash = mb_bytes_hash(d->room + sizeof h, d->bytes);
    memcpy(d->room, &h, sizeof h);
    return h.hash;
}

void disk_write(disk *d, int wait)
{
    pthread_mutex_lock(&d->lock);
    d->full = 1;
    pthread_cond_broadcast(&d->changed);
    while (wait && d->full)
        pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
}

void disk_refuse(disk *d, const mb_err *why)
{
    pthread_mutex_lock(&d->lock);
    d->failure = *why;
    pthread_mutex_unlock(&d->lock);
}

void disk_sync(disk *d, int fd)
{
    pthread_mutex_lock(&d->lock);
    if (d->sync < 0)
        d->sync = dup(fd);
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

int64_t disk_state(disk *d, char *text, size_t cap)
{
    int64_t written;

    pthread_mutex_lock(&d->lock);
    snprintf(text, cap, "%s", d->failure.msg);
    written = d->written;
    pthread_mutex_unlock(&d->lock);
    return written;
}

mb_status disk_read(mb_arena *a, const char *folder, disk_head *head, const void **bytes,
                    mb_err *err)
{
    const char *path = mb_text(a, err, "%s/checkpoint", folder);
    char       *text;
    size_t      n;

    *bytes = NULL;
    if (!path)
        return MB_E_NOMEM;
    if (access(path, F_OK))
        return MB_OK;
    MB_TRY(mb_file_read(a, path, &text, &n, err));
    if (n < sizeof *head)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %zu bytes; expected a checkpoint", path, n);
    memcpy(head, text, sizeof *head);
    if (head->magic != MAGIC || head->version != VERSION || head->bytes != n - sizeof *head ||
        head->hash != mb_bytes_hash(text + sizeof *head, n - sizeof *head))
        MB_FAIL(err, MB_E_FORMAT, "%s: it is damaged, or of another version", path);
    *bytes = text + sizeof *head;
    return MB_OK;
}

/* What the clock says. */
static uint32_t by_clock(void)
{
    struct timespec now = {.tv_sec = 0};
    int64_t         n;

    clock_gettime(CLOCK_REALTIME, &now);
    n = (now.tv_sec - EPOCH) * EIGHTHS + now.tv_nsec / (1000000000 / EIGHTHS);
    return n < 1 ? 1 : n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

static mb_status keep(mb_arena *a, const char *folder, uint32_t n, mb_err *err)
{
    const char *path = mb_text(a, err, "%s/incarnation", folder);
    mb_file     f = {.fp = NULL};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(a, path, &f, err));
    return mb_file_close(&f, mb_file_printf(&f, err, "%lu\n", (unsigned long)n), err);
}

static mb_status count_up(mb_arena *a, const char *folder, uint32_t *out, mb_err *err)
{
    const char *path = mb_text(a, err, "%s/incarnation", folder);
    char       *text;
    size_t      n;

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_dir_make(folder, err));
    if (!access(path, F_OK)) {
        unsigned long before;

        MB_TRY(mb_file_read(a, path, &text, &n, err));
        before = strtoul(text, NULL, 10);
        if (before >= *out && before < UINT32_MAX)
            *out = (uint32_t)before + 1;
    }
    return keep(a, folder, *out, err);
}

mb_status disk_incarnation(const char *folder, uint32_t *out, mb_err *err)
{
    mb_arena *a;
    mb_status st;

    *out = by_clock();
    if (!folder)
        return MB_OK;
    a = mb_arena_new(4096);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the counter of lives");
    st = count_up(a, folder, out, err);
    mb_arena_free(a);
    return st;
}

mb_status disk_count_from(const char *folder, uint32_t n, mb_err *err)
{
    mb_arena *a = folder ? mb_arena_new(4096) : NULL;
    mb_status st;

    if (!folder)
        return MB_OK;
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the counter of lives");
    st = keep(a, folder, n, err);
    mb_arena_free(a);
    return st;
}
