/* posterior_cmd.h - what the commands that apply a posterior share. */
#ifndef MB_POSTERIOR_CMD_H
#define MB_POSTERIOR_CMD_H

#include "base/app.h"
#include "base/rows_opt.h"
#include "posterior/file.h"

/* Members of entries of option tables; offset: of the field. */
#define POSTERIOR_INPUT(offset)                                                                    \
    "posterior", MB_OPT_INPUT, (offset),                                                           \
        .choices = "FILE.json",                                                                    \
        .help = "a posterior written by `meshbayes fit` or `meshbayes sim`"
#define POSTERIOR_ROWS(offset)                                                                     \
    "data", MB_OPT_INPUT, (offset),                                                                \
        .choices = "FILE", .sklearn = "X",                                                         \
        .help =                                                                                    \
            "the rows: CSV (columns found by name), or NPY and NPZ (columns in the posterior's "   \
            "order); - for standard input, several files a,b or a folder for all their rows; "     \
            "under mpirun also FILE-%r.npy, a file for each process, whose number from 0 is %r"
/* The columns that are no features of any posterior, and how files are read. */
#define POSTERIOR_READING(type, at)                                                                \
    {"node-column", MB_OPT_TEXT, offsetof(type, at.node_column), .choices = "NAME",                \
     .help = "a column that is not used"},                                                         \
        {"label-column", MB_OPT_TEXT, offsetof(type, at.label_column), .choices = "NAME",          \
         .help = "the same"},                                                                      \
        {"group-column", MB_OPT_TEXT, offsetof(type, at.group_column), .choices = "NAME",          \
         .help = "of a posterior of groups: the column with the group of the row"},                \
        {"group-file", MB_OPT_INPUT, offsetof(type, at.group_file), .choices = "FILE",             \
         .help = "the same, CSV or NPY of one column"},                                            \
        {"time-column", MB_OPT_TEXT, offsetof(type, at.time_column), .choices = "NAME",            \
         .help = "of sequences: the column with the time of the row, which may not go back"},      \
        ROWS_COLUMNS(ROWS_PLAIN, type, at), ROWS_MISSING(ROWS_PLAIN, type, at),                    \
        ROWS_UNSEEN(type, at)
/* Prints what the reader noted, at the end. */
void posterior_notes(const char *cmd, const mb_posterior_rows *rows);
#define POSTERIOR_OUTPUT(offset)                                                                   \
    "out", MB_OPT_OUTPUT, (offset), "/dev/stdout",                                                 \
        .choices = "FILE.csv|FILE.npy", .help = "where to; without it CSV on standard output"

/* What compares predicted and observed levels of the rows: *room for a batch, NULL: the target has
 * no levels, or is not read. */
mb_status posterior_levels_new(mb_arena *a, const mb_posterior_rows *rows, mb_classification *out,
                               double **room, mb_err *err) MB_CHECKED;
/* Adds the batch. */
mb_status posterior_levels(const mb_posterior_rows *rows, double *room, mb_classification *out,
                           mb_err *err) MB_CHECKED;

/* A note of `cmd` on standard error names the columns that are not used. */
void posterior_note(const char *cmd, const mb_posterior_rows *r);

#endif
