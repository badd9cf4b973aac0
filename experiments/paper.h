/* paper.h - `meshbayes paper`: the paper's experiments, what they consist of, what runs yield.
 *
 * An experiment (paper_row) consists of units: one protocol, one part (a network size, a number of
 * clusters), one run. The numbers of a unit are stored in a file of their own, so that finished
 * units survive. A table is made of the units' files, and all output of tables. */
#ifndef MB_PAPER_H
#define MB_PAPER_H

#include "base/app.h"

#include <math.h>

#define PAPER_NAN ((double)NAN)

/* How a run is set up; every number and figure names its protocol. */
typedef enum paper_protocol {
    PAPER_PAPER,     /* the paper's text                                                    */
    PAPER_PUBLISHED, /* the first author's program: uses the truth, only to explain numbers */
    PAPER_OURS,      /* EDGE and FLOW from the network's own initialisation                 */
    PAPER_PROTOCOLS
} paper_protocol;
extern const char *const paper_protocol_name[PAPER_PROTOCOLS];

enum { PAPER_FILES = 2 }; /* that an experiment reads, at most */

/* What was asked for. */
typedef struct paper_set {
    int64_t     seed;
    int64_t     runs;      /* 0: each experiment's own; -1: the printed counts */
    unsigned    protocols; /* bit p: protocol p                                */
    int32_t     quick, shuffle;
    int64_t     threads;
    mb_pool    *pool; /* of `threads`: units run at the same time */
    const char *out, *data, *reproduction;
    const char *networks;      /* folder of networks to run on, NULL: none */
    int32_t     network_count; /* files in that folder            */
    uint64_t    network_print; /* fingerprint of their contents; 0: none */
} paper_set;

/* Counts and fingerprints the networks of --networks; MB_E_ARG when it was given and has none. */
mb_status paper_networks_found(mb_arena *a, paper_set *set, mb_err *err) MB_CHECKED;

/* One measured number. x: round, node ..; NaN: a number of result.json. A quantity that begins with
 * @ belongs to the first run alone: a sample to look at. */
typedef struct paper_number {
    const char *algorithm, *quantity, *part;
    double      x, value; /* value NaN: none in this run, a failure */
} paper_number;

typedef struct paper_row paper_row;
/* One piece of work and what came of it. */
typedef struct paper_unit {
    mb_arena           *a;     /* of the unit alone: units run at the same time */
    struct paper_world *world; /* what it runs on, closed after it; NULL: none  */
    const paper_set    *set;
    const paper_row    *row;
    paper_protocol      protocol;
    int32_t             part;
    int64_t             run;
    int64_t             seed;       /* of this run: the set's + run  */
    uint64_t            data_print; /* of the table */
    const char         *label;      /* of the part: "N=30", or "" */
    paper_number       *number;
    int64_t             count;
} paper_unit;
/* The array with room for one more of its `count` things: moved when it is full, NULL without
 * memory. */
void     *paper_room(mb_arena *a, void *array, int64_t count, size_t size);
mb_status paper_put(paper_unit *u, const char *algorithm, const char *quantity, double x,
                    double value, mb_err *err) MB_CHECKED;
typedef struct paper_value {
    const char *quantity; /* NULL ends a list */
    double      value;
} paper_value;
/* Numbers of result.json. */
mb_status paper_put_end(paper_unit *u, const char *algorithm, const paper_value *v,
                        mb_err *err) MB_CHECKED;

/* A claim of the paper and what became of it. */
typedef struct paper_claim {
    const char *says, *measured;
    int         holds; /* 1, 0; -1: these runs do not decide it */
} paper_claim;
/* One of these words. */
const char *paper_holds(const paper_claim *c, const char *open, const char *yes, const char *no);
enum { PAPER_CLAIMS = 8 };
typedef struct paper_claims {
    mb_arena   *a;
    int         count;
    paper_claim claim[PAPER_CLAIMS];
} paper_claims;

/* Over the runs that have a value; NaN when none has. */
typedef struct paper_stat {
    double  mean, sd /* divisor count - 1; 0 for one run */, median, low, high /* quartiles */;
    int64_t runs, failed;
} paper_stat;
/* All runs of one number. */
typedef struct paper_group {
    paper_protocol protocol;
    paper_number   key;   /* without value       */
    double        *value; /* runs; NaN: no value */
    paper_stat     stat;
} paper_group;
typedef struct paper_table {
    mb_arena        *a;
    const paper_row *row;
    const paper_set *set;
    int64_t          runs;
    int32_t          parts;
    unsigned         protocols;  /* bit p: protocol p                               */
    const char      *how;        /* to get the data if it is skipped; NULL: it is not */
    uint64_t         data_print; /* fingerprint of the files it reads               */
    int64_t          count;
    paper_group     *group;
    paper_claims     claims;
} paper_table;
/* paper_table.c: NULL when there is no such number. part "" where an experiment has one part. */
const paper_group *paper_find(const paper_table *t, paper_protocol p, const char *algorithm,
                              const char *quantity, const char *part, double x);
