/* meshbayes/meshbayes.h - fits, posteriors and nodes, for programs that use them. Authors of a
 * family, a model, an algorithm or a transport include extend.h, which includes this. */
#ifndef MESHBAYES_MESHBAYES_H
#define MESHBAYES_MESHBAYES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors, memory, random numbers ---- */

/* The version these headers belong to, MAJOR.MINOR.PATCH. */
#define MB_VERSION "0.1.0"

#if defined(__GNUC__)
/* Marks what the library exports; everything else is hidden. */
#define MB_API __attribute__((visibility("default")))
/* Argument f is a printf format, and its values begin at argument a. */
#define MB_PRINTF(f, a) __attribute__((format(printf, f, a)))
/* The compiler warns if the returned status is ignored. */
#define MB_CHECKED __attribute__((warn_unused_result))
#else
#define MB_API
#define MB_PRINTF(f, a)
#define MB_CHECKED
#endif

/* One list defines enumerators, numbers and texts. The numbers leave the process (--json) and are
 * never reused. > 0 is informational, < 0 an error. */
#define MB_STATUS_LIST(X)                                                                          \
    X(MB_OK, 0, "ok")                                                                              \
    X(MB_QUIET, 1, "nothing to send this round")                                                   \
    X(MB_STOP, 2, "an observer asked to stop")                                                     \
    X(MB_E_NOMEM, -1, "out of memory")                                                             \
    X(MB_E_ARG, -2, "invalid argument")                                                            \
    X(MB_E_DOMAIN, -3, "natural parameter outside its domain")                                     \
    X(MB_E_NUMERIC, -4, "not finite or not converged")                                             \
    X(MB_E_SHAPE, -5, "sizes do not agree")                                                        \
    X(MB_E_IO, -6, "input/output failed")                                                          \
    X(MB_E_FORMAT, -7, "malformed file or frame")                                                  \
    X(MB_E_PEER, -8, "peer incompatible, lost or late")                                            \
    X(MB_E_NOSUP, -9, "not supported by this build or method")                                     \
    X(MB_E_STOPPED, -10, "stopped, as the caller asked")
#define MB_X(name, value, text) name = (value), /* one line of the list as an enumerator */
/* The return value of functions that can fail: names, numbers and texts are in MB_STATUS_LIST. */
typedef enum mb_status { MB_STATUS_LIST(MB_X) } mb_status;
#undef MB_X
/* The text of a status, a static string; "unknown status" for any other number. */
MB_API const char *mb_status_text(mb_status s);

/* Largest magnitude accepted for a number of a row: weighted sums of squares over any rows that fit
 * into memory, and quantities computed from them, are then finite. */
#define MB_VALUE_MAX 1e100
/* Largest weight accepted for a row. */
#define MB_WEIGHT_MAX 1e15

/* Filled by the function that fails first; callers pass it on unchanged. Always the last argument;
 * NULL is allowed. Each thread needs its own. */
typedef struct mb_err {
    mb_status   code;     /* < 0                                                    */
    int         line;     /* of the source, for developers                          */
    const char *file;     /* of the source                                          */
    char        msg[488]; /* one line: the wrong value and what would be accepted   */
    /* Where it is, as far as it is known: for callers who say it in words of their own. */
    const char *option; /* as its table has it, "n-components"; "labels" or "node"; of some priors,
                           which have their own checks, the last part: "nu0"; NULL    */
    int64_t     row;    /* of the caller's rows, from 0; -1: none                     */
    int32_t     column; /* of them, from 0; -1: none                                  */
} mb_err;

/* Called by MB_FAIL: fills *e (if not NULL) and returns code. */
MB_API mb_status mb_fail_(mb_err *e, mb_status code, const char *file, int line, const char *fmt,
                          ...) MB_PRINTF(5, 6);
/* Returns `code` from the calling function with a printf-style message. */
#define MB_FAIL(e, code, ...) return mb_fail_((e), (code), __FILE__, __LINE__, __VA_ARGS__)
/* Returns from the calling function if the call failed; a status > 0 is ignored. */
#define MB_TRY(call)                                                                               \
    do {                                                                                           \
        mb_status s_ = (call);                                                                     \
        if (s_ < 0)                                                                                \
            return s_;                                                                             \
    } while (0)

/* Owns memory that is released with it. Objects that hold only memory have no destructor. */
typedef struct mb_arena mb_arena;
/* An empty arena that grows by malloc, `chunk` bytes or more at a time. NULL: no memory. */
MB_API mb_arena *mb_arena_new(size_t chunk);
/* An arena in the caller's buffer: never calls malloc; allocations fail when the buffer is full.
 * The arena itself takes at most 192 bytes. NULL: the buffer is too small for the arena itself. */
MB_API mb_arena *mb_arena_fixed(void *buf, size_t bytes);
/* n objects of `size` bytes, zeroed, aligned to 64 bytes. NULL: no memory, n * size overflows. */
MB_API void *mb_alloc(mb_arena *a, size_t n, size_t size);
/* Bytes allocated so far, padding included. */
MB_API size_t mb_arena_used(const mb_arena *a);
/* Frees the arena and everything allocated from it. NULL is allowed. */
MB_API void mb_arena_free(mb_arena *a);
#ifdef __cplusplus
#define MB_AS_(x) (decltype(x))
#else
/* Private: the cast that C++ needs in MB_NEW. */
#define MB_AS_(x)
#endif
/* Typed allocation: `MB_NEW(x, a, n, err)` points x at n zeroed objects, or returns MB_E_NOMEM with
 * a message from the calling function. */
#define MB_NEW(dst, a, n, err)                                                                     \
    do {                                                                                           \
        (dst) = MB_AS_(dst) mb_alloc((a), (size_t)(n), sizeof *(dst));                             \
        if (!(dst))                                                                                \
            MB_FAIL((err), MB_E_NOMEM, "out of memory for %zu x %zu bytes (" #dst ")",             \
                    (size_t)(n), sizeof *(dst));                                                   \
    } while (0)

/* Counter-based random numbers (Philox4x32-10): the k-th number depends only on k and on (seed,
 * stream, node, round), so results depend neither on threads nor on where nodes are computed. */
typedef enum mb_stream {
    MB_STREAM_GRAPH = 1, /* random topologies            */
    MB_STREAM_DATA,      /* synthetic rows               */
    MB_STREAM_DEAL,      /* assignment of rows to nodes  */
    MB_STREAM_START,     /* initial centres              */
    MB_STREAM_LOSS,      /* lost messages                */
    MB_STREAM_SILENT,    /* nodes that send nothing      */
    MB_STREAM_DELAY,     /* late messages                */
    MB_STREAM_SAMPLE,    /* samples from a posterior     */
    MB_STREAM_MOVE,      /* components to split and merge */
    MB_STREAM_FOLD,      /* rows that are held out       */
    MB_STREAM_THIN,      /* rows that initialise very many */
    MB_STREAM_NOISE,     /* simulated noise of private releases */
    MB_STREAM_MASK,      /* simulated masks of exact sums */
    MB_STREAM_LINK = 16, /* frames on virtual links      */
    MB_STREAM_HOST,      /* virtual machines: speeds, clocks, first ticks */
    MB_STREAM_DISK       /* faults of virtual disks      */
} mb_stream;
/* A generator; a plain value that may be copied. */
typedef struct mb_rng {
    uint32_t key[2]; /* from the seed                     */
    uint32_t ctr[4]; /* stream, node, round and position  */
    uint32_t out[4]; /* the last block of numbers         */
    int32_t  left;   /* numbers of out not yet returned   */
} mb_rng;
/* The generator of (seed, stream, node, round). */
MB_API mb_rng   mb_rng_at(uint64_t seed, mb_stream stream, uint32_t node, uint64_t round);
MB_API double   mb_rng_uniform(mb_rng *r);           /* in (0, 1), 53 bits            */
MB_API double   mb_rng_normal(mb_rng *r);            /* mean 0, variance 1            */
MB_API uint64_t mb_rng_below(mb_rng *r, uint64_t n); /* uniform on 0..n-1, n >= 1, unbiased */

/* What authors see whole, in extend.h; here there are only pointers to it. */
typedef struct mb_algo       mb_algo;       /* an algorithm                                   */
typedef struct mb_case_given mb_case_given; /* units and a prior that were agreed before      */
typedef struct mb_comm       mb_comm;       /* the processes of a job                         */
typedef struct mb_centres    mb_centres;    /* centres that several runs share                */
typedef struct mb_fit_stages mb_fit_stages; /* what a fit went through                        */
typedef struct mb_kind       mb_kind;       /* a kind of model                                */
typedef struct mb_model      mb_model;      /* a model with its prior                         */
typedef struct mb_pool       mb_pool;       /* threads                                        */
typedef struct mb_session    mb_session;    /* a run                                          */
typedef struct mb_store      mb_store;      /* finished parts of a search, kept by the caller */

/* Opens a pool of `threads` threads, the caller's included, so it starts threads - 1; 0: one for
 * each processor that this process may use; at most 4096. If the system refuses to start that many,
 * the pool is smaller; that is no error. Its memory comes from a, which must outlive the pool. The
 * new threads block all signals. */
MB_API mb_status mb_pool_open(mb_arena *a, int32_t threads, mb_pool **out, mb_err *err) MB_CHECKED;
/* Stops and joins the threads; no job may be running. NULL is allowed. */
MB_API void mb_pool_close(mb_pool *p);
/* Number of threads, the caller's included: 1 or more. NULL: 1. */
MB_API int32_t mb_pool_threads(const mb_pool *p);

/* ---- Options ---- */

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
    const char *choices; /* "freeze|project|stop" (MB_OPT_CHOICE; after "=" other
                            words for the same: "poisson=log"), or how to
                            write a text value: "FILE.csv|FILE.npy"       */
    const char *unit;    /* "rounds", "nats", "" ...                      */
    const char *eq;      /* "eq. (29)" or ""                              */
    const char *sklearn; /* scikit-learn's name or ""                     */
    const char *help;    /* one line; without a default it may end with
                            "; without it ..", what happens then          */
} mb_opt;

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

/* ---- Columns and rows ---- */

/* What the numbers of a column are; kinds with levels come last. */
typedef enum mb_column_kind {
    MB_COLUMN_NUMBER,   /* real numbers, which may be moved to another origin and scale */
    MB_COLUMN_COUNT,    /* whole numbers from 0 up                                      */
    MB_COLUMN_CATEGORY, /* 0 to levels - 1, in the order of their names                 */
    MB_COLUMN_FLAG,     /* 0 or 1                                                       */
    MB_COLUMN_KINDS     /* how many there are                                           */
} mb_column_kind;
/* What a column is that adds to the linear predictor of a regression, without a coefficient: the
 * last of the inputs. */
typedef enum mb_offset {
    MB_OFFSET_NONE,    /* it is none                                          */
    MB_OFFSET_NUMBER,  /* it is added                                         */
    MB_OFFSET_EXPOSURE /* its logarithm is: how long or how much was observed */
} mb_offset;
/* A column; nothing is owned. */
typedef struct mb_column {
    mb_column_kind     kind;    /* of its numbers                                                 */
    int32_t            levels;  /* of a category (0: not known yet); 2 of a flag, else 0          */
    const char *const *level;   /* levels names, all different; those of a flag are "0" and "1"   */
    int32_t            varying; /* 1: a number whose effect varies by group; "varying" in texts  */
    int32_t            offset;  /* mb_offset of a number; "offset" and "exposure" in texts        */
} mb_column;
/* The columns of a table, and the same as a text: "number,category(f|m)". Constant once made. */
typedef struct mb_columns {
    int32_t          d;    /* columns */
    const mb_column *of;   /* d       */
    const char      *text; /* a backslash precedes each of , ( | ) \ in a name */
} mb_columns;

/* "number", "count", "category", "flag". */
MB_API const char *mb_column_word(mb_column_kind kind);
/* Copies d columns. MB_E_ARG for a category without names, a name that is there twice or empty. */
MB_API mb_status mb_columns_make(mb_arena *a, int32_t d, const mb_column *of, mb_columns *out,
                                 mb_err *err) MB_CHECKED;
/* Kinds of some of d columns, as users declare them: "age:number,sex:category(f|m),job:category".
 * of[i] is set, and given[i] becomes 1, for each that the text names; a category without names has
 * levels 0. MB_E_ARG for a name that is not among the columns or twice, and for another kind. */
MB_API mb_status mb_columns_declare(mb_arena *a, const char *text, int32_t d,
                                    const char *const *name, mb_column *of, uint8_t *given,
                                    mb_err *err) MB_CHECKED;

/* In the library of a build without files (CMake option MB_STDIO) all rows are in arrays: what asks
 * for others is never 1, so that the compiler leaves out what follows. */
#ifdef MB_NO_STDIO
#define MB_STORED_(may) 0
#else
#define MB_STORED_(may) (may)
#endif

/* Rows that are no array of doubles: those of a file in its own type (mb_npy_view), rows in other
 * units (mb_rows_in_units). The owner's struct begins with this one; several threads may read. */
typedef struct mb_stored {
    double (*at)(const struct mb_stored *s, int64_t j, int32_t d); /* column d of row j */
    void (*take)(const struct mb_stored *s, int64_t j, int64_t n, double *out); /* n x d, from j */
} mb_stored;
/* A view of n rows of d numbers; row j starts at x + j*ld. Never owns. Rows in single precision
 * take half the memory; each is widened when it is read and all arithmetic is double: the answer is
 * that of the same numbers as doubles, to the bit (docs/math.md, section 12), as for `stored`. */
typedef struct mb_rows {
    const double *x;   /* n rows of d numbers, stride ld                       */
    const double *w;   /* row weights >= 0, length n; NULL means all 1         */
    int64_t       n;   /* may be 0: a node without rows                        */
    int32_t       d;   /* columns                                              */
    size_t        ld;  /* >= d                                                 */
    const float  *x32; /* not NULL: the rows in single precision, x is not read */
    /* Groups of rows: group g is rows first[g] .. first[g + 1] - 1. ngroup + 1 numbers that ascend
     * from 0 to n; NULL: no groups, for a model that knows none. */
    const int64_t *first;
    int32_t        ngroup; /* 0 without `first` */
    /* 1: NaN is no value, for models that can (mb_kind::gaps); a row of it weighs 0. 0: none is. */
    int32_t gaps;
    /* Not NULL: row j is row skip + j of `stored`, and x, x32 and ld are not read. */
    const mb_stored *stored;
    int64_t          skip; /* of `stored`, before row 0 */
    /* Not NULL: the share of this process in rows that several have (mb_table_share). Sums are then
     * over all of them, and collective; there are no weights, groups or gaps. */
    struct mb_share          *share;
    int64_t                   before;      /* rows of processes before this one */
    int64_t                   remote_rows; /* of all other processes */
    const struct mb_row_sums *sums;        /* of these rows (mb_table_look); NULL: not known */
    int32_t ahead; /* for MB_WANT_AHEAD: how many rows after the last of each group, else 0 */
} mb_rows;
/* Column d of row j, however the rows are stored: how a model reads them. */
static inline double mb_rows_at(const mb_rows *rows, int64_t j, int32_t d)
{
    const size_t at = (size_t)j * rows->ld + (size_t)d;

    if (MB_STORED_(rows->stored != NULL))
        return rows->stored->at(rows->stored, rows->skip + j, d);
    return rows->x32 ? (double)rows->x32[at] : rows->x[at];
}

