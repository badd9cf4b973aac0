/* app.h - shared by the commands of the program. Only the program prints and exits. */
#ifndef MB_APP_H
#define MB_APP_H

#include "base/format.h"
#include "data/json.h"
#include "meshbayes/meshbayes.h"

#include <stdio.h>

/* Exit status: 0 done (also with warnings), 1 failed, 2 wrong use, 3 results are written but every
 * run failed, 4 not every run settled (--require-settled), 128 + the number of the signal that
 * ended the program. */
enum { APP_DONE, APP_FAILED, APP_WRONG_USE, APP_NO_ANSWER, APP_UNSETTLED, APP_SIGNAL = 128 };

/* A command, or a verb of one ("data split"). Members that do not apply are 0. */
typedef struct app_command {
    const char   *name;       /* "sim"                                                         */
    const char   *summary;    /* one line for `meshbayes help`                                 */
    const char   *usage;      /* "meshbayes sim --data FILE [options]"                         */
    const char   *text;       /* its help page, before the options                             */
    const mb_opt *options;    /* ends with a NULL name                                         */
    size_t        size;       /* of the struct that the options fill; it is zeroed before      */
    int           most_words; /* words without dashes that are accepted                        */
    size_t        words_at;   /* offsetof their array of const char * in that struct           */
    mb_status (*work)(mb_arena *a, void *opt, mb_err *err);
    const struct app_command *const *verbs; /* replace work; NULL-terminated, the first word
                                               names one                                       */
    int (*run)(int argc, char **argv); /* replaces options and work; argv[0] is the name        */
    /* Replaces the options on the help page; part: NULL, "all", or what the page is to be of. 0
       when it has no such part. */
    int (*help)(FILE *out, const char *part);
    int many; /* 1: several processes share its work (mpirun)          */
} app_command;

extern const app_command app_cmd_sim, app_cmd_fit, app_cmd_plan, app_cmd_sample, app_cmd_graph,
    app_cmd_data, app_cmd_report, app_cmd_help, app_cmd_predict, app_cmd_score, app_cmd_compare,
    app_cmd_export, app_cmd_up, app_cmd_genesis, app_cmd_replay, app_cmd_top, app_cmd_fleet;
/* help.c: the command of meshbayes with this name, or NULL. */
const app_command *app_command_find(const char *name);
/* `meshbayes help NAME [PART]`; NULL: an overview of all commands. Returns the exit status. */
int app_help(const char *name, const char *part);
/* Runs a command: parses its options, does its work and prints its error. Returns the exit status;
 * argv[0] is the command's name. */
int app_command_run(const app_command *c, int argc, char **argv);
/* The page of `meshbayes help NAME [PART]`, after its usage. 0: it has no such part. */
int app_command_help(const app_command *c, const char *part, FILE *out);
/* Prints "sim, fit, .." with the programs found beside meshbayes, for error messages. */
void app_print_commands(FILE *out);

/* The part of a main function that programs share: standard streams, signals, and the exit status
 * of a command whose output could not be written. */
int app_run(int argc, char **argv, int (*command)(int argc, char **argv));
/* "meshbayes VERSION", then a line of the optional parts it has, and one for each that it lacks. */
int app_version(void);
/* 0, with the error printed, if a launcher started several processes of a command that runs in one:
 * each would do the same. first: 1 in the process that prints. */
int app_alone(const char *cmd, int launched, int first);

/* Prints "meshbayes CMD: error: message" (one line) on stderr; returns the exit status: 2 for
 * MB_E_ARG when `use` is 1 (options), else 1. Standard output whose reader is gone is no error:
 * nothing is printed, and the status is APP_SIGNAL + SIGPIPE. */
int app_fail(const char *cmd, const mb_err *err, int use);
/* "meshbayes CMD: warning: ..." on stderr. */
void app_warn(const char *cmd, const char *fmt, ...) MB_PRINTF(2, 3);
/* "meshbayes CMD: note: ..." on stderr. */
void app_note(const char *cmd, const char *fmt, ...) MB_PRINTF(2, 3);

/* 1 where one of n numbers is known: not NaN. NULL: none is. */
int app_any(const double *x, int64_t n);
enum { APP_LINE = 100 /* characters of a line where there is no terminal */ };
/* Characters of a line on standard output: of its terminal, or APP_LINE. */
int app_line(void);
/* "" for one, "s" for another number of things. */
const char *app_plural(int64_t n);
/* How a run ended, in words; "elsewhere" is the word of files and tables alone. */
const char *app_verdict(mb_verdict v);
/* Explains that word below a table where it stands, behind `lead`, without the end of the line. */
void app_print_elsewhere(const char *lead);
/* What is rounding in differences of numbers as large as the best bound, nats (NaN: none). */
double app_rounding(double best);
/* A divergence, nats, for showing: a difference of such numbers, and 0 when below rounding. */
double app_divergence(double x, double best);
/* The next character of a text (not at its end) as a page shows it, *n bytes: a blank for a control
 * character, U+FFFD for an invalid one. */
