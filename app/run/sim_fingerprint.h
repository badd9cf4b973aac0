/* sim_fingerprint.h - hashes of the rows and links of each node, which a checkpoint
 * is compared by. */
#ifndef MB_RUN_SIM_FINGERPRINT_H
#define MB_RUN_SIM_FINGERPRINT_H

#include "run/sim.h"

/* Of a node's rows and weights in run units, thus of the common scale. room: a row. Collective
 * where processes share the rows: the hash of all of them. */
mb_status sim_fingerprint_rows(const sim_job *job, const mb_rows *rows, double *room,
                               uint64_t *hash, mb_err *err) MB_CHECKED;
/* Of a node's neighbours and combination weights. */
uint64_t sim_fingerprint_links(const mb_part *part, int32_t i);

#endif
