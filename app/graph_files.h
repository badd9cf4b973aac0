/* graph_files.h - networks and weights from files, for the commands that take them. */
#ifndef MB_APP_GRAPH_FILES_H
#define MB_APP_GRAPH_FILES_H

#include "app.h"

/* The network of an edge list (CSV, columns i and j). Its nodes are the ids of the list and of
 * `extra` (the data's nodes; NULL and 0: none), sorted; the graph is over their indices. */
mb_status graph_edges_file(mb_arena *a, const char *file, const char *const *extra, int32_t nextra,
                           const char ***id, int32_t *count, mb_graph *out, mb_err *err) MB_CHECKED;

/* Weights of the words after --weights: nearest, metropolis, laplacian or file:F.csv (columns i, j,
 * w). id: the nodes' names, NULL: numbers from 1. warning: "" or, for a file, the line that says
 * that its columns do not sum to 1. */
mb_status graph_weights(mb_arena *a, const char *text, const char *const *id, const mb_graph *g,
                        mb_weights *out, char *warning, size_t cap, mb_err *err) MB_CHECKED;

/* Columns that are this far from 1 are no rounding. */
#define GRAPH_COLUMN_TOLERANCE 1e-9

#endif
