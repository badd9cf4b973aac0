/* sim.h - `meshbayes sim`: options, everything a run stands on, results. */
#ifndef MB_SIM_H
#define MB_SIM_H

#include "app.h"
#include "base/json_file.h"
#include "sim/ranks.h"

/* The options of the command; the table is in sim_options.c. */
typedef struct sim_opt {
    const char *data;
    int32_t     deal; /* SIM_RANDOM, SIM_BLOCKS */
    const char *node_column, *label_column, *weight_column;
    const char *network, *topology, *weights, *positions;
    int32_t     model;
    int64_t     n_components;
    int32_t     prior; /* 0 default, 1 paper */
    double      alpha0, beta0, nu0;
    const char *mu0, *w0inv;
    const char *target_column;
    int32_t     intercept;
    double      a0, b0;
    const char *m0, *lambda0;
    const char *algorithm;
    const char *init;
    int64_t     n_init;
    int32_t     standardize, precision, on_domain;
    int64_t     rounds, seed, threads, delay;
    double      tol, loss, loss_directed, silent;
    const char *trace, *metrics, *out, *dump_phi, *dump_at, *node;
    int32_t     phi_order, json;
    const char *checkpoint, *resume;
    int64_t     every;
} sim_opt;

extern const mb_opt sim_options[];
enum { SIM_RANDOM, SIM_BLOCKS };
enum { SIM_FLOAT64, SIM_FLOAT32 };
enum { SIM_MAX_ALGOS = 16, SIM_MAX_WARNINGS = 32 };
enum { SIM_MAX_FILES = 3 * SIM_MAX_ALGOS + 16 /* three for each algorithm, those of the run */ };

/* One name of --algorithm: cvb is the non-cooperative algorithm on a network of one node. */
typedef struct sim_choice {
    const char    *name;
    const mb_algo *algo;
    void          *opt; /* the algorithm's options as given (untuned) */
    int32_t        cvb;
} sim_choice;

/* A network that runs: the many nodes, or the one of centralised VB, which is in every process. */
typedef struct sim_net {
    mb_part      part;
    mb_transport tp;   /* reliable */
    mb_rows     *rows; /* n_local, run units */
} sim_net;

/* Of every node, behind one another, what nodes.csv says. */
enum {
    SIM_ROWS,
    SIM_APART,
    SIM_KL_CVB,
    SIM_KL_TRUTH,
    SIM_BOUND,
    SIM_OUTSIDE,
    SIM_FROZEN,
    SIM_PROJECTED,
    SIM_NODE_FIELDS
};
enum { SIM_SHOWN = 200 /* nodes whose posterior the report draws */ };

/* What one algorithm ended with. */
typedef struct sim_result {
    const sim_choice *choice;
    sim_net          *net;
    void             *opt; /* tuned                                     */
    mb_problem        problem;
    mb_state          state;
    mb_arena         *memory; /* owns the state                            */
    double           *mean;   /* L, run units                              */
    double           *apart;  /* n_local: relative distance to the mean    */
    double           *nodes;  /* process 0: n_global x SIM_NODE_FIELDS     */
    double           *shown;  /* L each of the first SIM_SHOWN nodes       */
    double           *named;  /* L: phi of --node; NULL: not asked         */
    int32_t          *order;  /* K: canonical order of the components      */
    mb_metrics        final;
    double            disagreement, moved, bound;
    int64_t           rounds;
    int32_t           attempt, failed;
    int32_t           ended;  /* 1: the stop rule has ended the run       */
    int32_t           signal; /* that ended the run early; 0: none        */
    mb_stand          stand;  /* as the stop rule saw it last             */
    struct sim_keep  *keep;   /* NULL: no checkpoints                     */
    double            seconds;
    mb_err            err;
} sim_result;

typedef struct sim sim;
/* The command that runs: `sim`, or `fit` on the same machinery. */
typedef struct sim_command {
    const char *name;
    mb_status (*parse)(sim *s, int argc, char **argv, mb_err *err);
    mb_status (*print)(const sim *s, const sim_result *r, int32_t count, mb_err *err);
    /* In place of data, set-up, all algorithms, files and print; the exit status. NULL: those. */
    int (*run)(sim *s, sim_result *r, mb_err *err);
} sim_command;

