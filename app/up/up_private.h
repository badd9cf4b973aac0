/* up_private.h - `up --privacy`: all nodes have their rows from one file, so the release is booked
 * in the ledger of that file, once, before a node runs; nodes draw the noise, and what the run says
 * of the rows follows from their answer alone. */
#ifndef MB_UP_PRIVATE_H
#define MB_UP_PRIVATE_H

#include "run/private.h"
#include "up/up.h"

struct up_private {
    private_fit fit;
    sim_given   answer; /* of the nodes; posterior NULL: none has one */
};

/* Rows, network and bounds: u->private_. */
mb_status up_private_open(up *u, sim *s, mb_err *err) MB_CHECKED;
/* What the plan promises. */
void up_private_plan(up *u);
/* The last step before a node runs that may refuse the release. */
mb_status up_private_book(up *u, mb_err *err) MB_CHECKED;
/* A node's answer, in which its rows count no more: p gets it as its prior. */
mb_status up_private_take(up *u, mb_posterior *p, const mb_provenance *from,
                          mb_err *err) MB_CHECKED;
/* Of the answer: no rows, so no bound and no step; how many each node had is public. */
void up_private_end(const up *u, sim_result *r);
/* The first lines of what is printed. */
void up_private_print(const up *u);
/* That no answer came although one was booked. */
void up_private_warn(const up *u);
/* "privacy" and "ledger" of summary.json. */
mb_status up_private_summary(const up *u, mb_json_out *j) MB_CHECKED;

#endif
