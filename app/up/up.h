/* up.h - `meshbayes up --virtual`: the nodes of a mesh on a virtual network. */
#ifndef MB_UP_H
#define MB_UP_H

#include "base/span.h"
#include "base/status.h"
#include "run/sim.h"
#include "virtual/virtual.h"

/* --mask. */
enum { UP_MASK_AUTO, UP_MASK_ON, UP_MASK_OFF };

/* The options of the command besides those of sim, as given. */
typedef struct up_opt {
    int32_t     virtual_;
    const char *time, *until, *tick, *delay, *speed, *bandwidth, *window;
    double      loss, duplicate, reorder, corrupt, disk_fail, disk_torn, disk_short;
    const char *genesis, *schedule, *record, *record_limit, *algorithm;
    int64_t     base_port;   /* of processes, as insecure and status_port are */
    int64_t     status_port; /* 0: Unix sockets */
    int32_t     insecure;
    int32_t     wire; /* mb_wire */
    int32_t     mask;
    int64_t     rows_batch;       /* 0: no rows are taken in, or as the genesis says */
    double      checkpoint_ticks; /* NaN: auto */
    double      kappa, eta;       /* NaN: auto */
} up_opt;

/* The same, read. Times are seconds. */
typedef struct up_args {
    double          time;    /* the run ends at this virtual time at latest  */
    int             settled; /* 1: or when it has settled                    */
    double          tick;
    span            delay, speed;
    double          bandwidth;             /* bytes a second; 0: no limit                  */
    double          window_rows, window_s; /* 0: none                                      */
    double          record_limit;          /* bytes of a node; 0: default                  */
    int64_t         checkpoint_ticks;      /* 0: no checkpoints                            */
    mb_genesis_from from;                  /* where the block comes from                   */
    const char     *genesis;               /* file of the block; NULL: none is given       */
} up_args;

/* What a node is doing: its life, and of a live one how far it is. Names: up_state_text. */
typedef enum up_state {
    UP_ABSENT,
    UP_WAITING,  /* it has no block                    */
    UP_GREETING, /* it has one, and has not begun      */
    UP_MOVING,
    UP_SETTLED,
    UP_ALONE,
    UP_PAUSED,
    UP_DOWN, /* dead                                   */
    UP_LEFT,
    UP_FAILED,
    UP_STATES
} up_state;

/* One look at the network. NaN: no node has a value. */
typedef struct up_sample {
    double  time;                   /* seconds                                               */
    int32_t live, settled, parts;   /* nodes and connected parts of them                     */
    double  apart, apart_max;       /* |phi_i - mean|/|mean| in each part: mean over nodes    */
    double  distance, distance_max; /* the same from the centralised answer of the part      */
    double  n_min, n_median, n_max; /* N as the nodes know it                                */
    int64_t bytes;                  /* sent so far                                           */
} up_sample;

typedef struct up_trace up_trace; /* up_trace.c */

/* A node at the end of the run. */
typedef struct up_last {
    const double *phi; /* L, in the units of its block; NULL: it has no answer */
    uint64_t      run; /* hash of its block                                    */
    int64_t       rounds, frozen;
    mb_rows       rows; /* of processes */
} up_last;

typedef struct up {
    sim_job           *job;
    const sim_case    *cs;        /* at the beginning */
    sim_rows           last_rows; /* present at the end */
    sim_case           end;       /* of them            */
    up_opt             opt;
    up_args            args;
    mb_rows           *rows; /* of each node at first, data units */
    mb_plan            plan;
    mb_genesis         block;  /* that is given; kind NULL: none */
    int                masked; /* 1: nodes mask their sums */
    mb_schedule        schedule;
    mb_virtual_opt     how;
    mb_virtual        *net;
    up_trace          *trace;
    mb_file            events, life;        /* open with --out */
    up_state          *state;               /* of each node when it was last looked at */
    double             began, shown, ended; /* app_now(): start, line of progress, end */
    int                settled;             /* 1: so it ended */
    int32_t            failed;              /* nodes */
    node_audits        audits;              /* of processes, at the end */
    const int64_t     *first;         /* rows of --data: node i has first[i] .. first[i + 1] - 1 */
    int32_t           *part;          /* of each node at the end */
    int32_t            parts, main;   /* of them; the part whose answer is the run's */
    up_last           *last;          /* of each node */
    const mb_genesis  *agreed;        /* block of the main part; NULL: no node has an answer */
    double             lasted;        /* seconds of virtual time, or of processes */
    int64_t            frames, bytes; /* sent by all nodes */
    int32_t            restarts;      /* of processes            */
    struct local      *local;         /* NULL: a virtual network */
    struct up_record  *record;        /* NULL: no recorder */
    struct up_private *private_;      /* up_private.h; NULL: no --privacy */
} up;