/* Of a number that may be missing (all NaN, 0 runs). */
paper_stat paper_stat_at(const paper_table *t, paper_protocol p, const char *algorithm,
                         const char *quantity, const char *part, double x);
/* Reads the units' files of an experiment, which are all there: fills from `runs` to `group`. */
mb_status paper_table_read(paper_table *t, mb_err *err) MB_CHECKED;

/* A value the paper prints, and the number that answers it. */
typedef struct paper_printed {
    const char *algorithm, *quantity, *part, *label;
    double      value, factor; /* printed = factor * ours: 100 for per cent */
} paper_printed;

/* measured: text in the manner of printf. */
void paper_judge(paper_claims *c, int holds, const char *says, const char *fmt, ...)
    MB_PRINTF(4, 5);
/* The last claim holds only if a run of this algorithm, in any part, did not fail; without any run
 * it is not decided. */
void paper_needs(const paper_table *t, paper_claims *c, paper_protocol p, const char *algorithm);

/* What runs besides central VB: names of algorithms, optionally with a blank and an option
 * ("dsvb tau=0.2"); NULL-terminated. */
typedef struct paper_plan {
    const char *const *theirs, *const *ours; /* protocols paper and published; ours */
    int64_t rounds, quick;                   /* with --quick                        */
} paper_plan;

typedef struct paper_figures paper_figures;
struct paper_row {
    const char          *name, *title, *place /* in the paper */;
    const char          *setup; /* parameters, for captions */
    const char          *says, *why;
    unsigned             protocols;                    /* that it has; 0: all          */
    int64_t              runs, runs_quick, runs_paper; /* 0: 30, 2 and 1 */
    paper_plan           plan;
    const char *const   *part;     /* names of the parts of a run, NULL-terminated; NULL: one, "" */
    double               seconds;  /* of a run and protocol, about  */
    const paper_row     *parts_of; /* the same runs as another's, or NULL */
    const paper_printed *printed;  /* algorithm NULL ends           */
    /* The files it reads, or how to get them when they are not there (texts in a); NULL: none. */
    mb_status (*files)(mb_arena *a, const paper_set *set, const char **file, const char **how,
                       mb_err *err);
    mb_status (*run)(paper_unit *u, mb_err *err);
    mb_status (*draw)(paper_figures *f, const paper_table *t, mb_err *err);
    void (*judge)(const paper_table *t, paper_claims *c);
};
/* paper_inputs.c: fingerprints the files of an experiment, or says how to get them (t->how). */
mb_status paper_inputs(paper_table *t, mb_err *err) MB_CHECKED;
/* FOLDER/NAME, or the file or folder of that name that ships with meshbayes; NULL: in neither. */
mb_status paper_shipped(mb_arena *a, const char *folder, const char *name, const char **out,
                        mb_err *err) MB_CHECKED;

/* paper_parts.c: an experiment as --quick, --runs and --protocols ask for it, before any of its
 * files is read. */
paper_table paper_table_of(mb_arena *a, const paper_set *set, const paper_row *row);
/* Every unit of it, in order: fills all but numbers. index: 0 .. paper_units - 1. */
int64_t paper_units(const paper_table *t);
void    paper_unit_at(mb_arena *a, const paper_table *t, int64_t index, paper_unit *u);
/* The unit's file. */
mb_status paper_part_write(paper_unit *u, mb_err *err) MB_CHECKED;
/* Numbers into u; *there = 0 if the file is missing or of other settings. */
mb_status paper_part_read(paper_unit *u, int *there, mb_err *err) MB_CHECKED;

/* paper_work.c: computes what is missing of these experiments, but for those that are skipped. */
mb_status paper_work(const paper_set *set, const paper_table *t, int32_t count,
                     mb_err *err) MB_CHECKED;
/* Removes what a killed run left incomplete in the folder of an experiment. */
mb_status paper_sweep(const paper_table *t, mb_err *err) MB_CHECKED;
/* "," or ",3.5". */
void paper_csv_number(FILE *out, double x);
/* paper_out.c: data.csv and result.json of one experiment. */
mb_status paper_files(const paper_table *t, mb_err *err) MB_CHECKED;
/* paper_page.c: figures of all tables, and report.html. */
mb_status paper_page(const paper_table *t, int32_t count, mb_err *err) MB_CHECKED;
/* paper_md.c: docs/reproduction.md. */
mb_status paper_reproduction(const paper_table *t, int32_t count, mb_err *err) MB_CHECKED;
/* paper_words.c: names for people. */
const char *paper_quantity_words(const char *quantity);
const char *paper_protocol_words(paper_protocol p);
/* Follows the setup of an experiment; "" without --networks. */
const char *paper_networks_words(const paper_set *set);

#endif
