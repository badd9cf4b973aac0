/* record.h - the flight recorder: a file for every node with all that it received, and sums of all
 * that it answered, so that `meshbayes replay` can run it again. Little-endian:
 *
 *   "MBR1", u32 bytes of the text that follows: name of the kind, options ("NAME=VALUE"), "",
 *   names of the columns, "", name of the node, each ended by a 0 byte; then u64 seed, u64 source
 *   of the block; then records: u64 call, now, id, answer, bytes, and these bytes.
 *
 * Of frames and checkpoints that the node wrote the bytes are 16: their number and FNV-1a. */
#ifndef MB_UP_RECORD_H
#define MB_UP_RECORD_H

#include "up/up.h"

enum { RECORD_MAGIC = 0x3152424d /* "MBR1" */, RECORD_FIELDS = 14 /* of a node's options */ };

/* The head of a record. */
typedef struct record_head {
    uint64_t call;
    int64_t  now, id, answer;
    uint64_t n;
} record_head;

/* Options of a node as numbers, and back. */
void record_options(const mb_peer_opt *o, double out[RECORD_FIELDS]);
void record_options_of(const double in[RECORD_FIELDS], mb_peer_opt *out);
/* Adds the recorder of --record to the network. */
mb_status record_begin(up *u, mb_err *err) MB_CHECKED;
/* Writes what is left; st as in mb_file_close. */
mb_status record_end(up *u, mb_status st, mb_err *err) MB_CHECKED;

#endif
