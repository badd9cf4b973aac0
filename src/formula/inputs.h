/* formula/inputs.h - what a formula, or categories alone, make of the inputs of a regression. */
#ifndef MB_INPUTS_H
#define MB_INPUTS_H

#include "formula/design.h"

/* A formula for d columns with these names, among them the targets, as mb_formula_parse reads it,
 * and with what this kind has: text NULL: of all inputs. MB_E_ARG with a caret for the rest. */
mb_status mb_inputs_formula(mb_arena *a, const mb_kind *kind, const void *kind_opt,
                            const char *text, int32_t d, const char *const *name, int32_t targets,
                            const char *const *target, mb_formula *out, mb_err *err) MB_CHECKED;
/* "on" or "off", which the option intercept is to say; NULL: the kind has no such option, but
 * always an intercept. MB_E_ARG for a formula of such a kind without one. */
mb_status mb_inputs_intercept(const mb_kind *kind, const mb_formula *f, const char **word,
                              mb_err *err) MB_CHECKED;
/* What the column of offset(..) is called, in the arena; NULL: there is none. MB_E_ARG for a kind
 * that takes no offset. */
mb_status mb_inputs_offset(mb_arena *a, const mb_kind *kind, const mb_formula *f, const char **name,
                           mb_err *err) MB_CHECKED;
/* What (1 + x | site) says: the inputs that vary, with commas, in the arena; NULL: the intercept
 * alone. MB_E_ARG for terms that are no columns. */
mb_status mb_inputs_varying(mb_arena *a, const mb_formula *f, const char **list,
                            mb_err *err) MB_CHECKED;
/* The columns that the text names, n x 2: the name, and "response", "group" or "input"; "." with
 * "inputs" stands for all others. */
mb_status mb_inputs_named(mb_arena *a, const char *text, const char ***out, int64_t *n,
                          mb_err *err) MB_CHECKED;
/* Rows, names and kinds of t, whose targets are the last columns, become those of the design that f
 * makes of them, which is t->design; f NULL: those of all inputs, if a category is among them, else
 * only the kinds are those of a regression, and all others stay. *from: where the design's columns
 * are among those of t. The new rows are a view of the old ones. */
mb_status mb_inputs_make(mb_arena *a, const mb_kind *kind, const void *kind_opt,
                         const mb_formula *f, mb_contrasts coding, mb_table *t,
                         const int32_t **from, mb_err *err) MB_CHECKED;
/* The same of a text (NULL: all inputs) for a table of names, targets last, whose options it
 * completes: intercept and effects that vary. MB_E_ARG where they were set to another value, or the
 * text names another target, or a group, and rows have none. */
mb_status mb_inputs_take(mb_arena *a, const mb_kind *kind, void *kind_opt, const char *text,
                         mb_contrasts coding, mb_table *t, mb_err *err) MB_CHECKED;

#endif
