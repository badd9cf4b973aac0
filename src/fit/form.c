/* form.c - rows of a kind whose columns are said (mb_kind::form), and the categories that are left of
 * many: those that are there most often. */
#include "base/columns.h"
#include "base/rows.h"
#include "base/text.h"
#include "fit/fit.h"
#include "model/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000 /* categories that come as numbers */ };

static int32_t columns_of(const mb_kind *kind)
{
    int32_t n = 0;

    while (kind->form[n] != MB_COLUMN_KINDS)
        n++;
    return n;
}

/* The names of a category that comes as the numbers of column d. */
static mb_status number(mb_arena *a, const mb_table *t, int32_t d, mb_column *out, mb_err *err)
{
    int32_t      most = 0;
    const char **name;

    for (int64_t j = 0; j < t->rows.n; j++) {
        const double x = mb_rows_at(&t->rows, j, d);

        if (!(x >= 0 && x < MOST) || floor(x) < x)
            return mb_refuse_cell_(t, j, d,
                                   "the number of a category, 0 to 9999 (--column NAME:category "
                                   "takes other numbers as words)",
                                   err);
        most = x > most ? (int32_t)x : most;
    }
    MB_NEW(name, a, (size_t)most + 1, err);
    for (int32_t l = 0; l <= most; l++)
        if (!(name[l] = mb_text(a, err, "%d", (int)l)))
            return MB_E_NOMEM;
    *out = (mb_column){.kind = MB_COLUMN_CATEGORY, .levels = most + 1, .level = name};
    return MB_OK;
}

static mb_status set_kinds(mb_arena *a, const mb_kind *kind, mb_table *t, mb_err *err)
{
    const int32_t n = columns_of(kind);
    mb_columns   *columns;
    mb_column    *of;

    if (t->rows.d != n)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %d columns; expected the %d of model %s: %s, %s",
                t->name ? t->name : "rows", (int)t->rows.d, (int)n, kind->name,
                mb_column_word(kind->form[0]), mb_column_word(kind->form[1]));
    MB_NEW(of, a, n, err);
    MB_NEW(columns, a, 1, err);
    for (int32_t d = 0; d < n; d++) {
        of[d] = (mb_column){.kind = kind->form[d]};
        if (t->kinds && t->kinds->of[d].kind == kind->form[d])
            of[d] = t->kinds->of[d];
        else if (kind->form[d] == MB_COLUMN_CATEGORY)
            MB_TRY(number(a, t, d, &of[d], err));
        else if (t->kinds && t->kinds->of[d].kind == MB_COLUMN_CATEGORY) /* codes are no counts */
            MB_FAIL(err, MB_E_SHAPE,
                    "%s: column \"%.60s\": got a category; expected a %s: columns of model %s are "
                    "%s, %s, in this order",
                    t->name ? t->name : "rows", t->column[d], mb_column_word(kind->form[d]),
                    kind->name, mb_column_word(kind->form[0]), mb_column_word(kind->form[1]));
    }
    t->kinds = columns;
    return mb_columns_make(a, n, of, columns, err);
}

/* A category and how often it is there. */
typedef struct often {
    double  count;
    int32_t level;
} often;

/* The most frequent first; of equal ones that of the lower number. */
static int by_count(const void *a, const void *b)
{
    const often *x = a, *y = b;

    return x->count > y->count ? -1 : x->count < y->count ? 1 : x->level - y->level;
}

/* place[l]: the number that category l of `from` has among those that are left, in their order; the
 * others are the last, which *out has besides. One that has their name already is among them. */
static mb_status choose(mb_arena *a, const mb_table *t, const mb_column *from, int32_t most,
                        int32_t *place, mb_column *out, mb_err *err)
{
    const char **name;
    often       *list;
    int32_t      n = 0;

    MB_NEW(list, a, from->levels, err);
    MB_NEW(name, a, (size_t)most + 1, err);
    for (int32_t l = 0; l < from->levels; l++)
        list[l] = (often){strcmp(from->level[l], mb_other_level_) ? 0 : -(double)INFINITY, l};
    for (int64_t j = 0; j < t->rows.n; j++) {
        const double x = mb_rows_at(&t->rows, j, 0), count = mb_rows_at(&t->rows, j, 1);

        if (x >= 0 && x < from->levels && count >= 0)
            list[(int32_t)x].count += count * (t->rows.w ? t->rows.w[j] : 1);
    }
    qsort(list, (size_t)from->levels, sizeof *list, by_count);
    for (int32_t l = 0; l < from->levels; l++)
        place[l] = most;
    for (int32_t l = 0; l < most; l++)
        place[list[l].level] = 0;
    for (int32_t l = 0; l < from->levels; l++)
        if (place[l] < most) {
            name[n] = from->level[l];
            place[l] = n++;
        }
    name[most] = mb_other_level_;
    *out = (mb_column){.kind = MB_COLUMN_CATEGORY, .levels = most + 1, .level = name};
    return MB_OK;
}

/* A copy of the rows with the categories that are left. */
static mb_status recode(mb_arena *a, const int32_t *place, int32_t levels, mb_table *t, mb_err *err)
{
    const size_t d = (size_t)t->rows.d;
    double      *x;

    MB_NEW(x, a, (size_t)t->rows.n * d, err);
    for (int64_t j = 0; j < t->rows.n; j++) {
        double *row = x + (size_t)j * d;

        mb_rows_take(&t->rows, j, 1, row);
        if (row[0] >= 0 && row[0] < levels)
            row[0] = place[(int32_t)row[0]];
    }
    t->rows.x = x;
    t->rows.x32 = NULL;
    t->rows.ld = d;
    t->rows.stored = NULL;
    t->rows.skip = 0;
    return MB_OK;
}

mb_status mb_table_form(mb_arena *a, const mb_kind *kind, const void *kind_opt, mb_table *t,
                        const char **note, mb_err *err)
{
    const int64_t    most = kind_opt ? mb_kind_vocabulary(kind, kind_opt) : 0;
    const mb_column *from;
    mb_columns      *columns;
    mb_column        of[2];
    int32_t         *place;

    *note = NULL;
    if (!kind->form)
        return MB_OK;
    MB_TRY(set_kinds(a, kind, t, err));
    from = &t->kinds->of[0];
    if (!most || from->levels - (mb_column_other_(from) >= 0) <= most)
        return MB_OK;
    MB_NEW(place, a, from->levels, err);
    MB_NEW(columns, a, 1, err);
    MB_TRY(choose(a, t, from, (int32_t)most, place, &of[0], err));
    MB_TRY(recode(a, place, from->levels, t, err));
    of[1] = t->kinds->of[1];
    *note = mb_text(a, err,
                    "of %d terms the %d most frequent remain (--%s.vocabulary); the others are "
                    "one term, %s",
                    (int)from->levels, (int)most, kind->name, mb_other_level_);
    t->kinds = columns;
    return *note ? mb_columns_make(a, 2, of, columns, err) : MB_E_NOMEM;
}
