/* sim.h - the state of `meshbayes sim`, `fit` and `plan`, and the functions that share it. */
#ifndef MB_RUN_SIM_H
#define MB_RUN_SIM_H

#include "base/app.h"
#include "base/ranks.h"
#include "base/rows_opt.h"
#include "core/observe.h"
#include "data/file.h"
#include "data/table.h"
#include "fit/case.h"

/* The options except those of models and algorithms; the table is in sim_options.c. */
typedef struct sim_opt {
    const char *data;
    int32_t     deal; /* SIM_BLOCKS, SIM_RANDOM */
    const char *node_column, *label_column, *weight_column;
    mb_data_opt read; /* the other options of reading */
    const char *formula;
    int32_t     coding; /* mb_contrasts */
    int32_t     family; /* of the choices of --family; 0: auto */
    const char *network, *topology, *weights, *positions;
    const char *model, *algorithm, *init;
    const char *components;        /* --n-components as given; NULL: the default of the model */
    const char *form;              /* --covariance-type, the same                             */
    double      n_init_given;      /* NaN: auto                                           */
    int64_t     n_init;            /* the same as a number; 0: auto, see mb_case_best, in fit */
    int32_t     prune, accelerate; /* SIM_PRUNE_AUTO, ..; mb_accelerate */
    int32_t     stop;              /* mb_stop_rule */
    int32_t     send;              /* mb_send      */
    int32_t     standardize, precision, on_domain;
    int64_t     rounds, seed, runs, threads, delay;
    double      tol, loss, loss_directed, silent;
    const char *trace, *metrics, *out, *dump_phi, *dump_messages, *dump_at, *node;
    const char *bounds;
    const char *privacy, *ledger;
    double      budget; /* of releases; NaN: that of the ledger */
    int32_t     phi_order, json, require_settled;
    const char *checkpoint, *resume, *write_genesis;
    int64_t     every;
} sim_opt;

/* Commands that take an option, as bits. */
enum {
    SIM_SIM = 1,
    SIM_FIT = 2,
    SIM_PLAN = 4,
    SIM_GENESIS = 8,
    SIM_UP = 16,
    SIM_EVERY = SIM_SIM | SIM_FIT | SIM_PLAN | SIM_GENESIS | SIM_UP,
    SIM_FOLLOW = 32,  /* fit --follow, of those of fit */
    SIM_PRIVATE = 64, /* with --privacy, of those of the command */
    SIM_OFTEN = 8     /* shifted by this: commands that show it on their short help page */
};
/* Groups of options on help pages, in their order. */
typedef enum sim_group {
    SIM_SHAPE, /* of plan */
    SIM_ROWS,
    SIM_NETWORK,
    SIM_MODEL,
    SIM_ARRIVING, /* of fit */
    SIM_PRIVACY,
    SIM_NODES,     /* of up, as the next two */
    SIM_VIRTUAL,   /* with --virtual alone */
    SIM_PROCESSES, /* without it alone */
    SIM_ENDS,
    SIM_OUTPUT,
    SIM_LONG_RUNS,
    SIM_GROUPS /* their number */
} sim_group;
/* Models that an option is for. */
typedef enum sim_models {
    SIM_ANY_MODEL,
    SIM_LATENT,    /* with components */
    SIM_DRAWN,     /* whose initialisations differ: with components, or of a drawn point */
    SIM_GROUPED,   /* that know groups of rows */
    SIM_MIXED,     /* with columns that are no numbers, or such a target */
    SIM_TARGETS,   /* with such a target */
    SIM_REGRESSION /* with any target  */
} sim_models;
/* An option of one or several commands: all that is said of it, but for what checks need of others.
 * A table of them ends with ROWS_END (run/option_rows.h). */