struct sim {
    mb_arena          *a;
    const sim_command *command;
    const mb_opt      *table; /* the options the command offers of sim_options */
    void              *own;   /* what the command keeps besides; NULL: nothing */
    sim_opt            opt;
    ranks              ranks;
    mb_data            data;
    mb_npy_rows        mapped; /* where data.x lies; base NULL: in memory */
    mb_network         net;
    sim_net            mesh, one; /* the network, and its one-node counterpart    */
    mb_rows           *rows_data; /* views of this process's nodes, data units    */
    int32_t           *label;     /* classes of their rows, or NULL               */
    mb_rows            all;       /* all rows, run units: sim_whole               */
    int32_t            hops;
    double            *origin, *scale;         /* D: agreed                          */
    double            *run_origin, *run_scale; /* D: run units -> data units         */
    uint8_t           *constant;               /* D                                            */
    double             log_jacobian, weight_total;
    double            *prior_par; /* textbook parameters of the prior, data units */
    mb_model           model;
    mb_model           whole; /* the same for all rows on one node: on several threads */
    mb_pool           *pool;  /* the threads; NULL before sim_setup                    */
    mb_faults          faults;
    mb_traffic         start_sent;
    sim_choice         choice[SIM_MAX_ALGOS];
    int32_t            nchoice;
    int32_t            nran;       /* of them, until a signal came                   */
    int32_t            signal;     /* that came; 0: none                             */
    uint32_t           metrics;    /* per-round metrics asked for, bit mask        */
    double            *file_start; /* responsibilities n x K or centres K x D, or NULL */
    double            *centres;    /* K x D, drawn for attempt `drawn` - 1         */
    int32_t            drawn, attempts_drawn;
    int64_t           *dump_at;
    int32_t            dump_count;
    double            *truth, *cvb; /* references, run units, or NULL               */
    char              *warning[SIM_MAX_WARNINGS];
    int32_t            nwarning;
    int                tty;
    const char        *wrote[SIM_MAX_FILES]; /* this run's files in the folder --out */
    int32_t            nwrote;
};

/* sim_main.c: parses, runs every algorithm, writes and prints; the exit status. */
int sim_main(const sim_command *command, int argc, char **argv);
/* 1 when --out is a folder, 0 when it is missing or FILE.json (the posterior alone). */
int sim_to_folder(const sim *s);

/* sim_options.c: argv against s->table, the options of every algorithm and one more group (NULL:
 * none); --algorithm list into s->choice. */
mb_status sim_parse(sim *s, const app_group *more, int argc, char **argv, mb_err *err) MB_CHECKED;
/* MB_E_ARG without --data. */
mb_status sim_need_data(const sim *s, mb_err *err) MB_CHECKED;
/* The entries of sim_options called name[0..] (NULL ends), some with words of their own from the
 * table `words` (NULL: none); table: room for max entries and the one that ends it. */
void sim_pick(const char *const *name, const mb_opt *words, mb_opt *table, int max);
/* Called with sim_parse's groups, for help and config.json. */
int sim_groups(sim *s, app_group *group, int max);
/* A zeroed option struct of an algorithm. */
mb_status sim_options_new(mb_arena *a, const mb_algo *algo, void **out, mb_err *err) MB_CHECKED;
/* Comma-separated numbers; *count of them. */
mb_status sim_numbers(mb_arena *a, const char *option, const char *text, double **out,
                      int32_t *count, mb_err *err) MB_CHECKED;
void      sim_warn(sim *s, const char *fmt, ...) MB_PRINTF(2, 3);

/* sim_setup.c: the rows of --data; network, common scale, prior, model of the rows in s->data. */
mb_status sim_data(sim *s, mb_err *err) MB_CHECKED;
mb_status sim_setup(sim *s, mb_err *err) MB_CHECKED;
/* sim_rows.c: rows of this process's nodes in data units and, after the common scale, run units. */
mb_status sim_views(sim *s, mb_err *err) MB_CHECKED;
mb_status sim_run_units(sim *s, mb_err *err) MB_CHECKED;
/* All rows in run units into s->all: memory for all of them when there are other processes. */
mb_status sim_whole(sim *s, mb_err *err) MB_CHECKED;
/* One row of the data in run units. */
void sim_row(const sim *s, int64_t row, double *x);
/* FNV-1a of the data's bytes; collective, and costly for rows that lie in a file. */
mb_status sim_hash(sim *s, uint64_t *hash, mb_err *err) MB_CHECKED;

/* sim_start.c: start files; the start of an attempt, and what it says of the rows of one node. */
mb_status sim_start_check(sim *s, mb_err *err) MB_CHECKED;
/* Collective: draws the centres of the attempt when it needs them. */
mb_status sim_start(sim *s, int32_t attempt, mb_err *err) MB_CHECKED;
/* resp: the node's rows x K. */
void sim_start_node(const sim *s, int32_t attempt, int32_t node, double *resp);