/* Types of numbers that rows may have where they are. */
typedef enum mb_number {
    MB_NUMBER_F8, /* double                                                              */
    MB_NUMBER_F4, /* float                                                               */
    MB_NUMBER_I8, /* int64_t; above 2^53 it is rounded to the nearest double             */
    MB_NUMBER_I4, /* int32_t                                                             */
    MB_NUMBER_U1  /* uint8_t                                                             */
} mb_number;
/* A view of n rows of d numbers that are anywhere: row j, column k at x + j row_step + k
 * column_step bytes. Steps may be 0, negative, and no multiple of the numbers. Copies nothing: x is
 * read whenever rows are, and results are those of the same doubles, to the bit; in C order doubles
 * and floats cost nothing more, others about a fifth of a fit. The view needs the arena. MB_E_SHAPE
 * for n below 0 or d below 1, MB_E_ARG for another type or x NULL, MB_E_NOSUP without stdio for
 * what is not in C order. */
MB_API mb_status mb_rows_strided(mb_arena *a, const void *x, mb_number type, int64_t n, int32_t d,
                                 int64_t row_step, int64_t column_step, mb_rows *out,
                                 mb_err *err) MB_CHECKED;
/* The columns of `left` and after them those of `right`, as a table of inputs and targets that are
 * in two arrays: a view that copies nothing and needs both and the arena. Weights and groups are
 * those of `left`; either may have gaps. MB_E_SHAPE when they differ in rows or have more columns
 * than an int32_t counts, MB_E_NOSUP without stdio. */
MB_API mb_status mb_rows_hstack(mb_arena *a, const mb_rows *left, const mb_rows *right,
                                mb_rows *out, mb_err *err) MB_CHECKED;

/* ---- Files of rows ---- */

/* What is between the cells of CSV. */
typedef enum mb_separator {
    MB_SEPARATOR_AUTO, /* recognised: a comma, semicolon or tab */
    MB_SEPARATOR_COMMA,
    MB_SEPARATOR_SEMICOLON, /* numbers may have decimal commas */
    MB_SEPARATOR_TAB        /* the same                        */
} mb_separator;
/* What the first line of CSV is. */
typedef enum mb_header {
    MB_HEADER_AUTO,  /* the first line has names; a first line of numbers is MB_E_FORMAT */
    MB_HEADER_FIRST, /* the first line has names, whatever they are                      */
    MB_HEADER_NONE   /* the first line is a row; columns are called "x1".."xd"           */
} mb_header;
/* What happens to rows with cells that say there is no value: empty, NA, N/A, \#N/A, \<NA\>, NaN,
 * null, None, ? (in any case); NaN in NPY. */
typedef enum mb_missing {
    MB_MISSING_ERROR, /* MB_E_FORMAT                                                         */
    MB_MISSING_DROP,  /* left out and counted                                                */
    MB_MISSING_KEEP,  /* taken as they are: numbers are NaN, a gap (mb_rows.gaps); an error in
                         columns of nodes, classes and weights                                */
    MB_MISSING_AUTO   /* for the caller, who knows the model, to replace; else an error      */
} mb_missing;
/* What happens to a category that a posterior does not know. */
typedef enum mb_unseen {
    MB_UNSEEN_ERROR,   /* MB_E_FORMAT                      */
    MB_UNSEEN_IGNORE,  /* NaN: a cell that says nothing    */
    MB_UNSEEN_BASELINE /* NaN: the first level, to a design */
} mb_unseen;
/* Which columns of a file of rows are read, and how. A zeroed struct is valid: one header line, all
 * columns are features. Names in a list "a,b" are separated by commas; a column whose name has a
 * comma can be named alone. */
typedef struct mb_data_opt {
    const char *node_column;   /* NULL: none. NPY: NULL only */
    const char *label_column;  /* the same                   */
    const char *weight_column; /* the same: numbers from 0 to MB_WEIGHT_MAX                */
    const char *group_column;  /* the same: rows with one text are a group, one after the other */
    const char *columns;       /* "a,b": the features, in this order; NULL: all others     */
    const char *drop;          /* "c,d": columns that are not read; NULL: none             */
    const char *node_file;     /* mb_data_read: one column, CSV or NPY: each row's node; or NULL */
    const char *label_file;    /* mb_data_read: the same, the class of every row           */
    const char *group_file;    /* the same, the group of every row, whatever reads the rows */
    int32_t     separator;     /* mb_separator */
    int32_t     header;        /* mb_header    */
    int32_t     missing;       /* mb_missing   */
    const char *column;        /* mb_data_read: kinds of features, "age:number,sex:category(f|m)";
                                  the others are recognised. NULL: none is declared           */
    int32_t     recognise;     /* mb_data_read: 1: features have kinds; 0: numbers (no `column`) */
    const char *category;      /* mb_data_read with recognise: this feature is a category (NPY: one
                                  only if `column` says so), the others are numbers, except where
                                  `column` says otherwise. NULL: features are recognised       */
    int32_t     of_words; /* CSV, of `category`: 1: it is one where its first cell is a word, and
                                  a column of numbers where that is a number                   */
    const char *levels;   /* CSV: "no,yes": the categories of `category`, in this order; NULL:
                                  those of its cells, in the order of node names               */
    const char *targets;  /* "a,b": features whether or not `columns` has them; NULL: none */
    int32_t     unseen;   /* mb_unseen */
    int32_t     coded;    /* with recognise: 1: features beside `targets` are recognised, too, and
                             targets are numbers where `category` does not say otherwise         */
    mb_pool    *pool;     /* whose threads read lines of CSV; NULL: the caller's alone */
    const char *time_column; /* of groups: no cell may be below that of the row before in its group:
                                numbers, or texts such as 2026-01-31T12:00. NULL: not checked */
    int32_t file_groups; /* 1: without group_column and group_file the rows of a file are a group */
} mb_data_opt;

/* Files that rows were read from, for messages about them. */
typedef struct mb_origin {
    const char *file;      /* as it was given, one or several (mb_data_files); NULL: none  */
    int32_t     separator; /* of mb_data_opt                                          */
    int32_t     header;    /* of mb_data_opt                                          */
} mb_origin;
enum { MB_PLACE = 320 /* room for the text of a place */ };

enum { MB_GROUPS_NAMED = 1000 /* groups of rows whose names are held, at most */ };
/* A data set in memory; its arrays belong to the arena it was read into. */
typedef struct mb_data {
    int64_t           n;          /* rows                                                */
    int32_t           d;          /* features                                            */
    double           *x;          /* n x d, grouped; read-only if mapped from a file     */
    const mb_stored  *stored;     /* not NULL: the rows are these, and x is NULL         */
    double           *w;          /* n, or NULL                                          */
    const char      **name;       /* d feature names ("x1".. for NPY)                    */
    const mb_columns *columns;    /* kinds of the features, when they were asked for; else NULL */
    int32_t           N;          /* nodes; 0 when there is no node column               */
    const char      **node_id;    /* N                                                   */
    int64_t          *first;      /* N + 1: rows of node i are first[i] .. first[i+1]-1  */
    int32_t           ngroup;     /* groups of rows (mb_rows.first), each at one node; or 0 */
    int64_t          *group;      /* ngroup + 1: their first rows; NULL: there are none      */
    const char      **group_name; /* ngroup; NULL: none, or more than MB_GROUPS_NAMED        */
    int32_t          *label;      /* n: class index, or NULL                             */
    int32_t           nlabel;     /* classes                                          */
    const char      **label_name; /* nlabel, sorted like node ids                     */
    int64_t          *file_row;   /* n: row number in the file, from 0; NULL: file order  */
    mb_origin         from;       /* the files                                            */
    uint64_t          hash;       /* XXH64, seed 0, of the files' bytes, decompressed      */
    int32_t           nfiles;     /* 2 or more: each file is a node, unless opt says otherwise */
    int64_t           dropped;    /* rows left out: a value is missing                    */
    int64_t           gaps;       /* cells of x that are NaN: MB_MISSING_KEEP             */
    int32_t           nnotes;     /* what a user should know, a line each                 */
    const char      **note;       /* nnotes                                               */
} mb_data;
/* Reads whole files, as mb_reader does. Rows are grouped by node; nodes are sorted by id (by number
 * if all ids are integers, otherwise by bytes), and rows of a node remain in the order of the
 * files. The node of a row is what opt says, otherwise the name of its file when there are several.
 * MB_E_FORMAT for a cell that is not a number up to MB_VALUE_MAX, a weight below 0 or above
 * MB_WEIGHT_MAX, or a missing column; the message names file, line and column. */
MB_API mb_status mb_data_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_data *out,
                              mb_err *err) MB_CHECKED;

/* ---- Models ---- */

/* What mb_posterior_predict can say of each row, each group of rows, or each row that follows. */
typedef enum mb_want {
    MB_WANT_LOGPDF,   /* width 1: ln p(x | data), nats, exact predictive density;
                         regression: ln p(target | inputs, data); of rows in groups
                         given the earlier rows of the group, too                   */
    MB_WANT_RESP,     /* width K: responsibilities of the E-step, rows sum to 1        */
    MB_WANT_LABEL,    /* width 1: index of the largest responsibility (lowest on a tie) */
    MB_WANT_MEAN_VAR, /* width 2: regression: location (the mean when dof > 1) and variance of the
                         target; the variance is infinite for 1 < dof <= 2, NaN for dof <= 1 */
    MB_WANT_INTERVAL, /* width 3: regression: location, scale and degrees of freedom of the target's
                         Student's t, for mb_student_quantile                       */
    MB_WANT_PROB,     /* width C: a target with C categories, or a flag (C = 2): the probability of
                         each, sums to 1; MB_WANT_LABEL is then the number of the likeliest */
    MB_WANT_RANGE, /* width 3: a generalised linear model: the mean of a count, the probability of
                         the likeliest category (flag); mean and standard deviation of what the
                         link makes of it: the logarithm, the log odds; nearly normal. A
                         mixture of regressions: width 3 K, location, scale and degrees of
                         freedom of the target's Student's t of each component             */
    MB_WANT_GROUP, /* width 1, for each group of rows: ln p(its rows | data), nats: the sum of
                         MB_WANT_LOGPDF over its rows; no model is asked for it             */
    MB_WANT_AHEAD, /* width 2 D, for each of the mb_rows.ahead rows that would follow a group, group
                         by group: mean and variance of each column given the group's rows   */
    MB_WANT_LOGZ,  /* width 1, for each group of rows, without groups for each row: the E-step's
                         ln Z, nats, with parameters at their expected logarithms instead of
                         integrated out: scikit-learn's score_samples; no model is asked for it */
    MB_WANT_STATES,   /* width 1, of rows in sequences: the state of each on the likeliest path */
    MB_WANT_SMOOTHED, /* width K: MB_WANT_RESP, from all rows of the sequence; of a kind with
                         mb_kind::state mean and variance of each of its parts                */
    MB_WANT_FILTERED, /* the same from the rows up to each alone                              */
    MB_WANT_SCORES,   /* width `factors`: the expected values of a row's factors              */
    MB_WANT_FILLED,   /* width D: the row, with what is expected where it has no value        */
    MB_WANT_STATES_AHEAD, /* width K, for each of the rows of MB_WANT_AHEAD: its state         */
    MB_WANT_TOPICS /* width `factors`, for each group of rows: expected shares of its topics      */
} mb_want;

/* The covariances of a mixture's components, as scikit-learn calls them. */
typedef enum mb_covariance {
    MB_COVARIANCE_FULL,      /* each component has a matrix                      */
    MB_COVARIANCE_DIAG,      /* each component has a variance for each column    */
    MB_COVARIANCE_SPHERICAL, /* each component has one variance                  */
    MB_COVARIANCE_TIED,      /* all components share one matrix                  */
    MB_COVARIANCES           /* how many there are                               */
} mb_covariance;

/* How the linear predictor of a generalised linear model explains the target. */
typedef enum mb_link {
    MB_LINK_LOGISTIC,    /* 0 or 1: ln p/(1 - p) is linear                           */
    MB_LINK_POISSON,     /* counts: the logarithm of the rate is linear              */
    MB_LINK_MULTINOMIAL, /* categories 0 to C - 1: each ln p_c/p_0 is linear         */
    MB_LINKS             /* how many there are                                       */
} mb_link;

/* Columns in units of their own: z = (x - origin)/scale. */
typedef struct mb_units {
    int32_t  d;            /* columns                                                     */
    double  *origin;       /* d                                                           */
    double  *scale;        /* d, > 0                                                      */
    uint8_t *constant;     /* d: 1 for a column with one value only; NULL: not known      */
    double   log_jacobian; /* ln density in data units = ln density in these - this, nats */
} mb_units;

enum { MB_CHOICES_MAX = 4 /* that a kind may have */ };
/* The sizes that, with the kind, determine the layout of a posterior. */
typedef struct mb_sizes {
    int32_t K;         /* components; 0 for a kind that has none                          */
    int32_t D;         /* inputs: columns without the targets                             */
    int32_t targets;   /* columns that are explained, the last ones; 0: one, of a kind that
                          explains any (mb_kind_targets)                                  */
    int32_t intercept; /* 1: a coefficient of the constant 1 precedes those of the inputs */
    int32_t choice[MB_CHOICES_MAX]; /* the word of each of mb_kind::choices, from 0; 0: no such */
    const mb_columns *columns;      /* what the D columns are, and after them a target that is a
                                  category; NULL: all are numbers                              */
    int32_t factors; /* of a kind whose rows have factors; 0: it has none                       */
} mb_sizes;
enum { MB_FACTORS_MAX = 200 /* that a kind may have */ };

