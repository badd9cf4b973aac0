/* columns.c - what each column of a file of rows is for, by the names in mb_data_opt. */
#include "base/format.h"
#include "base/text.h"
#include "data/sheet.h"

#include <string.h>

/* The next entry of a list "a, b", without the blanks around it; *at: after it, NULL at the end. */
static const char *entry(const char **at, size_t *len)
{
    const char *s = *at + strspn(*at, " \t");
    size_t      n = strcspn(s, ",");

    *at = s[n] ? s + n + 1 : NULL;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    *len = n;
    return s;
}

int mb_list_has_(const char *list, const char *name)
{
    const size_t want = strlen(name);

    if (list && !strcmp(list, name))
        return 1;
    for (const char *at = list; at;) {
        size_t      len;
        const char *s = entry(&at, &len);

        if (len == want && !memcmp(s, name, len))
            return 1;
    }
    return 0;
}

static int32_t find(const mb_csv *csv, const char *name, size_t len)
{
    for (int32_t c = 0; c < csv->cols; c++)
        if (strlen(csv->name[c]) == len && !memcmp(csv->name[c], name, len))
            return c;
    return -1;
}

static mb_status need(mb_arena *a, const mb_csv *csv, const char *what, const char *name,
                      size_t len, int32_t *col, mb_err *err)
{
    const char *word = mb_text(a, err, "%.*s", (int)len, name);

    if (!word)
        return MB_E_NOMEM;
    return mb_csv_need_(csv, MB_E_ARG, what, word, col, err);
}

/* used[c]: 0, or why column c is not a feature. */
static mb_status take_role(const mb_csv *csv, const char *what, const char *name, const char **used,
                           int32_t *col, mb_err *err)
{
    if (!name)
        return MB_OK;
    MB_TRY(mb_csv_need_(csv, MB_E_ARG, what, name, col, err));
    if (used[*col])
        MB_FAIL(err, MB_E_ARG, "%s: column \"%.60s\" is both the %s and the %s; expected one",
                csv->file, name, used[*col], what);
    used[*col] = what;
    return MB_OK;
}

/* Every entry of a list of columns; those of --columns become features in its order. */
static mb_status take_list(mb_arena *a, const mb_csv *csv, const char *what, const char *list,
                           const char **used, mb_columns_ *out, mb_err *err)
{
    for (const char *at = list; at;) {
        size_t      len;
        const char *name = entry(&at, &len);
        int32_t     col;

        if (mb_csv_find(csv, list) >= 0) { /* a name with a comma */
            name = list;
            len = strlen(list);
            at = NULL;
        }
        if (out)
            MB_TRY(need(a, csv, what, name, len, &col, err));
        else if ((col = find(csv, name, len)) < 0)
            continue; /* the others check that some file has it */
        if (used[col])
            MB_FAIL(err, MB_E_ARG, "%s: column \"%.60s\" is both the %s and the %s; expected one",
                    csv->file, csv->name[col], used[col], what);
        used[col] = what;
        if (out)
            out->feature[out->d++] = col;
    }
    return MB_OK;
}

/* Those of --columns have been taken: the others that a model explains. */
static void take_targets(const mb_csv *csv, const char *list, const char **used, mb_columns_ *out)
{
    for (int32_t c = 0; c < csv->cols; c++)
        if (!used[c] && mb_list_has_(list, csv->name[c])) {
            used[c] = "target";
            out->feature[out->d++] = c;
        }
}

static mb_status assign(mb_arena *a, const mb_csv *csv, const mb_data_opt *opt, int32_t row_names,
                        mb_columns_ *out, mb_err *err)
{
    const char **used;

    MB_NEW(used, a, csv->cols, err);
    MB_TRY(take_role(csv, "node column", opt->node_column, used, &out->node, err));
    MB_TRY(take_role(csv, "label column", opt->label_column, used, &out->label, err));
    MB_TRY(take_role(csv, "weight column", opt->weight_column, used, &out->weight, err));
    if (opt->group_column && opt->node_column && !strcmp(opt->group_column, opt->node_column))
        out->group = out->node; /* each node is a group */
    else
        MB_TRY(take_role(csv, "group column", opt->group_column, used, &out->group, err));
    MB_TRY(take_role(csv, "time column", opt->time_column, used, &out->time, err));
    if (opt->drop)
        MB_TRY(take_list(a, csv, "column of --drop", opt->drop, used, NULL, err));
    if (opt->columns) {
        MB_TRY(take_list(a, csv, "column of --columns", opt->columns, used, out, err));
        take_targets(csv, opt->targets, used, out);
        return MB_OK;
    }
    for (int32_t c = 0; c < csv->cols; c++)
        if (!used[c] && c >= row_names)
            out->feature[out->d++] = c;
    if (!out->d)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: no feature column is left beside the node, label and weight columns%s",
                csv->file, opt->drop ? " and those of --drop" : "");
    return MB_OK;
}