/* sim_verdict.c: how a run that was not refused ended, and who ended it ("tol", "rounds", "signal"). */
mb_verdict  sim_verdict(const sim_result *r);
const char *sim_stopped(const sim_result *r);
/* The line on standard error for whoever did not settle but was meant to. */
void sim_verdict_warn(sim *s, const sim_result *r);

/* sim_stop.c: --tol; r->ended is set when it speaks. */
mb_status sim_stop_rule(sim *s, sim_result *r, mb_observer *out, mb_err *err) MB_CHECKED;

/* sim_run.c: one algorithm with all its attempts; observers of the last run. */
typedef struct sim_watch {
    mb_file *trace; /* NULL: none; header is written by the caller */
    int      with_name;
    int      traced; /* 1: process 0 writes a trace */
} sim_watch;
mb_status sim_references(sim *s, mb_err *err) MB_CHECKED;
/* One attempt under one observer, which ends it with MB_STOP; r owns its memory. */
mb_status sim_rehearse(sim *s, const sim_choice *c, const mb_observer *obs, sim_result *r,
                       mb_err *err) MB_CHECKED;
mb_status sim_algorithm(sim *s, const sim_choice *c, const sim_watch *watch, sim_result *out,
                        mb_err *err) MB_CHECKED;

/* sim_collect.c, collective: sums of one result over its network, and in process 0 what the output
 * files say of single nodes. */
mb_status sim_sum(const sim_result *r, const double *v, double *sum, mb_err *err) MB_CHECKED;
mb_status sim_collect(sim *s, sim_result *r, mb_err *err) MB_CHECKED;
/* sim_rows_out.c, collective: x (dumps x n_local x len) as a NPY array dumps x nodes x len, or
 * without the first dimension when dumps is 0; every process writes its own rows. */
mb_status sim_rows_out(sim *s, const sim_net *net, const char *path, int64_t dumps, size_t len,
                       const double *x, mb_err *err) MB_CHECKED;

/* sim_dump.c: --dump-phi. */
typedef struct sim_dump sim_dump;
/* obs->see stays NULL when only the last round is dumped: nothing to watch. */
mb_status sim_dump_new(sim *s, const sim_net *net, sim_dump **out, mb_observer *obs,
                       mb_err *err) MB_CHECKED;
/* At most 2 things: dumps made so far, of rounds that a later session does not run again. */
int32_t   sim_dump_kept(sim_dump *d, mb_kept *out);
mb_status sim_dump_write(sim *s, sim_dump *d, const sim_result *r, mb_err *err) MB_CHECKED;
/* FILE.npy -> FILE-NAME.npy when several algorithms run. */
mb_status sim_name(sim *s, const char *path, const char *algorithm, char **out,
                   mb_err *err) MB_CHECKED;

/* sim_posterior.c */
mb_status sim_order(sim *s, sim_result *r, mb_err *err) MB_CHECKED;
/* Textbook parameters in data units; MB_E_DOMAIN when phi is outside Omega. */
mb_status sim_textbook(const sim *s, mb_arena *a, const double *phi, double **par,
                       mb_err *err) MB_CHECKED;
/* One posterior alone; FILE-NAME.json when several algorithms run. */
mb_status sim_posterior_file(sim *s, const sim_result *r, const char *path, mb_err *err) MB_CHECKED;
mb_status sim_posterior_write(sim *s, const sim_result *r, const char *dir, mb_err *err) MB_CHECKED;
/* Collective: posteriors.npy of all nodes. */
mb_status sim_posteriors_write(sim *s, const sim_result *r, const char *dir,
                               mb_err *err) MB_CHECKED;

/* sim_view.c: the rows and shapes the report draws. */
mb_status sim_view_write(sim *s, const sim_result *r, int32_t count, const char *dir,
                         json_t *summary, mb_err *err) MB_CHECKED;

/* sim_output.c */
/* Notes a file that lies in the folder --out as this run's; others are passed over. */
mb_status sim_wrote(sim *s, const char *path, mb_err *err) MB_CHECKED;
mb_status sim_summary(sim *s, const sim_result *r, int32_t count, json_t **out,
                      mb_err *err) MB_CHECKED;
mb_status sim_output(sim *s, const sim_result *r, int32_t count, json_t *summary,
                     mb_err *err) MB_CHECKED;

/* sim_print.c: the table on standard output. */
/* The first line of every table: rows, features, components. */
void sim_print_sizes(const sim *s);
void sim_print(const sim *s, const sim_result *r, int32_t count);

#endif