typedef struct sim_row {
    sim_group  group;
    int        commands; /* that take it; where another says it otherwise, there is another row */
    int        presents; /* 1: it changes no posterior: what is written where, how many threads */
    sim_models models;
    mb_opt     opt;
} sim_row;
enum { SIM_BLOCKS, SIM_RANDOM };
enum { SIM_PRUNE_AUTO, SIM_PRUNE_OFF, SIM_PRUNE_ON };
enum { SIM_COMPLETE = 10 /* nodes that need no network: each is linked to all others */ };
enum { SIM_JUDGED = 1 << MB_M_ACCURACY | 1 << MB_M_NMI | 1 << MB_M_ARI /* metrics of labels */ };
enum { SIM_MAX_ALGOS = 16, SIM_MAX_KINDS = 16, SIM_MAX_WARNINGS = 32, SIM_MAX_OPTIONS = 80 };
enum { SIM_MAX_GROUPS = SIM_MAX_ALGOS + SIM_MAX_KINDS + 3 };
enum { SIM_MAX_FILES = 3 * SIM_MAX_ALGOS + 16 /* three for each algorithm, those of the run */ };

/* One name of --algorithm: cvb is the non-cooperative algorithm on a network of one node. */
typedef struct sim_choice {
    const char    *name;
    const mb_algo *algo;
    void          *opt; /* the algorithm's options as given */
    int32_t        cvb;
} sim_choice;

typedef struct sim         sim;
typedef struct sim_command sim_command;
typedef struct sim_many    sim_many;

/* What all stages of a command share: memory, the processes, what they print and write. */
typedef struct sim_job {
    mb_arena       *a;
    const char     *name; /* of the command, for messages */
    ranks           ranks;
    int             tty;
    int             quiet;     /* 1: one of many runs, whose warnings are not printed          */
    int32_t         mentioned; /* 1: the warning about repeated rows has been printed          */
    int32_t         signal;    /* that came; 0: none                                           */
    const sim_many *many;      /* NULL: one run                                                */
    const char     *out;       /* --out: a folder, or FILE.json; NULL: nothing is written      */
    mb_file         trace;     /* of all algorithms, in process 0                              */
    const char     *warning[SIM_MAX_WARNINGS], *note[SIM_MAX_WARNINGS];
    int32_t         nwarning, nnotes;
    const char     *wrote[SIM_MAX_FILES]; /* this run's files in the folder --out              */
    int32_t         nwrote;
    const char     *column[4]; /* ncolumns: shown in the report's figures of the data          */
    int32_t         ncolumns;
    /* checkpoints_open; NULL: none. */
    struct sim_checkpoints *checkpoints;
} sim_job;

/* Of the values that follow each is made of those before it, and constant from then on; what the
 * library changes later is behind pointers. */

/* The command line, read. */
typedef struct sim_args {
    const sim_command  *command;
    int                 argc; /* as given */
    char              **argv;
    sim_opt             opt;
    const mb_opt       *table;                   /* the options that the command takes           */
    const mb_opt       *more;                    /* those of the command alone; NULL: none       */
    void               *own;                     /* their values; NULL: none                     */
    const mb_kind      *kind;                    /* of --model                                   */
    void               *kind_opt[SIM_MAX_KINDS]; /* options of every listed kind                 */
    const void         *model_opt;               /* those of kind                                */
    sim_choice         *choice;                  /* nchoice: algorithms                          */
    int32_t             nchoice;
    const struct sweep *sweep;   /* several numbers of components; NULL: one                     */
    struct sim_update  *update;  /* run/fit_update.h; NULL: no --update                          */
    mb_prefer           prefer;  /* of fit                                                       */
    uint32_t            metrics; /* per-round metrics asked for, bit mask                        */
    int32_t             sampled; /* 1: those that a folder has by default, in sampled rounds only */
    int64_t            *dump_at;
    int32_t             dump_count;
    int                 masked; /* 1: the nodes of up mask their sums */
} sim_args;

