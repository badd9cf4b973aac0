/* mesh/guarded.h - what a node has noticed of wrong neighbours, how it begins again, and when it
 * need not wait. */
#ifndef MB_MESH_GUARDED_H
#define MB_MESH_GUARDED_H

#include "meshbayes/meshbayes.h"

/* Counts of a node since it began, or of a neighbour since it was linked. */
typedef struct mb_peer_guarded {
    int64_t clipped; /* numbers in frames that were taken as the nearest that can be    */
    int64_t refused; /* frames of a neighbour                                          */
    int32_t twin;  /* 1: a neighbour's newest frame says that it hears another life of this node */
    int32_t stuck; /* 1: it stays where it cannot get away, having gone back lately   */
    int64_t returned; /* times that the node went back to where it settled, or began    */
} mb_peer_guarded;

/* Of the node, and of the neighbour with this id; zeros: it has none. */
mb_peer_guarded mb_peer_guarded_(const mb_peer *p);
mb_peer_guarded mb_peer_guarded_at_(const mb_peer *p, int32_t id);
/* At its next tick a node that runs begins again from the start block of its genesis, and
 * forgets where it last settled. Its edges stay; so does the answer, unless it had gone astray.
 * Does nothing in a build without bounds (MB_ENTRIES=OFF). */
void mb_peer_reset_(mb_peer *p);
/* 1: what came since its last tick completes a sum of all nodes here, or another thing that others
 * wait for: a tick sends that on at once. At most a few ticks a pass are so. */
int mb_peer_continues_(const mb_peer *p);
/* 1: it continues when others come, which no tick of its own brings about: too few nodes, or sums
 * that wait for a member, or whose totals cannot be. */
int mb_peer_waits_(const mb_peer *p);

/* All that a node is, for a recorder: its checkpoint, and with masks what no checkpoint has: who
 * takes part in its record, what each drew for it, and its partners. Bytes of it. */
size_t mb_peer_whole_(const mb_peer *p);
/* Writes it, mb_peer_whole_ bytes. */
mb_status mb_peer_save_whole_(const mb_peer *p, void *out, size_t room, mb_err *err) MB_CHECKED;
/* mb_peer_resume of it: with masks the node then is in its record, and begins its masks again. */
mb_status mb_peer_resume_whole_(mb_peer *p, const void *bytes, size_t n, mb_err *err) MB_CHECKED;

#endif
