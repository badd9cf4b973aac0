/* sim_signal.h - SIGINT and SIGTERM during a run: the round is finished, what there is is written. */
#ifndef MB_SIM_SIGNAL_H
#define MB_SIM_SIGNAL_H

#include "sim/sim.h"

/* From here on the first of these signals is noted; the next one ends the program at once. Signals
 * that were ignored stay so. */
void sim_signal_catch(void);
/* Adds an observer to one of r's sessions that saves the run, given --checkpoint, and ends it with
 * MB_STOP once a signal was noted: r->signal. The last observer. */
mb_status sim_signal_watch(sim_result *r, mb_session *session, mb_err *err) MB_CHECKED;
/* Collective: s->signal is the signal that some process has noted; 0: none has. */
mb_status sim_signal_agree(sim *s, mb_err *err) MB_CHECKED;
/* Says what was interrupted. r: s->nran results. */
void sim_signal_tell(sim *s, const sim_result *r);

#endif
