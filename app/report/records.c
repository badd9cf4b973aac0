/* records.c - the tables of the output folder as arrays of structs. */
#include "base/folder.h"
#include "base/text.h"
#include "report/parts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

mb_status report_find_file(report *r, const char *name, const char **path, mb_err *err)
{
    const char *full = mb_text(r->page.a, err, "%s/%s", r->page.dir, name);
    struct stat about;

    *path = NULL;
    if (!full)
        return MB_E_NOMEM;
    if (stat(full, &about) == 0)
        *path = folder_has(r->summary, name) ? full : NULL;
    else if (errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: %s", full, strerror(errno));
    return MB_OK;
}

static mb_status find_algo(const report *r, const mb_csv *csv, int64_t row, const char *name,
                           report_algo **out, mb_err *err)
{
    for (int32_t k = 0; k < r->nalgo; k++)
        if (!strcmp(r->algo[k].name, name)) {
            *out = &r->algo[k];
            return MB_OK;
        }
    MB_FAIL(err, MB_E_FORMAT, "%s:%lld: algorithm \"%.60s\" is not in summary.json", csv->file,
            (long long)csv->line[row], name);
}

/* One cell into a struct; col -1: the column of algorithms is absent. */
static mb_status read_cell(const report *r, const mb_csv *csv, int64_t row, int32_t col,
                           const report_column *c, void *to, mb_err *err)
{
    const char *text = col >= 0                 ? csv->cell[row * csv->cols + col]
                       : c->kind == REPORT_ALGO ? r->algo->name
                                                : "";

    switch (c->kind) {
    case REPORT_TEXT:
    case REPORT_WORD:
        *(const char **)to = text;
        return MB_OK;
    case REPORT_COUNT:
        return mb_csv_integer(csv, row, col, 0, c->most, to, err);
    case REPORT_ALGO:
        return find_algo(r, csv, row, text, to, err);
    case REPORT_MEASURED:
    case REPORT_LATER:
        *(double *)to = PAGE_NAN;
        return *text ? mb_csv_number(csv, row, col, to, err) : MB_OK;
    default:
        return mb_csv_number(csv, row, col, to, err);
    }
}

/* 1 if a table without such a column can be read. */
static int may_lack(const report *r, report_kind kind)
{
    return kind == REPORT_LATER || kind == REPORT_WORD || (kind == REPORT_ALGO && r->nalgo == 1);
}

mb_status report_read(report *r, const char *name, const report_column *column, int32_t columns,
                      size_t size, report_records *out, mb_err *err)
{
    const char *path;
    char       *to;
    int32_t     col[REPORT_COLUMNS];

    *out = (report_records){0};
    MB_TRY(report_find_file(r, name, &path, err));
    if (!path)
        return MB_OK;
    MB_TRY(mb_csv_read(r->page.a, path, &out->csv, err));
    for (int32_t k = 0; k < columns; k++) {
        col[k] = mb_csv_find(&out->csv, column[k].name);
        if (col[k] < 0 && !may_lack(r, column[k].kind))
            MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"%s\" in the header line", path,
                    column[k].name);
    }
    out->record = to = mb_alloc(r->page.a, (size_t)out->csv.rows + 1, size);
    if (!to)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %lld rows", path, (long long)out->csv.rows);
    for (int64_t row = 0; row < out->csv.rows; row++, to += size)
        for (int32_t k = 0; k < columns; k++)
            MB_TRY(read_cell(r, &out->csv, row, col[k], &column[k], to + column[k].at, err));
    return MB_OK;
}
