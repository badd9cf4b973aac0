/* fit_follow.h - `fit --follow`: an answer that learns from rows as they arrive. */
#ifndef MB_RUN_FIT_FOLLOW_H
#define MB_RUN_FIT_FOLLOW_H

#include "base/csv_rows.h"
#include "base/tail.h"
#include "run/fit_update.h"

/* The options of fit beside those of sim; the table is in cmd_fit.c. */
typedef struct fit_opt {
    const char *update;
    double      forget;
    const char *follow, *window, *every;
    int32_t     on_bad_row; /* FOLLOW_SKIP, .. */
    int32_t     prefer;     /* mb_prefer */
} fit_opt;
enum { FOLLOW_SKIP, FOLLOW_STOP };
enum { FOLLOW_FIRST = 100 /* rows of the first answer, where none is given */ };

/* A run. Rows wait in x and w until the next update; with a window a node holds them instead. */
typedef struct follow {
    sim_job         *job;
    const sim_case  *cs;
    const fit_opt   *o;
    sim_update      *update; /* of --update, or the first answer               */
    mb_update_totals learnt; /* by the answer                                  */
    tail             tail;
    int64_t          often;                  /* rows between two updates, at most              */
    int64_t          most;                   /* the same now: the first answer needs more      */
    double           every;                  /* seconds between them, at most; 0: any          */
    int64_t          waiting;                /* rows since the last update                     */
    int64_t          refused;                /* rows that were left out, of all                */
    int64_t          told;                   /* of them, lines since the last update           */
    int32_t          changed;                /* 1: the answer is not in the file yet           */
    int64_t          untold;                 /* rows learnt since the file was last written    */
    int32_t          ending;                 /* 1: no more rows will come                      */
    mb_status        st;                     /* below 0: an update failed, err says why        */
    mb_status        names;                  /* below 0: columns are not there, err says which */
    mb_err           err;                    /* of st or names                                 */
    mb_posterior     p;                      /* the answer; kind NULL: there is none yet       */
    double          *scratch;                /* to look at one row by it                       */
    mb_arena        *own;                    /* memory of p; NULL: the run's                   */
    csv_want         want;                   /* columns, targets last; 0: not known yet        */
    double          *x, *w;                  /* most rows of these, and their weights          */
    mb_outcome       out;                    /* of the last update                             */
    mb_provenance    from;                   /* of the file                                    */
    mb_plan          plan;                   /* of the node                                    */
    mb_peer         *node;                   /* NULL: no window, or no answer yet              */
    int64_t          window_rows, window_ms; /* 0: no window                    */
} follow;

/* fit_follow.c: refuses what belongs to a fit of one file; --data is what --follow names. */
mb_status follow_take(sim_args *args, mb_err *err) MB_CHECKED;
/* Checks, then follows until the end of standard input or a signal; the exit
 * status. */
int follow_run(sim *s, mb_err *err);

/* fit_first.c: room for rows of these columns. */
mb_status follow_columns(follow *f, int32_t d, const char *const *name, mb_err *err) MB_CHECKED;
/* Those of a table, where there is no answer that knows them. */
mb_status follow_names(follow *f, const mb_csv *csv, mb_err *err) MB_CHECKED;
/* The first answer, of the rows that wait, into p and update. */
mb_status follow_first(follow *f, mb_err *err) MB_CHECKED;

/* fit_learner.c: once there is an answer: what looks at rows, and the node of a window. */
mb_status follow_learner(follow *f, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT and such for a row that the model cannot have. */
mb_status follow_look(const follow *f, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* Rows more, at most f->most - f->waiting. */
mb_status follow_add(follow *f, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* Learns from the rows that wait, or settles on those of the window. The first answer is made of
 * FOLLOW_FIRST rows or, at the end, of what there is. */
mb_status follow_learn(follow *f, mb_err *err) MB_CHECKED;
/* Writes the answer. */
mb_status follow_write(follow *f, mb_err *err) MB_CHECKED;

#endif
