/* mesh/frame.h - the frame of the mesh: one layout for all transports, little-endian, specified to
 * the byte in docs/protocol.md. Encoder and decoder are two functions of one table (frame.c). */
#ifndef MB_MESH_FRAME_H
#define MB_MESH_FRAME_H

#include "base/crc32c.h"
#include "base/vector.h"
#include "meshbayes/extend.h"

enum { MB_FRAME_MAGIC_ = 0x314d424d /* "MBM1" */, MB_FRAME_VERSION_ = 1 };

/* mb_frame_::flags */
enum {
    MB_FRAME_HEARS_ = 1,   /* the sender hears the receiver: its age is within the time-out  */
    MB_FRAME_BLANK_ = 2,   /* the sender has no state: it asks for s                         */
    MB_FRAME_VECTOR_ = 4,  /* the payload begins with m, the message of the edge             */
    MB_FRAME_OWN_ = 8,     /* s of the sender follows (float64)                              */
    MB_FRAME_BLOCK_ = 16,  /* the genesis block follows                                      */
    MB_FRAME_SAMPLE_ = 32, /* with sums the ends of the columns, then rows with their keys   */
    MB_FRAME_WORDS_ = 64,  /* a text follows: what the sender runs, for messages             */
    MB_FRAME_ASKS_ = 128,  /* the sender is awake, or misses the receiver: it answers at once  */
    MB_FRAME_FLAGS_ = 255  /* all of them                                                    */
};

enum { MB_FRAME_COUNT_ = 255 /* largest mb_frame_::count */ };

enum { MB_FRAME_ROWS_ = 1000000 /* most rows; the plan says how many there are */ };

/* mb_frame_::parts: what follows the parts that flags name. Only nodes whose genesis file lists
 * members say the first, and only to each other. */
enum {
    MB_FRAME_AUDIT_ = 1,
    MB_FRAME_EPOCH_ = 2, /* the epoch of SUM */
    MB_FRAME_PARTS_ = 3
};

/* The fixed part of a frame. The payload is described by its flags, in their order. */
typedef struct mb_frame_ {
    uint32_t magic;
    uint16_t version;
    uint8_t  flags;
    uint8_t  count;       /* of the frames to this receiver in this life, modulo 256 */
    uint64_t plan;        /* hash of the mb_plan, which all nodes have in common  */
    uint64_t run;         /* hash of the sender's block; 0: none                  */
    uint32_t from;        /* node ids                                             */
    uint32_t to;          /* of the receiver                                      */
    uint32_t incarnation; /* of the sender                                        */
    uint32_t echo_life;   /* incarnation of the receiver in the newest frame heard; 0: none  */
    uint64_t tick;        /* own ticks of the sender                              */
    uint64_t echo;        /* tick of the receiver in the newest frame heard       */
    uint64_t base;        /* the difference is to the vector of this tick of the sender; 0: none */
    uint64_t beat;        /* of the leader, q                                     */
    uint32_t leader;      /* id                                                   */
    uint32_t hop;         /* of the sender from the leader                        */
    uint32_t hops;        /* H                                                    */
    uint32_t ttl;         /* of H                                                 */
    uint32_t quiet;       /* stop counter                                         */
    uint32_t rounds;      /* VB steps since the sender began; at most 2^32 - 1    */
    uint32_t degree;      /* d: live edges                                        */
    uint16_t code;        /* of m                                                 */
    uint16_t parts;       /* more of the payload                                  */
    double   kappa;       /* stiffness                                            */
    double   n_nodes;     /* N as the sender knows it                             */
    uint32_t samples;     /* rows in the payload                                  */
    uint32_t bytes;       /* of the payload                                       */
} mb_frame_;

/* Bytes of the fixed part, and of the checksum after the payload. */
enum { MB_FRAME_HEAD_ = 128, MB_FRAME_TAIL_ = 4 };

/* Writes the fixed part (magic and version are this protocol's, whatever f says); the payload
 * (f->bytes) is there already, after it; then the checksum. Returns the bytes of the whole
 * frame. */
size_t mb_frame_seal_(const mb_frame_ *f, unsigned char *out);
/* Reads the fixed part of a frame of n bytes and checks, in this order, length (SHORT), magic and
 * checksum (DAMAGED), version (VERSION), and that every number is in its range, that differences
 * have a base and nothing else has, and that samples are counted only where they are (VALUE).
 * MB_REFUSED_NONE: f is filled, the payload begins at bytes + MB_FRAME_HEAD_; else f is undefined
 * and err says why. What the payload holds is not looked at. */
mb_refusal mb_frame_open_(const unsigned char *bytes, size_t n, mb_frame_ *f, mb_err *err);

/* FNV-1a of what all nodes have in common: kind, K, names of the columns, all options of the kind,
 * seed and source of the genesis. An option that is not given counts as its default. Numbers are
 * hashed as bits, texts (also numbers given as text) as they are. */
uint64_t mb_plan_hash_(const mb_plan *plan);
/* The numbers that win over option o of the kind's table, in list (MB_NUMBERS_MAX); NULL: none. */
const mb_numbers *mb_plan_numbers_(const mb_plan *plan, const mb_opt *o, mb_numbers *list);
/* The value of an option that is a text, or its default. */
const char *mb_plan_text_(const mb_plan *plan, const mb_opt *o);
/* The same for people, UTF-8, one line: returns the bytes written, at most room, no final 0.
 * "gmm, K = 3, columns x1 x2, genesis sample, seed 1, meshbayes 0.1.0, prior weak"; of many columns
 * the first ones, and ", and more" where options did not fit. */
size_t mb_plan_words_(const mb_plan *plan, char *out, size_t room);
/* Builds without stdio, for small nodes, describe their plan, but neither compare it nor describe
 * their units. */
#ifdef MB_NO_STDIO
#define MB_DIFFERENCES_(may) 0
#else
#define MB_DIFFERENCES_(may) (may)
#endif
/* What is different in the plan that another node described so (n bytes, not trusted). Always
 * MB_E_PEER: "a neighbour has another plan: K is 3 here and 4 there; ...". */
mb_status mb_words_compare_(const mb_plan *mine, const char *theirs, size_t n, mb_err *err);

/* The units of a block likewise, for a neighbour with the same plan that runs on another one:
 * "units, origin 0.5 20, scale 1 4", of the first columns. */
size_t mb_units_words_(const mb_genesis *g, char *out, size_t room);
/* 1: words are of units. */
int mb_words_are_units_(const char *words, size_t n);
/* What is different in them. Always MB_E_PEER: "units differ: the origin of x1 is 0.5 here and 1
 * there". */
mb_status mb_units_compare_(const mb_genesis *mine, const char *theirs, size_t n, mb_err *err);

#endif
