/* posterior/file_parts.h - fields that posterior files and genesis files share, read and checked.
 * The first error stays in j. */
#ifndef MB_POSTERIOR_FILE_PARTS_H
#define MB_POSTERIOR_FILE_PARTS_H

#include "data/json.h"
#include "formula/design.h"
#include "meshbayes/extend.h"

/* The versions of posterior files. MB_PART_TRIANGLES_: symmetric matrices are their lower triangles
 * by rows, and those that follow from other fields are left out. */
enum { MB_PART_FULL_ = 1, MB_PART_TRIANGLES_ = 2 };
/* The version in which p is written. */
int64_t mb_part_version_(const mb_posterior *p);
/* The shape of a field in a file of that version; returns its dimensions. */
int32_t mb_part_shape_(const mb_field *f, int64_t version, int64_t shape[3]);

/* A text that must be there; NULL after an error. */
const char *mb_part_text_(mb_json_in *j, const mb_json *o, const char *key);
/* Refuses any other text than `want`. */
void mb_part_must_be_(mb_json_in *j, const mb_json *o, const char *key, const char *want);
/* The kind that "model" names: `only`, or one that is listed. */
const mb_kind *mb_part_kind_(mb_json_in *j, const mb_json *o, const mb_kind *only);
/* A text for one target, a list of them for several. */
void mb_part_write_target_(mb_json_out *j, int32_t n, const char *const *name);
/* "features" and "target" into p: names, all different. */
mb_status mb_part_columns_(mb_arena *a, mb_json_in *j, const mb_json *o,
                           mb_posterior *p) MB_CHECKED;
/* Kinds of the columns, whose names are there, or the levels of a target that is a
 * category: nothing where all are numbers. */
void mb_part_write_kinds_(mb_json_out *j, const mb_kind *kind, const mb_sizes *s,
                          const char *const *column);
/* "kinds" and "categories", or "levels", into p->size, whose choices are known. */
mb_status mb_part_kinds_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p) MB_CHECKED;
/* "kinds" and "categories" of o into of (n): what n columns are, whose names are there; regression:
 * the kind whose features they are, of which some vary by group, or the last is an offset. */
mb_status mb_part_kinds_of_(mb_arena *a, mb_json_in *j, const mb_json *o, int32_t n,
                            const char *const *name, const mb_kind *regression,
                            mb_column *of) MB_CHECKED;
/* The names of a list, all different. */
mb_status mb_part_names_(mb_arena *a, mb_json_in *j, const char *key, const mb_json *list,
                         const char *const **out) MB_CHECKED;
/* "design": what makes the features of the columns of files. */
void mb_part_write_design_(mb_json_out *j, const mb_design *g);
/* The same into p->design, whose sizes and features are known; nothing where there is none. */
mb_status mb_part_design_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p) MB_CHECKED;
/* The kind's choices, those that are not the first word. */
void mb_part_write_choices_(mb_json_out *j, const mb_kind *kind, const mb_sizes *s);
/* The sizes, choices and kinds of columns of p from o and from its parameters, which are fields of
 * par, whose path is `where`, of a file of that version: all checked before memory is allocated for
 * them. p->kind and columns are known. */
mb_status mb_part_sizes_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_json *par,
                         const char *where, int64_t version, mb_posterior *p) MB_CHECKED;
/* The fields of o that are not derived, as the textbook parameters of p, whose model is known, or
 * of its prior; what is outside the domain is refused. */
mb_status mb_part_parameters_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                              int64_t version, int of_prior, double **out) MB_CHECKED;

#endif