/* What the items of an array are. */
typedef enum mb_item {
    MB_ITEM_REAL,    /* real numbers   */
    MB_ITEM_INTEGER, /* whole numbers  */
    MB_ITEM_BOOL,    /* 0 or 1         */
    MB_ITEM_TEXT     /* texts          */
} mb_item;
/* A named array, row-major: what files and bindings exchange. */
typedef struct mb_array {
    const char        *name;     /* static or borrowed from the arena */
    int32_t            ndim;     /* 0 to 3                            */
    int64_t            shape[3]; /* ndim of them                      */
    const double      *x;        /* NULL: absent, or texts            */
    mb_item            item;     /* what the numbers are              */
    const char *const *text;     /* MB_ITEM_TEXT: shape[0] texts, UTF-8; ndim 0: one */
} mb_array;

/* A column of a listing. */
typedef struct mb_listed {
    const char *name;   /* heading                                                         */
    char        form;   /* 's': the listing's label; 'd': whole number; 'f', 'g': printf's */
    int32_t     width;  /* characters; negative: flush left                                */
    int32_t     digits; /* precision of the form; for 's' the most characters shown        */
} mb_listed;
/* A small table for people, or for programs that read the names. */
typedef struct mb_listing {
    int32_t            rows;    /* of the table                                          */
    int32_t            columns; /* of the table                                          */
    const mb_listed   *column;  /* columns                                               */
    const char *const *label;   /* rows: texts of the column of form 's'; NULL: none     */
    double            *x;       /* rows x columns; NaN: no value                         */
    int32_t            more;    /* 1: there are columns that are not listed              */
    const char        *note;    /* a line below the table; NULL: none                    */
} mb_listing;

/* What a posterior says of the parts of its model, for people: the components of a mixture, the
 * coefficients of a regression. Data units. Matrices are rows x columns, row-major; NULL: none. */
typedef struct mb_summary {
    const char        *part;    /* what a row is: "component", "coefficient"                     */
    int32_t            rows;    /* parts                                                         */
    int32_t            columns; /* quantities of each part                                       */
    const char *const *label;   /* rows: names of the parts; NULL: they are numbered from 0      */
    const char *const *name;    /* columns: names of the quantities                              */
    const double      *weight;  /* rows: expected share of the rows of data, 0 to 1              */
    const double *count;   /* rows: expected rows (or groups) of data, by weight; NaN: not known */
    const double *mean;    /* each quantity's mean                                          */
    const double *sd;      /* its standard deviation, of a component: among its rows of data,
                                   of a coefficient: of the posterior; NaN: it has none          */
    const double *low;     /* where its central 95 % interval begins: of coefficients, and of
                                   shares of levels and flags; NaN: it has none                  */
    const double *high;    /* where it ends                                                 */
    const char   *note;    /* a sentence on what else was found                             */
    const char   *counted; /* what `count` counts: "rows", "groups"                         */
    const double *rest;    /* columns: standard deviation of what no part explains; NULL: parts
                              explain no columns                                                 */
    const char   *warning; /* on which parts not to rely, a sentence without its full stop; NULL:
                              nothing                                                            */
    int32_t ranked; /* 1: quantities are many shares, of which those that are large count        */
} mb_summary;

/* 1 when the parts are coefficients: one quantity of each, with its interval. */
static inline int mb_summary_effects(const mb_summary *u)
{
    return u->low && !u->weight;
}

/* A posterior in data units with its components in canonical order (mb_posterior_order). A plain
 * struct: the first group of members suffices to list, compare names, store and look at it; the
 * second, which mb_posterior_ready fills, is what prediction needs. Nothing is owned. */
typedef struct mb_posterior {
    const struct mb_kind *kind;      /* static                                                   */
    mb_sizes              size;      /* of par                                                   */
    const char           *name;      /* what messages call it, e.g. its file                     */
    const char *const    *column;    /* D names of the inputs                                    */
    const char *const    *target;    /* names of the targets; NULL: the kind has none            */
    size_t                len;       /* numbers of par                                           */
    const double         *par;       /* textbook parameters, data units                          */
    const double         *prior_par; /* the same of the prior; NULL: not known                   */
    const mb_model       *model;     /* its layout; its own prior is a default, not prior_par    */

    mb_units units; /* where the model computes: middle and spread of the posterior itself,
                       so that data far from the origin lose no digits; targets last       */
    double  *phi;   /* natural parameters there; NULL: not ready to predict                */
    const struct mb_design
        *design; /* what makes the inputs of the columns of files, by a formula or of categories;
                       NULL: they are those columns                                        */
} mb_posterior;

/* All fields of par, derived ones too, as arrays in the order of files, *count of them. Memory and
 * time are those of the full arrays. MB_E_ARG when par is NULL (a prior that is not known),
 * MB_E_DOMAIN when nothing can be derived from it. */
MB_API mb_status mb_kind_arrays(mb_arena *a, const mb_kind *kind, const mb_sizes *s,
                                const double *par, mb_array **out, int32_t *count,
                                mb_err *err) MB_CHECKED;

/* All of them, NULL-terminated. */
MB_API const mb_kind *const *mb_kind_list(void);
/* By name; NULL: there is none. */
MB_API const mb_kind *mb_kind_find(const char *name);
/* The table of a kind's options, for mb_opt_defaults and others. */
MB_API const mb_opt *mb_kind_options(const mb_kind *kind);

/* The model of programs, where no other is asked for. */
#define MB_KIND_DEFAULT "gmm"
extern MB_API const mb_kind mb_kind_gmm;        /* mixture of Gaussians       */
extern MB_API const mb_kind mb_kind_linreg;     /* Bayesian linear regression */
extern MB_API const mb_kind mb_kind_tmm;        /* robust mixture of Student's t */
extern MB_API const mb_kind mb_kind_glm;        /* generalised linear model   */
extern MB_API const mb_kind mb_kind_lca;        /* latent classes             */
extern MB_API const mb_kind mb_kind_mixed;      /* regression with effects of groups */
extern MB_API const mb_kind mb_kind_fa;         /* factor analysis            */
extern MB_API const mb_kind mb_kind_lda;        /* topics of documents        */
extern MB_API const mb_kind mb_kind_structural; /* time series of level, slope and season */
extern MB_API const mb_kind mb_kind_mixreg;     /* mixture of linear regressions */
extern MB_API const mb_kind mb_kind_hmm;        /* hidden Markov model of sequences  */

/* Options of mb_kind_gmm. W0^-1 has the numbers of mb_gmm_opt.w0inv: a matrix, a diagonal, or one.
 * Numbers that are NaN, and texts and pointers that are NULL, are those of
 * `prior`:
 *     "empirical" (NULL)  scikit-learn's: mean and covariance of all rows, D degrees of freedom
 *     "weak"              seen.middle and diag(seen.spread^2), D + 2 degrees of freedom
 *     "paper"             alpha0 = beta0 = mu0 = 1e-5, W0^-1 = 1e-5 I, D + 1 degrees of freedom
 * Where the covariance is singular (no correlation matrix with pivots above 1e-12), its diagonal is
 * raised by 1e-6 of its mean (without a matrix: a variance of 0 is raised to that), and
 * mb_prior::warning says so; where it is zero or not defined (the weights sum to 1 or less), W0^-1
 * is the weak one. */
typedef struct mb_gmm_kind {
    int64_t       n_components;    /* K, 1 to 1000000                                           */
    const char   *prior;           /* "empirical", "weak" or "paper"; NULL: empirical           */
    double        alpha0;          /* Dirichlet concentration of each component; NaN: 1/K       */
    double        beta0;           /* strength of the prior mean, rows; NaN: 1                  */
    double        nu0;             /* degrees of freedom, above D - 1; NaN: D                   */
    const char   *mu0;             /* prior mean, data units, as text: one number or D          */
    const char   *w0inv;           /* W0^-1, squared data units, as text: one number or all     */
    const double *mu0_at;          /* D: wins over mu0                                          */
    const double *w0inv_at;        /* D x D, row-major, D or 1: wins over w0inv                 */
    int32_t       covariance_type; /* mb_covariance                                             */
    int32_t       weight_concentration_prior_type; /* 1: a Dirichlet process                    */
    int32_t       unit; /* 1: rows come in groups that share their component         */
} mb_gmm_kind;
/* Options of mb_kind_tmm: those of mb_kind_gmm, where w0inv is of the scale matrices. */
typedef struct mb_tmm_kind {
    mb_gmm_kind gmm;  /* covariance_type: full                                               */
    int32_t     dof;  /* the word of --tmm.dof: 0: learnt, else 1, 2, 3, 4, 5, 6, 8, 10, 15, 20,
                        30, 50 or 100 degrees of freedom                                    */
    double      trim; /* of --tmm.trim; 0: no row is far                                      */
} mb_tmm_kind;
/* Options of mb_kind_linreg. NaN and NULL: those of `prior`, whose default is an isotropic one in
 * columns at an origin and scale: m0 = 0, Lambda0 = lambda0 I, b0 = 1e-4.
 *     "empirical" (NULL)  means and standard deviations of all rows; lambda0 = 1e-6
 *     "weak"              the midpoint and a quarter of the range; lambda0 = 1e-4
 * Without an intercept the scale of the empirical one is the root mean square about 0. A constant
 * column has scale 1. With relevance both have, for each input, a precision of its own in place of
 * lambda0: alpha ~ Gamma(1e-6, rate 1e-6) in these columns. */
typedef struct mb_linreg_kind {
    const char   *target_column; /* names of the columns that are explained, with commas;
                                    NULL: the last ones                                      */
    int32_t       intercept;     /* 1: there is one                                          */
    const char   *prior;         /* "empirical" or "weak"; NULL: empirical                   */
    double        a0;            /* shape of the noise precision's gamma; NaN: 0.5           */
    double        b0;            /* its rate, squared data units of the target; NaN: see above */
    const char   *m0;            /* prior mean of the p coefficients, data units, as text    */
    const char   *lambda0;       /* their prior precision as text: one number or p*p         */
    const double *m0_at;         /* T x p: wins over m0                                      */
    const double *lambda0_at;    /* p x p, row-major: wins over lambda0                      */
    int32_t       relevance;     /* 1: each input has its own precision, which is found; m0 and
                                    lambda0 must then not be given                           */
    int64_t       targets;       /* T; 0: as many as target_column names, else 1             */
} mb_linreg_kind;
/* Options of mb_kind_mixreg. */
typedef struct mb_mixreg_kind {
    mb_linreg_kind line;         /* of each component; relevance and targets are not read   */
    int64_t        n_components; /* K, 1 to 10000                                           */
    double         alpha0;       /* Dirichlet concentration of each component; NaN: 1/K     */
} mb_mixreg_kind;
/* Options of mb_kind_glm. NaN and NULL: m0 = 0, Lambda0 = 0.01 I in columns of mean 0 and standard
 * deviation 1 (without an intercept: of root mean square 1). */
typedef struct mb_glm_kind {
    const char   *target_column;   /* name of the column that is explained; NULL: the last one */
    int32_t       link;            /* mb_link; the levels of a category are those of the target's
                                    column (mb_sizes::columns)                               */
    int32_t       intercept;       /* 1: there is one                                          */
    const char   *offset_column;   /* the input that adds to the predictor; NULL: none         */
    const char   *exposure_column; /* the one whose logarithm does; NULL: none                 */
    const char   *prior;           /* "empirical" or NULL                                      */
    const char   *m0;              /* prior mean of the p coefficients (of each level of a category
                                    but the first), data units, as text                      */
    const char   *lambda0;         /* their prior precision as text: one number or p*p         */
    const double *m0_at;           /* p: wins over m0                                          */
    const double *lambda0_at;      /* p x p, row-major: wins over lambda0                      */
} mb_glm_kind;
/* Options of mb_kind_lca. NaN and NULL: those of `prior`.
 *     "empirical" (NULL)  numbers: mean and variance of all rows; counts: their mean
 *     "weak"              numbers: middle and a quarter of the range; counts: its middle
 * A number of a class is N(mu, 1/tau), tau ~ Gamma(nu0/2, rate nu0 v/2) with v that variance,
 * mu | tau ~ N(m, 1/(beta0 tau)) with m that mean; a count has a rate ~ Gamma(a0, rate a0/m) (m = 0
 * counts as 1); the shares of a category's levels are Dirichlet(share0, ..), a flag is a category
 * of two. Numbers of variance 0 get 1e-6 of the mean of the others' (all 0: that of `weak`), and
 * mb_prior::warning says so. */
typedef struct mb_lca_kind {
    int64_t     n_components; /* K classes, 1 to 1000000                                  */
    const char *prior;        /* "empirical" or "weak"; NULL: empirical                   */
    double      alpha0;       /* Dirichlet concentration of each class; NaN: 1/K          */
    double      beta0;        /* strength of the prior mean, rows; NaN: 1                 */
    double      nu0;          /* strength of the prior variance, rows; NaN: 1, weak: 3    */
    double      a0;           /* shape of the counts' rates; NaN: 1                       */
    double      share0;       /* concentration of each level; NaN: 1                      */
    int32_t     weight_concentration_prior_type; /* 1: a Dirichlet process                */
} mb_lca_kind;

/* Options of mb_kind_mixed. NaN and NULL, in columns of mean 0 and standard deviation 1 (without an
 * intercept: of root mean square 1), the target too: m0 = 0, Lambda0 = 1e-6 I, b0 = 1e-4. Columns
 * whose kinds are known (mb_column::varying) need not be named. */
typedef struct mb_mixed_kind {
    const char   *target_column; /* name of the column that is explained; NULL: the last one */
    const char   *varying;       /* names of the inputs whose effect varies by group, with commas */
    int32_t       intercept;     /* 1: there is one, which varies                            */
    const char   *prior;         /* "empirical" or NULL                                      */
    double        a0;            /* shape of the noise precision's gamma; NaN: 0.5           */
    double        b0;            /* its rate, squared data units of the target; NaN: see above */
    const char   *m0;            /* prior mean of the coefficients, data units, as text      */
    const char   *lambda0;       /* their prior precision as text: one number or p*p         */
    const double *m0_at;         /* p: wins over m0                                          */
    const double *lambda0_at;    /* p x p, row-major: wins over lambda0                      */
    double        nu0;           /* degrees of freedom of the precision of the effects of groups,
                                    above their number - 1; NaN: their number + 1            */
    double        w0;            /* its W0^-1 is w0 I in such columns; NaN: 0.01             */
} mb_mixed_kind;

