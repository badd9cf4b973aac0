/* kinds.c - kinds of the features of a data set: declared, or recognised from its cells. */
#include "data/kinds.h"
#include "base/format.h"
#include "base/text.h"
#include "data/reader.h"

#include <string.h>

enum { NOTE = 400 /* bytes of a note that lists the columns one by one */ };

/* Names of the features. */
static mb_status names(mb_arena *a, const mb_reader *r, const char ***out, mb_err *err)
{
    const char *const *all = mb_reader_names(r);
    const mb_columns_ *role = mb_reader_roles_(r);
    const char       **number;

    if (!all) {
        MB_TRY(mb_numbered_(a, "x", mb_reader_columns(r), &number, err));
        all = number;
    }
    MB_NEW(*out, a, role->d, err);
    for (int32_t k = 0; k < role->d; k++)
        (*out)[k] = all[role->feature[k]];
    return MB_OK;
}

/* 1: whether the category is one shows in its first cell. */
static int waits(const mb_data_opt *opt)
{
    return opt->of_words && !opt->column && !opt->levels;
}

/* Without names a category is its numbers until a model takes them. */
static int has_kinds(mb_reader *r, const mb_data_opt *opt)
{
    return opt->recognise &&
           !((opt->category || opt->coded) && !opt->column && !mb_reader_names(r));
}

/* The names of the category; without them those of its cells. */
static mb_status take_levels(mb_arena *a, const mb_data_opt *opt, mb_column *out, mb_err *err)
{
    const char **level;
    char        *text;

    out->kind = MB_COLUMN_CATEGORY;
    if (!opt->levels)
        return MB_OK;
    for (const char *at = opt->levels; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        out->levels++;
    MB_NEW(level, a, out->levels, err);
    MB_NEW(text, a, strlen(opt->levels) + 1, err);
    strcpy(text, opt->levels);
    out->level = level;
    for (int32_t l = 0; l < out->levels; l++) {
        level[l] = text;
        text += strcspn(text, ",");
        *text++ = '\0';
    }
    return MB_OK;
}

/* Kinds of the features, for the reader: declared, or of a category, beside which are numbers, unless
 * they are to be coded. */
static mb_status declare(mb_arena *a, mb_reader *r, const mb_data_opt *opt, const char *category,
                         mb_err *err)
{
    const int32_t     d = mb_reader_roles_(r)->d;
    const mb_column **of;
    const char      **name;
    mb_column        *declared;
    uint8_t          *given;

    MB_NEW(of, a, d, err);
    MB_NEW(declared, a, d, err);
    MB_NEW(given, a, d, err);
    MB_TRY(names(a, r, &name, err));
    if (opt->column)
        MB_TRY(mb_columns_declare(a, opt->column, d, name, declared, given, err));
    for (int32_t k = 0; k < d; k++) {
        const int target = category && !strcmp(name[k], category);

        if (target && given[k] == 1 && opt->levels)
            MB_FAIL(err, MB_E_ARG, "--target-levels: --column says what \"%.60s\" is", name[k]);
        if (target && given[k] != 1)
            MB_TRY(take_levels(a, opt, &declared[k], err));
        of[k] = given[k] || target || mb_list_has_(opt->targets, name[k]) ||
                        (opt->category && !opt->coded)
                    ? &declared[k]
                    : NULL;
    }
    return mb_reader_code_(r, of, d, err);
}

mb_status mb_kinds_begin_(mb_arena *a, mb_reader *r, const mb_data_opt *opt, mb_err *err)
{
    if (!opt->recognise && opt->column)
        MB_FAIL(err, MB_E_ARG, "--column: got \"%.60s\"; expected none: all columns are numbers",
                opt->column);
    if (opt->levels && !(opt->recognise && opt->category && mb_reader_names(r)))
        MB_FAIL(err, MB_E_ARG,
                "--target-levels: got \"%.60s\"; expected none, unless the target is a flag or a "
                "category of a CSV file",
                opt->levels);
    return has_kinds(r, opt) && !waits(opt) ? declare(a, r, opt, opt->category, err) : MB_OK;
}

mb_status mb_kinds_of_words_(mb_reader *r, mb_err *err)
{
    const mb_data_opt *opt = r->opt;
    double             x;

    if (!opt || !opt->recognise || !opt->category || !waits(opt) || r->coder || !r->name)
        return MB_OK;
    for (int32_t k = 0; k < r->d; k++) {
        const char *cell = r->sheet.cell[r->here[r->pick[k]]];

        if (strcmp(r->name[r->pick[k]], opt->category) != 0)
            continue;
        if (!mb_cell_missing(cell) && mb_parse_decimal_(cell, &x))
            return declare(r->a, r, opt, opt->category, err);
        return opt->coded ? declare(r->a, r, opt, NULL, err) : MB_OK;
    }
    return MB_OK;
}

/* The numbers of the categories in column k. */
static void recode(mb_data *data, int32_t k, const int32_t *code)
{
    for (int64_t j = 0; code && j < data->n; j++) {
        double *x = &data->x[j * data->d + k];

        if (!isnan(*x))
            *x = code[(int32_t)*x];
    }
}

/* "age:number, sex:category(f|m)", or how many there are of each kind. */
static mb_status note(mb_reader *r, const mb_data *data, mb_err *err)
{
    const mb_columns *c = data->columns;
    const char       *text = "", *at = c->text;
    int32_t           count[MB_COLUMN_KINDS] = {0};

    for (int32_t k = 0; k < c->d; k++) {
        const char *end = at;

        count[c->of[k].kind]++;
        while (*end && *end != ',')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        if (strlen(text) < NOTE)
            text = mb_text(r->a, err, "%s%s%s:%.*s", text, k ? "," : "", data->name[k],
                           (int)(end - at), at);
        if (!text)
            return MB_E_NOMEM;
        at = end + (*end == ',');
    }
    if (strlen(text) >= NOTE)
        text = mb_text(r->a, err, "%d numbers, %d counts, %d categories, %d flags",
                       count[MB_COLUMN_NUMBER], count[MB_COLUMN_COUNT], count[MB_COLUMN_CATEGORY],
                       count[MB_COLUMN_FLAG]);
    if (!text)
        return MB_E_NOMEM;
    return mb_reader_note_(r, mb_text(r->a, err, "kinds of columns: %s (--column %s)", text,
                                      count[MB_COLUMN_COUNT]
                                          ? "'*:category' makes codes, such as 0 to 4, categories"
                                          : "declares others"));
}

mb_status mb_kinds_end_(mb_arena *a, mb_reader *r, mb_data *out, mb_err *err)
{
    mb_columns *columns;
    mb_column  *of;
    char        where[160];
    int         recognised = 0;

    if (!r->coder)
        return MB_OK;
    MB_NEW(of, a, out->d, err);
    MB_NEW(columns, a, 1, err);
    for (int32_t k = 0; k < out->d; k++) {
        mb_coder_ *coder = &r->coder[k];
        int32_t   *code;

        mb_format_(where, sizeof where, "column \"%.60s\"", out->name[k]);
        MB_TRY(mb_coder_close_(a, coder, where, &of[k], &code, err));
        if (of[k].kind == MB_COLUMN_CATEGORY && !of[k].levels)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: no row has a value; expected some (--drop leaves a column out)", where);
        recode(out, k, code);
        recognised |= !coder->known;
    }
    MB_TRY(mb_columns_make(a, out->d, of, columns, err));
    out->columns = columns;
    return recognised && !r->opt->coded ? note(r, out, err) : MB_OK;
}
