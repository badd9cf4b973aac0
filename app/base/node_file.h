/* node_file.h - what the writer and the reader of a node's configuration share. */
#ifndef MB_NODE_FILE_H
#define MB_NODE_FILE_H

enum { NODE_ROWS = 10000 /* rows_max where it is not given */ };

#endif
