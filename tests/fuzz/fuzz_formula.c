/* A formula: what can be read makes a design, whose rows are the same column by column, as a whole and
 * from a copy, and the columns that it names are those that it has without their names. */
#include "base/rows.h"
#include "formula/inputs.h"
#include "fuzz.h"
#include "meshbayes/extend.h"

#include <string.h>

enum { COLUMNS = 5, ROWS = 7, WIDE = 200 };
static const char *const name[COLUMNS] = {"x", "z", "f", "g h", "y"};
static const char *const words[] = {"a", "b", "c"};
static const mb_column   kinds[COLUMNS] = {{.kind = MB_COLUMN_NUMBER},
                                           {.kind = MB_COLUMN_NUMBER},
                                           {.kind = MB_COLUMN_CATEGORY, .levels = 3, .level = words},
                                           {.kind = MB_COLUMN_CATEGORY, .levels = 2, .level = words},
                                           {.kind = MB_COLUMN_NUMBER}};
static const double cells[ROWS][COLUMNS] = {{1, 4, 0, 0, 2}, {2, 1, 1, 1, 3},   {4, 9, 2, 0, 5},
                                            {7, 2, 0, 1, 1}, {3, 8, 1, 0, 2.5}, {5, 16, 2, 1, -1},
                                            {6, 3, 0, 0, 0}};

/* A failure has a message, of which the formula and a caret are lines of their own. */
static void check(mb_status st, const mb_err *err)
{
    if (st < 0 && (!*err->msg || err->code != st))
        abort();
}

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static void rows_of(mb_arena *a, const mb_design *g, const mb_table *t, const int32_t *from)
{
    const mb_rows    raw = {.x = cells[0], .n = ROWS, .d = COLUMNS, .ld = COLUMNS};
    const mb_design *copy;
    mb_rows          again;
    double           x[WIDE + 1], y[WIDE + 1];

    if (t->rows.d != g->D + 1 || g->D > WIDE)
        return;
    if (mb_design_copy(a, g, &copy, NULL) < 0 || !mb_design_same(g, copy) ||
        mb_design_rows(a, copy, &raw, from, 1, &again, NULL) < 0)
        abort();
    for (int j = 0; j < ROWS; j++) {
        mb_rows_take(&t->rows, j, 1, x);
        mb_rows_take(&again, j, 1, y);
        for (int32_t d = 0; d < t->rows.d; d++)
            if (!same(x[d], y[d]) || !same(x[d], mb_rows_at(&t->rows, j, d)))
                abort();
    }
}

static void design(mb_arena *a, const mb_kind *kind, const char *text, mb_contrasts coding)
{
    mb_columns     all;
    mb_table       t = {.rows = {.x = cells[0], .n = ROWS, .d = COLUMNS, .ld = COLUMNS},
                        .column = name,
                        .name = "rows"};
    const int32_t *from;
    mb_formula     f;
    mb_err         err = {0};
    void          *opt = mb_alloc(a, 1, kind->opt_size);
    mb_status      st = opt ? mb_opt_defaults(kind->opts, opt, &err) : MB_E_NOMEM;

    if (st < 0 || mb_columns_make(a, COLUMNS, kinds, &all, &err) < 0)
        abort();
    t.kinds = &all;
    st = mb_inputs_formula(a, kind, opt, text, COLUMNS, name, 1, name + COLUMNS - 1, &f, &err);
    if (st >= 0)
        st = mb_inputs_make(a, kind, opt, &f, coding, &t, &from, &err);
    check(st, &err);
    if (st >= 0)
        rows_of(a, t.design, &t, from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mb_arena    *a = mb_arena_new(1 << 16);
    char        *text = a ? mb_alloc(a, size + 1, 1) : NULL;
    const char **named;
    int64_t      n;
    mb_err       err = {0};

    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    check(mb_inputs_named(a, text, &named, &n, &err), &err);
    design(a, &mb_kind_linreg, text, MB_CONTRASTS_TREATMENT);
    design(a, &mb_kind_mixed, text, MB_CONTRASTS_SUM);
    mb_arena_free(a);
    return 0;
}
