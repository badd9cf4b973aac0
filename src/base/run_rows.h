/* base/run_rows.h - options of a fit that the program and bindings have alike, as mb_opt from the
 * name on; `at` is the place of the field. A text that is NULL has no address to relocate. */
#ifndef MB_BASE_RUN_ROWS_H
#define MB_BASE_RUN_ROWS_H

#include "base/ranges.h"

/* The first words of mb_init, in its order; those that are given follow, with what is given. */
#define MB_INIT_DRAWN_ "kmeans|kmeans++|farthest|random|random-from-data|ranges"

/* clang-format off */
#define MB_ROW_N_INIT_(at)                                                                         \
    "n-init", MB_OPT_AUTO, at, "auto", MB_RANGE_N_INIT_, NULL, "initialisations", "math 13",       \
    "n_init",                                                                                      \
    "number of initialisations; the one with the best lower bound over all rows is used, and the " \
    "share that reached it is reported. auto: 1 in a network; in fit 10, fewer for large data, "   \
    "and then, where it is worth it, moves that split one component and merge two"
#define MB_ROW_STANDARDIZE_(at)                                                                    \
    "standardize", MB_OPT_CHOICE, at, "on", 0, 0, "off|on", NULL, NULL, NULL,                      \
    "compute in columns moved to a common origin and scale (results are in their own units); off: "\
    "moved to a common origin only"
#define MB_ROW_PRECISION_(at)                                                                      \
    "precision", MB_OPT_CHOICE, at, "float64", 0, 0, "float64|float32", NULL, NULL, NULL,          \
    "of the rows in memory; float32: half the memory, each number rounded by at most 3e-8 of its " \
    "column's range; it saves memory only: all arithmetic is double"
#define MB_ROW_ACCELERATE_(at)                                                                     \
    "accelerate", MB_OPT_CHOICE, at, "auto", 0, 0, "auto|off", NULL, "math 27", NULL,              \
    "auto: with --tol above 0 steps are extrapolated where the lower bound does not fall, which "  \
    "takes fewer rounds; off: each round is a step of central VB"
#define MB_ROW_PREFER_(at)                                                                         \
    "prefer", MB_OPT_CHOICE, at, "bound", 0, 0, "bound|held-out", NULL, "math 13", NULL,           \
    "what chooses among the optima that the initialisations find: the lower bound, or how well "   \
    "each predicts rows held out: five runs more for each, on four fifths of the rows (groups "    \
    "stay whole), scored on the last fifth; components are then not split and merged"
#define MB_ROW_ON_DOMAIN_(at)                                                                      \
    "on-domain", MB_OPT_CHOICE, at, "freeze", 0, 0, "freeze|project|stop", NULL, "eq. (38b)", NULL,\
    "a node outside the domain keeps its last step, is projected, or ends the run; sum takes "     \
    "such a step back instead"
#define MB_ROW_DEAL_(at, usual)                                                                    \
    "deal", MB_OPT_CHOICE, at, usual, 0, 0, "blocks|random", NULL, NULL, NULL,                     \
    "rows whose node is not given: cut into blocks in their order, or dealt at random by the "     \
    "seed, groups whole; blocks of a NPY file are read where they are needed, so memory holds "    \
    "one process's share"
#define MB_ROW_TOL_(at)                                                                            \
    "tol", MB_OPT_REAL, at, "3e-7", MB_RANGE_TOL_, NULL, "posterior standard deviations", NULL,    \
    "tol", "stop when a round moves the posterior by no more, twice in a row; 0 never stops early"
#define MB_ROW_STOP_(at)                                                                           \
    "stop", MB_OPT_CHOICE, at, "moved", 0, 0, "moved|bound", NULL, "math 13", NULL,                \
    "what --tol is compared with: how far a round moves the posterior, or by how many nats it "    \
    "changes the lower bound (scikit-learn's rule, whose default is 1e-3)"
#define MB_ROW_SEED_(at)                                                                           \
    "seed", MB_OPT_INT, at, "0", 0, 9007199254740992.0, NULL, NULL, NULL, "random_state",          \
    "of all random numbers; results are bit-identical for the same seed"
#define MB_ROW_THREADS_(at)                                                                        \
    "threads", MB_OPT_INT, at, "0", MB_RANGE_THREADS_, NULL, "threads", NULL, "n_jobs",            \
    "0: as many as make rounds faster, one if a round takes less than about 1 ms; results do not " \
    "depend on it"
#define MB_ROW_LOSS_DIRECTED_(at)                                                                  \
    "loss-directed", MB_OPT_REAL, at, "0", 0, 0.999, NULL, "probability", NULL, NULL,              \
    "a message is lost, each direction by itself"
#define MB_ROW_SILENT_(at)                                                                         \
    "silent", MB_OPT_REAL, at, "0", 0, 0.999, NULL, "probability", NULL, NULL,                     \
    "a node sends nothing in a round (it still receives)"
#define MB_ROW_SEND_(at)                                                                           \
    "send", MB_OPT_CHOICE, at, "all", 0, 0, "all|changes", NULL, NULL, NULL,                       \
        "messages that leave a node: one on each link in each round, or float16 differences to "   \
        "what the neighbour has, where it has others; edge alone [math 4]"
#define MB_ROW_DELAY_(at)                                                                          \
    "delay", MB_OPT_INT, at, "0", 0, 1000, NULL, "rounds", NULL, NULL,                             \
    "a message arrives 0 to this many rounds late"
#define MB_ROW_FORMULA_(at)                                                                        \
    "formula", MB_OPT_TEXT, at, NULL, 0, 0, "'Y ~ TERMS'", NULL, NULL, NULL,                       \
    "target and inputs as R writes them, 'y ~ a + b:c + poly(x,2) + log(z)': + - : * ^n . 0 "      \
    "I(..) log exp sqrt poly, names with blanks in backticks (docs/formats.md); without it all "   \
    "columns but the target"
#define MB_ROW_CODING_(at)                                                                         \
    "coding", MB_OPT_CHOICE, at, "treatment", 0, 0, "treatment|sum", NULL, NULL, NULL,             \
    "of inputs that are categories: a coefficient for each level but the first, against that "     \
    "one, or for each but the last, against the mean of all"
/* clang-format on */

#endif
