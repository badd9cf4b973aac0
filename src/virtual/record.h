/* virtual/record.h - recordings of what a node was given, and their replay. */
#ifndef MB_VIRTUAL_RECORD_H
#define MB_VIRTUAL_RECORD_H

#include "meshbayes/extend.h"

/* Calls of a node; their values are those of the file. */
typedef enum mb_call {
    MB_CALL_NEW,     /* opt: mb_peer_new; a life begins, what was known of the node is void    */
    MB_CALL_GENESIS, /* genesis: mb_peer_genesis                                               */
    MB_CALL_LOAD,    /* bytes, n: mb_peer_load                                                 */
    MB_CALL_RESUME,  /* bytes, n: mb_peer_resume                                               */
    MB_CALL_LINK,    /* id: mb_peer_link                                                       */
    MB_CALL_UNLINK,  /* id: mb_peer_unlink                                                     */
    MB_CALL_APPEND,  /* rows: mb_peer_append                                                   */
    MB_CALL_REPLACE, /* number, rows (one): mb_peer_replace                                    */
    MB_CALL_REMOVE,  /* number: mb_peer_remove                                                 */
    MB_CALL_HEAR,    /* id (-1: not known), bytes, n: mb_peer_hear, answer: mb_refusal         */
    MB_CALL_TICK,    /* mb_peer_tick                                                           */
    MB_CALL_FRAME,   /* id: mb_peer_frame, which wrote bytes, n                                */
    MB_CALL_SAVE,    /* mb_peer_save, which wrote bytes, n                                     */
    MB_CALL_END,     /* the life ends                                                          */
    MB_CALL_RESET,   /* mb_peer_reset_                                                         */
    MB_CALL_RANDOM,  /* bytes, n: what mb_masks::random drew within the call that follows      */
    MB_CALL_WITHOUT, /* id: mb_peer_without                                                    */
    MB_CALLS
} mb_call;
/* "mb_peer_new", "mb_peer_tick" and so on; "the end". Static. */
const char *mb_call_text(mb_call call);

/* What masks of a node follow from, beside its keys and members. */
typedef struct mb_mask_id {
    uint64_t from;      /* hash of the genesis; of simulated masks the seed */
    int32_t  simulated; /* 1: of the seed, without keys                     */
} mb_mask_id;

/* One call, after it was made. Members that it does not use are 0. */
typedef struct mb_called {
    mb_call            call;    /* which                                                       */
    int32_t            node;    /* of whom: a position of the virtual network; else 0          */
    int64_t            at_us;   /* virtual time; else 0                                        */
    int64_t            now;     /* milliseconds of the node's clock, as it was given           */
    const mb_peer     *peer;    /* the node after the call; after MB_CALL_END it may be freed  */
    int32_t            id;      /* the neighbour                                               */
    const void        *bytes;   /* n                                                           */
    size_t             n;       /* of bytes                                                    */
    const mb_rows     *rows;    /* of MB_CALL_APPEND, MB_CALL_REPLACE                          */
    int64_t            number;  /* of the row: MB_CALL_REPLACE, MB_CALL_REMOVE                 */
    const mb_genesis  *genesis; /* of MB_CALL_GENESIS                                          */
    const mb_peer_opt *opt;     /* of MB_CALL_NEW                                              */
    const mb_mask_id  *mask;    /* of MB_CALL_NEW of a node that masks sums; else NULL         */
    int32_t            answer;  /* what the call returned                                      */
} mb_called;

enum {
    MB_RECORD_LIMIT = 8000000, /* default of mb_record_opt::limit */
    MB_RECORD_LEAST = 1000     /* its smallest value              */
};
/* How a record is made. */
typedef struct mb_record_opt {
    const char *file;  /* its name; FILE.1 is the older part. Borrowed                         */
    int64_t     limit; /* bytes of calls in both files, without checkpoints; 0: default        */
    size_t      hold;  /* bytes held in memory before they are written; 0: all is written after
                          every tick, so that a process that is killed loses no tick before    */
    int32_t     keep;  /* 1: a FILE of an earlier process becomes FILE.1; 0: both are removed  */
} mb_record_opt;

/* A recorder; its struct is private. */
typedef struct mb_record mb_record;
/* A recorder; the file is written from the first call on. With `hold` it is open only while it is
 * written, so that one process can record many nodes. MB_E_ARG names the option that is wrong. */
mb_status mb_record_open(const mb_record_opt *opt, mb_record **out, mb_err *err) MB_CHECKED;
/* A call more. The first is MB_CALL_NEW, and with it memory is taken: for later calls none is.
 * MB_E_NOSUP: options of the model are given as numbers in memory; MB_E_IO: it cannot be written.
 * After an error nothing more is recorded, and every later call has that error; the node is not
 * affected. O(bytes), and a checkpoint whenever half of the bound is full. */
mb_status mb_record_call(mb_record *r, const mb_called *c, mb_err *err) MB_CHECKED;
/* Writes what is held in memory, and frees the recorder, whatever is returned. NULL is allowed. */
mb_status mb_record_close(mb_record *r, mb_err *err) MB_CHECKED;

/* What a replay has come to. */
typedef struct mb_replayed {
    const char *name;   /* of the node; "": it has none                                    */
    int32_t     id;     /* of the node                                                     */
    int64_t     calls;  /* made again                                                      */
    int64_t     lives;  /* that began, the first of the record too                         */
    int64_t     ticks;  /* of them                                                         */
    int64_t     frames; /* written again and compared                                      */
    int64_t     saves;  /* checkpoints, likewise                                           */
    int64_t     tick;   /* own ticks of the node when the record begins: 0: at its birth   */
    int64_t     first;  /* clock of the node at the first call, ms                          */
    int64_t     now;    /* at the last one                                                  */
    int32_t     files;  /* 2: FILE.1 was there and is the older part                       */
    int32_t     cut;    /* 1: a file ends in the middle of a record                        */
} mb_replayed;

/* A replay; its struct is private. */
typedef struct mb_replay mb_replay;
/* Reads FILE, and FILE.1 where FILE is its continuation or is missing. Bytes are not trusted:
 * MB_E_FORMAT names the file, and MB_E_IO. gzip data are read too. */
mb_status mb_replay_open(const char *file, mb_replay **out, mb_err *err) MB_CHECKED;
/* Makes the next call; *c is what was recorded and the node after it, valid until the next call of
 * a function of this replay; may be NULL. MB_STOP: there is none left. MB_E_PEER: another answer,
 * frame or checkpoint than the one recorded, with the file, its number and the clock; MB_E_FORMAT:
 * damaged. A file that ends within a record, as a killed process leaves it, ends there. */
mb_status mb_replay_next(mb_replay *r, mb_called *c, mb_err *err) MB_CHECKED;
/* Who makes the masks of a node that is replayed. open: those of member `id` of a list, for a
 * genesis of this hash; *out is borrowed until the replay is closed, and its `random` is not
 * called. */
typedef struct mb_mask_maker {
    void *self;
    mb_status (*open)(void *self, mb_arena *a, int32_t id, const mb_declared *members,
                      uint64_t genesis, const mb_masks **out, mb_err *err);
} mb_mask_maker;
/* Before the first call, where the node masked its sums with keys; without it they are refused,
 * MB_E_ARG. Simulated masks need none. Borrowed. */
void mb_replay_masks(mb_replay *r, const mb_mask_maker *by);
/* How far it is. */
void mb_replay_look(const mb_replay *r, mb_replayed *out);
/* NULL is allowed. */
void mb_replay_close(mb_replay *r);

#endif
