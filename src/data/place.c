/* place.c - the line of a row, found again when a message needs it. */
#include "base/format.h"
#include "data/sheet.h"

#include <stdio.h>
#include <string.h>

/* The rows of a file, of which *number are passed over: 1 when the one asked for is among them. */
static int is_here(mb_sheet_ *s, int64_t *number)
{
    while (s->name) {
        if (mb_sheet_row_(s, NULL) < 0 || !s->line)
            return 0;
        if (!(*number)--)
            return 1;
    }
    if (*number < s->rows)
        return 1;
    *number -= s->rows;
    return 0;
}

/* Writes the place, without the column; *line: 1 when it is a line. */
static int find(mb_arena *a, const mb_origin *from, int64_t number, char text[MB_PLACE], int *line)
{
    const mb_data_opt opt = {.separator = from->separator, .header = from->header};
    mb_file_list      files;
    int               here = 0;

    if (mb_data_files(a, from->file, &files, NULL) < 0)
        return 0;
    for (int32_t k = 0; k < files.n && !here; k++) {
        mb_sheet_ s;

        if (!strcmp(files.file[k], "-") ||
            mb_sheet_open_(a, files.file[k], &opt, 0, NULL, &s, NULL) < 0)
            return 0;
        here = is_here(&s, &number);
        *line = s.name != NULL;
        snprintf(text, MB_PLACE, *line ? "%.200s:%lld" : "%.200s: row %lld", s.file,
                 (long long)(*line ? s.line : number + 1));
        mb_sheet_close_(&s);
    }
    return here;
}

void mb_row_place(const mb_origin *from, int64_t number, const char *column, char text[MB_PLACE])
{
    mb_arena   *a = from->file ? mb_arena_new(1 << 16) : NULL;
    const char *name = "rows";
    int         line = 0;
    size_t      n;

    if (from->file)
        name = strcmp(from->file, "-") ? from->file : "standard input";
    if (!a || !find(a, from, number, text, &line))
        snprintf(text, MB_PLACE, "%.200s: row %lld", name, (long long)number + 1);
    mb_arena_free(a);
    n = strlen(text);
    if (column)
        snprintf(text + n, MB_PLACE - n, "%s column \"%.60s\"", line ? ":" : ",", column);
}