const char *app_visible(const char **text, int *n);
/* Prints a text of others on standard output so. */
void app_print_visible(const char *text);

/* levels.c: accuracy, log loss and confusion on standard output; known: the names of the levels,
 * NULL: 0 and 1. Nothing without rows. */
void app_print_levels(const mb_classification *c, const mb_column *known);

/* sorted.c: n numbers without NaN in ascending order. */
void app_sort(double *x, int64_t n);
/* Linear between the two nearest of n >= 1 ascending numbers, 0 <= q <= 1, as numpy's default. */
double app_quantile(const double *x, int64_t n, double q);

/* A table of options and the struct it fills. */
typedef struct app_group {
    const mb_opt *table;
    void         *obj;
    int           alone; /* 1: later groups do not get its options, although they have them */
    int           other; /* 1: what it refuses is no error while another group accepts it */
} app_group;
/* --opt value and --opt=value; values may start with a minus; flags take no value. An option is set
 * in all groups that have it and accept it. Words without dashes go to `words` (at most max_words,
 * else MB_E_ARG naming the word). A lone file name is the value of --data where no words are taken.
 * Defaults are set first. An unknown option is MB_E_ARG with the nearest known name. */
mb_status app_parse(int argc, char **argv, const app_group *group, int ngroup, const char **words,
                    int max_words, int *nwords, mb_err *err) MB_CHECKED;
/* The value of an option among the words before they are parsed; NULL: it is not given. */
const char *app_option_value(int argc, char **argv, const char *name);
/* overwrite.c: no command overwrites its input. MB_E_ARG when an MB_OPT_INPUT of the groups, or a
 * word that names a file, is the same file as an MB_OPT_OUTPUT or as standard output: by device and
 * inode, so through links too. Called by app_parse. */
mb_status app_check_overwrites(const app_group *group, int ngroup, const char *const *words,
                               int nwords, mb_err *err) MB_CHECKED;
/* The same for one file of each kind; out may be a folder, or NULL to check standard output alone.
 * Options are named as typed: "--data". */
mb_status app_refuse_overwrite(const char *out_option, const char *out, const char *in_option,
                               const char *in, mb_err *err) MB_CHECKED;
enum { APP_WIDTH = 96 /* columns of help */ };
/* Prints words from column `at`, further lines indented; returns the column it ends in. */
int app_wrap(FILE *out, int at, int indent, const char *text);
/* A help page's text: paragraphs are wrapped to APP_WIDTH and end at a blank or an indented line. A
 * line that starts with two blanks is printed unchanged (examples); when it is too long and reads
 * "  NAME   meaning", its further lines are aligned with the meaning. */
void app_print_help(FILE *out, const char *text);
/* Options of a table for a help page: name, default, range, unit, equation, scikit-learn's name. As
 * default of an option that has none stands what its text ends with behind "; without it ". */
void app_print_options(FILE *out, const char *heading, const mb_opt *table);
/* json_memory.c: before the first JSON file is read. */
void app_json_begin(void);
/* Ends a JSON text and prints it on standard output. */
mb_status app_print_json(mb_json_out *j) MB_CHECKED;
/* clock.c: seconds since some moment in the past, monotonic. */
double app_now(void);
/* port.c: n bytes of text as the number of a port, 1 to APP_PORT_MOST; 0: they are none. */
enum { APP_PORT_MOST = 65535 };
int app_port(const char *text, size_t n);

/* secret.c: MB_E_ARG if others than the owner may use the file; MB_E_IO if there is none. */
mb_status app_secret(const char *file, mb_err *err) MB_CHECKED;
/* columns.c: the rows of a file with these d >= 1 columns, in this order, whatever others it has.
 * origin: what the names are from, for a message. */
mb_status app_read_columns(mb_arena *a, const char *file, const mb_data_opt *opt, int32_t d,
                           const char *const *name, const char *origin, mb_data *out,
                           mb_err *err) MB_CHECKED;
/* listing.c: a small table of the library on standard output; its lines begin with `lead`. */
void app_print_listing(const mb_listing *l, const char *lead);

#endif
