/* mesh.h - what the fuzz targets of mesh nodes share. */
#ifndef MB_FUZZ_MESH_H
#define MB_FUZZ_MESH_H

#include "mesh/frame.h"
#include "mesh/state.h"

#include <stdlib.h>

enum { FUZZ_TICKS = 3 };

/* That many ticks of a node from number `from` on, each with a frame for each neighbour that opens;
 * returns how many frames there were, -1: a tick failed, -2: no memory. */
static inline int32_t fuzz_frames(mb_arena *a, mb_peer *p, int64_t from)
{
    unsigned char *out = mb_alloc(a, mb_peer_frame_max(p), 1);
    int32_t        frames = 0;
    mb_frame_      f;
    mb_err         err;

    if (!out)
        return -2;
    for (int64_t t = from; t < from + FUZZ_TICKS; t++) {
        if (mb_peer_tick(p, 20 * t, &err) < 0)
            return -1;
        for (int32_t j = 0; j < p->life->links; j++) {
            size_t n;

            if (mb_peer_frame(p, p->link[j].id, out, mb_peer_frame_max(p), &n, &err) < 0 ||
                (n && mb_frame_open_(out, n, &f, &err) != MB_REFUSED_NONE))
                abort();
            frames += n > 0;
        }
    }
    return frames;
}

#endif
