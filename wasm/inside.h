/* inside.h - the parts of a network for a page, for the files of this folder. */
#ifndef WEB_INSIDE_H
#define WEB_INSIDE_H

#include "fit/case.h"
#include "meshbayes/extend.h"
#include "virtual/virtual.h"
#include "web.h"

enum {
    WEB_ELLIPSE = 6,  /* numbers */
    WEB_ROUND_MS = 20 /* of a simulation; a node ticks as often */
};

/* A connected part of the live nodes: what one machine with its rows would answer, and what its
 * nodes say. */
typedef struct web_piece {
    mb_table table;   /* its rows, of other nodes none; borrowed by the cases           */
    mb_case  nodes;   /* of them                                                        */
    mb_case  central; /* in one place; kind NULL: the nodes have not agreed on a prior  */
    double  *answer;  /* L; NULL: it left the domain                                    */
    double   bound_one;
    int32_t  count; /* nodes with a posterior                                           */
    double  *mean;  /* L: of them                                                       */
    double   bound; /* at the mean, nats, data units; NaN outside the domain            */
    double   moved; /* by a centralised step from it                                    */
    double   apart; /* farthest node from it, relative                                  */
} web_piece;

struct web;
/* How nodes are run: mesh.c or sim.c. */
typedef struct web_engine {
    mb_status (*begin)(struct web *w, mb_err *err);
    mb_status (*advance)(struct web *w, double ms, mb_err *err);
    mb_status (*event)(struct web *w, const mb_event *e, mb_err *err); /* NULL: none happen */
    mb_status (*lose)(struct web *w, double loss, mb_err *err);        /* NULL: not while it runs */
    /* Fills state, part, parts, phi, number and lost; makes pieces again that have changed. */
    mb_status (*look)(struct web *w, mb_err *err);
    void (*end)(struct web *w);
} web_engine;
extern const web_engine web_mesh, web_sim;

struct web {
    mb_err    err;
    mb_arena *data_arena; /* of the rows                    */
    mb_arena *link_arena; /* of the links                   */
    mb_arena *run_arena;  /* from one beginning to the next */
    mb_arena *part_arena; /* of pieces                      */
    mb_arena *look_arena; /* of a look                      */
    /* Rows. */
    int64_t            rows;
    int32_t            d;
    double            *x; /* rows x d */
    const char *const *column;
    int32_t           *owner; /* rows */
    int32_t            named;
    const char *const *node; /* named */
    /* The run. */
    int32_t           links;
    int32_t          *ends;   /* links x 2 */
    const web_engine *engine; /* NULL: nothing has begun */
    const mb_algo    *algo;
    uint64_t          seed;
    double            loss;
    mb_gmm_kind       gmm;
    mb_network        net;
    mb_local_part     place;
    mb_table          table; /* rows by node */
    mb_case           c;     /* of them, with units and prior of their own */
    int64_t          *edge;  /* links: where each is in net.g.adj */
    double            move;
    mb_plan           plan; /* mesh.c */
    mb_virtual       *virtual_;
    mb_session        session; /* sim.c */
    mb_outcome        outcome;
    int64_t           until; /* round */
    double            ahead; /* ms that no round has used */
    /* The last look. */
    uint64_t       key; /* of the pieces */
    int32_t        parts, pieces;
    web_piece     *piece;
    int32_t       *part;  /* n */
    const char   **state; /* n */
    const double **phi;   /* n; NULL: it has no posterior */
    double        *distance;
    double        *ellipse; /* n x K x WEB_ELLIPSE */
    double        *answer;  /* n x K x WEB_ELLIPSE */
    int32_t       *lost;    /* links */
    uint8_t       *cut;     /* links */
    double         number[WEB_NUMBERS];
    mb_verdict     verdict;
};

/* answer.c */
/* The piece of a part of the network whose nodes have agreed on a block; rows: of each node. From
 * the start block of the nodes. */
mb_status web_piece_make(web *w, const mb_genesis *g, const mb_rows *rows, int32_t which,
                         web_piece *out, mb_err *err) MB_CHECKED;
/* Its answer is that from these parameters on (L, of its units) where that is as good or better. */
mb_status web_piece_from(web *w, web_piece *p, const double *from, mb_err *err) MB_CHECKED;
/* The answer of central VB from phi on, which it becomes. */
mb_status web_piece_solve(web *w, web_piece *p, double *phi, mb_err *err) MB_CHECKED;
/* What the nodes of part `which` say. */
mb_status web_piece_see(web *w, web_piece *p, int32_t which, mb_err *err) MB_CHECKED;
/* K x WEB_ELLIPSE numbers of a posterior; NULL: NaN. */
mb_status web_ellipses(web *w, const mb_posterior *p, int32_t x, int32_t y, double *out,
                       mb_err *err) MB_CHECKED;

#endif
