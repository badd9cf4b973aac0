/* node_file.h - what the writer and the reader of a node's configuration share. */
#ifndef MB_NODE_FILE_H
#define MB_NODE_FILE_H

#include "data/json.h"

enum { NODE_ROWS = 10000 /* rows_max where it is not given */ };
/* The field `key`, tcp://HOST:PORT; insecure 1: of this machine. NULL: it is not there, or no
 * such address. */
const char *node_file_address(mb_json_in *j, const mb_json *o, const char *key, int insecure);
int         node_file_is_loopback(const char *address);

#endif