/* The rows of --data: sim_rows_read, and once there is a network sim_rows_deal. */
typedef struct sim_rows {
    const sim_args *args;
    mb_data         data;
    mb_npy_rows    *mapped; /* the file of data.x; base NULL: in memory */
    /* Of a formula or of categories; NULL: the rows are the columns of the file. */
    const struct mb_design *design;
    double *raw; /* data.n x raw_d: the numbers of the file, which data has as design */
    int32_t raw_d, targets;
    const struct mb_formula *formula; /* of all columns of a file of which some are read, or NULL */
    const int32_t           *from;    /* design->columns: where each is among them */
} sim_rows;

/* The network, and what happens to its messages: sim_network_make. */
typedef struct sim_network {
    const sim_args *args;
    const sim_rows *rows;
    mb_network      net;
    mb_faults       faults;
    int32_t         node; /* index of --node */
} sim_network;

/* The rows at the nodes as the library computes with them, and how every run begins: sim_setup; a
 * sweep makes another of it, that of the best number of components. */
typedef struct sim_case {
    const sim_args     *args;
    const sim_rows     *rows;
    const sim_network  *network;
    mb_table            table; /* the rows for the library                               */
    uint64_t            hash;  /* of the data's bytes; 0: nothing will say it            */
    int32_t            *label; /* classes of the rows of this process's nodes, or NULL   */
    mb_start            start;
    mb_centres         *drawn;   /* shared by all algorithms                               */
    const mb_posterior *prior;   /* a former answer; NULL: the kind's prior                */
    mb_bounds           bounds;  /* d = 0: none are stated                                 */
    int64_t             n_init;  /* 0: auto, see mb_case_best, in fit; 1: from a file     */
    uint32_t            metrics; /* of args, those that the rows allow                    */
    /* Stages: place, cases, pool; sessions are those of the results. central.nodes NULL: not made
     * yet. In `fit` of mb_fit_run. */
    mb_fit *fit;
} sim_case;

/* What metrics compare with, in run units: sim_references_find. NULL: its metric is left out. */
typedef struct sim_references {
    double *truth, *cvb;
} sim_references;

/* A line of nodes.csv; NaN: not measured. */
typedef struct sim_node {
    double rows, apart, kl_cvb, kl_truth, bound, outside, frozen, projected;
} sim_node;
enum { SIM_SHOWN = 200 /* nodes whose posterior the report shows */ };

/* An answer of which the run has no rows, and what its file says beside it. */
typedef struct sim_given {
    const mb_posterior         *posterior;
    const struct mb_provenance *from;
} sim_given;

/* What one algorithm ended with. */
typedef struct sim_result {
    sim_job          *job;
    const sim_case   *cs;
    const sim_choice *choice;
    sim_references    ref;   /* of its metrics */
    double            began; /* app_now() */
    mb_session        session;
    mb_outcome        out;
    mb_metrics        final;
    sim_node         *nodes;  /* n_global, in process 0 */
    double           *shown;  /* L each of the first SIM_SHOWN nodes       */
    double           *named;  /* L: phi of --node; NULL: not asked         */
    const char       *reason; /* why the first node that is outside has no step; NULL: none is */
    mb_search_result  found;  /* its initialisation                        */
    mb_pruned         pruned; /* zeroed without --prune */
    mb_update_totals  learnt; /* of --update and the rows */
    int32_t           failed;
    int32_t           unwritten;       /* 1: outside the domain, so there is no posterior file */
    int32_t           signal;          /* that ended the run early; 0: none        */
    const sim_given  *given;           /* in place of that of the session; NULL: none */
    struct sim_checkpoint *checkpoint; /* NULL: none                         */
    struct sim_dump       *dump;       /* NULL: no dumps */
    int64_t                first;      /* round that was run, for the time left */
    int                    shown_progress;
    int                    opened; /* 1: folder and trace are there (fit opens them) */
    int                    apart;  /* 1: other processes run something else meanwhile */
    double                 seconds;
    mb_err                 err;
} sim_result;