/* up_state.c: "waiting", "greeting" and so on. */
const char *up_state_text(up_state state);
up_state    up_state_of(const mb_virtual *v, int32_t i);

/* local_run.c: folders of the nodes. Needs sim_setup. */
mb_status local_prepare(up *u, mb_err *err) MB_CHECKED;
/* The network as processes, up to the nodes' last answers. */
mb_status local_run(up *u, mb_err *err) MB_CHECKED;
/* Ends what may be left of it; safe when there is none. */
void local_close(up *u);

/* up_run.c: rows, network and nodes, before the first tick. */
mb_status up_prepare(up *u, sim *s, mb_err *err) MB_CHECKED;
/* The nodes, until the time is over, all have settled or a signal came. */
mb_status up_run(up *u, mb_err *err) MB_CHECKED;
/* up_net.c: what every node has before there is a block, and the block that is given. */
void      up_plan_make(up *u);
mb_status up_block_read(up *u, mb_err *err) MB_CHECKED;
/* up_mask.c: whether nodes mask their sums, once there are plan and block; then all nodes as
 * members of the block, with their keys (NULL: none) and rows. "simulated" or "on"; NULL: not. */
mb_status   up_mask_choose(up *u, mb_err *err) MB_CHECKED;
mb_status   up_mask_declare(up *u, const char *const *key, mb_err *err) MB_CHECKED;
const char *up_mask_text(const up *u);
/* The virtual network of the options. Needs sim_setup. */
mb_status up_net_make(up *u, mb_err *err) MB_CHECKED;

/* up_watch.c: events.csv, life.csv, the line of progress, signals and the trace. */
mb_status up_watch_begin(up *u, mb_err *err) MB_CHECKED;
/* The files alone, a line of life.csv, and their end. */
mb_status up_watch_files(up *u, mb_err *err) MB_CHECKED;
mb_status up_life_line(up *u, double time, int32_t i, up_state state, mb_err *err) MB_CHECKED;
mb_status up_watch_close(up *u, mb_status st, mb_err *err) MB_CHECKED;
/* Commits the files when st is no failure. */
mb_status up_watch_end(up *u, mb_status st, mb_err *err) MB_CHECKED;

/* up_trace.c: trace.csv with its header, and a line of it. */
mb_status up_trace_open(up *u, mb_file *out, mb_err *err) MB_CHECKED;
mb_status up_trace_line(mb_file *f, const up_sample *a, mb_err *err) MB_CHECKED;
/* Samples of the virtual network into it. */
mb_status up_trace_new(up *u, up_trace **out, mb_err *err) MB_CHECKED;
mb_status up_trace_look(up_trace *t, const mb_virtual *v, int64_t now_us, mb_err *err) MB_CHECKED;
/* After the last look. */
mb_status up_trace_end(up_trace *t, mb_status st, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void up_trace_close(up_trace *t);

/* up_case.c: the block of a part, that of its lowest node with one; NULL: none has. */
const mb_genesis *up_block_of(const mb_virtual *v, const int32_t *part, int32_t which);
/* 1 when node i has begun on the block with this hash, and is there. */
int up_answers(const mb_virtual *v, int32_t i, uint64_t hash);
/* The rows that are present at the nodes of one part, with units and prior of its block g; other
 * nodes have none. Everything is in the arena. */
mb_status up_case_make(up *u, mb_arena *a, const int32_t *part, int32_t which, const mb_genesis *g,
                       mb_table *table, mb_case *out, mb_err *err) MB_CHECKED;
/* |x - y|/|y| of n numbers. */
double up_apart(size_t n, const double *x, const double *y);

/* up_end.c: the answer of the largest part as the result of an algorithm, for sim's files. 0 of
 * *answer: no node has one; status files are written anyway. */
mb_status up_end(up *u, sim_results *all, int *answer, mb_err *err) MB_CHECKED;
/* up_write.c: the folder, and what is printed. */
mb_status up_write(up *u, sim_results *all, mb_err *err) MB_CHECKED;
/* up_nodes.c: nodes/NAME/status.json and posterior.json of every node that is there; r NULL: no
 * posteriors. */
mb_status up_nodes_write(up *u, const sim_result *r, mb_err *err) MB_CHECKED;

#endif
