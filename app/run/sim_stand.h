/* sim_stand.h - what the run of a checkpoint stands on: the rows and the links of each node. */
#ifndef MB_RUN_SIM_STAND_H
#define MB_RUN_SIM_STAND_H

#include "run/sim.h"

/* Of a node's rows and weights in run units, thus of the common scale. room: a row. Collective
 * where processes share the rows: the hash of all of them. */
mb_status sim_stand_rows(const sim *s, const mb_rows *rows, double *room, uint64_t *hash,
                         mb_err *err) MB_CHECKED;
/* Of a node's neighbours and combination weights. */
uint64_t sim_stand_links(const mb_part *part, int32_t i);

#endif
