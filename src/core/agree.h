/* core/agree.h - an error of one process becomes the error of all. */
#ifndef MB_CORE_AGREE_H
#define MB_CORE_AGREE_H

#include "meshbayes/transport.h"

/* Halves of a round. */
typedef enum mb_when_ { MB_WHEN_SENDING_, MB_WHEN_HEARING_ } mb_when_;

/* Collective: status and error of the first failure, in all processes. `node` (global id) is the one
 * that failed here when st < 0; of failures in the same half the lowest node's is first. */
mb_status mb_agree_error_(mb_transport *tp, mb_when_ when, int32_t node, mb_status st, mb_err *err);

#endif
