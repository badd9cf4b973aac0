/* rows_opt.h - the options of every command that reads rows: which columns, in which form. */
#ifndef MB_ROWS_OPT_H
#define MB_ROWS_OPT_H

#include "base/app.h"
#include "meshbayes/extend.h"

/* Entries of a table of options for a struct `type` with a member `at` of type mb_data_opt; row(..)
 * makes an entry of an mb_opt, ROWS_PLAIN that itself. */
#define ROWS_PLAIN(...) __VA_ARGS__
#define ROWS_CHOSEN(row, type, at)                                                                 \
    row({"columns", MB_OPT_TEXT, offsetof(type, at.columns), .choices = "NAME,..",                 \
         .help = "the columns to use as features; without it all that have no other role"}),       \
        row({"drop", MB_OPT_TEXT, offsetof(type, at.drop), .choices = "NAME,..",                   \
             .help = "columns to leave out"})
#define ROWS_FORM(row, type, at)                                                                   \
    row({"separator", MB_OPT_CHOICE, offsetof(type, at.separator), "auto",                         \
         .choices = "auto|,|;|tab",                                                                \
         .help = "between the cells of CSV; auto recognises it from the header line and the "      \
                 "first rows; with ; or tab numbers may have decimal commas"}),                    \
        row({"header", MB_OPT_CHOICE, offsetof(type, at.header), "auto",                           \
             .choices = "auto|first|none",                                                         \
             .help = "none: CSV without a line of names, columns are called x1, x2, ..; first: "   \
                     "the first line has names although they are numbers"})
#define ROWS_COLUMNS(row, type, at) ROWS_CHOSEN(row, type, at), ROWS_FORM(row, type, at)
#define ROWS_MISSING_WORDS                                                                         \
    "rows with a missing value (empty, NA, N/A, #N/A, <NA>, NaN, null, None, ?, - or .): "
/* For commands that need every value. */
#define ROWS_WHOLE_OPTIONS(type, at)                                                               \
    ROWS_COLUMNS(ROWS_PLAIN, type, at),                                                            \
    {                                                                                              \
        "missing", MB_OPT_CHOICE, offsetof(type, at.missing), "error",                             \
            .choices = "error|drop",                                                               \
            .help = ROWS_MISSING_WORDS "an error, or left out and counted"                         \
    }
/* For commands with a model, which app_missing asks. */
#define ROWS_MISSING(row, type, at)                                                                \
    row({"missing", MB_OPT_CHOICE, offsetof(type, at.missing), "auto",                             \
         .choices = "error|drop|marginalise|auto",                                                 \
         .help = ROWS_MISSING_WORDS "an error; left out and counted; or what is missing is "       \
                                    "integrated out; auto: the last where the model can, "         \
                                    "else an error"})
/* Columns that name their rows: whole numbers that never repeat, and steps of time, differ from
 * measurements by their values. Why column d is one; NULL: it is none. ends: app_column_ends; work:
 * a number for each row. */
const char *app_names_rows(const mb_rows *rows, int32_t d, const double *ends, double *work);
/* ends: the smallest number of each column, then the largest; room: d. */
void app_column_ends(const mb_rows *rows, double *room, double *ends);
int  app_has_gaps(const mb_rows *rows, int32_t column);
/* MB_MISSING_AUTO in opt becomes what the kind can do. MB_E_ARG: it cannot do what is asked. */
mb_status app_missing(const mb_kind *kind, mb_data_opt *opt, mb_err *err) MB_CHECKED;
/* Kinds of the columns, for commands that make a posterior; and for those that apply one. */
#define ROWS_KINDS(row, type, at)                                                                  \
    row({"column", MB_OPT_TEXT, offsetof(type, at.column), .choices = "NAME:KIND,..",              \
         .help = "what columns hold, for models of mixed columns (lca, inputs of linreg and glm, " \
                 "the target of glm multinomial): number, count, flag, category or "               \
                 "category(a|b|c) with its words "                                                 \
                 "(*:category: all that are not named); the others are recognised: words make a "  \
                 "category, 0 and 1 (true and false, yes and no) a flag, other whole numbers "     \
                 "from 0 up a count"})
#define ROWS_UNSEEN(type, at)                                                                      \
    {                                                                                              \
        "unseen", MB_OPT_CHOICE, offsetof(type, at.unseen), "error",                               \
            .choices = "error|ignore|baseline",                                                    \
            .help = "a category that the posterior does not know: an error; ignore: a cell that "  \
                    "says nothing; baseline: an input of linreg and glm is its first level, with " \
                    "--coding sum the mean of all"                                                 \
    }
/* The same for commands that copy cells of any text, with the columns beside the features. */
#define ROWS_TEXT_OPTIONS(type, at, node, label, weight)                                           \
    {"node-column", MB_OPT_TEXT, offsetof(type, at.node_column), .choices = "NAME", .help = node}, \
        {"label-column", MB_OPT_TEXT, offsetof(type, at.label_column), .choices = "NAME",          \
         .help = label},                                                                           \
        {"weight-column", MB_OPT_TEXT, offsetof(type, at.weight_column), .choices = "NAME",        \
         .help = weight},                                                                          \
        ROWS_COLUMNS(ROWS_PLAIN, type, at),                                                        \
    {                                                                                              \
        "missing", MB_OPT_CHOICE, offsetof(type, at.missing), "keep",                              \
            .choices = "error|drop|keep",                                                          \
            .help = ROWS_MISSING_WORDS "an error, left out and counted, or taken as they are"      \
    }

#endif
