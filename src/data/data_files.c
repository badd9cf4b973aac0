/* data_files.c - the files that `--data` names: one, a list, or those of a folder. */
#include "base/text.h"
#include "data/sheet.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Bytes of a name before an ending that rows have; 0 for other files. */
static size_t stem(const char *name)
{
    static const char *const ending[] = {".csv", ".tsv", ".txt", ".npy", ".npz"};
    const char              *dot = NULL;

    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (mb_path_ends(name, ending[k]))
            for (const char *s = name; (s = strstr(s, ending[k])); s++)
                dot = s;
    return dot ? (size_t)(dot - name) : 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static mb_status add(mb_arena *a, mb_file_list *list, int32_t *room, const char *folder,
                     const char *name, size_t len, mb_err *err)
{
    if (list->n == *room) {
        *room = *room ? 2 * *room : 16;
        list->file =
            mb_larger_(a, list->file, (size_t)list->n, (size_t)*room, sizeof *list->file, err);
        if (!list->file)
            return MB_E_NOMEM;
    }
    list->file[list->n] = mb_text(a, err, "%s%.*s", folder, (int)len, name);
    return list->file[list->n++] ? MB_OK : MB_E_NOMEM;
}

static mb_status list_folder(mb_arena *a, const char *path, DIR *dir, mb_file_list *out,
                             mb_err *err)
{
    const char          *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    const char          *folder = mb_text(a, err, "%s%s", path, slash);
    const struct dirent *e;
    int32_t              room = 0;

    if (!folder)
        return MB_E_NOMEM;
    while ((e = readdir(dir))) {
        if (*e->d_name == '.')
            continue;
        if (stem(e->d_name))
            MB_TRY(add(a, out, &room, folder, e->d_name, strlen(e->d_name), err));
        else
            out->other++;
    }
    if (!out->n)
        MB_FAIL(err, MB_E_IO,
                "%s: a folder without rows; expected files .csv, .tsv, .txt, .npy or .npz", path);
    qsort(out->file, (size_t)out->n, sizeof *out->file, by_bytes);
    return MB_OK;
}

static mb_status read_folder(mb_arena *a, const char *path, mb_file_list *out, mb_err *err)
{
    DIR      *dir = opendir(path);
    mb_status st;

    if (!dir)
        return mb_io_failed_(path, "read", errno, err);
    st = list_folder(a, path, dir, out, err);
    closedir(dir);
    return st;
}

static mb_status split(mb_arena *a, const char *text, mb_file_list *out, mb_err *err)
{
    int32_t room = 0;

    for (const char *s = text;; s++) {
        const size_t len = strcspn(s, ",");

        if (!len)
            MB_FAIL(err, MB_E_ARG, "--data: got \"%.200s\"; expected a file between the commas",
                    text);
        MB_TRY(add(a, out, &room, "", s, len, err));
        s += len;
        if (!*s)
            return MB_OK;
    }
}

/* The nodes' names: files without folder and ending, and without the name of an NPZ array. */
static mb_status name_all(mb_arena *a, mb_file_list *out, mb_err *err)
{
    int32_t first, second;

    MB_NEW(out->name, a, out->n, err);
    for (int32_t k = 0; k < out->n; k++) {
        const char  *slash = strrchr(out->file[k], '/');
        const char  *base = slash ? slash + 1 : out->file[k];
        const char  *array = strstr(base, ".npz:");
        const size_t len = array ? (size_t)(array - base) : stem(base);

        out->name[k] = mb_text(a, err, "%.*s", (int)(len ? len : strlen(base)), base);
        if (!out->name[k])
            return MB_E_NOMEM;
    }
    MB_TRY(mb_texts_twice_(a, out->n, out->name, &first, &second, err));
    if (second >= 0)
        MB_FAIL(err, MB_E_ARG,
                "%.150s and %.150s: both name a node \"%.60s\"; expected files of different names",
                out->file[first], out->file[second], out->name[first]);
    return MB_OK;
}

mb_status mb_data_files(mb_arena *a, const char *text, mb_file_list *out, mb_err *err)
{
    struct stat st;
    int32_t     room = 0;

    *out = (mb_file_list){.n = 0};
    if (is_folder(text))
        MB_TRY(read_folder(a, text, out, err));
    else if (strchr(text, ',') && stat(text, &st) != 0)
        MB_TRY(split(a, text, out, err));
    else
        MB_TRY(add(a, out, &room, "", text, strlen(text), err));
    return name_all(a, out, err);
}
