/* graphml.h - networks as GraphML; without expat they are refused. */
#ifndef MB_IO_GRAPHML_H
#define MB_IO_GRAPHML_H

#include "meshbayes/data.h"

/* Nodes, edges with their lines, positions; ends are nodes, nodes are distinct. */
mb_status mb_graphml_read_(mb_arena *a, const char *file, mb_edges *out, mb_err *err) MB_CHECKED;

#endif