/* Options of mb_kind_hmm: those of mb_kind_gmm, of which alpha0 is the concentration of each first
 * state; NaN: 1/K. */
typedef struct mb_hmm_kind {
    mb_gmm_kind gmm;         /* covariance_type: of Gaussian states, else full                   */
    int32_t     emission;    /* 0: gaussian, 1: student, 2: columns by their kinds               */
    double      a0;          /* shape of the counts' rates; NaN: 1                               */
    double      share0;      /* concentration of each level; NaN: 1                              */
    double      transitions; /* concentration of each transition; NaN: 1                         */
    double      stay;        /* added to that of staying in a state                              */
} mb_hmm_kind;

/* Options of mb_kind_structural. NaN and NULL, in columns of mean 0 and standard deviation 1: a0 =
 * b0 = 1e-3. The level and the coefficients of the first row are N(0, 1e4) there, and so are slope
 * and season. */
typedef struct mb_structural_kind {
    const char *target_column; /* name of the column that is the series; NULL: the last one  */
    int32_t     trend;         /* 1: the level has a slope                                   */
    int32_t     season;        /* the word of --structural.season; 0: there is none          */
    const char *prior;         /* "empirical" or NULL                                        */
    double      a0;            /* shape of the gamma of each precision; NaN: 1e-3            */
    double      b0;            /* its rate, squared data units; NaN: 1e-3 of the variance    */
} mb_structural_kind;

/* Options of mb_kind_fa. NaN and NULL, in columns of mean 0 and standard deviation 1 (one noise
 * variance: of one scale and the mean variance 1): noise precisions ~ Gamma(0.5, rate 1e-4), means
 * with the precision 1e-6 in units of them; loadings of factor k with alpha_k of its own,
 * ~ Gamma(1e-6, rate 1e-6). */
typedef struct mb_fa_kind {
    int64_t     n_components; /* factors, 1 to MB_FACTORS_MAX                            */
    const char *prior;        /* "empirical" or NULL                                     */
    double      a0;           /* shape of each noise precision's gamma; NaN: 0.5         */
    double      b0;           /* its rate, in such columns; NaN: 1e-4                    */
    int32_t     noise;        /* the word of --noise: 1: one variance for all columns    */
} mb_fa_kind;

/* Options of mb_kind_lda. NaN: 1/K. */
typedef struct mb_lda_kind {
    int64_t     n_components;     /* K topics, 1 to MB_FACTORS_MAX                        */
    const char *prior;            /* "symmetric" or NULL                                  */
    double      doc_topic_prior;  /* concentration of each topic in a document            */
    double      topic_word_prior; /* concentration of each term in a topic                */
    int64_t     vocabulary;       /* most terms (mb_table_vocabulary); 0: no limit        */
} mb_lda_kind;

/* Gives an option of a kind ("prior.w0inv") as numbers, which win over the text: n numbers
 * in the order that the member of its struct says, borrowed; x NULL: by text again. columns: of the
 * rows, targets too. How many are needed follows from options that must be set before, as
 * covariance-type. MB_E_ARG names the options that may be numbers; MB_E_SHAPE for another n. */
MB_API mb_status mb_kind_numbers_set(const mb_kind *kind, void *opt, int32_t columns,
                                     const char *name, const double *x, size_t n,
                                     mb_err *err) MB_CHECKED;

/* ---- Posteriors ---- */

/* Fills in what prediction needs (units, phi). Errors as at mb_posterior_make. */
MB_API mb_status mb_posterior_ready(mb_arena *a, mb_posterior *p, mb_err *err) MB_CHECKED;
/* The parts of p for people: by the function of its kind; else weight, mean and spread of its
 * components (mb_kind::component); else its lists of parameters that are as long as the first of
 * them, side by side. O(K D) or the size of the fields. */
MB_API mb_status mb_posterior_summary(mb_arena *a, const mb_posterior *p, mb_summary *out,
                                      mb_err *err) MB_CHECKED;
/* A copy of p, its names, kinds of columns and prior too, that needs nothing but a: how a result
 * outlives its fit. It predicts the same bits, and is ready where p is. out may be p. */
MB_API mb_status mb_posterior_copy(mb_arena *a, const mb_posterior *p, mb_posterior *out,
                                   mb_err *err) MB_CHECKED;
/* Columns of its rows: D, and one more for a target. */
MB_API int32_t mb_posterior_columns(const mb_posterior *p);

/* What each want is called: "labels", "responsibilities", "mean", "interval", "density",
 * "probabilities", "group-density", "forecast", "expected-density", "states", "smoothed",
 * "filtered", "scores", "filled", "states-ahead"; MB_WANT_RANGE is an "interval", too. Static. */
MB_API const char *mb_want_text(mb_want want);
/* Names of the columns that mb_posterior_predict writes for a want, *width of them. */
MB_API mb_status mb_posterior_predict_columns(mb_arena *a, const mb_posterior *p, mb_want want,
                                              const char *const **name, int32_t *width,
                                              mb_err *err) MB_CHECKED;
/* Doubles of scratch for calls with at most n rows. */
MB_API size_t mb_posterior_scratch(const mb_posterior *p, int64_t n);
/* out: rows->n x width (see MB_WANT_GROUP and MB_WANT_AHEAD for others than rows->n), row-major,
 * all in data units: ln density (nats), responsibilities (K), factors, columns,
 * label (from 0), probabilities (C), mean and variance, mean, lower and upper end of the central
 * interval of probability `level`, scale and degrees of freedom, or (MB_WANT_RANGE) mean of a count
 * or probability of the likeliest level, and the ends of an interval of it, of a mixture of
 * regressions the mean of the target and the ends of its interval. level is read for
 * intervals only. Rows are in data units and have D columns, or one more for the target, which the
 * density needs. Without `first` each is a group, or all are one of a kind whose groups are
 * "always". scratch: mb_posterior_scratch. MB_E_SHAPE for other columns, MB_E_NOSUP for a want
 * that the kind lacks, MB_E_NUMERIC for values too far out. O(K D^2) a row. */
MB_API mb_status mb_posterior_predict(const mb_posterior *p, const mb_rows *rows, mb_want want,
                                      double level, double *out, double *scratch,
                                      mb_err *err) MB_CHECKED;
/* The same on the threads of a pool (NULL: the caller's alone), with scratch of its own, that of at
 * most 4096 rows and the longest group a thread: to the bit, for any number of threads. */
MB_API mb_status mb_posterior_predict_on(const mb_posterior *p, const mb_rows *rows, mb_want want,
                                         double level, mb_pool *pool, double *out,
                                         mb_err *err) MB_CHECKED;

/* Which density of rows a score averages. */
typedef enum mb_density {
    MB_PREDICTIVE, /* ln p(row | data), parameters integrated out         */
    MB_EXPECTED    /* the E-step's ln Z: what scikit-learn calls the score */
} mb_density;
/* Weighted sums over the rows scored so far; starts zeroed. The mean is sum/weight, nats a row. */
typedef struct mb_score {
    double  sum;    /* of weight times ln density, nats */
    double  lost;   /* what rounding took from sum      */
    double  weight; /* of the rows                      */
    int64_t rows;   /* scored                           */
    double  words; /* of a kind whose rows have a term and its count: sum of weights times counts */
} mb_score;
/* What a score adds: for each row its ln density, nats, data units (MB_EXPECTED: MB_WANT_LOGZ), and
 * after them, of MB_EXPECTED, sum_j w_j ln Z_j in the units where p computes, else 0, into each
 * (rows->n + 1). mb_score_add moves that sum to data units. scratch, errors and cost as at
 * mb_posterior_predict. */
MB_API mb_status mb_score_rows(const mb_posterior *p, const mb_rows *rows, mb_density density,
                               double *each, double *scratch, mb_err *err) MB_CHECKED;
/* The same on a pool, to the bit, with scratch of its own: of MB_EXPECTED that of all rows, too. */
MB_API mb_status mb_score_rows_on(const mb_posterior *p, const mb_rows *rows, mb_density density,
                                  mb_pool *pool, double *each, mb_err *err) MB_CHECKED;
/* Adds them (weights: rows->w) to a score, one after the other. */
MB_API void mb_score_add(mb_score *s, const mb_posterior *p, const mb_rows *rows, mb_density of,
                         const double *each);

enum { MB_CALIBRATION_BINS = 10 /* of equal width */ };
/* How well the levels of a target (mb_kind_takes_levels) are predicted: of the rows added so far,
 * by their weights. */
typedef struct mb_classification {
    int32_t levels; /* of the target                                                           */
    double *table;  /* levels x levels: weight of the rows, by observed and likeliest level     */
    double  loss;   /* sum of weight times -ln probability of the observed level, nats          */
    double  weight; /* of the rows                                                             */
    double *bin;    /* of two levels, else NULL: MB_CALIBRATION_BINS x 3: of the rows whose
                       probability of the second is in the bin their weight, the sum of weight
                       times probability, and the weight of those that have the second         */
} mb_classification;
/* Without rows. MB_E_ARG for less than two levels. */
MB_API mb_status mb_classification_new(mb_arena *a, int32_t levels, mb_classification *out,
                                       mb_err *err) MB_CHECKED;
/* n rows with probabilities (n x levels, MB_WANT_PROB) and observed levels, row j's at y[j ld]; w:
 * weights, NULL: 1. A row whose level is NaN is left out. */
MB_API void mb_classification_add(mb_classification *c, int64_t n, const double *probability,
                                  const double *y, size_t ld, const double *w);
/* The share of the rows whose level is the likeliest; NaN without rows. */
MB_API double mb_classification_accuracy(const mb_classification *c);
/* Nats a row; NaN without rows. */
MB_API double mb_classification_loss(const mb_classification *c);
/* One bin of two levels: mean probability of the second, its observed share, and the 95 % interval
 * of that share (Wilson's, of rows that weigh 1). Returns the weight; 0: no rows, no numbers. */
MB_API double mb_calibration(const mb_classification *c, int32_t bin, double *predicted,
                             double *observed, double *low, double *high);

/* The rows number first to first + n - 1 of the predictive distribution: out is n x D, and
 * component (n, may be NULL) says which component each came from, from 0. Row j depends on par,
 * seed and j alone. scratch: mb_posterior_scratch(p, n). MB_E_NOSUP for a kind without a
 * distribution of its inputs. */
MB_API mb_status mb_posterior_sample(const mb_posterior *p, uint64_t seed, int64_t first, int64_t n,
                                     double *out, int32_t *component, double *scratch,
                                     mb_err *err) MB_CHECKED;
/* The same on the threads of a pool (NULL: the caller's alone), with scratch of its own. */
MB_API mb_status mb_posterior_sample_on(const mb_posterior *p, uint64_t seed, int64_t first,
                                        int64_t n, mb_pool *pool, double *out, int32_t *component,
                                        mb_err *err) MB_CHECKED;

/* Draws of the parameters as table rows. With components a draw has K rows that begin with the
 * number of the draw, from 1, and of the component, from 0; else one with its own. */
typedef struct mb_draws {
    int32_t      rows;    /* of a draw                                      */
    int32_t      columns; /* of each row                                    */
    const char **name;    /* columns: "draw", "component", "mean.x1" etc.   */
} mb_draws;
/* The columns of such a table. */
MB_API mb_status mb_posterior_draws(mb_arena *a, const mb_posterior *p, mb_draws *out,
                                    mb_err *err) MB_CHECKED;
/* Doubles of scratch of mb_posterior_draw. */
MB_API size_t mb_posterior_draw_scratch(const mb_posterior *p);
/* Draw j (from 0), of par, seed and j alone: out is rows x columns. Errors as of mb_random. */
MB_API mb_status mb_posterior_draw(const mb_posterior *p, uint64_t seed, int64_t j, double *out,
                                   double *scratch, mb_err *err) MB_CHECKED;

/* How much two posteriors differ. */
typedef struct mb_compared {
    double     kl[2];   /* nats: KL(first || second), KL(second || first)                        */
    double     largest; /* difference of a textbook parameter, relative to max(1, |first's|)     */
    int32_t   *match;   /* K: the component, or topic, of the second that each of the first is
                           matched with */
    mb_listing parts;   /* component by component or coefficient by coefficient                  */
} mb_compared;
/* Compares p with q; both are ready to predict. The components of q are matched so that the
 * divergence is smallest. MB_E_SHAPE when kind, sizes or names of columns differ. O(K^3). */
MB_API mb_status mb_posterior_compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                                      mb_compared *out, mb_err *err) MB_CHECKED;

/* Where a posterior comes from. Texts are UTF-8 and borrowed. */
typedef struct mb_provenance {
    const char *meshbayes;          /* version that wrote the file; NULL: this one            */
    const char *algorithm;          /* "edge"                                                 */
    const char *of;                 /* "network mean", or the id of a node                    */
    int64_t     rounds;             /* of the run                                             */
    int64_t     seed;               /* of the run                                             */
    const char *data;               /* file of the rows                                       */
    uint64_t    data_hash;          /* mb_data::hash                                          */
    int64_t     data_rows;          /* rows                                                   */
    int32_t     noptions;           /* options that were given                                */
    const char *const (*option)[2]; /* noptions: name and value */
    int32_t     accelerated;        /* 1: its steps were extrapolated (mb_algo_squarem)       */
    const char *verdict;            /* how the run ended; NULL: not known            */
    double      weight_total;   /* of all rows; 0: not known                                     */
    double      bound;          /* lower bound over all rows, nats, data units; NaN: not known   */
    int32_t     nmore;          /* members of the file that meshbayes does not know */
    const struct mb_json *more; /* nmore: they are written after the others */
} mb_provenance;

/* Writes a posterior, atomically: p->par, p->prior_par, sizes and names. What was read from a file
 * is written again byte for byte. MB_E_FORMAT for a name that is not UTF-8, MB_E_IO. */
MB_API mb_status mb_posterior_write(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                    const char *file, mb_err *err) MB_CHECKED;
/* Reads a posterior that is ready to predict. Every field is checked: MB_E_FORMAT names file and
 * field and what would be accepted. kind: NULL for those of mb_kind_list, else the only one that is
 * accepted. from: may be NULL. MB_E_NOSUP without jansson. */
MB_API mb_status mb_posterior_read(mb_arena *a, const char *file, const mb_kind *kind,
                                   mb_posterior *out, mb_provenance *from, mb_err *err) MB_CHECKED;
/* The text of such a file, *n bytes and a 0 after them, in the arena. Errors as of
 * mb_posterior_write without MB_E_IO. Absent, as the next, from a library without stdio. */
