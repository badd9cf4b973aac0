/* sim_facts.h - what a checkpoint and the run that goes on from it must have in common. */
#ifndef MB_SIM_FACTS_H
#define MB_SIM_FACTS_H

#include "sim/sim.h"

/* Every option that makes other iterates or another trace. traced: 1 when there is a trace. */
mb_status sim_facts(sim *s, const sim_choice *c, int traced, mb_fact **out, int32_t *n,
                    mb_err *err) MB_CHECKED;
/* Of a node's rows and weights in run units, which also tell of the common scale. */
uint64_t sim_rows_hash(const mb_rows *rows);
/* Of its neighbours and combination weights. */
uint64_t sim_links_hash(const mb_part *part, int32_t i);

#endif