mb_status mb_columns_find_(mb_arena *a, const char *file, int32_t cols, const char *const *name,
                           int32_t row_names, const mb_data_opt *opt, mb_columns_ *out, mb_err *err)
{
    mb_csv csv = {.file = file, .cols = cols};

    *out = (mb_columns_){.node = -1, .label = -1, .weight = -1, .group = -1, .time = -1};
    MB_NEW(out->feature, a, cols, err);
    if (opt && opt->group_column && opt->group_file)
        MB_FAIL(err, MB_E_ARG, "--group-column and --group-file exclude each other");
    if (opt && !name && opt->group_column)
        MB_FAIL(err, MB_E_ARG,
                "%s: an NPY file has no column names, so no group column; expected a CSV file, or "
                "--group-file",
                file);
    if (opt && !name &&
        (opt->node_column || opt->label_column || opt->weight_column || opt->time_column))
        MB_FAIL(err, MB_E_ARG,
                "%s: an NPY file has no column names, so no node, label, weight or time column; "
                "expected a CSV file, or --node-file and --label-file",
                file);
    if (opt && (name || opt->columns || opt->drop)) {
        MB_TRY(mb_numbered_(a, "x", cols, &csv.name, err));
        for (int32_t c = 0; name && c < cols; c++)
            csv.name[c] = name[c];
        return assign(a, &csv, opt, row_names, out, err);
    }
    for (; out->d < cols; out->d++)
        out->feature[out->d] = out->d;
    return MB_OK;
}

static int has_role(const mb_data_opt *opt, const char *name)
{
    return (opt->node_column && !strcmp(opt->node_column, name)) ||
           (opt->label_column && !strcmp(opt->label_column, name)) ||
           (opt->group_column && !strcmp(opt->group_column, name)) ||
           (opt->weight_column && !strcmp(opt->weight_column, name)) ||
           (opt->time_column && !strcmp(opt->time_column, name)) ||
           mb_list_has_(opt->columns, name) || mb_list_has_(opt->targets, name);
}

/* Column c of a file that the other has not: it may lack what is not read. */
static mb_status may_lack(const mb_data_opt *opt, const mb_csv *csv, int32_t row_names, int32_t c,
                          const mb_csv *other, mb_err *err)
{
    const char *name = csv->name[c];

    if (mb_list_has_(opt->drop, name) || ((opt->columns || c < row_names) && !has_role(opt, name)))
        return MB_OK;
    MB_FAIL(
        err, MB_E_FORMAT,
        "%.140s: no column \"%.60s\", which %.140s has; expected the same columns in every file "
        "(--drop leaves one out)",
        other->file, name, csv->file);
}

mb_status mb_columns_match_(const mb_data_opt *opt, const mb_csv *first, int32_t first_row_names,
                            const mb_csv *file, int32_t row_names, int32_t *here, mb_err *err)
{
    for (int32_t c = 0; c < first->cols; c++) {
        here[c] = mb_csv_find(file, first->name[c]);
        if (here[c] < 0)
            MB_TRY(may_lack(opt, first, first_row_names, c, file, err));
    }
    for (int32_t c = 0; c < file->cols; c++)
        if (mb_csv_find(first, file->name[c]) < 0)
            MB_TRY(may_lack(opt, file, row_names, c, first, err));
    return MB_OK;
}

mb_status mb_list_absent_(mb_arena *a, const char *list, int32_t cols, const char *const *name,
                          const char **absent, mb_err *err)
{
    const mb_csv csv = {.cols = cols, .name = (const char **)(uintptr_t)name};
    const char  *rest = NULL;

    *absent = NULL;
    if (list && mb_csv_find(&csv, list) >= 0)
        return MB_OK;
    for (const char *at = list; at;) {
        size_t      len;
        const char *s = entry(&at, &len);

        if (find(&csv, s, len) >= 0)
            continue;
        rest = mb_text(a, err, "%s%s%.*s", rest ? rest : "", rest ? "," : "", (int)len, s);
        if (!rest)
            return MB_E_NOMEM;
    }
    *absent = rest;
    return MB_OK;
}
