/* meshbayes/peer_file.h - the status of a mesh node as JSON: one object with one set of words
 * everywhere (docs/formats.md, docs/status.schema.json). */
#ifndef MESHBAYES_PEER_FILE_H
#define MESHBAYES_PEER_FILE_H

#include "meshbayes/json.h"
#include "meshbayes/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of node `id`; NULL: it has none, and is called by its number. */
typedef const char *(*mb_peer_namer)(const void *self, int32_t id);
/* Writes the members of the status at `now` (milliseconds, as for mb_peer_look) into an object that
 * the caller has opened, and closes it: the host's own may be before them. O(neighbours). */
MB_API void mb_peer_status_json(const mb_peer *p, int64_t now, mb_peer_namer name, const void *self,
                                mb_json_out *j);

#ifdef __cplusplus
}
#endif
#endif