/* What has come of the algorithms. */
typedef struct sim_results {
    const sim_case          *cs;    /* after a sweep that of the best     */
    const struct sweep      *sweep; /* run/sweep.h; NULL: none            */
    sim_references           ref;
    sim_result              *r; /* n: of the algorithms, until a signal came              */
    int32_t                  n;
    mb_traffic               sent;   /* by all nodes before the first round, when all is over  */
    const struct sim_answer *answer; /* sim_answer_find; NULL: only JSON is written      */
} sim_results;

/* What --runs does with every run, and `up` with its one. self: its own. */
struct sim_many {
    void *self;
    mb_status (*watch)(void *self, sim_result *r, mb_session *session, mb_err *err);
    mb_status (*ended)(void *self, sim_result *r, mb_err *err); /* after its last round */
    mb_status (*write)(void *self, mb_err *err);                /* files into the folder */
    void (*print)(void *self);
    mb_status (*summary)(void *self, mb_json_out *j);
};

/* The command that runs: `sim`, or `fit` on the same machinery. */
struct sim_command {
    const char    *name;
    int            bit;       /* of sim_row.commands                                    */
    const sim_row *more;      /* options of its own; NULL: none                         */
    size_t         size;      /* of the struct that they fill: args.own                 */
    const char    *algorithm; /* the one it runs; NULL: --algorithm, else central VB    */
    const char    *about;     /* on the page of all options, before them; NULL: nothing */
    const char    *see;       /* where longer topics are, at the end of the short page  */
    void (*lists)(FILE *out); /* at the end of the page of all options; NULL: nothing   */
    /* Of the options; NULL: nothing to check. */
    mb_status (*check)(sim_job *job, sim_args *args, mb_err *err);
    mb_status (*print)(sim_job *job, const sim_results *all, mb_err *err);
    /* Instead of everything after the command line; the exit status. NULL: does not apply. */
    int (*run)(sim *s, mb_err *err);
    /* Instead of the case and sim_algorithm; its failure ends the command. NULL: does not apply. */
    mb_status (*fit)(sim_result *r, mb_err *err);
};

/* A command: the values of its stages, in their order. */
struct sim {
    sim_job     job;
    sim_args    args;
    sim_rows    rows;
    sim_network network;
    sim_case    cs;
    sim_results results;
};

/* sim_print.c: "meshbayes CMD: warning: ..", once for all processes, and into the summary. */
void sim_warn(sim_job *job, const char *fmt, ...) MB_PRINTF(2, 3);
/* The same with "note:": what was understood, not what looks wrong. */
void sim_note(sim_job *job, const char *fmt, ...) MB_PRINTF(2, 3);
/* The line on a terminal that tells how far a run is. mb_progress_fn: to is a sim_result. */
void sim_progress_show(void *to, int64_t t, int64_t rounds);
void sim_progress_end(const sim_result *r);
/* How a run ended, also one that failed or was interrupted. */
mb_verdict sim_verdict(const sim_result *r);
/* On standard output, the first words of every table: rows, features, components. */
void sim_print_sizes(const sim_case *cs, int64_t rows);
/* The same with the nodes and links. */
void sim_print_network(const sim_case *cs, int64_t rows);
/* On standard output: how many initialisations reached the bound, when there were several. */
void sim_print_starts(const sim_case *cs, const sim_result *r, int safe);
/* The same of the components that pruning left, when there was any. */
void sim_print_pruned(const sim_result *r);
/* Warns of a run that did not settle but was meant to. */
void sim_verdict_warn(const sim_result *r);
/* x > 0 rounded up to two digits, a whole number: of rounds that are foretold. */
double sim_two_digits(double x);

/* sim_files.c */
/* 1 when --out is a folder, 0 when it is missing or a file (the posterior alone). */
int sim_to_folder(const sim_job *job);
/* Writes JSON, or, where the path ends in .npz, arrays. */
mb_status sim_write_posterior(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                              const char *path, mb_err *err) MB_CHECKED;
/* OUT/name; NULL: no memory. */
const char *sim_path(sim_job *job, const char *name, mb_err *err);
/* Lists a file as this run's if it is in the folder --out. */
mb_status sim_wrote(sim_job *job, const char *path, mb_err *err) MB_CHECKED;
/* FILE.npy -> FILE-NAME.npy when several algorithms run. NULL: no memory, or no path. */
const char *sim_name(sim_job *job, const sim_args *args, const char *path, const char *algorithm,
                     mb_err *err);
