/* virtual/record_part.h - a file of a record as a sequence of calls. */
#ifndef MB_VIRTUAL_RECORD_PART_H
#define MB_VIRTUAL_RECORD_PART_H

#include "virtual/record.h"
#include "virtual/record_format.h"

/* A file, and how far it is read. */
typedef struct mb_part_ {
    const char        *file; /* NULL: there is none */
    const char        *bytes;
    size_t             n, at;
    mb_record_head_    head;
    mb_plan            plan;
    const mb_declared *declared; /* with masks, else NULL                            */
    mb_mask_id         mask;
    const char        *name; /* of the node; NULL: it has none */
    int32_t            cut;  /* 1: it ends in the middle of a record, or of its head */
} mb_part_;

/* Reads a file and its head. A head that is cut short leaves a part without calls when `tail` is 1,
 * and is MB_E_FORMAT otherwise. */
mb_status mb_part_read_(mb_arena *a, const char *file, int tail, mb_part_ *out,
                        mb_err *err) MB_CHECKED;
/* What a call is given besides numbers, where mb_called points. */
typedef struct mb_given_ {
    mb_peer_opt opt;
    mb_rows     rows;
    mb_genesis  genesis;
    uint64_t    sum[2]; /* of what it wrote: bytes, their hash */
} mb_given_;
/* The next call. MB_STOP: there is none, or it is cut. bytes and n are what the file has. a: for
 * rows and genesis. MB_E_FORMAT: damaged. */
mb_status mb_part_next_(mb_arena *a, mb_part_ *p, mb_called *c, mb_given_ *given,
                        mb_err *err) MB_CHECKED;
/* MB_E_FORMAT: the call that was read last is not one of a node. */
mb_status mb_part_damaged_(const mb_part_ *p, const char *what, mb_err *err) MB_CHECKED;

#endif
