/* meshbayes/peer.h - a node of a real network as a state machine: no sockets, no clock, no threads,
 * no allocation after mb_peer_new. The host gives it rows, frames heard and the time; it says when
 * it must be woken, what to send, and what it knows. docs/protocol.md has the rules and the frame
 * to the byte; docs/howto/embed.md shows a host.
 *
 * A host's loop:   mb_peer_hear for every frame that arrives;
 *                  when mb_peer_due(p) <= now, or mb_peer_ready(p): mb_peer_tick, and then
 *                  mb_peer_frame for every neighbour, each sent once.
 * One node is used by one thread at a time. The time is that of a monotonic clock in milliseconds;
 * it only ends rests and ages rows, so jumps do no harm. Beyond 2^60 it counts as 2^60. */
#ifndef MESHBAYES_PEER_H
#define MESHBAYES_PEER_H

#include "meshbayes/genesis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is sent instead of 8 bytes a number. */
typedef enum mb_wire {
    MB_WIRE_FLOAT64, /* the numbers themselves                                              */
    MB_WIRE_FLOAT16  /* differences to what the neighbour is known to have, 2 bytes a number */
} mb_wire;

/* How a node is made. Zeroed: the default, where one is named. Plan and name stay borrowed. */
typedef struct mb_peer_opt {
    int32_t        id;          /* of the node, 0 to 2^31 - 2, its own in the network           */
    const char    *name;        /* for messages and status; NULL: the id                        */
    uint32_t       incarnation; /* above that of any earlier life under this id; >= 1           */
    const mb_plan *plan;        /* the same at all nodes                                        */
    int32_t        neighbours;  /* M: most neighbours at a time, >= 0                           */
    int64_t        rows;        /* R: most rows at a time, >= 0                                 */
    int64_t        window_rows; /* a row above these replaces the oldest; 0: none (as for groups) */
    int64_t        window_ms;   /* rows leave at this age (protocol.md, 3a); 0: never           */
    int64_t        tick_ms;     /* longest time between two ticks while moving; default 20      */
    int64_t        rest_ms;     /* time between two ticks at rest; default 1000, at most 2^40   */
    double         n_nodes;     /* N where it is known; 0: estimated                            */
    int32_t        hops;        /* H where it is known; 0: measured                             */
    double         kappa;       /* of EDGE; 0: the automatic rule                               */
    double         eta;         /* of EDGE; 0: the automatic rule                               */
    double         tol;         /* at rest nothing moves more, posterior sd; default 3e-7       */
    mb_wire        wire;        /* the same at all nodes                                        */
} mb_peer_opt;

/* A node; its struct is private. */
typedef struct mb_peer mb_peer;
/* Bytes that mb_peer_new takes from its arena: the state (mb_peer_saved), for each row 8 (D + K)
 * more, the genesis block twice and the model, and the scratch of a local step, which is that of
 * the model's kernel (16 KB for a mixture). Unless the block is given also mb_genesis_draft. At
 * most 2 % more than is taken. Makes a draft by malloc, frees it. 0: no memory, or bad sizes. */
MB_API size_t mb_peer_bytes(const mb_peer_opt *opt);
/* A blank node without rows and neighbours. MB_E_ARG names the option that is wrong. */
MB_API mb_status mb_peer_new(mb_arena *a, const mb_peer_opt *opt, mb_peer **out,
                             mb_err *err) MB_CHECKED;
/* Hands the node the block that all nodes were given (MB_GENESIS_GIVEN), before its first tick.
 * MB_E_ARG says how it differs from the plan. Copies it. */
MB_API mb_status mb_peer_genesis(mb_peer *p, const mb_genesis *g, mb_err *err) MB_CHECKED;

/* A neighbour more or less, at any time. MB_E_ARG: itself, one there (or not), or more than M. */
MB_API mb_status mb_peer_link(mb_peer *p, int32_t id, mb_err *err) MB_CHECKED;
/* Ends a link; its edge is gone at once. */
MB_API mb_status mb_peer_unlink(mb_peer *p, int32_t id, mb_err *err) MB_CHECKED;
/* 1: the node has this neighbour, live or not, by mb_peer_link or from a checkpoint. O(M). */
MB_API int mb_peer_linked(const mb_peer *p, int32_t id);

/* n rows more (data units, columns of the plan), numbered on from 0 in the order of their arrival,
 * *first is the number of the first of them (may be NULL). All or none. Gaps (mb_rows.gaps) are for
 * MB_GENESIS_GIVEN and a kind that can, groups for a plan of groups. MB_E_ARG: more than R without
 * a window; MB_E_NUMERIC: not finite, or a gap; MB_E_SHAPE: other columns, or groups. */