/* OUT/name, atomic: a header and what the body writes (NULL: nothing). */
typedef mb_status (*sim_body)(void *self, mb_file *f, mb_err *err);
mb_status sim_file(sim_job *job, const char *name, const char *header, sim_body body, void *self,
                   mb_err *err) MB_CHECKED;

/* Process 0 makes and locks the folder --out. Files of an earlier run remain meanwhile. */
mb_status sim_folder(sim_job *job, mb_err *err) MB_CHECKED;
/* 1 when there is a trace; its file, which process 0 alone has, else NULL. */
int      sim_traced(const sim_job *job, const sim_case *cs);
mb_file *sim_trace_file(sim_job *job, const sim_case *cs);
/* Opens the trace and writes its header. */
mb_status sim_trace(sim_job *job, const sim_case *cs, mb_err *err) MB_CHECKED;

/* sim_main.c: parses, runs every algorithm, writes and prints; the exit status. */
int sim_main(const sim_command *command, int argc, char **argv);
/* The same after the command line was read. */
int sim_simulate(sim *s, mb_err *err);
/* Room for the results of every algorithm. */
mb_status sim_results_begin(sim *s, mb_err *err) MB_CHECKED;
/* The runs of all algorithms without output. */
mb_status sim_run_case(sim *s, int *failures, mb_err *err) MB_CHECKED;
/* The exit status of a failure, which one process prints for all. use 1: of the command line. */
int sim_fail(sim_job *job, const mb_err *err, int use);
/* A command with its own arena; NULL: no memory. */
sim *sim_new(const sim_command *command);
/* Frees what the runs hold, and the arena. */
void sim_close(sim *s);

/* sim_options.c: reads the command line; --model and --algorithm too. A command without
 * --algorithm runs central VB alone. */
mb_status sim_parse(sim_job *job, sim_args *args, int argc, char **argv, mb_err *err) MB_CHECKED;
/* The options of a table that one of the commands takes, of one group or all (SIM_GROUPS), in table
 * (SIM_MAX_OPTIONS). Returns how many there are. */
int sim_rows_pick(const sim_row *from, int commands, sim_group group, mb_opt *table);
/* The table of the options of several commands. */
const sim_row *sim_rows_shared(void);
/* The option of this name as sim takes it; there is one. */
const mb_opt *sim_option(const char *name);
/* An option's value; number: room for it. */
const char *sim_option_text(const mb_opt *o, const void *obj, char number[64]);
/* 1 when an option has another value than its default. */
int sim_option_given(const mb_opt *o, const void *obj);
/* 1 for an option of the command that makes no other posterior: what is written where, and on how
 * many threads. */
int sim_option_is_output(const sim_command *command, const char *name);
/* "a|b|c": adds a name to the choices of an option whose values are listed elsewhere. */
void sim_choices(char *choices, size_t cap, const char *name);
/* Finds the first value of a list "a,b,c" among the choices; *list: its rest, NULL at its end. */
mb_status sim_choose(const char *option, const char *choices, const char **list, int32_t *index,
                     mb_err *err) MB_CHECKED;
/* sim_help.c: the help page of a command. part NULL: the options that are used most; "all": all of
 * them; a model or an algorithm: those of it. 0 when there is no such part. */
int sim_help(const sim_command *c, const char *part, FILE *out);
/* The components that the options ask for, 0 for a model without. */
int32_t sim_components(const sim_args *args);
/* Numbers of a centre, at most (mb_case_centres_len). */
size_t sim_centre(const sim_rows *rows);
/* sim_prior.c: the file of --prior posterior:FILE; NULL: another prior. */
const char *sim_prior_file(const sim_args *args);
/* Columns that are inputs: all but a target. */
int32_t sim_inputs(const sim_rows *rows);

