/* virtual/record_format.h - the file of a flight recorder (docs/formats.md), little-endian: a
 * head with texts, then a line for every call, with its own checksum, and what the call was
 * given. */
#ifndef MB_VIRTUAL_RECORD_FORMAT_H
#define MB_VIRTUAL_RECORD_FORMAT_H

#include "meshbayes/meshbayes.h"

enum {
    MB_RECORD_MAGIC_ = 0x3252424d, /* "MBR2"                           */
    MB_RECORD_HEAD_ = 36,          /* bytes before the texts           */
    MB_RECORD_LINE_ = 28,          /* of a line                        */
    MB_RECORD_OPTIONS_ = 112,      /* of MB_CALL_NEW                   */
    MB_RECORD_ROWS_ = 24,          /* of MB_CALL_APPEND before numbers */
    MB_RECORD_SUM_ = 16,           /* of MB_CALL_FRAME, MB_CALL_SAVE   */
    MB_RECORD_CRC_ = 4
};

/* The head. */
typedef struct mb_record_head_ {
    uint32_t magic;
    uint32_t texts; /* bytes of the texts after it                                           */
    uint64_t plan;  /* mb_plan_hash_                                                          */
    uint64_t seed;
    uint32_t from;    /* mb_genesis_from                                                      */
    uint32_t columns; /* of the plan                                                          */
    uint32_t segment; /* 0: it begins with a life; else with a checkpoint, the number of which
                         it is in the record                                                  */
} mb_record_head_;

/* A line. */
typedef struct mb_record_line_ {
    uint32_t n;    /* bytes that follow */
    uint32_t call; /* mb_call           */
    int64_t  now;
    int32_t  id, answer;
} mb_record_line_;

/* MB_RECORD_HEAD_, MB_RECORD_LINE_ and MB_RECORD_OPTIONS_ bytes. */
void mb_record_put_head_(const mb_record_head_ *h, unsigned char *out);
void mb_record_get_head_(const unsigned char *in, mb_record_head_ *h);
/* With its checksum. get: 0 when that is wrong. */
void mb_record_put_line_(const mb_record_line_ *l, unsigned char *out);
int  mb_record_get_line_(const unsigned char *in, mb_record_line_ *l);
/* How a node was made, but for its plan and name. get: 0 when a number cannot be. */
void mb_record_put_opt_(const mb_peer_opt *o, unsigned char *out);
int  mb_record_get_opt_(const unsigned char *in, mb_peer_opt *o);

/* Number l of rows in a record: their cells, their weights, and for rows in groups 1 where one
 * begins, else 0. */
double mb_record_number_(const mb_rows *x, size_t l);

#endif