MB_API mb_status mb_peer_append(mb_peer *p, int64_t now, const mb_rows *rows, int64_t *first,
                                mb_err *err) MB_CHECKED;
/* Row `number` becomes x (columns) with weight w. MB_E_ARG: it is not there. O(R) to find it. */
MB_API mb_status mb_peer_replace(mb_peer *p, int64_t now, int64_t number, const double *x, double w,
                                 mb_err *err) MB_CHECKED;
/* Row `number` leaves. MB_E_ARG: it is not there. MB_E_NOSUP: rows of groups stay. */
MB_API mb_status mb_peer_remove(mb_peer *p, int64_t number, mb_err *err) MB_CHECKED;

/* Why a frame was refused. */
typedef enum mb_refusal {
    MB_REFUSED_NONE,     /* it was taken                                                      */
    MB_REFUSED_SHORT,    /* its length is wrong                                               */
    MB_REFUSED_DAMAGED,  /* magic or checksum is wrong                                        */
    MB_REFUSED_VERSION,  /* of another version of the protocol                                */
    MB_REFUSED_OWN_ID,   /* it says it is from this node                                      */
    MB_REFUSED_STRANGER, /* its sender is not a neighbour, or it is meant for another node    */
    MB_REFUSED_PLAN,     /* another model, K or columns                                       */
    MB_REFUSED_RUN,      /* another block, and neither wins over the other                    */
    MB_REFUSED_OLD,      /* not newer than what was heard already                             */
    MB_REFUSED_VALUE,    /* a number in it cannot be                                          */
    MB_REFUSALS
} mb_refusal;
/* "damaged", "stranger" and so on: names in status objects. Static. */
MB_API const char *mb_refusal_text(mb_refusal why);
/* Bytes of the longest frame that the node sends or takes. */
MB_API size_t mb_peer_frame_max(const mb_peer *p);
/* A frame of n bytes, which are not trusted. `from`: the neighbour that the transport knows it is
 * from; -1: the transport does not know. A frame that is refused changes nothing but its counter;
 * err then says why (also MB_REFUSED_PLAN in words). O(n). */
MB_API mb_refusal mb_peer_hear(mb_peer *p, int64_t now, int32_t from, const void *bytes, size_t n,
                               mb_err *err);
/* When the node wants its next tick at latest. A host whose clock may go back ticks at once when it
 * reads less than at the last tick. */
MB_API int64_t mb_peer_due(const mb_peer *p);
/* 1 when every live neighbour has been heard since the last tick: a tick makes sense now. */
MB_API int mb_peer_ready(const mb_peer *p);
/* One step of the node's own time: ages, edges, leader, one damped VB step, what to say to whom.
 * MB_E_NUMERIC: the node has failed (verdict "failed"), it will not tick again. */
MB_API mb_status mb_peer_tick(mb_peer *p, int64_t now, mb_err *err) MB_CHECKED;
/* From now on all frames say that this node hears no other one: neighbours stop using its edges
 * when the next frame arrives instead of after a time-out. The host ticks once more and ends. */
MB_API void mb_peer_leave(mb_peer *p);
/* Writes the frame for neighbour `id` into out (room: mb_peer_frame_max): *n bytes; 0: nothing to
 * say. Once a tick and neighbour. MB_E_ARG: not a neighbour. */
MB_API mb_status mb_peer_frame(mb_peer *p, int32_t id, void *out, size_t room, size_t *n,
                               mb_err *err) MB_CHECKED;

/* What a node says of its run. */
typedef enum mb_peer_verdict {
    MB_PEER_MOVING,  /* on the way, also before there is a genesis                          */
    MB_PEER_SETTLED, /* nothing moves at any node of the live part, as far as it has heard  */
    MB_PEER_ALONE,   /* no live neighbour                                                   */
    MB_PEER_FAILED   /* it has stopped; the message says why                                */
} mb_peer_verdict;
/* "moving", "settled", "alone", "failed". Static. */
MB_API const char *mb_peer_verdict_text(mb_peer_verdict v);

