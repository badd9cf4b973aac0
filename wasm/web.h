/* web.h - a network of nodes for a page: made of plain numbers and texts, advanced step by step,
 * looked at. Every node has a Gaussian mixture of its rows; what one machine with all of them would
 * answer is computed beside. Functions that can fail return 0 or the negative number of an
 * mb_status, and web_error says the rest. Nodes, links, rows and columns count from 0. What is
 * returned lasts until the next call that changes it. */
#ifndef WEB_H
#define WEB_H

#include <stdint.h>

/* All that a page holds; its struct is private. */
typedef struct web web;

/* NULL: no memory. */
web *web_new(void);
/* NULL is allowed. */
void web_free(web *w);
/* One line on what failed last; "": nothing. */
const char *web_error(const web *w);
/* "0.1.0". Static. */
const char *web_version(void);

/* What a file may have, so that a look stays quick. */
enum { WEB_MOST_ROWS = 5000, WEB_MOST_COLUMNS = 12, WEB_MOST_NODES = 40 };
/* Rows of a CSV file as the program reads them: columns "a,b" ("": all), the node of a row from a
 * column of that name ("": none says it); separator, header and missing are those of mb_data_opt.
 * A file that is refused leaves the rows that there were, and the run of them. */
int web_read(web *w, const char *file, const char *columns, const char *node_column, int separator,
             int header, int missing);
/* Room for n rows of two numbers, x1 and x2, for the caller to fill; NULL: no memory. */
double *web_rows(web *w, int n);
/* Of the rows that there are. */
int           web_row_count(const web *w);
int           web_columns(const web *w);
const char   *web_column(const web *w, int d);
const double *web_cells(const web *w); /* rows x columns */
/* Nodes that the file names; 0: none. */
int         web_named(const web *w);
const char *web_node(const web *w, int i);
/* The node of each row, for the caller to fill before web_begin; a file with a column of nodes has
 * filled it. */
int32_t *web_owner(web *w);

/* Algorithms of the library's list; NULL: there is no k-th. why: "" for one that runs on nodes,
 * which may fail, and whose links may break; else why it cannot, and it is simulated in rounds. */
const char *web_algorithm(int k);
const char *web_algorithm_label(int k);
const char *web_algorithm_title(int k);
const char *web_algorithm_why(web *w, int k);

/* Room for the ends of m links; NULL: no memory. */
int32_t *web_ends(web *w, int m);
/* What follows begins again, with n nodes and these links, K components, an algorithm of the list,
 * frames lost with this probability; what is drawn is drawn by the seed, as the program's. The
 * defaults are those of `meshbayes up --virtual`, and of `meshbayes sim` where it is simulated. */
int web_begin(web *w, int n, int K, int algorithm, int seed, double loss);
/* This number of milliseconds passes; of a simulation a round is 20. */
int web_advance(web *w, double ms);
/* "kill" and "start" of node a, "cut" and "heal" of the link of a and b. */
int web_event(web *w, const char *what, int a, int b);
/* From now on; of a simulation from the next web_begin on. */
int web_lose(web *w, double loss);

/* Looks at all nodes; columns x and y of the rows are those of the ellipses. */
int web_look(web *w, int x, int y);

/* Numbers of the last look. */
enum {
    WEB_TIME,   /* seconds; of a simulation NaN                                             */
    WEB_ROUNDS, /* of the nodes, the most                                                   */
    WEB_BOUND,  /* lower bound at the mean of the nodes, nats, over the rows of the largest part */
    WEB_BOUND_ONE, /* that of one machine with these rows                                      */
    WEB_BYTES,     /* that nodes sent                                                          */
    WEB_FRAMES,    /* messages                                                          */
    WEB_LOST,      /* of them lost at random                                                   */
    WEB_MOVE,      /* bytes of moving all rows to the node that is nearest to them              */
    WEB_PARTS,     /* connected parts of the live nodes                                        */
    WEB_LIVE,      /* nodes                                                                    */
    WEB_SETTLED,   /* of them say that they are settled                                        */
    WEB_ROWS_HERE, /* rows of the largest part                                                 */
    WEB_DISTANCE,  /* the largest of the distances                                             */
    WEB_NUMBERS
};
double web_number(const web *w, int which);
/* "moving", "settled", "elsewhere" or "failed", as `meshbayes up` and `sim` end. */
const char *web_verdict(const web *w);
/* "moving", "settled", "alone", "failed"; or what its life is: "dead". */
const char *web_state(const web *w, int i);
/* The connected part of each node; -1: it is not live. */
const int32_t *web_part(const web *w);
/* Of each node from what one machine with the rows of its part would answer, relative,
 * |phi - answer|/|answer|; NaN: not known. */
const double *web_distance(const web *w);
/* Of each node, component by component: weight, mean of x and y, variance of x, covariance,
 * variance of y. NaN: not known. */
const double *web_ellipse(const web *w);
/* The same of one machine, of each part. */
const double *web_answer(const web *w);
/* Messages lost so far on each link, as web_ends has them. */
const int32_t *web_lost(const web *w);
/* 1 where such a link is cut. */
const uint8_t *web_cut(const web *w);

#endif
