/* file_design.c - what makes the features of the columns of files, in posterior files: the formula, its
 * variables and terms, the levels of categories, how they are coded, and the constants of poly. */
#include "base/columns.h"
#include "base/text.h"
#include "formula/design.h"
#include "model/kind.h"
#include "posterior/file_parts.h"

#include <stdio.h>
#include <string.h>

static const char *const codings[] = {"treatment", "sum"};

/* ---- written ---- */

static void write_kinds(mb_json_out *j, const mb_design *g)
{
    mb_json_texts(j, "inputs", g->columns, g->column);
    mb_json_list(j, "kinds");
    for (int32_t k = 0; k < g->columns; k++)
        mb_json_text(j, NULL, mb_column_word(g->kind[k].kind));
    mb_json_close(j);
    mb_json_object(j, "categories");
    for (int32_t k = 0; k < g->columns; k++)
        if (g->kind[k].kind == MB_COLUMN_CATEGORY)
            mb_json_texts(j, g->column[k], g->kind[k].levels, g->kind[k].level);
    mb_json_close(j);
    mb_json_text(j, "coding", codings[g->coding]);
}

static void write_term(mb_json_out *j, const mb_design *g, const mb_term *term)
{
    const char *text = g->factor[term->factor[0]].source;

    for (int32_t i = 1; text && i < term->n; i++)
        text = mb_text(j->a, j->err, "%s:%s", text, g->factor[term->factor[i]].source);
    if (!text && j->status >= 0)
        j->status = MB_E_NOMEM;
    mb_json_text(j, NULL, text);
}

static void write_poly(mb_json_out *j, const mb_design *g)
{
    mb_json_list(j, "poly");
    for (int32_t k = 0; k < g->factors; k++) {
        const int64_t degree = g->factor[k].degree, above = degree + 1;

        if (!degree)
            continue;
        mb_json_object(j, NULL);
        mb_json_numbers(j, "alpha", 1, &degree, g->poly[k].alpha);
        mb_json_numbers(j, "norm2", 1, &above, g->poly[k].norm2);
        mb_json_close(j);
    }
    mb_json_close(j);
}

void mb_part_write_design_(mb_json_out *j, const mb_design *g)
{
    mb_json_object(j, "design");
    mb_json_text(j, "formula", g->text);
    write_kinds(j, g);
    mb_json_list(j, "variables");
    for (int32_t k = 0; k < g->factors; k++)
        mb_json_text(j, NULL, g->factor[k].source);
    mb_json_close(j);
    mb_json_list(j, "terms");
    for (int32_t t = 0; t < g->terms.n; t++)
        write_term(j, g, &g->terms.term[t]);
    mb_json_close(j);
    write_poly(j, g);
    if (g->offsets)
        mb_json_list(j, "offset");
    for (int32_t k = 0; k < g->offsets; k++)
        mb_json_text(j, NULL, g->factor[g->offset[k]].source);
    if (g->offsets)
        mb_json_close(j);
    mb_json_close(j);
}

/* ---- read ---- */

/* A list of a length that a formula can have. */
static const mb_json *list_of(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *list = mb_json_get(j, o, key, MB_JSON_LIST);

    if (list->n > MB_FORMULA_TERMS)
        mb_json_refuse(j, key, "", "at most 10000 items");
    return list;
}

static mb_status read_inputs(mb_arena *a, mb_json_in *j, const mb_json *o, mb_design *g)
{
    const mb_json *list = list_of(j, o, "inputs");
    const char    *coding = mb_part_text_(j, o, "coding");
    mb_column     *kind;

    g->text = mb_part_text_(j, o, "formula");
    if (coding && strcmp(coding, codings[0]) != 0 && strcmp(coding, codings[1]) != 0)
        mb_json_refuse(j, "coding", "", "treatment or sum");
    MB_TRY(j->status);
    g->coding = !strcmp(coding, codings[1]) ? MB_CONTRASTS_SUM : MB_CONTRASTS_TREATMENT;
    g->columns = (int32_t)list->n;
    MB_NEW(kind, a, g->columns, j->err);
    g->kind = kind;
    MB_TRY(mb_part_names_(a, j, "inputs", list, &g->column));
    return mb_part_kinds_of_(a, j, o, g->columns, g->column, NULL, kind);
}

static mb_status read_variables(mb_arena *a, mb_json_in *j, const mb_json *o, mb_design *g)
{
    const mb_json *list = list_of(j, o, "variables");
    mb_factor     *factor;
    char           index[32];

    MB_TRY(j->status);
    MB_NEW(factor, a, list->n, j->err);
    g->factor = factor;
    g->factors = (int32_t)list->n;
    for (int32_t k = 0; k < g->factors; k++) {
        snprintf(index, sizeof index, "[%d]", (int)k);
        if (!list->item[k].text ||
            mb_factor_parse(a, list->item[k].text, g->columns, g->column, &factor[k], NULL) < 0)
            mb_json_refuse(j, "variables", index, "a variable of a formula of the inputs");
        MB_TRY(j->status);
    }
    return MB_OK;
}