/* What a node knows of a neighbour. */
typedef struct mb_peer_neighbour {
    int32_t id;     /* of the neighbour                                                      */
    int32_t live;   /* 1: it was heard lately, and hears this node                           */
    int64_t age_ms; /* since it was heard; -1: never                                         */
    double  rtt_ms; /* from a frame to its echo, running mean of own ticks; NaN: not known   */
    double  loss;   /* share of the frames it wrote to this node that did not arrive, or came after
                       a later one, by their count: running mean; NaN: not known             */
    int64_t bytes;  /* sent to it                                                            */
    int32_t missed; /* own ticks since it was heard                                          */
    int64_t echoed; /* newest own tick whose frame it has heard; 0: none of this life        */
} mb_peer_neighbour;
/* The status of a node: one set of words everywhere (status.json, status page). */
typedef struct mb_peer_status {
    int32_t         id;           /* node                                                     */
    const char     *name;         /* its name                                                 */
    uint32_t        incarnation;  /* of this life                                             */
    int64_t         tick;         /* own ticks in all lives that checkpoints remember         */
    int64_t         rounds;       /* VB steps since it began; 0: it has not                   */
    mb_peer_verdict verdict;      /* see there                                                */
    const char     *message;      /* why it failed, or what it waits for; "" : nothing        */
    uint64_t        run;          /* hash of its block; 0: none yet                           */
    double          n_nodes;      /* N as it is known                                         */
    int32_t         hops;         /* H as it is known                                         */
    int32_t         leader;       /* id                                                       */
    double          bound;        /* lower bound over all rows, nats, data units; NaN: not known */
    double          disagreement; /* |s_i - phi_i| in posterior standard deviations           */
    int64_t         rows;         /* here                                                     */
    int64_t         frozen;       /* steps held because phi was outside its domain            */
    int64_t         bytes_sent;   /* over all links                                           */
    int64_t         frames_sent;  /* over all links                                           */
    int64_t         frames_heard; /* that were taken                                          */
    int64_t         refused[MB_REFUSALS]; /* by cause                                         */
    int32_t         neighbours; /* of them                                                  */
    int32_t         live;       /* live ones                                                */
} mb_peer_status;
/* The status at `now`. */
MB_API void mb_peer_look(const mb_peer *p, int64_t now, mb_peer_status *out);
/* Neighbour j of them, 0 to neighbours - 1, by ascending id. */
MB_API void mb_peer_look_at(const mb_peer *p, int64_t now, int32_t j, mb_peer_neighbour *out);

/* The natural parameters in run units (L numbers), valid until the next call; NULL: no genesis. */
MB_API const double *mb_peer_phi(const mb_peer *p);
/* The block that the node runs on; NULL: none yet. Valid until the next call. */
MB_API const mb_genesis *mb_peer_block(const mb_peer *p);
/* The posterior in data units, as mb_case_posterior makes it. MB_E_PEER: no genesis yet;
 * MB_E_DOMAIN: phi is outside its domain. */
MB_API mb_status mb_peer_posterior(mb_arena *a, const mb_peer *p, mb_posterior *out,
                                   mb_err *err) MB_CHECKED;

/* Bytes of a checkpoint: everything the node knows, rows included. Constant for its life. With L
 * numbers a posterior, M neighbours, R rows of D columns and a genesis block of B bytes about
 *     760 + 96 (L + 2) + M (16 (L + 2) + 140) + R (8 D + 24) + B
 * and with MB_GENESIS_SAMPLE 65 (8 D + 16) more, with MB_GENESIS_SUMS K (8 D + 16) + 16 D more,
 * with float16 M 64 (8 (L + 2) + 8) more. For L + 2 stands the length of the sums, 2 + D and
 * D (D + 1)/2 (D where the prior needs no covariance), should these be longer. */
MB_API size_t mb_peer_saved(const mb_peer *p);
/* Writes it (room bytes). Little-endian machines of one word size only; checksummed. */
MB_API mb_status mb_peer_save(const mb_peer *p, void *out, size_t room, mb_err *err) MB_CHECKED;
/* Begins a new life where a checkpoint of an earlier one ends: n bytes, which are not trusted,
 * before the first tick of a node made with the same options but a higher incarnation, so that no
 * neighbour takes its frames for old ones. MB_E_FORMAT: damaged; MB_E_ARG: of another node, plan,
 * run, incarnation or size, in words. What is refused changes nothing. O(state). */
MB_API mb_status mb_peer_load(mb_peer *p, const void *bytes, size_t n, mb_err *err) MB_CHECKED;
/* The same life continues: as mb_peer_load, for a node made with the very incarnation of the
 * checkpoint. The state is that of mb_peer_save to the bit, so the same calls have the same
 * answers: for replays (record.h) and for moving a node that has stopped to another process. Not
 * after a crash: frames that were sent after the checkpoint would be sent again with other numbers,
 * and neighbours refuse them as old. */
MB_API mb_status mb_peer_resume(mb_peer *p, const void *bytes, size_t n, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
