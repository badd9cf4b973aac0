/* rows_opt.h - the options of every command that reads rows: which columns, in which form. */
#ifndef MB_ROWS_OPT_H
#define MB_ROWS_OPT_H

#include "app.h"

/* Entries of a table of options for a struct `type` with a member `at` of type mb_data_opt. */
#define ROWS_OPTIONS(type, at)                                                                     \
    {"columns", MB_OPT_TEXT, offsetof(type, at.columns), .choices = "NAME,..",                     \
     .help = "the columns to use as features; by default all that have no other role"},            \
        {"drop", MB_OPT_TEXT, offsetof(type, at.drop), .choices = "NAME,..",                       \
         .help = "columns to leave out"},                                                          \
        {"separator",                                                                              \
         MB_OPT_CHOICE,                                                                            \
         offsetof(type, at.separator),                                                             \
         "auto",                                                                                   \
         .choices = "auto|,|;|tab",                                                                \
         .help = "between the cells of CSV; auto recognises it from the header line and the "      \
                 "first rows; with ; or tab numbers may have decimal commas"},                     \
        {"header",                                                                                 \
         MB_OPT_CHOICE,                                                                            \
         offsetof(type, at.header),                                                                \
         "auto",                                                                                   \
         .choices = "auto|first|none",                                                             \
         .help = "none: CSV without a line of names, columns are called x1, x2, ..; first: the "   \
                 "first line has names although they are numbers"},                                \
    {                                                                                              \
        "missing", MB_OPT_CHOICE, offsetof(type, at.missing), "error",                             \
            .choices = "error|drop",                                                               \
            .help =                                                                                \
                "rows with a missing value (empty, NA, N/A, #N/A, <NA>, NaN, null, None or ?): "   \
                "an error, or left out and counted"                                                \
    }

#endif
