/* graph_files.h - networks, positions and weights in files, for the commands that take them. */
#ifndef MB_APP_GRAPH_FILES_H
#define MB_APP_GRAPH_FILES_H

#include "app.h"

/* The network of an edge list (CSV, columns i and j) or of GraphML. Its nodes are the ids of
 * the list and of `extra` (the data's nodes; NULL and 0: none), sorted; the graph is over their indices. */
mb_status graph_edges_file(mb_arena *a, const char *file, const char *const *extra, int32_t nextra,
                           const char ***id, int32_t *count, mb_graph *out, mb_err *err) MB_CHECKED;

/* Positions (n x 2) of the nodes from CSV (columns node, x, y) or GraphML (node data x and y). */
mb_status graph_positions(mb_arena *a, const char *file, const char *const *id, int32_t n,
                          double *xy, mb_err *err) MB_CHECKED;

/* Those a network's file holds itself: NULL unless it is GraphML with a position for each node. */
mb_status graph_own_positions(mb_arena *a, const char *network, const char *const *id, int32_t n,
                              double **xy, mb_err *err) MB_CHECKED;

/* Writes a network by the path's ending: .graphml, .dot or .gv, else an edge list (CSV, columns i
 * and j, each link once). id: names of the nodes, NULL: numbers from 1. xy: positions (n x 2) for
 * GraphML and DOT, NULL: none. */
mb_status graph_write(mb_arena *a, const char *path, const mb_graph *g, const char *const *id,
                      const double *xy, mb_err *err) MB_CHECKED;
/* CSV of positions (columns node, x, y), and of weights (columns i, j, w; i = j: of itself). */
mb_status graph_write_positions(mb_arena *a, const char *path, const mb_graph *g,
                                const char *const *id, const double *xy, mb_err *err) MB_CHECKED;
mb_status graph_write_weights(mb_arena *a, const char *path, const mb_graph *g,
                              const char *const *id, const mb_weights *w, mb_err *err) MB_CHECKED;

/* Weights of the words after --weights: nearest, metropolis, laplacian or file:F.csv (columns i, j,
 * w). id: the nodes' names, NULL: numbers from 1. warning: "" or, for a file, the line that says
 * that its columns do not sum to 1. */
mb_status graph_weights(mb_arena *a, const char *text, const char *const *id, const mb_graph *g,
                        mb_weights *out, char *warning, size_t cap, mb_err *err) MB_CHECKED;

/* Columns that are this far from 1 are no rounding. */
#define GRAPH_COLUMN_TOLERANCE 1e-9

#endif
