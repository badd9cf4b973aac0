/* files.c - what the readers of the output folder share: its paths, tables and algorithms. */
#include "base/folder.h"
#include "report/parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

mb_status report_note(report *r, const char *text, mb_err *err)
{
    const char **more;

    if (!text)
        return MB_E_NOMEM;
    if (r->nnotes == r->note_cap) {
        r->note_cap = 2 * r->note_cap + 8;
        MB_NEW(more, r->page.a, r->note_cap, err);
        for (int32_t k = 0; k < r->nnotes; k++)
            more[k] = r->note[k];
        r->note = more;
    }
    r->note[r->nnotes++] = text;
    return MB_OK;
}

const char *report_path(report *r, const char *name, mb_err *err)
{
    return mb_text(r->page.a, err, "%s/%s", r->page.dir, name);
}

int report_find_algo(const report *r, const char *name)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (!strcmp(r->algo[k].name, name))
            return k;
    return -1;
}

mb_status report_exists(const char *path, int *there, mb_err *err)
{
    struct stat about;

    *there = stat(path, &about) == 0;
    if (!*there && errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: %s", path, strerror(errno));
    return MB_OK;
}

mb_status report_table(report *r, const char *name, const char *const *names, int32_t count,
                       mb_csv *csv, int32_t *col, int *there, mb_err *err)
{
    const char *path = report_path(r, name, err);

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(report_exists(path, there, err));
    *there = *there && folder_has(r->summary, name); /* else it is another run's */
    if (!*there)
        return MB_OK;
    MB_TRY(mb_csv_read(r->page.a, path, csv, err));
    for (int32_t k = 0; k < count; k++) {
        col[k] = mb_csv_find(csv, names[k]);
        if (col[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"%s\" in the header line", path, names[k]);
    }
    return MB_OK;
}

mb_status report_cell(const mb_csv *c, int64_t row, int32_t col, double *out, mb_err *err)
{
    *out = PAGE_NAN;
    if (!*c->cell[row * c->cols + col])
        return MB_OK;
    return mb_csv_number(c, row, col, out, err);
}
