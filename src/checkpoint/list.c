/* list.c - the checkpoints in a folder: their names, which are the newest, which go. */
#include "base/format.h"
#include "checkpoint/folder.h"
#include "checkpoint/parts.h"

#include <stdio.h>
#include <string.h>

static const char unfinished[] = ".tmp", end[] = "-end";

static int ends_in(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);

    return n >= m && !strcmp(text + n - m, tail);
}

const char *mb_key_name_(char buf[64 + 256], int64_t key, const char *name)
{
    snprintf(buf, 64 + 256, "round-%09lld-%.255s%s", (long long)(key / 2), name,
             key % 2 ? end : "");
    return buf;
}

/* Key of a folder's name, -1 for any other. *name, *n: the name it is of. */
static int64_t key_of(const char *folder, const char **name, size_t *n)
{
    int64_t t = 0;
    int     digits = 0;

    if (strncmp(folder, "round-", 6) != 0 || ends_in(folder, unfinished))
        return -1;
    for (folder += 6; *folder >= '0' && *folder <= '9' && digits < 16; folder++, digits++)
        t = 10 * t + (*folder - '0');
    if (!digits || *folder != '-')
        return -1;
    *name = folder + 1;
    *n = strlen(*name);
    if (!ends_in(*name, end))
        return 2 * t;
    *n -= strlen(end);
    return 2 * t + 1;
}

static int64_t key_for(const char *folder, const char *name)
{
    const char *whose;
    size_t      n;
    int64_t     key = key_of(folder, &whose, &n);

    return key >= 0 && strlen(name) == n && !memcmp(whose, name, n) ? key : -1;
}

mb_status mb_key_newest_(const char *dir, const char *name, int64_t before, int64_t *key,
                         mb_err *err)
{
    mb_arena    *a = mb_arena_new(4096);
    const char **folder;
    int32_t      count = 0;
    mb_status    st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its names", dir);
    *key = -1;
    st = mb_folder_list_(a, dir, &folder, &count, err);
    for (int32_t k = 0; st >= 0 && k < count; k++) {
        const int64_t one = key_for(folder[k], name);

        *key = one < before && one > *key ? one : *key;
    }
    mb_arena_free(a);
    return st;
}

static mb_status remove_in(mb_arena *a, const char *dir, const char *folder, mb_err *err)
{
    const char *path;

    MB_TRY(mb_path_(a, dir, folder, &path, err));
    mb_folder_remove_(path);
    return MB_OK;
}

/* Removes the folders that are unfinished, or those of the name outside low..high. */
static mb_status clear(const char *dir, const char *name, int64_t low, int64_t high, mb_err *err)
{
    mb_arena    *a = mb_arena_new(4096);
    const char **folder;
    int32_t      count = 0;
    mb_status    st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its names", dir);
    st = mb_folder_list_(a, dir, &folder, &count, err);
    for (int32_t k = 0; st >= 0 && k < count; k++) {
        const int64_t key = name ? key_for(folder[k], name) : -1;
        const int     old = key >= 0 && (key < low || key > high);

        if (old || (!name && !strncmp(folder[k], "round-", 6) && ends_in(folder[k], unfinished)))
            st = remove_in(a, dir, folder[k], err);
    }
    mb_arena_free(a);
    return st;
}

mb_status mb_unfinished_remove_(const char *dir, mb_err *err)
{
    return clear(dir, NULL, 0, 0, err);
}

mb_status mb_outdated_remove_(const char *dir, const char *name, int64_t key, mb_err *err)
{
    int64_t before;

    MB_TRY(mb_key_newest_(dir, name, key, &before, err));
    return clear(dir, name, before, key, err);
}

mb_status mb_checkpoint_count(const char *dir, int32_t *count, mb_err *err)
{
    mb_arena    *a = mb_arena_new(4096);
    const char **folder, *whose;
    int32_t      names = 0;
    size_t       n;
    mb_status    st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its names", dir);
    *count = 0;
    st = mb_folder_list_(a, dir, &folder, &names, err);
    for (int32_t k = 0; st >= 0 && k < names; k++)
        *count += key_of(folder[k], &whose, &n) >= 0;
    mb_arena_free(a);
    return st;
}
