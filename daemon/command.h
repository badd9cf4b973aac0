/* command.h - requests to a node that runs. */
#ifndef MB_DAEMON_COMMAND_H
#define MB_DAEMON_COMMAND_H

#include "meshbayes/meshbayes.h"

/* POST path with this body to the status of the node of a configuration. MB_E_IO: nothing answers;
 * MB_E_ARG: the status is no Unix socket, or what the node says against it. */
mb_status node_command(mb_arena *a, const char *config, const char *path, const char *body,
                       mb_err *err) MB_CHECKED;

#endif
