/* observe/still.h - which nodes of this process still move, and who has been heard since: what the stop
 * rule stands on. All of it is kept in a checkpoint by node or by link, so it does not depend on how
 * nodes are shared. */
#ifndef MB_OBSERVE_STILL_H
#define MB_OBSERVE_STILL_H

#include "observe/network.h"

enum {
    MB_STILL_LOOK_ = 10,     /* rounds from one look at the whole network to the next           */
    MB_STILL_SAMPLE_ = 20,   /* rounds from one distance of every node to the next              */
    MB_STILL_PATIENCE_ = 200 /* rounds without a new smallest distance: rounding allows no less */
};

/* One node; every entry is 8 bytes. */
typedef struct mb_still_node_ {
    int64_t busy;   /* last round in which it was found busy                     */
    int64_t events; /* freezes and projections when its phi was copied            */
    int64_t since;  /* round of `low`                                            */
    double  low;    /* smallest distance so far                                */
} mb_still_node_;

typedef struct mb_still_ {
    double          tol;     /* posterior standard deviations                              */
    int64_t         cycle;   /* rounds from one local step of a node to the next           */
    int64_t         taken;   /* round of the copies in phi; -1: there are none            */
    int64_t         watched; /* round from which every round is watched; 0: only looks are */
    mb_still_node_ *node;    /* n_local                                                   */
    double         *phi;     /* n_local x ld: copies of the round before                   */
    size_t          ld;      /* L + 1                                                     */
    int32_t        *heard;   /* ptr[n_local] x 2: rounds in which the two newest messages on
                              the link were sent; 0: not since mb_still_forget_          */
    int32_t         suspect; /* the node that is asked first                             */
    double          level;   /* largest distance of a busy node; 0: all are quiet          */
    int32_t         open;    /* 1: a busy node may still come closer                       */
    double         *mu;      /* 3 x L                                                     */
    double         *scratch; /* of the layout                                            */
} mb_still_;

mb_status mb_still_new_(mb_arena *a, const mb_problem *p, double tol, mb_still_ *out,
                        mb_err *err) MB_CHECKED;
/* Copies phi of every node: the next round is compared with it. */
void mb_still_copy_(mb_still_ *w, const mb_problem *p, const mb_state *s);
/* Marks a node that is busy in this round, if there is one. In rounds that MB_STILL_SAMPLE_ divides
 * all nodes are measured, and `level` and `open` are set. */
void mb_still_examine_(mb_still_ *w, const mb_problem *p, const mb_state *s);
/* Forgets who was heard, and takes note of the messages of this round. */
void mb_still_forget_(mb_still_ *w, const mb_problem *p);
void mb_still_hear_(mb_still_ *w, const mb_problem *p, const mb_state *s);
/* Last round in which a node of this process was marked busy. */
int64_t mb_still_busy_(const mb_still_ *w, const mb_problem *p);
/* The round in which the second newest message of every link was sent, or a later one: the smallest
 * over the links to nodes of this process. INT64_MAX without links. */
int64_t mb_still_heard_(const mb_still_ *w, const mb_problem *p);

#endif