/* The number of a variable. */
static int32_t find(const mb_design *g, const char *source)
{
    int32_t k = 0;

    while (k < g->factors && strcmp(g->factor[k].source, source) != 0)
        k++;
    return k < g->factors ? k : -1;
}

/* One term of the variables, as a formula has it. */
static int read_term(mb_arena *a, const mb_design *g, const char *text, mb_term *out)
{
    const char *whole = text ? mb_text(a, NULL, "~ 0 + %s", text) : NULL;
    mb_formula  f;

    if (!whole || mb_formula_parse(a, whole, g->columns, g->column, 0, NULL, &f, NULL) < 0 ||
        f.common.n != 1 || f.group || f.offsets)
        return 0;
    *out = (mb_term){.n = f.common.term[0].n};
    for (int32_t i = 0; i < out->n; i++) {
        const int32_t at = find(g, f.factor[f.common.term[0].factor[i]].source);
        int32_t       l = i;

        if (at < 0)
            return 0;
        for (; l > 0 && out->factor[l - 1] > at; l--)
            out->factor[l] = out->factor[l - 1];
        out->factor[l] = at;
    }
    return 1;
}

static mb_status read_terms(mb_arena *a, mb_json_in *j, const mb_json *o, mb_design *g)
{
    const mb_json *list = list_of(j, o, "terms");
    char           index[32];

    MB_TRY(j->status);
    MB_NEW(g->terms.term, a, list->n, j->err);
    g->terms.n = (int32_t)list->n;
    for (int32_t t = 0; t < g->terms.n; t++) {
        snprintf(index, sizeof index, "[%d]", (int)t);
        if (!read_term(a, g, list->item[t].text, &g->terms.term[t]))
            mb_json_refuse(j, "terms", index, "a term of the variables");
        MB_TRY(j->status);
    }
    return MB_OK;
}

/* The last feature is their sum. */
static mb_status read_offset(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                             mb_design *g)
{
    const mb_json *list;
    int32_t       *offset;
    char           index[32];

    if (mb_json_at(o, "offset")->type == MB_JSON_NONE)
        return MB_OK;
    list = list_of(j, o, "offset");
    MB_TRY(j->status);
    MB_NEW(offset, a, list->n, j->err);
    g->offset = offset;
    g->offsets = (int32_t)list->n;
    g->offset_name = p->size.D ? p->column[p->size.D - 1] : NULL;
    for (int32_t k = 0; k < g->offsets; k++) {
        snprintf(index, sizeof index, "[%d]", (int)k);
        offset[k] = list->item[k].text ? find(g, list->item[k].text) : -1;
        if (offset[k] < 0)
            mb_json_refuse(j, "offset", index, "one of the variables");
        MB_TRY(j->status);
    }
    return MB_OK;
}

static mb_status read_poly(mb_json_in *j, const mb_json *o, mb_design *g)
{
    const mb_json *list = list_of(j, o, "poly");
    size_t         at = 0;

    for (int32_t k = 0; k < g->factors && j->status >= 0; k++) {
        const int32_t degree = g->factor[k].degree, above = degree + 1;

        if (!degree)
            continue;
        if (at >= list->n)
            mb_json_refuse(j, "poly", "", "constants for each poly of the variables");
        MB_TRY(j->status);
        mb_json_get_numbers(j, &list->item[at], "alpha", 1, &degree, g->poly[k].alpha);
        mb_json_get_numbers(j, &list->item[at++], "norm2", 1, &above, g->poly[k].norm2);
        for (int32_t l = 0; l <= degree && j->status >= 0; l++)
            if (!(g->poly[k].norm2[l] > 0))
                mb_json_refuse(j, "norm2", "", "numbers above 0");
    }
    return j->status;
}

mb_status mb_part_design_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const char *here = j->where;
    mb_design  *g;

    if (mb_json_at(o, "design")->type == MB_JSON_NONE)
        return MB_OK;
    o = mb_json_get(j, o, "design", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_NEW(g, a, 1, j->err);
    j->where = "design.";
    MB_TRY(read_inputs(a, j, o, g));
    MB_TRY(read_variables(a, j, o, g));
    MB_TRY(read_terms(a, j, o, g));
    MB_TRY(read_offset(a, j, o, p, g));
    if (!g->offsets != !mb_columns_offset(p->size.columns, p->size.D))
        mb_json_refuse(j, "offset", "", "one where the last of the \"kinds\" is one");
    MB_TRY(j->status);
    g->terms.intercept = mb_kind_has_intercept(p->kind, &p->size);
    if (mb_design_code(a, g, NULL) < 0)
        mb_json_refuse(j, "terms", "", "terms of numbers, and of categories of two or more levels");
    MB_TRY(j->status);
    MB_TRY(read_poly(j, o, g));
    j->where = here;
    for (int32_t d = 0; g->D == p->size.D && d < g->D; d++)
        if (strcmp(g->name[d], p->column[d]) != 0)
            mb_json_refuse(j, "features", "", "the columns that the design makes");
    if (g->D != p->size.D)
        mb_json_refuse(j, "features", "", "as many as the design makes");
    p->design = g;
    return j->status;
}
