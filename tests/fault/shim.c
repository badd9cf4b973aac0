/* shim.c - loaded in front of the C library (LD_PRELOAD): makes the k-th call of a kind fail.
 *   FAULT_KIND   alloc, read, write, flush, open, fsync, rename, mkdir, stat or thread
 *   FAULT_AT     k, from 1; 0 only counts
 *   FAULT_STAYS  1: every call from the k-th on fails, as on a full disk
 *   FAULT_COUNT  file that gets the number of calls at the end
 * Messages on standard error never fail, and the clock stands still: outputs can be compared. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* the program's calls must find these */

enum kind { ALLOC, READ, WRITE, FLUSH, OPEN, FSYNC, RENAME, MKDIR, STAT, THREAD, NONE };
static const char *const kind_name[] = {"alloc", "read",   "write", "flush", "open",
                                        "fsync", "rename", "mkdir", "stat",  "thread"};

static enum kind   chosen = NONE;
static long        at, calls;
static int         stays;
static const char *count_file;

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t bytes);

/* The function behind ours, written to *out: ISO C has no cast from object to function. */
static void behind(const char *name, void *out)
{
    void *p = dlsym(RTLD_NEXT, name);

    memcpy(out, &p, sizeof p);
}

#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real)                                                                                     \
    behind(#name, &real)

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAULT_KIND"), *k = getenv("FAULT_AT"), *s = getenv("FAULT_STAYS");

    at = k ? atol(k) : 0;
    stays = s && *s == '1';
    count_file = getenv("FAULT_COUNT");
    for (int i = 0; kind && i < NONE; i++)
        if (!strcmp(kind, kind_name[i]))
            chosen = (enum kind)i;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int  fd, n = snprintf(text, sizeof text, "%ld\n", calls);

    chosen = NONE;
    fd = count_file ? open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return;
    if (write(fd, text, (size_t)n) != n)
        _exit(3);
    close(fd);
}

/* 1 when this call must fail. */
static int fails(enum kind kind, int reason)
{
    if (kind != chosen)
        return 0;
    calls++;
    if (!at || (stays ? calls < at : calls != at))
        return 0;
    errno = reason;
    return 1;
}

/* Streams in memory grow by malloc, which fails by itself. */
static int write_fails(FILE *fp)
{
    const int fd = fileno(fp);

    if (fd < 0 || fd == STDERR_FILENO || !fails(WRITE, ENOSPC))
        return 0;
    (void)fgetc(fp); /* refused on a stream for writing: sets its error indicator */
    errno = ENOSPC;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t size)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t bytes)
{
    return fails(ALLOC, ENOMEM) ? NULL : __libc_realloc(p, bytes);
}

ssize_t read(int fd, void *bytes, size_t n)
{
    REAL(ssize_t, read, int, void *, size_t);
    return fails(READ, EIO) ? -1 : real(fd, bytes, n);
}

size_t fread(void *bytes, size_t size, size_t n, FILE *fp)
{
    REAL(size_t, fread, void *, size_t, size_t, FILE *);
    if (!fails(READ, EIO))
        return real(bytes, size, n, fp);
    (void)fputc(0, fp); /* refused on a stream for reading: sets its error indicator */
    errno = EIO;
    return 0;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    REAL(ssize_t, write, int, const void *, size_t);
    return fails(WRITE, ENOSPC) ? -1 : real(fd, bytes, n);
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *fp)
{
    REAL(size_t, fwrite, const void *, size_t, size_t, FILE *);
    return write_fails(fp) ? 0 : real(bytes, size, n, fp);
}

int fputs(const char *text, FILE *fp)
{
    REAL(int, fputs, const char *, FILE *);
    return write_fails(fp) ? EOF : real(text, fp);
}

int puts(const char *text)
{
    REAL(int, puts, const char *);
    return write_fails(stdout) ? EOF : real(text);
}

int fputc(int c, FILE *fp)
{
    REAL(int, fputc, int, FILE *);
    return write_fails(fp) ? EOF : real(c, fp);
}

#undef putc
int putc(int c, FILE *fp)
{
    REAL(int, putc, int, FILE *);
    return write_fails(fp) ? EOF : real(c, fp);
}

#undef putchar
int putchar(int c)
{
    REAL(int, putchar, int);
    return write_fails(stdout) ? EOF : real(c);
}

int vfprintf(FILE *fp, const char *fmt, va_list ap)
{
    REAL(int, vfprintf, FILE *, const char *, va_list);
    return write_fails(fp) ? -1 : real(fp, fmt, ap);
}

int fprintf(FILE *fp, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = vfprintf(fp, fmt, ap);
    va_end(ap);
    return n;
}

int printf(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = vfprintf(stdout, fmt, ap);
    va_end(ap);
    return n;
}

int fflush(FILE *fp)
{
    REAL(int, fflush, FILE *);
    return fp && fileno(fp) >= 0 && fails(FLUSH, ENOSPC) ? EOF : real(fp);
}

/* A stream is gone also when closing it failed. */
int fclose(FILE *fp)
{
    REAL(int, fclose, FILE *);
    const int bad = fileno(fp) >= 0 && fails(FLUSH, ENOSPC), result = real(fp);

    if (!bad)
        return result;
    errno = ENOSPC;
    return EOF;
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, fopen, const char *, const char *);
    return fails(OPEN, EACCES) ? NULL : real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
    REAL(FILE *, fdopen, int, const char *);
    return fails(OPEN, ENOMEM) ? NULL : real(fd, mode);
}

int open(const char *path, int flags, ...)
{
    REAL(int, open, const char *, int, ...);
    mode_t  mode = 0;
    va_list ap;

    if (flags & O_CREAT) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    return fails(OPEN, EMFILE) ? -1 : real(path, flags, mode);
}

int fsync(int fd)
{
    REAL(int, fsync, int);
    return fails(FSYNC, EIO) ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    return fails(RENAME, EACCES) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, mkdir, const char *, mode_t);
    return fails(MKDIR, ENOSPC) ? -1 : real(path, mode);
}

char *mkdtemp(char *pattern)
{
    REAL(char *, mkdtemp, char *);
    return fails(MKDIR, ENOSPC) ? NULL : real(pattern);
}

int stat(const char *path, struct stat *out)
{
    REAL(int, stat, const char *, struct stat *);
    return fails(STAT, EACCES) ? -1 : real(path, out);
}

int fstat(int fd, struct stat *out)
{
    REAL(int, fstat, int, struct stat *);
    return fails(STAT, EIO) ? -1 : real(fd, out);
}

int pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*begin_with)(void *), void *arg)
{
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(THREAD, EAGAIN) ? EAGAIN : real(id, how, begin_with, arg);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    (void)id;
    *now = (struct timespec){.tv_sec = 1};
    return 0;
}
