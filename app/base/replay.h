/* base/replay.h - a recorded node runs again. */
#ifndef MB_BASE_REPLAY_H
#define MB_BASE_REPLAY_H

#include "virtual/record.h"

/* Replays a record to its end and prints what was the same to the bit. masks: of a node that masked
 * its sums with keys; NULL: none. MB_E_PEER: the first difference. */
mb_status replay_file(const char *file, const mb_mask_maker *masks, mb_err *err) MB_CHECKED;

#endif
