/* design.c - prints the columns that a formula makes, for check_formula.py. Standard input: the formula,
 * 0 or 1 for the coding of categories, the numbers of rows and columns, of each column a line with its
 * name and one with its number of levels (0: numbers), whose names follow, then the numbers by rows.
 * Standard output: the names of the columns, a line each, an empty line, then a line for each row. */
#include "formula/design.h"
#include "base/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct input {
    char         formula[1000], (*name)[100];
    int          coding, rows, columns;
    const char **names;
    mb_column   *kind;
    double      *x;
} input;

static char *line(char *to, int room)
{
    if (!fgets(to, room, stdin))
        return NULL;
    to[strcspn(to, "\n")] = '\0';
    return to;
}

static mb_status read_column(mb_arena *a, input *in, int k)
{
    const char **level;
    char         number[100], (*text)[100];

    line(in->name[k], 100);
    in->names[k] = in->name[k];
    line(number, 100);
    in->kind[k].levels = atoi(number);
    in->kind[k].kind = in->kind[k].levels ? MB_COLUMN_CATEGORY : MB_COLUMN_NUMBER;
    MB_NEW(level, a, in->kind[k].levels + 1, NULL);
    MB_NEW(text, a, in->kind[k].levels + 1, NULL);
    for (int l = 0; l < in->kind[k].levels; l++)
        level[l] = line(text[l], 100);
    in->kind[k].level = level;
    return MB_OK;
}

static mb_status read_input(mb_arena *a, input *in)
{
    char sizes[100];

    line(in->formula, 1000);
    line(sizes, 100);
    if (sscanf(sizes, "%d %d %d", &in->coding, &in->rows, &in->columns) != 3)
        return MB_E_FORMAT;
    MB_NEW(in->name, a, in->columns, NULL);
    MB_NEW(in->names, a, in->columns, NULL);
    MB_NEW(in->kind, a, in->columns, NULL);
    MB_NEW(in->x, a, (size_t)in->rows * (size_t)in->columns, NULL);
    for (int k = 0; k < in->columns; k++)
        MB_TRY(read_column(a, in, k));
    for (int l = 0; l < in->rows * in->columns; l++)
        if (scanf("%lf", &in->x[l]) != 1)
            return MB_E_FORMAT;
    return MB_OK;
}

static mb_status make(mb_arena *a, const input *in, mb_design *g, mb_rows *rows, mb_err *err)
{
    const mb_rows raw = {.x = in->x, .n = in->rows, .d = in->columns, .ld = (size_t)in->columns};
    mb_formula    f;
    mb_column    *kind;
    int32_t      *from;

    MB_TRY(mb_formula_parse(a, in->formula, in->columns, in->names, 0, NULL, &f, err));
    MB_NEW(kind, a, f.columns, err);
    MB_NEW(from, a, f.columns, err);
    for (int32_t k = 0; k < f.columns; k++) {
        while (strcmp(in->names[from[k]], f.column[k]) != 0)
            from[k]++;
        kind[k] = in->kind[from[k]];
    }
    *g = (mb_design){.coding = (mb_contrasts)in->coding};
    MB_TRY(mb_design_make(a, &f, kind, g, err));
    MB_TRY(mb_design_learn(g, &raw, from, err));
    return mb_design_rows(a, g, &raw, from, 0, rows, err);
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {.msg = ""};
    input     in = {.coding = 0};
    mb_design g;
    mb_rows   rows;

    if (!a || read_input(a, &in) < 0 || make(a, &in, &g, &rows, &err) < 0) {
        fprintf(stderr, "design: %s\n", err.msg);
        return 1;
    }
    for (int32_t c = 0; c < g.D; c++)
        puts(g.name[c]);
    printf("\n%d\n", (int)g.terms.intercept);
    for (int64_t j = 0; j < rows.n; j++)
        for (int32_t c = 0; c < g.D; c++)
            printf("%.17g%s", mb_rows_at(&rows, j, c), c + 1 < g.D ? " " : "\n");
    mb_arena_free(a);
    return 0;
}