MB_API mb_status mb_posterior_text(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                                   char **text, size_t *n, mb_err *err) MB_CHECKED;
/* mb_posterior_read of such a text, n bytes, which are not trusted; messages call it `name`, which
 * is borrowed. The text is free to go afterwards. */
MB_API mb_status mb_posterior_parse(mb_arena *a, const char *text, size_t n, const char *name,
                                    const mb_kind *kind, mb_posterior *out, mb_provenance *from,
                                    mb_err *err) MB_CHECKED;

/* ---- Networks ---- */

/* Neighbours of row i: adj[ptr[i]] .. adj[ptr[i+1]-1], ascending, without i. Sums over neighbours
 * always run in this order: results depend neither on threads nor on arrival order or transport. */
typedef struct mb_graph {
    int32_t        n;   /* nodes                                            */
    const int64_t *ptr; /* n + 1                                            */
    const int32_t *adj; /* ptr[n] = 2 |E|                                   */
    const int64_t *rev; /* ptr[n]: position of the opposite directed edge   */
} mb_graph;

/* Combination weights, eq. (23): rows sum to 1. */
typedef struct mb_weights {
    const double *self; /* n                */
    const double *edge; /* aligned with adj */
} mb_weights;

/* How weights are computed from degrees. */
typedef enum mb_rule {
    MB_NEAREST,    /* eq. (47): 1/(deg_i + 1); rows sum to 1, columns do not          */
    MB_METROPOLIS, /* 1/(1 + max(deg_i, deg_j)); doubly stochastic [Xiao04]            */
    MB_LAPLACIAN   /* 1/(1 + max degree) an edge; doubly stochastic [Xiao04]           */
} mb_rule;

/* Filled by mb_graph_describe. */
typedef struct mb_graph_stats {
    int64_t edges;          /* undirected                                                     */
    int32_t deg_min;        /* smallest degree                                                */
    int32_t deg_max;        /* largest degree                                                 */
    double  deg_mean;       /* 2 edges / n                                                    */
    int32_t diameter;       /* hops                                                           */
    int32_t diameter_exact; /* 0: a lower bound (double sweep)                                */
    double  algebraic_connectivity; /* second-smallest eigenvalue of the Laplacian; 0 if n = 1 */
    double  lambda2;        /* second-largest eigenvalue modulus of the weights; 0 if n = 1   */
    int32_t spectrum_exact; /* 0: work limit reached; algebraic_connectivity is an upper bound
                               and lambda2 a lower bound (power iteration)                    */
} mb_graph_stats;

/* An undirected network. Its arrays live in the arena of its maker; nothing changes later. */
typedef struct mb_network {
    int32_t            n;        /* nodes                                                      */
    const char *const *id;       /* n: their names; "1".."n" where none are given              */
    mb_graph           g;        /* links                                                      */
    mb_weights         w;        /* combination weights, eq. (23)                              */
    const double      *xy;       /* n x 2: positions; NULL: none known (links_only)            */
    const char        *xy_from;  /* "topology", "file" or "layout"; NULL with xy               */
    const double      *delivery; /* aligned with g.adj: P(the link is up in a round), the same in
                                    both directions; NULL: not known. For mb_faults             */
    int32_t            drawn;    /* draws until a random topology was connected, else 1        */
    mb_graph_stats     facts;    /* degrees, diameter, spectrum                                */
    const char        *warning;  /* one line about the weights, for the user; NULL: none       */
    const char        *note; /* one line about columns of the file that were not used; NULL: none */
} mb_network;

/* Column prob or loss of a file of links (GraphML: edge data). */
typedef enum mb_delivery {
    MB_DELIVERY_UNUSED,  /* is not read                                             */
    MB_DELIVERY_NEEDED,  /* becomes mb_network.delivery; the file must have it      */
    MB_DELIVERY_IF_GIVEN /* the same where the file has it                          */
} mb_delivery;

/* How a network is made. Zeros and NULL are the defaults; NULL for this struct: all of them. */
typedef struct mb_network_opt {
    /* "nearest", "metropolis" (the default), "laplacian" or "file:F.csv" (columns i, j, w) */
    const char *weights;
    /* CSV (columns node, x, y) or GraphML (data x and y) with positions of all nodes. NULL: those
     * of the description or of the network's file, else a layout. */
    const char *positions;
    int32_t     skip_own;   /* 1: ignore the positions in the network's file */
    int32_t     links_only; /* 1: stop after the links                       */
    /* mb_network_read: an mb_delivery. MB_E_FORMAT when the file has both columns, for a link
     * without a value, a prob outside 0.001 to 1, a loss outside 0 to 0.999, or a link given twice
     * with different values. */
    int32_t delivery;
    /* mb_network_read: ids of further nodes, in any order, which no link needs to name.
     * mb_network_draw: the names of the nodes, in their order. NULL: none. */
    const char *const *id;
    int32_t            nid; /* ids in id */
} mb_network_opt;

/* The network of an edge list (CSV, columns i and j) or of GraphML ("F.graphml"). Its nodes are
 * sorted: by number when all ids are integers, else by bytes. MB_E_IO, MB_E_FORMAT; MB_E_ARG names
 * the components of a network that is not connected, or opt->id and the file's when they have no
 * name in common. Absent from a library without stdio. */
MB_API mb_status mb_network_read(mb_arena *a, const char *file, const mb_network_opt *opt,
                                 mb_network *out, mb_err *err) MB_CHECKED;
