/* sweep.c - what killed processes left beside the files they were writing. */
#include "meshbayes/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mb_process_gone(long pid)
{
    return pid > 0 && pid != (long)getpid() && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* FILE.tmp-PID of a process that is no more; n: the length of FILE, when it must be `file`. */
static int is_left(const char *name, const char *file, size_t n)
{
    static const char mark[] = ".tmp-";
    const char       *tail = strstr(name, mark), *next;

    while (tail && (next = strstr(tail + 1, mark)))
        tail = next;
    if (!tail || tail == name || (file && ((size_t)(tail - name) != n || memcmp(name, file, n))))
        return 0;
    tail += strlen(mark);
    if (!*tail || strspn(tail, "0123456789") != strlen(tail))
        return 0;
    return mb_process_gone(strtol(tail, NULL, 10));
}

void mb_dir_sweep(const char *dir, const char *file)
{
    DIR                 *d = opendir(dir);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_left(e->d_name, file, file ? strlen(file) : 0))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}
