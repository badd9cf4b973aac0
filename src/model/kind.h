/* model/kind.h - what the table of a kind says of sizes, fields, targets and choices. */
#ifndef MB_MODEL_KIND_H
#define MB_MODEL_KIND_H

#include "meshbayes/extend.h"

#include <string.h>

/* How many columns are of this kind. */
int32_t mb_sizes_count(const mb_sizes *s, mb_column_kind kind);
/* Sum of the levels of all categories and flags. */
int32_t mb_sizes_levels(const mb_sizes *s);

/* Names of what the last dimension of f runs over, *n of them: those of the columns, "sex=f" for
 * levels, "(intercept)" first among what varies, "0" of the first component. column: names of the D
 * columns. */
mb_status mb_field_names(mb_arena *a, const mb_field *f, const mb_sizes *s,
                         const char *const *column, const char *const **out, int32_t *n,
                         mb_err *err) MB_CHECKED;
/* Items of a field. */
size_t mb_field_items(const mb_field *f);
/* Numbers of an item where it is stored. */
size_t mb_field_stored(const mb_field *f);
/* Where number l of item k is stored. */
static inline size_t mb_field_at(const mb_field *f, size_t k, size_t l)
{
    return f->at + k * f->step + l * (f->inner ? f->inner : 1);
}
/* Numbers of the whole array. */
size_t mb_field_size(const mb_field *f);

/* 1 when its rows always come in groups. */
static inline int mb_kind_needs_groups(const mb_kind *kind)
{
    return kind->groups && !strchr(kind->groups, '=');
}
/* 1 when rows come in groups at these sizes. */
int mb_kind_grouped(const mb_kind *kind, const mb_sizes *s);
/* The sizes that the options ask for with d columns, targets too, of these kinds (NULL: all are
 * numbers), which are those of the sizes for a kind that takes them. */
void mb_kind_sizes(const mb_kind *kind, const void *opt, int32_t d, const mb_columns *columns,
                   mb_sizes *out);
/* mb_emissions::by: pure functions of mb_kind that look at its emissions. */
struct mb_emitted {
    mb_status (*model)(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_model *out,
                       mb_err *err);
    int32_t (*fields)(const mb_kind *kind, const mb_sizes *s, mb_field *out);
    void (*derive)(const mb_kind *kind, const mb_sizes *s, const double *par, double *out);
    int32_t (*drawn)(const mb_kind *kind, const mb_sizes *s, mb_field *out);
    /* Of every quantity of component k. Quantities are those of the columns in turn: a number and a
     * count have one, a flag the share of 1, a category the share of each level. */
    void (*component)(const mb_kind *kind, const mb_sizes *s, const double *par, int32_t k,
                      double *mean, double *variance);
    void (*units)(const mb_kind *kind, const mb_sizes *s, mb_units *run);
    int (*mixes)(const mb_kind *kind); /* mb_kind_mixes */
    /* Expected covariance of quantities x and y of component k, x != y. NULL: 0. */
    double (*covariance)(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y);
    /* 1 when columns may be other than numbers at these sizes. NULL: always. */
    int (*mixed)(const mb_sizes *s);
};
/* What members of the table say, or mb_kind::emissions where they are not there: */
mb_status mb_kind_model(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_model *out,
                        mb_err *err) MB_CHECKED;
int32_t   mb_kind_fields(const mb_kind *kind, const mb_sizes *s, mb_field *out);
mb_status mb_kind_derive(mb_arena *a, const mb_kind *kind, const mb_sizes *s, const double *par,
                         double *out, mb_err *err) MB_CHECKED;
/* 0: draws have no fields. */
int32_t mb_kind_drawn(const mb_kind *kind, const mb_sizes *s, mb_field *out);
/* 1 when rows have components (mb_kind::component). */
static inline int mb_kind_has_components(const mb_kind *kind)
{
    return kind->component || kind->emissions;
}
/* How many columns are explained at these sizes. */
static inline int32_t mb_kind_targets(const mb_kind *kind, const mb_sizes *s)
{
    return kind->targets ? (s->targets ? s->targets : 1) : 0;
}
/* Columns of a row: inputs, then targets. */
static inline int32_t mb_kind_columns(const mb_kind *kind, const mb_sizes *s)
{
    return s->D + mb_kind_targets(kind, s);
}
/* What a value of a column must be instead: of a kind of mb_sizes::columns, or a target that is a
 * flag or a count; NULL: it may be that. */