/* sim_rows.c: the rows of --data, the kind's target after the other columns. */
mb_status sim_rows_read(sim_job *job, const sim_args *args, sim_rows *out, mb_err *err) MB_CHECKED;
/* sim_design.c: --formula says target and intercept, as options before the others. */
mb_status sim_formula_words(sim_job *job, const sim_args *args, int *argc, char ***argv,
                            mb_err *err) MB_CHECKED;
/* rows->formula: that of the file, of which only its columns are read. */
mb_status sim_formula_columns(sim_job *job, sim_rows *rows, mb_data_opt *o, mb_err *err) MB_CHECKED;
/* The rows, targets last, become those of the design, where there is one. */
mb_status sim_design(sim_job *job, sim_rows *rows, mb_err *err) MB_CHECKED;
/* For what moves rows: they are those of the file, until sim_design_lay. */
void      sim_design_lift(sim_rows *rows);
mb_status sim_design_lay(sim_job *job, sim_rows *rows, mb_err *err) MB_CHECKED;
/* The rows, by the nodes of the network, as a table; in `fit` those of this process. Collective. */
mb_status sim_table(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;
/* Collective: checks this process's rows of a mapped file, and finds their labels. */
mb_status sim_rows_ready(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;
/* Collective: the hash of the data's bytes, if a file will have it; costly for a mapped file. */
mb_status sim_hash(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;

/* sim_setup.c: network, checks, and the rows as a table. */
mb_status sim_network_make(sim_job *job, const sim_rows *rows, sim_network *out,
                           mb_err *err) MB_CHECKED;
/* The last step of the rows: they go to the nodes. */
mb_status sim_rows_deal(sim_job *job, const sim_network *network, sim_rows *rows,
                        mb_err *err) MB_CHECKED;
/* A case of no rows yet. */
mb_status sim_case_empty(sim_job *job, const sim_network *network, sim_case *out,
                         mb_err *err) MB_CHECKED;
/* A case without the stages of its fit, which `fit` makes by itself. */
mb_status sim_case_begin(sim_job *job, const sim_network *network, sim_case *out,
                         mb_err *err) MB_CHECKED;
/* From the rows to the case. */
mb_status sim_setup(sim *s, mb_err *err) MB_CHECKED;
/* Bytes of memory that are free; 0: the system does not say. */
double      sim_free_memory(void);
mb_case_opt sim_case_opt(const sim_case *cs);
/* All rows at one node, when it is first asked for. */
mb_status sim_central(sim_job *job, const sim_case *cs, mb_err *err) MB_CHECKED;

/* 1: its nodes see masked sums alone. */
int sim_is_masked(const sim_choice *c);
/* sim_data_checks.c: warns of what looks wrong in the data. */
mb_status sim_check_data(sim_job *job, const sim_network *network, mb_err *err) MB_CHECKED;
/* Warns of constant columns and of what the prior says, once the case is made. */
void sim_check_case(sim_job *job, const sim_case *cs);
/* Warns once, however many initialisations are drawn, that some components start equal. */
void sim_check_repeated(sim_job *job, const sim_case *cs);
/* sim_start.c: --init and --prior posterior:FILE. */
mb_status sim_start_check(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;

/* sim_run.c: the case and the method of an algorithm. */
mb_method sim_method(const sim_case *cs, const sim_choice *c);
mb_status sim_prepare(sim_job *job, const sim_case *cs, const sim_choice *c, const mb_case **on,
                      mb_method *how, mb_err *err) MB_CHECKED;
/* What `fit` asks of mb_fit_run. */
mb_fit_opt sim_fit_opt(const sim_job *job, const sim_case *cs);
/* The attempts of an algorithm on a case, and the run from the best to `rounds` or until it has
 * settled within tol, without observers but signals: r->session. MB_STOP: a signal came. */
mb_status sim_run_best(sim_result *r, const mb_case *on, const mb_method *how,
                       const mb_start *start, int64_t rounds, double tol, mb_err *err) MB_CHECKED;
/* mb_watch of an attempt: self is a sim_result, and only a signal ends it early. */
mb_status sim_watch_attempt(void *self, mb_session *session, int32_t attempt, mb_err *err);
/* One algorithm with all its attempts; job, cs, choice and began of r are set. */
mb_status sim_algorithm(sim_result *r, mb_err *err) MB_CHECKED;
/* Metrics of a run of problem p, with these on. */
mb_metrics sim_metrics_of(const sim_result *r, const mb_problem *p, uint32_t on);
/* The same for central VB by mb_fit_run, which also opens folder and trace. */
mb_status sim_fit(sim_result *r, mb_err *err) MB_CHECKED;
/* Truth and central VB, for the metrics that need them. */
mb_status sim_references_find(sim_job *job, const sim_case *cs, sim_references *out,
                              mb_err *err) MB_CHECKED;

/* sim_collect.c, collective: why nodes ended without a local step. */
mb_status sim_reason(sim_result *r, mb_err *err) MB_CHECKED;
/* sim_collect.c, collective: what the output files say of single nodes. */
mb_status sim_collect(sim_result *r, mb_err *err) MB_CHECKED;
/* What the nodes sent before the first round, of all processes. */
mb_status sim_start_sent(const sim_case *cs, mb_traffic *sent, mb_err *err) MB_CHECKED;

/* sim_collect.c: --dump-phi and --dump-messages into r->dump. */
typedef struct sim_dump sim_dump;
mb_status               sim_dump_watch(sim_result *r, mb_session *session, mb_err *err) MB_CHECKED;
/* What a checkpoint stores of the dumps: at most 2 items. */
int32_t   sim_dump_items(sim_dump *d, mb_checkpoint_item *out);
mb_status sim_dump_write(sim_result *r, mb_err *err) MB_CHECKED;
/* Collective: the NPY file of all nodes' posteriors. */
mb_status sim_posteriors_write(const sim_result *r, mb_err *err) MB_CHECKED;

/* sim_signal.c: SIGINT and SIGTERM end what comes before a run at once, and a run after the current
 * round; a second one ends the program. Ignored signals remain ignored. */
void sim_signal_catch(void);
/* What the library asks in every stage: whether a signal came. */
extern const mb_cancel sim_signal_cancel;
/* Collective: st, or MB_STOP and r->signal for MB_E_STOPPED. */
mb_status sim_signal_ends(sim_result *r, mb_status st, mb_err *err) MB_CHECKED;
/* Adds the last observer of one of r's sessions: after a signal it sets r->signal, saves the run,
 * given --checkpoint, and ends it. */
mb_status sim_signal_watch(sim_result *r, mb_session *session, mb_err *err) MB_CHECKED;
/* Collective: job->signal is the signal that some process has noted; 0: none has. */
mb_status sim_signal_agree(sim_job *job, mb_err *err) MB_CHECKED;
/* Warns of what was interrupted. */
void sim_signal_tell(sim_job *job, const sim_results *all);

/* sim_print.c: rounds, verdict and metrics of every run, on standard output. */
mb_status sim_table_print(const sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;

/* view.c: data of the report's figures, and job->column. */
mb_status sim_view_write(sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;

/* sim_files.c: an option's value as a folder has it: each path from the root of the disk is its
 * last name. NULL: no memory. */
const char *sim_redact(sim_job *job, const char *text, mb_err *err);
/* The same for a message in which such values occur. */
const char *sim_redact_text(sim_job *job, const sim_args *args, const char *text, mb_err *err);

/* sim_output.c: the files of --out, and the summary. */
mb_status sim_output(sim_job *job, const sim_results *all, char **summary, mb_err *err) MB_CHECKED;
/* Where a result comes from, as posterior files say it. */
struct mb_provenance;
mb_status sim_provenance(const sim_result *r, struct mb_provenance *out, mb_err *err) MB_CHECKED;

#endif
