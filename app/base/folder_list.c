/* folder_list.c - the files of one run: their list in summary.json, and the check against it. */
#include "base/folder.h"
#include "data/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char list[] = "files", size_of[] = "bytes", sum_of[] = "crc32";

static mb_status cannot(const char *path, const char *what, int reason, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s", path, what, strerror(reason ? reason : EIO));
}

typedef struct sum {
    int64_t  bytes;
    uint32_t crc;
} sum;

/* Size and check sum of a file; *missing = 1 if it does not exist. */
static mb_status weigh(const char *path, sum *out, int *missing, mb_err *err)
{
    unsigned char part[1 << 14];
    size_t        got;
    FILE         *f = fopen(path, "rb");
    int           bad;

    *out = (sum){0};
    *missing = !f && (errno == ENOENT || errno == ENOTDIR);
    if (*missing)
        return MB_OK;
    if (!f)
        return cannot(path, "read", errno, err);
    while ((got = fread(part, 1, sizeof part, f)) > 0) {
        out->crc = mb_crc32(out->crc, part, got);
        out->bytes += (int64_t)got;
    }
    bad = ferror(f);
    fclose(f);
    return bad ? cannot(path, "read", errno, err) : MB_OK;
}

mb_status folder_list(const char *dir, const char *const *name, int32_t count, mb_json_out *out,
                      mb_err *err)
{
    mb_json_object(out, list);
    for (int32_t k = 0; k < count; k++) {
        char path[4096], hex[16];
        int  missing;
        sum  s;

        snprintf(path, sizeof path, "%s/%s", dir, name[k]);
        MB_TRY(weigh(path, &s, &missing, err));
        if (missing)
            MB_FAIL(err, MB_E_IO, "%s: went away while the run was written", path);
        snprintf(hex, sizeof hex, "%08lx", (unsigned long)s.crc);
        mb_json_object(out, name[k]);
        mb_json_integer(out, size_of, s.bytes);
        mb_json_text(out, sum_of, hex);
        mb_json_close(out);
    }
    mb_json_close(out);
    return MB_OK;
}

/* Compares one file with its entry; `from`: summary.json, for messages. */
static mb_status compare(const char *dir, const char *from, const char *name, const mb_json *entry,
                         mb_err *err)
{
    static const char again[] = "the folder holds files of more than one run, or was changed; "
                                "expected a folder whose run came to its end";
    const mb_json    *bytes = mb_json_at(entry, size_of);
    const char       *crc = mb_json_at(entry, sum_of)->text;
    char              path[4096], hex[16];
    int               missing;
    sum               s;

    if (bytes->type != MB_JSON_INTEGER || !crc || strchr(name, '/'))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: field \"%s.%.60s\" is wrong; expected a file of the folder with \"%s\" and "
                "\"%s\"",
                from, list, name, size_of, sum_of);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    MB_TRY(weigh(path, &s, &missing, err));
    if (missing)
        MB_FAIL(err, MB_E_FORMAT, "%s: is missing, but summary.json lists it: %s", path, again);
    if (s.bytes != bytes->integer)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld bytes, but summary.json says %lld: %s", path,
                (long long)s.bytes, (long long)bytes->integer, again);
    snprintf(hex, sizeof hex, "%08lx", (unsigned long)s.crc);
    if (strcmp(hex, crc) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: has the CRC-32 %s, but summary.json says %.8s: %s", path,
                hex, crc, again);
    return MB_OK;
}

int folder_is_same(const char *dir, const char *name, const mb_json *entry)
{
    return compare(dir, "", name, entry, NULL) >= 0;
}

static mb_status check(const char *dir, const char *path, const mb_json *summary, mb_err *err)
{
    const mb_json *files = mb_json_at(summary, list);

    if (files->type != MB_JSON_NONE && files->type != MB_JSON_OBJECT)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\" is wrong; expected an object", path, list);
    for (size_t k = 0; k < files->n; k++)
        MB_TRY(compare(dir, path, files->item[k].key, &files->item[k], err));
    return MB_OK;
}

mb_status folder_check(const char *dir, mb_err *err)
{
    char           path[4096];
    const mb_json *summary;
    mb_arena      *a;
    mb_status      st;

    snprintf(path, sizeof path, "%s/summary.json", dir);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        MB_FAIL(err, MB_E_IO,
                "%s: not found: the run into this folder did not end; expected a folder whose "
                "run came to its end",
                path);
    a = mb_arena_new(1 << 14);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to read it", path);
    st = mb_json_read(a, path, &summary, err);
    if (st >= 0)
        st = check(dir, path, summary, err);
    mb_arena_free(a);
    return st;
}

int folder_has(const mb_json *summary, const char *name)
{
    const mb_json *files = mb_json_at(summary, list);

    return files->type == MB_JSON_NONE || mb_json_at(files, name)->type != MB_JSON_NONE;
}
