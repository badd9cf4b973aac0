/* file_kinds.c - kinds of the columns in posterior files and genesis files: "kinds", a word for each of
 * the features, and "categories", the names of the levels of each that is a category; or "levels",
 * those of a target that is one, beside features that are numbers. */
#include "base/columns.h"
#include "model/kind.h"
#include "posterior/file_parts.h"

#include <stdio.h>
#include <string.h>

void mb_part_write_kinds_(mb_json_out *j, const mb_kind *kind, const mb_sizes *s,
                          const char *const *column)
{
    const mb_columns *c = s->columns;
    const mb_column  *target = mb_kind_levels(kind, s);

    if (target)
        mb_json_texts(j, "levels", target->levels, target->level);
    if (!c || (target && !mb_columns_offset(c, s->D)))
        return;
    mb_json_list(j, "kinds");
    for (int32_t d = 0; d < s->D; d++)
        mb_json_text(j, NULL, mb_column_text(&c->of[d]));
    mb_json_close(j);
    if (kind->targets)
        return;
    mb_json_object(j, "categories");
    for (int32_t d = 0; d < c->d; d++)
        if (c->of[d].kind == MB_COLUMN_CATEGORY)
            mb_json_texts(j, column[d], c->of[d].levels, c->of[d].level);
    mb_json_close(j);
}

/* The names of the levels of a column, which `list` has; key, index: where. */
static mb_status levels(mb_arena *a, mb_json_in *j, const mb_json *list, const char *key,
                        const char *index, mb_column *out)
{
    const char **level;

    if (list->type != MB_JSON_LIST || list->n < 1 || list->n > 10000)
        mb_json_refuse(j, key, index, "a list of 1 to 10000 names");
    MB_TRY(j->status);
    MB_NEW(level, a, list->n, j->err);
    for (size_t l = 0; l < list->n; l++) {
        level[l] = list->item[l].text;
        if (!level[l] || !*level[l])
            mb_json_refuse(j, key, index, "names");
        MB_TRY(j->status);
        for (size_t k = 0; k < l; k++)
            if (!strcmp(level[k], level[l]))
                mb_json_refuse(j, key, index, "a name that is there once");
    }
    out->level = level;
    out->levels = (int32_t)list->n;
    return j->status;
}

static void kind_of(mb_json_in *j, const mb_json *item, int32_t d, mb_column *out)
{
    char index[32];
    int  kind = 0;

    snprintf(index, sizeof index, "[%d]", (int)d);
    while (kind < MB_COLUMN_KINDS &&
           (!item->text || strcmp(item->text, mb_column_word((mb_column_kind)kind)) != 0))
        kind++;
    if (kind == MB_COLUMN_KINDS)
        mb_json_refuse(j, "kinds", index, mb_column_words_);
    out->kind = (mb_column_kind)kind;
    out->levels = kind == MB_COLUMN_FLAG ? 2 : 0;
}

/* The same of a regression, whose columns are numbers; last 1: it may be an offset. */
static void effect_of(mb_json_in *j, const mb_json *item, int32_t d, int last, mb_column *out)
{
    char index[32];

    snprintf(index, sizeof index, "[%d]", (int)d);
    *out = (mb_column){.kind = MB_COLUMN_NUMBER};
    if (!item->text || (strcmp(item->text, mb_column_text(out)) != 0 &&
                        !mb_column_effect(item->text, strlen(item->text), out)))
        mb_json_refuse(j, "kinds", index, "number, varying, offset or exposure");
    else if (out->offset && !last)
        mb_json_refuse(j, "kinds", index, "no offset but the last feature of a glm");
}

mb_status mb_part_kinds_of_(mb_arena *a, mb_json_in *j, const mb_json *o, int32_t n,
                            const char *const *name, const mb_kind *regression, mb_column *of)
{
    const mb_json *list = mb_json_get(j, o, "kinds", MB_JSON_LIST);
    const mb_json *categories = mb_json_at(o, "categories");
    char           index[160];

    if (list->n != (size_t)n)
        mb_json_refuse(j, "kinds", "", "a word for each of the columns");
    MB_TRY(j->status);
    for (int32_t d = 0; d < n; d++) {
        if (regression)
            effect_of(j, &list->item[d], d, d + 1 == n && mb_kind_takes_offset(regression), &of[d]);
        else
            kind_of(j, &list->item[d], d, &of[d]);
        MB_TRY(j->status);
        if (of[d].kind != MB_COLUMN_CATEGORY)
            continue;
        snprintf(index, sizeof index, ".%.120s", name[d]);
        MB_TRY(levels(a, j, mb_json_at(categories, name[d]), "categories", index, &of[d]));
    }
    return MB_OK;
}

static mb_status target_levels(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const int32_t D = p->size.D;
    mb_columns   *columns;
    mb_column    *of;

    MB_NEW(columns, a, 1, j->err);
    MB_NEW(of, a, D + 1, j->err);
    of[D].kind = MB_COLUMN_CATEGORY;
    if (mb_json_at(o, "kinds")->type != MB_JSON_NONE)
        MB_TRY(mb_part_kinds_of_(a, j, o, D, p->column, p->kind, of));
    MB_TRY(levels(a, j, mb_json_at(o, "levels"), "levels", "", &of[D]));
    MB_TRY(mb_columns_make(a, D + 1, of, columns, j->err));
    p->size.columns = columns;
    return MB_OK;
}

mb_status mb_part_kinds_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const mb_kind *regression = p->kind->targets ? p->kind : NULL;
    mb_columns    *columns;
    mb_column     *of;

    if (mb_kind_category(p->kind, &p->size) ||
        (mb_kind_takes_levels(p->kind, &p->size) && mb_json_at(o, "levels")->type != MB_JSON_NONE))
        return target_levels(a, j, o, p);
    if (!(mb_kind_mixes(p->kind) || mb_kind_marks(p->kind)) ||
        mb_json_at(o, "kinds")->type == MB_JSON_NONE)
        return MB_OK;
    MB_NEW(columns, a, 1, j->err);
    MB_NEW(of, a, p->size.D + 1, j->err);
    MB_TRY(mb_part_kinds_of_(a, j, o, p->size.D, p->column, regression, of));
    MB_TRY(mb_columns_make(a, p->size.D + (p->kind->targets > 0), of, columns, j->err));
    p->size.columns = mb_columns_mixed(columns) ? columns : NULL;
    return MB_OK;
}
