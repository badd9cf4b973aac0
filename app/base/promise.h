/* base/promise.h - "privacy", what a file or a status says of a release. */
#ifndef MB_BASE_PROMISE_H
#define MB_BASE_PROMISE_H

#include "data/json.h"
#include "fit/private.h"

/* Writes the member "privacy" of a release within these bounds. mask: what hid the sums of nodes
 * from each other, of a network alone; simulated: 1: the noise is of a seed; raised: as
 * mb_privacy_posterior, -1: not known yet. */
void promise_put(const mb_privacy *p, const mb_bounds *bounds, const char *mask, int simulated,
                 int32_t raised, mb_json_out *j);
/* The same as a value, for mb_provenance::more. */
mb_status promise_json(mb_arena *a, const mb_privacy *p, const mb_bounds *bounds, const char *mask,
                       int simulated, int32_t raised, const mb_json **out, mb_err *err) MB_CHECKED;

#endif
