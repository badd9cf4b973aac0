/* meshbayes/opt.h - tables of options. One table provides defaults, range checks, the command line,
 * help texts and the saved configuration. */
#ifndef MESHBAYES_OPT_H
#define MESHBAYES_OPT_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of an option's field. */
typedef enum mb_opt_kind {
    MB_OPT_REAL,   /* double                                              */
    MB_OPT_AUTO,   /* double; the word in `choices`, or "auto", is stored as NaN */
    MB_OPT_INT,    /* int64_t                                             */
    MB_OPT_TEXT,   /* const char *, borrowed from the caller; NULL: none  */
    MB_OPT_CHOICE, /* int32_t: index into `choices`                       */
    MB_OPT_FLAG,   /* int32_t: 0 or 1; takes no value on the command line */
    MB_OPT_INPUT,  /* as MB_OPT_TEXT: a file that is read                 */
    MB_OPT_OUTPUT  /* as MB_OPT_TEXT: a file or folder that is written    */
} mb_opt_kind;

/* One option: an entry of a table. */
typedef struct mb_opt {
    const char *name;    /* as typed, without dashes: "dsvb.tau"          */
    mb_opt_kind kind;    /* of the field                                  */
    size_t      at;      /* offsetof the field in the option struct       */
    const char *def;     /* default as typed; NULL: none                  */
    double      lo;      /* smallest accepted number, inclusive           */
    double      hi;      /* largest accepted number, inclusive            */
    const char *choices; /* "freeze|project|stop" (MB_OPT_CHOICE), or how to
                            write a text value: "FILE.csv|FILE.npy"       */
    const char *unit;    /* "rounds", "nats", "" ...                      */
    const char *eq;      /* "eq. (29)" or ""                              */
    const char *sklearn; /* scikit-learn's name or ""                     */
    const char *help;    /* one line                                      */
} mb_opt;

/* 1 if the field is a text. */
MB_API int mb_opt_is_text(const mb_opt *o);
/* Sets every option that has a default. `obj` is the struct described by the table, which ends with
 * an entry whose name is NULL; a NULL table has no options. Fields that
 * the table does not describe stay as they are: zero the struct before. */
MB_API mb_status mb_opt_defaults(const mb_opt *table, void *obj, mb_err *err) MB_CHECKED;
/* The option with this name; NULL if the table has none. */
MB_API const mb_opt *mb_opt_find(const mb_opt *table, const char *name);
/* Sets one option from text. MB_E_ARG names the option, the value and what is accepted. */
MB_API mb_status mb_opt_set(const mb_opt *o, const char *value, void *obj, mb_err *err) MB_CHECKED;
/* Sets one option of a table from "NAME=VALUE", as bindings do. */
MB_API mb_status mb_opt_assign(const mb_opt *table, void *obj, const char *text,
                               mb_err *err) MB_CHECKED;
/* Numbers separated by commas: *count of them in the text, the first n into x. MB_E_ARG names the
 * option `name` and the entry that is no finite number. */
MB_API mb_status mb_opt_numbers(const char *name, const char *text, int32_t n, double *x,
                                int32_t *count, mb_err *err) MB_CHECKED;
/* The current value as text (numbers: the shortest text that reads back to the same value), at most
 * cap bytes including the final 0. */
MB_API void mb_opt_text(const mb_opt *o, const void *obj, char *buf, size_t cap);
/* What the option accepts, as text: "0 to 1", "freeze, project or stop". */
MB_API void mb_opt_accepts(const mb_opt *o, char *buf, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
