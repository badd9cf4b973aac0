/* mesh/file_status.h - the status of a node as JSON. */
#ifndef MB_MESH_FILE_STATUS_H
#define MB_MESH_FILE_STATUS_H

#include "data/json.h"
#include "meshbayes/meshbayes.h"

/* The name of node `id`; NULL: it has none, and is called by its number. */
typedef const char *(*mb_peer_namer)(const void *self, int32_t id);
/* Writes what the host knows of a neighbour into its object; NULL: nothing. */
typedef void (*mb_peer_teller)(const void *self, const mb_peer_neighbour *is, mb_json_out *j);
/* Writes the members of the status at `now` (milliseconds, as for mb_peer_look) into an object that
 * the caller has opened, and closes it: the host's own may be before them. O(neighbours). */
void mb_peer_status_json(const mb_peer *p, int64_t now, mb_peer_namer name, mb_peer_teller tell,
                         const void *self, mb_json_out *j);

#endif