const char *mb_kind_refuses(const mb_kind *kind, const mb_sizes *s, int32_t column, double x);
/* 1 when there is one target, a category: size.columns has its levels. */
int mb_kind_category(const mb_kind *kind, const mb_sizes *s);
/* 1 when the target may have levels with names: it is a category, or a flag. */
int mb_kind_takes_levels(const mb_kind *kind, const mb_sizes *s);
/* The levels of such a target, NULL: there is none, or they are not known. */
const mb_column *mb_kind_levels(const mb_kind *kind, const mb_sizes *s);
/* mb_kind::units. */
void mb_kind_units(const mb_kind *kind, const mb_sizes *s, mb_units *run);
/* 1 when an emission explains columns that are no numbers. */
int mb_kind_mixes(const mb_kind *kind);
/* Its components or factors, which the option n-components says. */
static inline int32_t *mb_sizes_latent(const mb_kind *kind, mb_sizes *s)
{
    return kind->factors ? &s->factors : &s->K;
}
/* 1 when there are such. */
static inline int mb_kind_latent(const mb_kind *kind)
{
    return mb_kind_has_components(kind) || kind->factors;
}
/* 1 when the kind takes columns that are no numbers at these sizes. */
int mb_kind_takes_kinds(const mb_kind *kind, const mb_sizes *s);
/* Names of the targets' columns, with commas between several, as the option target-column of the
 * kind's table says; NULL: the last columns, or there is no such option. */
const char *mb_kind_target_column(const mb_kind *kind, const void *opt);
/* mb_kind::declares; NULL: the options say nothing. */
const char *mb_kind_declares(const mb_kind *kind, const void *opt);
/* The same of the columns that *text (a declaration, or NULL) leaves out. MB_E_NOMEM. */
mb_status mb_kind_declare(mb_arena *a, const mb_kind *kind, const void *opt, const char **text,
                          mb_err *err) MB_CHECKED;
/* The most categories that the option KIND.vocabulary lets a column have; 0: no limit. */
int64_t mb_kind_vocabulary(const mb_kind *kind, const void *opt);
/* 1 when the effects of some inputs may vary by group: the option KIND.varying names them. */
int mb_kind_varies(const mb_kind *kind);
/* What that option says; NULL: nothing. */
const char *mb_kind_varying_given(const mb_kind *kind, const void *opt);
/* 1 when the option intercept says whether there is one. */
int mb_kind_takes_intercept(const mb_kind *kind);
/* 1 when there is one at these sizes: by that option, or without it always. */
static inline int mb_kind_has_intercept(const mb_kind *kind, const mb_sizes *s)
{
    return s->intercept || !mb_kind_takes_intercept(kind);
}
/* The fewest inputs at these sizes: a series needs none, and what has an intercept. */
static inline int32_t mb_kind_least_inputs(const mb_kind *kind, const mb_sizes *s)
{
    return !(kind->targets && kind->ahead) - s->intercept;
}
/* 1 when an input may be an offset: the options offset-column and exposure-column name it. */
int mb_kind_takes_offset(const mb_kind *kind);
/* 1 when a text of columns may say more of inputs than that they are numbers: either of both. */
int mb_kind_marks(const mb_kind *kind);
/* What these options name, and which it is; NULL: nothing. */
const char *mb_kind_offset_column(const mb_kind *kind, const void *opt, mb_offset *is);
/* 1 when one of the options above is given. */
int mb_kind_effects_given(const mb_kind *kind, const void *opt);
/* Marks those inputs among *columns (NULL: all are numbers) of d columns, target last, an offset
 * before it. */
mb_status mb_kind_effects(mb_arena *a, const mb_kind *kind, const void *opt, int32_t d,
                          const char *const *name, const mb_columns **columns,
                          mb_err *err) MB_CHECKED;
/* Inputs that have a coefficient: all but an offset. */
int32_t mb_sizes_inputs(const mb_sizes *s);
/* What mb_posterior_predict offers at these sizes, *n of them, the usual one first. */
const mb_want *mb_kind_wants(const mb_kind *kind, const mb_sizes *s, int32_t *n);
/* How many choices a kind has. */
int32_t mb_kind_choices(const mb_kind *kind);
/* The word of choice c at these sizes. */
const char *mb_kind_word(const mb_kind *kind, const mb_sizes *s, int32_t c);
/* The first choice in which the two differ; -1: they are the same. */
int32_t mb_kind_differs(const mb_kind *kind, const mb_sizes *s, const mb_sizes *t);

/* 1 when all columns need one scale at these sizes. */
static inline int mb_kind_one_scale(const mb_kind *kind, const mb_sizes *s)
{
    return kind->one_scale && kind->one_scale(s);
}

#endif