/* The network of a description, see mb_topology_make. */
MB_API mb_status mb_network_draw(mb_arena *a, const char *topology, uint64_t seed,
                                 const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;
/* m links between n nodes: ends (m x 2) are indices of nodes, 0..n-1. id (n; borrowed): names, all
 * different, else MB_E_ARG; NULL: "1".."n". Nodes keep the order of the caller, and sums over
 * neighbours follow it: a file with the same links sorts its nodes, so last bits may differ. */
MB_API mb_status mb_network_from(mb_arena *a, int32_t n, const char *const *id, int64_t m,
                                 const int32_t *ends, const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;

/* Writes the links by the path's ending: .graphml, .dot or .gv, else an edge list (CSV, columns i
 * and j, each link once). `delivery` becomes column prob (GraphML: edge data, DOT: an attribute),
 * in digits that read back to the same; positions go to GraphML and DOT. Files are replaced
 * atomically. This function and the next two are absent from a library without stdio. */
MB_API mb_status mb_network_write(mb_arena *a, const mb_network *net, const char *path,
                                  mb_err *err) MB_CHECKED;
/* CSV of positions: columns node, x, y. */
MB_API mb_status mb_network_write_positions(mb_arena *a, const mb_network *net, const char *path,
                                            mb_err *err) MB_CHECKED;
/* CSV of weights: columns i, j, w; i = j is a node's weight for itself. */
MB_API mb_status mb_network_write_weights(mb_arena *a, const mb_network *net, const char *path,
                                          mb_err *err) MB_CHECKED;

/* ---- Algorithms, faults and bytes ---- */

/* What to do with a node whose phi is outside Omega. */
typedef enum mb_on_domain {
    MB_FREEZE,  /* keep the last phi*, continue to exchange; counted                     */
    MB_PROJECT, /* move phi to the nearest point of Omega, eq. (38b); counted         */
    MB_HALT     /* end the run with MB_E_DOMAIN that names node, round and block      */
} mb_on_domain;

/* Adding an algorithm: one .c file, one line here, one line in algo/list.c. */
extern MB_API const mb_algo  mb_algo_noncoop; /* no exchange: phi = phi*; on one node central VB */
extern MB_API const mb_algo  mb_algo_nsg;  /* nsg-dVB: averages phi*, no gradient step            */
extern MB_API const mb_algo  mb_algo_dsvb; /* dSVB, Algorithm 1                                   */
extern MB_API const mb_algo  mb_algo_admm; /* dVB-ADMM, Algorithm 2                               */
extern MB_API const mb_algo  mb_algo_edge; /* EDGE, the default: exact at rest, bears any loss    */
extern MB_API const mb_algo  mb_algo_flow; /* FLOW: one message a round, damped                   */
extern MB_API const mb_algo  mb_algo_tree; /* TREE: sums over a spanning tree, in every round   */
extern MB_API const mb_algo  mb_algo_sum;  /* SUM: an exact sum over it for each pass of VB       */
extern MB_API const mb_algo  mb_algo_average;     /* many averaging rounds in every VB step     */
extern MB_API const mb_algo  mb_algo_incremental; /* one estimate goes round a ring */
MB_API const mb_algo *const *mb_algo_list(void);  /* All of them, NULL-terminated. */
MB_API const mb_algo        *mb_algo_find(const char *name); /* By name; NULL: no such. */
/* noncoop whose iterates are extrapolated where the bound does not fall: central VB in fewer rounds
 * (docs/math.md, section 27). Not in the list: mb_central_algo runs it where all rows are. */
extern MB_API const mb_algo mb_algo_squarem;

/* Options of dSVB: the step is 1/(d0 + tau t), eq. (29). */
typedef struct mb_dsvb_opt {
    double tau; /* forgetting rate, 0 to 1 */
    double d0;  /* delay, >= 1             */
} mb_dsvb_opt;
/* Options of dVB-ADMM, eq. (38)-(40). */
typedef struct mb_admm_opt {
    double  rho;   /* penalty, > 0                                        */
    double  xi;    /* how fast kappa_t = 1 - 1/(1 + xi t)^2 rises, eq. (40) */
    int32_t start; /* phi before the first round: 0 prior, 1 local phi*   */
} mb_admm_opt;
/* Options of EDGE; NaN: chosen by tune. */
typedef struct mb_edge_opt {
    double  kappa; /* stiffness of an edge, kappa/sqrt(deg_i deg_j)                      */
    double  eta;   /* damping of the VB step, 0 to 1; automatic: where a node begins     */
    double  alpha; /* relaxation of the averaging, 0 to 1                                */
    double  least; /* automatic kappa: stiffness is at least least/min(deg); settled by tune */
    int32_t adapt; /* 1: eta follows the node's measured gain; settled by tune           */
    int32_t hold;  /* rounds in which the first phi* is averaged; settled by tune        */
} mb_edge_opt;
/* Options of TREE; lead NaN: chosen by tune. The last three are settled by tune, 0 before. */
typedef struct mb_tree_opt {
    double  eta;      /* part of the way to the extrapolated mean, 0 to 1                 */
    double  momentum; /* part of the last movement that is repeated, below 1               */
    double  lead;     /* rounds by which the mean is extrapolated, >= 0                   */
    int32_t n;        /* nodes                                                            */
    int32_t first;    /* rounds in which the mean of the nodes heard is taken as it is    */
    int32_t adapt;    /* 1: a node that goes round halves lead and momentum; lead is automatic */
} mb_tree_opt;
/* What a mesh does with the sums of all nodes at the root, each with mb_sum_opt::self. */
typedef struct mb_sum_root {
    /* 0: no rows have these sums, and the pass does not end. NULL: any can be. */
    int32_t (*can_be)(void *self, const double *sums);
    /* In place of a step: phi of the sums. NULL: the step. */
    void (*next)(void *self, const double *sums, double *phi);
} mb_sum_root;
/* Options of SUM; all but the first are settled by tune. */
typedef struct mb_sum_opt {
    int32_t mask;     /* 1: contributions are masked                          */
    int32_t n;        /* nodes                                               */
    int32_t lossy;    /* 1: messages are repeated until they are acknowledged */
    int32_t hops;     /* from the root to the farthest node                   */
    int32_t shortens; /* 1: the root halves steps that went too far, instead of extrapolating */
    const mb_sum_root *root; /* what the root does with totals; NULL: a step, of any */
    void              *self; /* for root                                               */
} mb_sum_opt;
/* Options of averaging VB. */
typedef struct mb_average_opt {
    int64_t m; /* averaging rounds of a VB step, >= 1 */
} mb_average_opt;
/* Incremental VB has nothing to choose. */
typedef struct mb_incremental_opt {
    int32_t n; /* nodes of the ring: settled by tune, 0 before */
} mb_incremental_opt;
/* Options of FLOW; NaN: chosen by tune. The last four are settled by tune, 0 before. */
typedef struct mb_flow_opt {
    double  eta;      /* step of phi towards the average, 0 to 1                */
    double  gamma;    /* momentum of the averaging                              */
    double  part;     /* of each weight that is used: 1, with delays 1/2 */
    int32_t adapt;    /* 1: eta follows the node's measured gain                */
    int32_t per_edge; /* 1: differences are stored per neighbour (lossy network)  */
    int32_t history;  /* own messages kept, for answers that come late: delay + 1 */
} mb_flow_opt;

/* Simulated faults over another transport. Everything is drawn per edge (or node) and round from
 * the counter-based generator, keyed by global ids: the same faults for any threads or ranks. */
typedef struct mb_faults {
    double loss; /* P(an undirected link is down in a round), both directions */
    /* One for each link, instead of loss: P(the link is up), aligned with graph->adj and the same
     * in both directions (mb_network.delivery). NULL: loss holds for all. Borrowed with the graph,
     * which is the whole network. */
    const double   *delivery;
    const mb_graph *graph;         /* of delivery                                                */
    double          loss_directed; /* P(a directed message is lost)                             */
    double          silent;        /* P(a node sends nothing in a round); it still hears        */
    int64_t         delay;         /* each message arrives 0..delay rounds late, uniform        */
    uint64_t        seed;          /* of the faults                                               */
} mb_faults;

/* What left the nodes. A frame is a 48-byte header and 8 bytes a double (MB_SEND_CHANGES: 16, 2,
 * and 1 a block, or a header alone); on links a broadcast counts once for each neighbour (a radio
 * would count frames). */
typedef struct mb_traffic {
    int64_t frames; /* messages emitted: broadcast 1, per neighbour deg */
    int64_t bytes;  /* bytes over links                                 */
} mb_traffic;

/* ---- Fits ---- */

/* A network has settled when it stands still, its disagreement is at most this, and one centralised
 * step moves no entry by more than this (mb_disagreement, mb_central_check). */
#define MB_SETTLED 1e-6

/* How a run ended. */
typedef enum mb_verdict {
    MB_ENDED_SETTLED,   /* the stopping rule fired, and the network is within MB_SETTLED          */
    MB_ENDED_ELSEWHERE, /* still, but not settled: biased weights, nodes that do not agree        */
    MB_ENDED_MOVING,    /* all rounds were used                                                */
    MB_ENDED_FAILED,    /* a node is outside the domain, or a number is not finite              */
    MB_ENDED_INTERRUPTED, /* by the caller                                                        */
    MB_VERDICTS           /* their number                                                         */
} mb_verdict;
/* "settled", "elsewhere", "moving", "failed" or "interrupted", a static string. */
MB_API const char *mb_verdict_text(mb_verdict v);

/* Rows in memory and the nodes that hold them; everything is borrowed. Zeroed fields are absent. */
typedef struct mb_table {
    mb_rows            rows;   /* all rows, data units                                           */
    const char *const *column; /* rows.d names; NULL: "x1", "x2" and so on                        */
    const mb_columns  *kinds;  /* what they are, for kinds of models that take them;
                                  NULL: all are numbers, and a target that is a category has as many
                                  as the largest of its rows says, "0", "1" and so on             */
    const char        *name;   /* of the rows in messages, as a file's name; NULL: "rows"         */
    int32_t            N;      /* nodes that hold rows; 0: as many as the network has             */
    const char *const *id;    /* N names, found among the network's; NULL: its nodes in order     */
    const int32_t     *node;  /* rows.n: 0 to N - 1, in any order; NULL: `first` says             */
    const int64_t     *first; /* N + 1: rows first[i] .. first[i+1]-1 are node i's; NULL too: the
                                  rows are cut into blocks whose sizes differ by at most one      */
    const int64_t     *row;   /* rows.n: the caller's number of each row; NULL: its own           */
    mb_origin          from;  /* the files of these numbers, which `place` names                  */
    void (*place)(const mb_origin *from, int64_t number, const char *column,
                  char text[MB_PLACE]); /* mb_row_place; NULL: messages name row and column      */
    int32_t from_zero;        /* 1: messages count rows from 0; 0: from 1                        */
    int32_t last_is_target;   /* 1: the targets are the last columns, whatever they are called */
    void (*rest)(void *self); /* called when rows will not be read for a while; may be NULL */
    void *rest_self;          /* its argument                                                    */
    const struct mb_design *design; /* mb_posterior::design of what is fitted to these rows, which
                                       are design rows already; NULL: none                       */
} mb_table;
/* All rows of a data set (data.h) by its nodes, else in blocks, called `name`. Borrows both. */
MB_API mb_table mb_table_of(const struct mb_data *data, const char *name);

/* How rows are held while they are computed with. */
typedef enum mb_precision {
    MB_FLOAT64, /* double                                                                        */
    MB_FLOAT32 /* each number rounded once, half the memory; needs standardize                    */
} mb_precision;

/* Ends that are stated of the columns (d, the target last), whatever the rows say. Borrowed. */
typedef struct mb_bounds {
    int32_t       d;    /* columns                    */
    const double *low;  /* d: no value is below these */
    const double *high; /* d: nor above these         */
} mb_bounds;

/* Options of a case; zeroed: the defaults. */
typedef struct mb_case_opt {
    int32_t      raw; /* 1: compute in the columns' own scale (still moved to the agreed origin) */
    mb_precision precision; /* of the rows in run units                                         */
    const mb_posterior
           *prior;  /* an earlier answer as prior, component by component, in place of the
                                  kind's: its kind, sizes and names of columns must be those of the
                                  case. NULL: the kind's                                         */
    int32_t update; /* 1: the rows continue those of `prior`: its units are those of the run, and
                                  its own prior is what the posterior keeps as its prior         */
    double  forget; /* with update the prior is phi_0 + forget (phi - phi_0), where phi_0 is the
                                  prior of `prior` and phi its posterior: 0 to 1, 0 counts as 1  */
    const mb_case_given *given; /* units and prior agreed before; NULL: made from the rows       */
    /* No row is outside of these, else MB_E_ARG: nodes exchange sums alone, while without them
     * everyone learns the least and largest value of each column. NULL: nothing is stated. */
    const mb_bounds *bounds;
    int32_t  masked;    /* 1: with bounds, what a node adds to these sums is masked by numbers that
                           come from mask_seed and cancel in the total; from 3 nodes on           */
    uint64_t mask_seed; /* of these numbers, which hide nothing from who knows it */
} mb_case_opt;

/* How a run is initialised. */
typedef enum mb_init {
    MB_INIT_KMEANS,   /* as the next, once Lloyd's iteration (mb_lloyd) has moved them      */
    MB_INIT_KMEANSPP, /* rows go to centres drawn by k-means++, see mb_draw_centres         */
    MB_INIT_FARTHEST, /* rows go to centres drawn farthest-first                            */
    MB_INIT_RANDOM,   /* every node's own random responsibilities                           */
    MB_INIT_RANDOM_FROM_DATA, /* rows go to the nearest of K rows drawn by weight, none twice   */
    MB_INIT_RANGES,  /* of centres drawn from one Gaussian with the moments of all rows, inside
                       stated bounds, moved by sums alone: no row is shown. Columns of numbers   */
    MB_INIT_CENTRES, /* nearest of given centres; this and what follows is given           */
    MB_INIT_RESPONSIBILITIES, /* given for every row                                        */
    MB_INIT_POSTERIOR         /* of an earlier answer: one VB step from it at every node      */
} mb_init;
/* What an answer of several initialisations is chosen by. */
typedef enum mb_prefer {
    MB_PREFER_BOUND,   /* its lower bound                                          */
    MB_PREFER_HELD_OUT /* how well it predicts rows held out; on a central case only */
} mb_prefer;
/* The initialisation of a run. Kinds without components need none. */
typedef struct mb_start {
    mb_init        how;     /* where the first responsibilities come from                         */
    uint64_t       seed;    /* of what is drawn                                                   */
    const double  *centres; /* K x D, data units: MB_INIT_CENTRES                                 */
    const double  *resp;    /* n x K, in the caller's order of the rows: MB_INIT_RESPONSIBILITIES */
    const int32_t *label;   /* n: the component of each row, instead of resp, which is NULL       */
    const mb_posterior *posterior; /* data units, components as they are: MB_INIT_POSTERIOR      */
    mb_centres *drawn;  /* shared by runs; centres must have room for K x D. NULL: not shared */
    mb_pool    *pool;   /* for Lloyd's iteration; NULL: one thread, in a session its own pool */
    mb_prefer   prefer; /* among several, see mb_case_best                                   */
} mb_start;

/* When a run ends before its last round, tol being above 0. */
typedef enum mb_stop_rule {
    MB_STOP_RULE_MOVED, /* no node moves by more than tol posterior standard deviations, and one
                           centralised step confirms it (docs/math.md, section 13)            */
    MB_STOP_RULE_BOUND  /* central VB only: a round changes the lower bound by less than tol nats,
                           as in scikit-learn, whose default is 1e-3: "settled" then says no more */
} mb_stop_rule;
/* Which messages leave a node. */
typedef enum mb_send {
    MB_SEND_ALL,    /* one on each link in each round                                           */
    MB_SEND_CHANGES /* those that differ from what the neighbour has, as float16 differences to it
                       (docs/math.md, section 4), for algorithms that bear it                   */
} mb_send;
/* What runs on a case. */
typedef struct mb_method {
    const mb_algo  *algo;      /* listed or the caller's own                                      */
    const void     *opt;       /* its options as given, "auto" unsettled; NULL: defaults          */
    mb_faults       faults;    /* simulated; none on a central case                               */
    int64_t         rounds;    /* the last round                                                  */
    int32_t         threads;   /* 0: as many as pay                                               */
    mb_pool        *pool;      /* that has them; NULL: threads of each run alone                  */
    mb_on_domain    on_domain; /* policy for a phi outside Omega                                  */
    const mb_comm  *comm;      /* share attempts of mb_case_best, each having all rows; or NULL   */
    int32_t         prune;     /* 1: mb_session_prune in mb_case_best and mb_fit_run; central VB  */
    const mb_store *store;     /* of a central case; NULL: none                                   */
    mb_stop_rule    stop;      /* default MB_STOP_RULE_MOVED                                      */
    mb_send         send;      /* default MB_SEND_ALL                                             */
} mb_method;

/* Whether central VB is extrapolated. */
typedef enum mb_accelerate {
    MB_ACCELERATE_AUTO, /* when it ends by a stopping rule, for models it is made for            */
    MB_ACCELERATE_OFF   /* each round is a step of central VB                                    */
} mb_accelerate;

/* Pruning: what became of the components. */
typedef struct mb_pruned {
    int32_t first;  /* components at first                                               */
    int32_t left;   /* at the end                                                        */
    int32_t tried;  /* merges                                                            */
    int32_t merged; /* merges that were adopted                                           */
    int64_t rounds; /* made for merges that were not adopted; the others are in state.t     */
} mb_pruned;
enum { MB_COUNTS = 4 /* numbers that an algorithm counts, at most */ };
/* How a run ended: plain numbers. */
typedef struct mb_outcome {
    mb_verdict verdict; /* of a run that nobody interrupted                                 */
    int64_t    rounds;  /* made                                                             */
    double     bound;   /* centralised lower bound at the mean, nats, data units; NaN outside */
    double     moved;   /* what one centralised step from the mean changes (mb_central_check) */
    double     disagreement; /* farthest node from the mean, relative (mb_disagreement)          */
    int32_t    outside;      /* nodes outside Omega                                              */
    int32_t    ordered;      /* 0: the mean is outside Omega, so components keep their order     */
    double    *mean;         /* L: network mean of phi, run units                                */
    int32_t   *order;        /* K: components in canonical order                                 */
    double    *apart;        /* n_local: each node's distance from the mean, relative            */
    mb_traffic sent;         /* by all nodes in the rounds                                       */
    double     count[MB_COUNTS]; /* what the algorithm counts (mb_algo::counts), in its order    */
} mb_outcome;

/* Called before each run of a fit, after all else: adds observers, may load a checkpoint. attempt:
 * from 0; -1: the run whose result is taken. */
typedef mb_status (*mb_watch)(void *self, mb_session *s, int32_t attempt, mb_err *err);

/* Components of an answer that few rows describe: fewer than two a column are expected, or more
 * than half of the expected precision is that of the prior: tr(W W0^-1)/D, or the mean of the
 * ratios of the rates of variances. One with less than half a row is not among them: the answer has
 * no need of it. */
typedef struct mb_weak {
    int32_t count;     /* of them; 0: there is none, or the kind has no such precisions       */
    int32_t component; /* the one with the fewest rows, in the order of the answer            */
    double  rows;      /* its expected rows                                                   */
    double  prior;     /* the prior's share of its precision, 0 to 1                          */
    int32_t empty;     /* components with less than half a row                                */
} mb_weak;
/* Components of rows far out in an answer of a kind that may trim them (mb_kind::trims). */
typedef struct mb_wide {
    int32_t beyond;    /* components that surround the limits (mb_case::limits): wider in the mean
                          square over the columns, the middle within two of their sd; on a central
                          case also those with more than half of their rows beyond the limits,
                          so that a component may count twice                                     */
    int32_t component; /* the widest, in the order of the answer, if it is above 10 times         */
    double  times;     /* the spread of the median component, of which these are its own; 0: none */
} mb_wide;
/* What a search for the best initialisation found. */
typedef struct mb_search_result {
    int32_t       n_init;   /* initialisations that were made, all drawn independently           */
    int32_t       at_best;  /* of them whose bound is within 1e-6 (relative) of the best         */
    int32_t       moves;    /* made from the best answer so far                                  */
    int32_t       improved; /* moves that found a better one                                     */
    int32_t       attempt;  /* the best one, from 0; moves are counted after the initialisations */
    int64_t       sampled;  /* rows of a large set that were searched first: the best answer for
                               them is the last initialisation, or the only one; 0: none        */
    const double *first; /* L: phi* with which the best run begins; NULL: mb_session_seed has it */
    double        refused;  /* bound of the best answer, as far as its run went, that was not taken
                               since it has a component of rows far out (mb_wide.beyond), or of
                               few rows beside such, and the best has none; NaN: none was        */
    const double *sound;    /* L: phi* of the best answer without a weak component (mb_weak), as far
                               as its run went; NULL: none was found                             */
    int32_t       optima;   /* answers that were compared by rows held out; 0: none             */
    double        held_out; /* of the one that was chosen: mean predictive log density of them,
                               nats a row                                                        */
    double        of_best;  /* of the one with the best bound                                    */
    double        below;    /* by how much the bound of the one that was chosen is below, nats   */
} mb_search_result;

/* How a caller ends work at any time. */
typedef struct mb_cancel {
    /* 1: stop, from then on always; 0: continue. Often called, by several threads: it should
     * do no more than read a flag. In a job of several processes they all have one or none. */
    int (*wanted)(void *self);
    void *self; /* its argument */
} mb_cancel;

/* Options of mb_fit_run; mb_fit_defaults fills it. */
typedef struct mb_fit_opt {
    const mb_kind *kind;     /* default mb_kind_gmm                                              */
    const void    *kind_opt; /* e.g. mb_gmm_kind; NULL: defaults                                 */
    const mb_comm *comm;     /* processes; NULL: this one alone                                  */
    mb_case_opt    units;    /* of the case                                                      */
    mb_start       start;    /* default k-means with seed 0                                      */
    int32_t        n_init;   /* initialisations; default 0: auto, see mb_case_best               */
    mb_method      how;      /* algo NULL: central VB, mb_central_algo; rounds 5000              */
    mb_accelerate  accelerate; /* of central VB; default MB_ACCELERATE_AUTO                      */
    double         tol;      /* of the stopping rule, posterior standard deviations; default 3e-7 */
    mb_watch       watch;    /* may be NULL                                                       */
    void          *self;     /* first argument of watch                                          */
    const mb_cancel *cancel; /* asked in every stage; NULL: it cannot be stopped               */
} mb_fit_opt;
/* The defaults. */
MB_API mb_fit_opt mb_fit_defaults(void);
/* A fit. */
typedef struct mb_fit {
    mb_fit_stages *stages; /* for callers that want more than the posterior                     */
    mb_outcome     out;    /* how it ended                                                      */
    mb_posterior   posterior; /* of the network mean, canonical order, data units, ready to predict;
                               kind NULL when the mean is outside Omega or cannot predict        */
    mb_search_result found; /* the initialisation it came from                                   */
    mb_weak          weak;  /* components of out.mean, in the order of out.order; of central VB  */
    mb_wide          wide;  /* the same of components of rows far out                            */
    double           sound; /* bound of found.sound at its rest, nats, data units; NaN: there is no
                               such answer, or no component is weak                              */
    double           one;   /* bound of one component (mb_case_one); NaN: not known              */
    mb_pruned
        pruned; /* zeroed without how.prune; stages->session.c is then the case of the result */
} mb_fit;
/* Fits a model to rows. net NULL: one node has them all, whatever the table says. opt NULL:
 * defaults. The result lives in the arena and in the session, until mb_fit_close. MB_STOP: `watch`
 * or `cancel` ended it before the first round of the run whose result is taken, and there is no
 * result. Asked to stop later, that run ends after its round: out.verdict is
 * MB_ENDED_INTERRUPTED. */
MB_API mb_status mb_fit_run(mb_arena *a, const mb_network *net, const mb_table *table,
                            const mb_fit_opt *opt, mb_fit *out, mb_err *err) MB_CHECKED;
/* The posterior of one node, canonical order, data units, ready to predict. node: its place
 * among those of this process, from 0. MB_E_ARG: there is no such node; MB_E_DOMAIN: it has no
 * posterior. */
MB_API mb_status mb_fit_node(mb_arena *a, const mb_fit *fit, int32_t node, mb_posterior *out,
                             mb_err *err) MB_CHECKED;
/* What an answer has been made from, batch after batch. Zeroed: nothing is known. */
typedef struct mb_update_totals {
    int64_t rows;   /* of all batches                                                            */
    double  weight; /* theirs, each batch's times the `forget` of all later ones; 0: not known   */
    double  bound;  /* lower bound over all rows so weighted, nats, data units; NaN: not known, as
                       after an update where the likelihood is not conjugate                    */
} mb_update_totals;
/* Updates an earlier answer, which is ready to predict (mb_posterior_ready) and knows its prior,
 * by a batch of rows: a fit whose prior and initialisation are what it has learnt, weighted by
 * `forget` (above 0, at most 1; 1: nothing is forgotten), in its units (mb_case_opt.update).
 * Kind, sizes and choices are those of the earlier answer, whatever opt says; the columns must
 * be its own by name, in its order, targets in any place. A batch may have any number of rows,
 * also one. Without latent variables and with forget 1 any number of batches gives the answer of
 * all rows at once up to rounding; mixtures settle responsibilities batch by batch
 * (docs/math.md, section 26). learnt: of the earlier answer before, of the new one after; may be
 * NULL. out->posterior is the earlier answer of the next batch, as long as its arena and the
 * names of its table live. MB_E_ARG: another kind or columns, forget out of range, a prior that
 * is not known; MB_E_NOSUP: a model whose prior is not fixed (relevances), or a kind of the
 * caller's own with options beyond its sizes. O(rows of the batch) a round. */
MB_API mb_status mb_fit_partial(mb_arena *a, const mb_posterior *earlier, double forget,
                                const mb_table *rows, const mb_fit_opt *opt,
                                mb_update_totals *learnt, mb_fit *out, mb_err *err) MB_CHECKED;
/* Ends threads and session; safe on a zeroed struct. */
MB_API void mb_fit_close(mb_fit *fit);

/* ---- What the nodes of a mesh have in common ---- */

/* Where the block comes from. */
typedef enum mb_genesis_from {
    MB_GENESIS_GIVEN,  /* it is given to every node                                            */
    MB_GENESIS_SAMPLE, /* made by the leader from the rows with the largest keys, which every
                          node sees                                                            */
    MB_GENESIS_SUMS,   /* units and prior from averaged sums; centres are K rows, which every
                          node sees                                                            */
    MB_GENESIS_RANGES  /* of the exact sums of SUM within mb_plan::bounds alone, no row is shown */
} mb_genesis_from;
enum { MB_GENESIS_ROWS = 64 /* of a sample */ };

/* What a release of sums with noise promises, and against whom (docs/math.md, section 32). */
typedef struct mb_promise {
    double  epsilon;   /* of differential privacy, > 0                                            */
    double  delta;     /* its probability of more, in (0, 1)                                      */
    int32_t nodes;     /* that draw noise: 1, or those of a network, 3 at least                   */
    int32_t colluders; /* of these, who tell each other what they know; what the others draw must
                          do                                                                      */
} mb_promise;

/* What every node has before there is a block. Borrowed for the life of what is made of it. */
typedef struct mb_plan {
    const mb_kind     *kind;     /* of the model                                               */
    const void        *kind_opt; /* its options, not NULL                                      */
    int32_t            columns;  /* of the rows, a target included, which is the last          */
    const char *const *column;   /* their names                                                */
    uint64_t           seed;     /* of the keys and of k-means++                               */
    mb_genesis_from    from;     /* where the block comes from                                 */
    const mb_columns  *kinds;    /* what the columns are; NULL: all are numbers                */
    const mb_algo     *algo;     /* bears what happens in a mesh (MB_BEARS_CHURN); NULL: EDGE  */
    uint64_t           mask;     /* sums are masked: mb_declared::hash of the members; 0: not  */
    const mb_bounds   *bounds;   /* of the columns, with MB_GENESIS_RANGES; else NULL          */
    /* Of a network of as many members whose masked sums are made once, with noise, and are all that
     * it says of its rows; then from is MB_GENESIS_RANGES, and kind has a posterior that knows the
     * noise. NULL: rows are summed as they are. */
    const mb_promise *privacy;
} mb_plan;

enum {
    MB_CURVE_KEY = 40,  /* characters of a CURVE key in Z85 */
    MB_SIGNING_KEY = 32 /* bytes of an Ed25519 public key   */
};
/* A node that a genesis file lists. */
typedef struct mb_member {
    int32_t        id;          /* its own in the network                                     */
    const char    *key;         /* MB_CURVE_KEY, public, of its connections; NULL: not agreed */
    const uint8_t *signing_key; /* MB_SIGNING_KEY, of its audit words; NULL: none              */
    double         rows;        /* declared, weights added up; NaN: not                       */
    const char    *name;        /* for messages, no part of the hash; NULL: the id            */
} mb_member;
/* What a genesis file declares of nodes and rows (docs/formats.md). It is no part of the block:
 * runs with and without are the same run. Nothing is owned. */
typedef struct mb_declared {
    double           rows;    /* of the network, weights added up; NaN: not declared             */
    int32_t          at_most; /* 1: numbers of rows are upper limits, as of rows that come and go */
    int32_t          gaps;    /* 1: rows may have no value in some columns                       */
    int32_t          columns; /* of the block                                                    */
    const double    *range; /* columns x 2: least and largest value, data units; NULL: not agreed */
    int32_t          members; /* 0: none is listed                                               */
    const mb_member *member;  /* they, by ascending id                                           */
    mb_graph         links;   /* of members, by their place in the list                          */
    uint64_t         hash;    /* FNV-1a of all of it but names, never 0                          */
    int32_t          nodes_max;  /* of the network, hops too; 0: not declared, 4096              */
    double           weight_max; /* of a row; 0 or NaN: not declared, 1e6                        */
    const char      *algorithm;  /* that the nodes run; NULL: not declared                       */
    int32_t          mask;       /* whether they mask sums: 1 yes, -1 no, 0: not declared        */
    int64_t rows_batch; /* with masks: new rows that 3 nodes need each to enter; 0: none do      */
} mb_declared;

/* The agreed constants of a run. Nothing is owned. */
typedef struct mb_genesis {
    const mb_kind     *kind;      /* of the model                                              */
    mb_sizes           size;      /* of the model                                              */
    int32_t            columns;   /* of the rows, a target included, which is the last         */
    const char *const *column;    /* their names                                               */
    mb_units           run;       /* units that the nodes compute in                           */
    size_t             len;       /* L: numbers of a posterior                                 */
    const double      *prior;     /* L: natural parameters, run units                          */
    const double      *prior_par; /* L: textbook parameters, data units                        */
    size_t        start_len; /* numbers of the start block: centres, and limits of rows far out */
    const double *start;     /* they: opaque to the mesh, made and read by the kind       */
    uint32_t      maker;     /* 0: a file; else 1 + id of the node that sealed it         */
    uint32_t      counter;   /* its incarnation when it did                               */
    uint64_t      hash;      /* FNV-1a of the encoded block: the run id, never 0 */
    const mb_declared *declared;    /* by the file that it was read from; NULL: nothing           */
    const struct mb_design *design; /* of the file: what makes the columns; NULL: they are those
                                       of rows as they come                                    */
} mb_genesis;

/* The place of a member in its list; -1: it is not in it. */
MB_API int32_t mb_declared_find(const mb_declared *d, int64_t id);

/* Bytes of the block of this plan, at most (names and numbers). */
MB_API size_t mb_genesis_bytes(const mb_plan *plan);
/* Bytes of a fixed arena for mb_genesis_of_sample with MB_GENESIS_ROWS rows and its scratch. */
MB_API size_t mb_genesis_scratch(const mb_plan *plan);
/* Writes the block (little-endian, docs/protocol.md) into out (room bytes): *n bytes; sets g->hash.
 * MB_E_ARG when there is too little room. */
MB_API mb_status mb_genesis_encode(mb_genesis *g, void *out, size_t room, size_t *n,
                                   mb_err *err) MB_CHECKED;
/* Reads a block of n bytes, which are not trusted, into an arena. kinds are looked up by name.
 * MB_E_FORMAT names the field that is wrong: bad sizes, hash, numbers that are not finite, scales
 * that are not positive, a prior outside its domain. Takes from the arena what mb_kind::model takes
 * and at most 2 n + 8 layout.scratch + 1200 bytes; refuses sizes before it takes memory. */
MB_API mb_status mb_genesis_decode(mb_arena *a, const void *bytes, size_t n, mb_genesis *out,
                                   mb_err *err) MB_CHECKED;
/* The block made from rows that stand for all (n x columns, data units): units and prior from
 * their moments, the start block from k-means++ and Lloyd's iteration (10 attempts) on them.
 * Computes in one thread, deterministic. */
MB_API mb_status mb_genesis_of_sample(mb_arena *a, mb_arena *scratch_arena, const mb_plan *plan,
                                      const mb_rows *sample, mb_genesis *out,
                                      mb_err *err) MB_CHECKED;
/* The block from an earlier answer (mb_posterior_ready): its prior, units from its own middle and
 * spread, its means as centres. MB_E_ARG when its prior is not known, MB_E_DOMAIN when double
 * precision cannot hold that in these units. */
MB_API mb_status mb_genesis_of_posterior(mb_arena *a, const mb_posterior *p, mb_genesis *out,
                                         mb_err *err) MB_CHECKED;

/* Writes a block, atomically. Read back it has the same bits and the same hash. MB_E_FORMAT for a
 * name that is not UTF-8, MB_E_IO. */
MB_API mb_status mb_genesis_write(mb_arena *a, const mb_genesis *g, const char *file,
                                  mb_err *err) MB_CHECKED;
/* Reads a block. Every field is checked, and one that is not known is refused: MB_E_FORMAT names
 * file and field and what would be accepted. A file made by hand may leave out "hash" and
 * "prior_natural", which then follows from "prior"; "hash" must be that of the block. kind: NULL
 * for those of mb_kind_list, else the only one that is accepted. MB_E_NOSUP without jansson. */
MB_API mb_status mb_genesis_read(mb_arena *a, const char *file, const mb_kind *kind,
                                 mb_genesis *out, mb_err *err) MB_CHECKED;

/* ---- Nodes ---- */

/* What is sent instead of 8 bytes a number. */
typedef enum mb_wire {
    MB_WIRE_FLOAT64, /* the numbers themselves                                              */
    MB_WIRE_FLOAT16, /* differences to what the neighbour is known to have, 2 bytes a number */
    MB_WIRE_CHANGES  /* these, where there are any; a build without stdio: all of them       */
} mb_wire;

enum { MB_SIGNATURE = 64 /* bytes of an Ed25519 signature */ };
/* How a node signs what it says in an audit, and checks what others have signed: functions of the
 * host, as the library has no cryptography. Both return 1: done, or that it is the signature of
 * `key`. */
typedef struct mb_signer {
    void *self; /* first argument of both */
    /* Signs n bytes: writes MB_SIGNATURE bytes. */
    int (*sign)(void *self, const void *bytes, size_t n, uint8_t *signature);
    /* Checks what the owner of `key`, MB_SIGNING_KEY bytes, has signed. */
    int (*verify)(void *self, const uint8_t *key, const void *bytes, size_t n,
                  const uint8_t *signature);
} mb_signer;

/* How a node is made. Zeroed: the default, where one is named. Plan, name, declared and signer stay
 * borrowed. */
typedef struct mb_peer_opt {
    int32_t        id;          /* of the node, 0 to 2^31 - 2, its own in the network           */
    const char    *name;        /* for messages and status; NULL: the id                        */
    uint32_t       incarnation; /* above that of any earlier life under this id; >= 1           */
    const mb_plan *plan;        /* the same at all nodes                                        */
    int32_t        neighbours;  /* M: most neighbours at a time, >= 0                           */
    int64_t        rows;        /* R: most rows at a time, >= 0                                 */
    int64_t        window_rows; /* a row above these replaces the oldest; 0: none (as for groups) */
    int64_t        window_ms;   /* rows leave at this age (protocol.md, 3a); 0: never           */
    int64_t        tick_ms;     /* longest time between two ticks while moving; default 20      */
    int64_t        rest_ms;     /* time between two ticks at rest; default 1000, at most 2^40   */
    double         n_nodes;     /* N where it is known; 0: estimated                            */
    int32_t        hops;        /* H where it is known; 0: measured                             */
    double         kappa;       /* of the algorithm: stiffness of edges; 0: the automatic rule  */
    double         eta;         /* of the algorithm: damping; 0: the automatic rule             */
    double         tol;         /* at rest nothing moves more, posterior sd; default 3e-7       */
    mb_wire        wire;        /* the same at all nodes                                        */
    int32_t        min_nodes;   /* with fewer it neither draws a genesis nor says settled       */
    const mb_declared *declared;    /* as the genesis file does; NULL: nothing                  */
    const mb_signer   *signer;      /* NULL: the node takes no part in audits                   */
    int32_t            drop_broken; /* 1: edges to members that fail an audit are not used      */
    const struct mb_masks *masks;   /* of a plan that is mb_plan::mask: makes them; else NULL     */
    const int64_t         *release; /* with mb_plan::privacy: the node's sums with its noise, which
                                       the host has made and booked once; else NULL              */
} mb_peer_opt;

/* A node; its struct is private. */
typedef struct mb_peer mb_peer;
/* Bytes that mb_peer_new takes from its arena: the state (mb_peer_saved), for each row 8 (D + K)
 * more, the genesis block twice and the model, and the scratch of a local step, which is that of
 * the model's kernel (16 KB for a mixture). Unless the block is given also mb_genesis_scratch. At
 * most 2 % more than is taken. Makes a scratch arena by malloc, frees it. 0: no memory, or bad
 * sizes. */
MB_API size_t mb_peer_bytes(const mb_peer_opt *opt);
/* A blank node without rows and neighbours. MB_E_ARG names the option that is wrong; MB_E_NOSUP:
 * what the plan's algorithm does not bear. */
MB_API mb_status mb_peer_new(mb_arena *a, const mb_peer_opt *opt, mb_peer **out,
                             mb_err *err) MB_CHECKED;
/* Hands the node the block that all nodes were given (MB_GENESIS_GIVEN), before its first tick.
 * MB_E_ARG says how it differs from the plan. Copies it. */
MB_API mb_status mb_peer_genesis(mb_peer *p, const mb_genesis *g, mb_err *err) MB_CHECKED;

/* A neighbour more or less, at any time. MB_E_ARG: itself, one there (or not), or more than M. */
MB_API mb_status mb_peer_link(mb_peer *p, int32_t id, mb_err *err) MB_CHECKED;
/* Ends a link; its edge is gone at once. */
MB_API mb_status mb_peer_unlink(mb_peer *p, int32_t id, mb_err *err) MB_CHECKED;
/* 1: the node has this neighbour, live or not, by mb_peer_link or from a checkpoint. O(M). */
MB_API int mb_peer_linked(const mb_peer *p, int32_t id);

/* n rows more (data units, columns of the plan), numbered on from 0 in the order of their arrival,
 * *first is the number of the first of them (may be NULL). All or none. Gaps (mb_rows.gaps) are for
 * MB_GENESIS_GIVEN and a kind that can, groups for a plan of groups; where the kind's groups are
 * "always", rows without them continue the last group. MB_E_ARG: more than R without a window;
 * MB_E_NUMERIC: not finite, or a gap; MB_E_SHAPE: other columns, or groups. */
MB_API mb_status mb_peer_append(mb_peer *p, int64_t now, const mb_rows *rows, int64_t *first,
                                mb_err *err) MB_CHECKED;
/* Row `number` becomes x (columns) with weight w. MB_E_ARG: it is not there. O(R) to find it. */
MB_API mb_status mb_peer_replace(mb_peer *p, int64_t now, int64_t number, const double *x, double w,
                                 mb_err *err) MB_CHECKED;
/* Row `number` leaves. MB_E_ARG: it is not there. MB_E_NOSUP: rows of groups stay. */
MB_API mb_status mb_peer_remove(mb_peer *p, int64_t number, mb_err *err) MB_CHECKED;

/* Why a frame was refused. */
typedef enum mb_refusal {
    MB_REFUSED_NONE,     /* it was taken                                                      */
    MB_REFUSED_SHORT,    /* its length is wrong                                               */
    MB_REFUSED_DAMAGED,  /* magic or checksum is wrong                                        */
    MB_REFUSED_VERSION,  /* of another version of the protocol                                */
    MB_REFUSED_OWN_ID,   /* it says it is from this node                                      */
    MB_REFUSED_STRANGER, /* its sender is not a neighbour, or it is meant for another node    */
    MB_REFUSED_PLAN,     /* another model, K or columns                                       */
    MB_REFUSED_RUN,      /* another block, and neither wins over the other                    */
    MB_REFUSED_OLD,      /* not newer than what was heard already                             */
    MB_REFUSED_VALUE,    /* a number in it cannot be                                          */
    MB_REFUSALS
} mb_refusal;
/* "damaged", "stranger" and so on: names in status objects. Static. */
MB_API const char *mb_refusal_text(mb_refusal why);
/* Bytes of the longest frame that the node sends or takes. */
MB_API size_t mb_peer_frame_max(const mb_peer *p);
/* A frame of n bytes, which are not trusted. `from`: the neighbour that the transport knows it is
 * from; -1: the transport does not know. A frame that is refused changes nothing but its counter;
 * err then says why (also MB_REFUSED_PLAN in words). O(n). */
MB_API mb_refusal mb_peer_hear(mb_peer *p, int64_t now, int32_t from, const void *bytes, size_t n,
                               mb_err *err);
/* When the node wants its next tick at latest. A host whose clock may go back ticks at once when it
 * reads less than at the last tick. */
MB_API int64_t mb_peer_due(const mb_peer *p);
/* 1 when every live neighbour has been heard since the last tick: a tick makes sense now. */
MB_API int mb_peer_ready(const mb_peer *p);
/* One step of the node's own time: ages, edges, leader, one damped VB step, what to say to whom.
 * MB_E_NUMERIC: the node has failed (verdict "failed"), it will not tick again. */
MB_API mb_status mb_peer_tick(mb_peer *p, int64_t now, mb_err *err) MB_CHECKED;
/* From now on all frames say that this node hears no other one: neighbours stop using its edges
 * when the next frame arrives instead of after a time-out. The host ticks once more and ends. */
MB_API void mb_peer_leave(mb_peer *p);
/* Writes the frame for neighbour `id` into out (room: mb_peer_frame_max): *n bytes; 0: nothing to
 * say. Once a tick and neighbour. MB_E_ARG: not a neighbour. */
MB_API mb_status mb_peer_frame(mb_peer *p, int32_t id, void *out, size_t room, size_t *n,
                               mb_err *err) MB_CHECKED;

/* What a node says of its run. */
typedef enum mb_peer_verdict {
    MB_PEER_MOVING,  /* on the way, also before there is a genesis                          */
    MB_PEER_SETTLED, /* nothing moves at any node of the live part, as far as it has heard  */
    MB_PEER_ALONE,   /* no live neighbour                                                   */
    MB_PEER_FAILED   /* it has stopped; the message says why                                */
} mb_peer_verdict;
/* "moving", "settled", "alone", "failed". Static. */
MB_API const char *mb_peer_verdict_text(mb_peer_verdict v);

/* What a node knows of a neighbour. */
typedef struct mb_peer_neighbour {
    int32_t id;      /* of the neighbour                                                      */
    int32_t live;    /* 1: it was heard lately, and hears this node                           */
    int64_t age_ms;  /* since it was heard; -1: never                                         */
    double  rtt_ms;  /* from a frame to its echo, running mean of own ticks; NaN: not known   */
    double  loss;    /* share of the frames it wrote to this node that did not arrive, or came after
                        a later one, by their count: running mean; NaN: not known             */
    int64_t bytes;   /* sent to it                                                            */
    int32_t missed;  /* own ticks since it was heard                                          */
    int64_t echoed;  /* newest own tick whose frame it has heard; 0: none of this life        */
    double  n_nodes; /* N as it knows it                                                      */
    int32_t leader;  /* id, as it knows it                                                    */
    int32_t agrees;  /* 1: both are what this node knows; else it does not settle             */
    int32_t moves;   /* 1: it says that it is not at rest itself, and keeps others awake      */
} mb_peer_neighbour;
/* The status of a node: one set of words everywhere (status.json, status page). */
typedef struct mb_peer_status {
    int32_t         id;           /* node                                                     */
    const char     *name;         /* its name                                                 */
    uint32_t        incarnation;  /* of this life                                             */
    int64_t         tick;         /* own ticks in all lives that checkpoints remember         */
    int64_t         rounds;       /* VB steps since it began; 0: it has not                   */
    mb_peer_verdict verdict;      /* see there                                                */
    const char     *message;      /* why it failed, or what it waits for; "" : nothing        */
    uint64_t        run;          /* hash of its block; 0: none yet                           */
    double          n_nodes;      /* N as it is known; without a block the nodes without one  */
    int32_t         hops;         /* H as it is known                                         */
    int32_t         leader;       /* id                                                       */
    double          bound;        /* lower bound over all rows, nats, data units; NaN: not known */
    double          disagreement; /* |s_i - phi_i| in posterior standard deviations           */
    int64_t         rows;         /* here                                                     */
    int64_t         frozen;       /* steps held because phi was outside its domain            */
    int64_t         bytes_sent;   /* over all links                                           */
    int64_t         frames_sent;  /* over all links                                           */
    int64_t         frames_received; /* that were taken                                          */
    int64_t         refused[MB_REFUSALS]; /* by cause                                         */
    int32_t         neighbours; /* of them                                                  */
    int32_t         live;       /* live ones                                                */
    int32_t         still;      /* 1: as MB_PEER_SETTLED, also without a live neighbour     */
    int32_t         moves;      /* 1: something moves here; 0: at rest, or others are not   */
} mb_peer_status;
/* Whether nodes audit each other (docs/protocol.md, section 5a). */
typedef enum mb_audit_state {
    MB_AUDIT_ON,
    MB_AUDIT_NO_MEMBERS,   /* the genesis lists none                                   */
    MB_AUDIT_NOT_LISTED,   /* this node is none of them                                */
    MB_AUDIT_NO_SIGNER,    /* this build or this node cannot sign                      */
    MB_AUDIT_NOT_POSSIBLE, /* the algorithm is not EDGE, or nothing is known of its statistics */
    MB_AUDIT_STATES
} mb_audit_state;
/* "on", "no audit: the genesis lists no members" and so on. Static. */
MB_API const char *mb_audit_text(mb_audit_state is);
/* What came of audits so far. */
typedef struct mb_audit {
    mb_audit_state state;   /* see there                                                  */
    int32_t        members; /* of the list                                                */
    int64_t        rounds;  /* audits in which this node has judged somebody              */
    int32_t        judged;  /* members in the newest one                                  */
    int32_t        broken;  /* members that failed the two newest in which they were judged */
    int64_t        refused; /* statements with a wrong signature, or that cannot be       */
} mb_audit;
/* What a node knows of audits. */
MB_API void mb_peer_audit(const mb_peer *p, mb_audit *out);
/* Why member k of the list failed the newest audit in which it was judged; broken 1: the one
 * before, too. "": it passed, or was never judged. Valid until the next call. */
MB_API const char *mb_peer_audit_of(const mb_peer *p, int32_t k, int32_t *broken);
/* What a node knows of masks of its sums (docs/protocol.md, section 4c). */
typedef struct mb_peer_masking {
    int32_t  members;  /* of the genesis; 0: the node masks nothing                       */
    int32_t  there;    /* of them, in its record: all of them, or those at and below it    */
    int32_t  partners; /* with whom it shares masks; 0: its record has not begun           */
    int32_t  left_out; /* members that an operator has left out                            */
    int32_t  root;     /* 1: it is the root of the sums, and knows who is missing         */
    int32_t  ready;    /* with rows_batch: nodes at and below it with a batch, at most 3   */
    int64_t  waiting;  /* rows of the node that are not in the sums yet                    */
    uint64_t taken;    /* epoch in which rows entered last; 0: those of the beginning       */
} mb_peer_masking;
/* That of a node. */
MB_API void mb_peer_masking_of(const mb_peer *p, mb_peer_masking *out);
/* What a member is in the record of a node. */
typedef enum mb_taking { MB_TAKES_PART, MB_MISSING, MB_LEFT_OUT } mb_taking;
/* That of member k of the list; *since_ms: when it was last there, by the clock of the node. */
MB_API mb_taking mb_peer_taking(const mb_peer *p, int32_t k, int64_t *since_ms);
/* At the root: sums continue without member `id`, which is missing, until it is there again. Every
 * member can then compute rows, sums and second moments of it. MB_E_NOSUP: the node masks nothing;
 * MB_E_ARG: it is not the root, the member is there or none, or too few would be left. */
MB_API mb_status mb_peer_without(mb_peer *p, int32_t id, mb_err *err) MB_CHECKED;
/* The status at `now`. */
MB_API void mb_peer_look(const mb_peer *p, int64_t now, mb_peer_status *out);
/* Neighbour j of them, 0 to neighbours - 1, by ascending id. */
MB_API void mb_peer_look_at(const mb_peer *p, int64_t now, int32_t j, mb_peer_neighbour *out);

/* The natural parameters in run units (L numbers), valid until the next call; NULL: no genesis. */
MB_API const double *mb_peer_phi(const mb_peer *p);
/* The block that the node runs on; NULL: none yet. Valid until the next call. */
MB_API const mb_genesis *mb_peer_block(const mb_peer *p);
/* The posterior in data units, as mb_case_posterior makes it. MB_E_PEER: no genesis yet;
 * MB_E_DOMAIN: phi is outside its domain. */
MB_API mb_status mb_peer_posterior(mb_arena *a, const mb_peer *p, mb_posterior *out,
                                   mb_err *err) MB_CHECKED;

/* Bytes of a checkpoint: everything the node knows, rows included. Constant for its life. With L
 * numbers a posterior, M neighbours, R rows of D columns and a genesis block of B bytes about
 *     840 + 104 (L + 2) + M (16 (L + 2) + 184) + R (8 D + 24) + B
 * and with MB_GENESIS_SAMPLE 65 (8 D + 16) more, with MB_GENESIS_SUMS K (8 D + 16) + 16 D more,
 * with float16 M 64 (8 (L + 2) + 8) more. For L + 2 stands the length of the sums, 2 + D and
 * D (D + 1)/2 (D where the prior needs no covariance), should these be longer. Kinds that trim have
 * max(54 D, K (D + 1)) sums more, and a checkpoint 8 (4 + (4 + K) D) bytes. */
MB_API size_t mb_peer_saved(const mb_peer *p);
/* Writes it (room bytes). Little-endian machines of one word size only; checksummed. */
MB_API mb_status mb_peer_save(const mb_peer *p, void *out, size_t room, mb_err *err) MB_CHECKED;
/* Begins a new life where a checkpoint of an earlier one ends: n bytes, which are not trusted,
 * before the first tick of a node made with the same options but a higher incarnation, so that no
 * neighbour takes its frames for old ones. MB_E_FORMAT: damaged; MB_E_ARG: of another node, plan,
 * run, incarnation or size, in words. What is refused changes nothing. O(state). */
MB_API mb_status mb_peer_load(mb_peer *p, const void *bytes, size_t n, mb_err *err) MB_CHECKED;
/* The same life continues: as mb_peer_load, for a node made with the very incarnation of the
 * checkpoint or one below. The state is that of mb_peer_save to the bit, so the same calls have the
 * same answers: for replays (record.h) and for moving a node that has stopped to another process.
 * Not after a crash: frames that were sent after the checkpoint would be sent again with other
 * numbers, and neighbours refuse them as old. */
MB_API mb_status mb_peer_resume(mb_peer *p, const void *bytes, size_t n, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
