/* sim_fingerprint.c - hashes of the rows and links of each node. */
#include "run/sim_fingerprint.h"
#include "base/rows.h"

#include <string.h>

static const uint64_t BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    for (size_t k = 0; k + 8 <= n; k += 8) {
        uint64_t word;

        memcpy(&word, from + k, 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (size_t k = n / 8 * 8; k < n; k++)
        hash = (hash ^ from[k]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The hash of earlier rows and of these. */
static uint64_t more_rows(uint64_t hash, const mb_rows *rows, double *room)
{
    for (int64_t j = 0; j < rows->n; j++)
        hash = rows->x32 ? mix(hash, rows->x32 + (size_t)j * rows->ld, (size_t)rows->d * 4)
                         : mix(hash, mb_rows_row(rows, j, room), (size_t)rows->d * 8);
    return rows->w ? mix(hash, rows->w, (size_t)rows->n * sizeof *rows->w) : hash;
}

/* The hash goes from process to process. */
static mb_status pass_on(const mb_comm *c, const mb_rows *rows, double *room, uint64_t *hash,
                         mb_err *err)
{
    for (int32_t q = 0; q < c->size; q++) {
        if (q == c->rank)
            *hash = more_rows(*hash, rows, room);
        MB_TRY(mb_comm_share(c, q, hash, sizeof *hash, err));
    }
    return MB_OK;
}

mb_status sim_fingerprint_rows(const sim_job *job, const mb_rows *rows, double *room,
                               uint64_t *hash, mb_err *err)
{
    const int64_t all = rows->n + rows->elsewhere;

    *hash = mix(BASIS, &all, sizeof all);
    if (rows->share)
        return pass_on(job->ranks.comm, rows, room, hash, err);
    *hash = more_rows(*hash, rows, room);
    return MB_OK;
}

uint64_t sim_fingerprint_links(const mb_part *part, int32_t i)
{
    uint64_t hash = mix(BASIS, &part->w.self[i], sizeof *part->w.self);

    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
        hash = mix(hash, &part->gid[part->g.adj[e]], sizeof *part->gid);
        hash = mix(hash, &part->w.edge[e], sizeof *part->w.edge);
    }
    return hash;
}
