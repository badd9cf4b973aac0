/* virtual/inside.h - the parts of a virtual network, for the files of this folder. */
#ifndef MB_VIRTUAL_INSIDE_H
#define MB_VIRTUAL_INSIDE_H

#include "meshbayes/extend.h"
#include "virtual/mask.h"
#include "virtual/record.h"
#include "virtual/virtual.h"

enum { MB_WATCHERS_ = 8, MB_CLASSES_ = 24, MB_NOTE_ = 160 };

/* Bytes on their way. The smallest class has room for 256, each further one for twice as many. */
typedef struct mb_packet_ {
    struct mb_packet_ *next; /* while it is free */
    size_t             n;
    int32_t class;
    unsigned char bytes[];
} mb_packet_;

/* What happens at one time happens in this order, and within a kind in the order it was planned. */
typedef enum mb_item_kind_ {
    MB_ITEM_RESUME_, /* the end of a pause; what: node                       */
    MB_ITEM_EVENT_,  /* what: the schedule's event                           */
    MB_ITEM_WAKE_,   /* a node may tick; what: node                          */
    MB_ITEM_ARRIVE_, /* of a packet; what: directed link                     */
    MB_ITEM_FREE_,   /* a link can take the packet that waits; what: link    */
    MB_ITEM_LOOK_    /* what: watcher                                        */
} mb_item_kind_;
typedef struct mb_item_ {
    int64_t     at;    /* virtual time, us                                       */
    uint64_t    order; /* kind, then the number of the item                      */
    int64_t     what;  /* see the kinds                                          */
    uint64_t    mark;  /* of a node's life or pause: items of former ones do nothing */
    mb_packet_ *packet;
} mb_item_;
static inline mb_item_kind_ mb_item_kind_of_(const mb_item_ *item)
{
    return (mb_item_kind_)(item->order >> 56);
}

/* A directed link, at the position of graph->adj. */
typedef struct mb_vlink_ {
    uint64_t    frames;  /* put on it so far                                    */
    int64_t     lost;    /* of them, at random                                  */
    int64_t     busy_us; /* until then it carries a frame (bandwidth)           */
    mb_packet_ *waiting; /* the newest frame that waits for that                */
    mb_packet_ *held;    /* the newest that arrived while the receiver paused   */
    int32_t     apart;   /* partitions that it crosses                          */
    uint8_t     cut;     /* 1: by cut or oneway                                 */
    uint8_t     linked;  /* 1: the sender has the receiver as neighbour         */
} mb_vlink_;

/* One of the two places for checkpoints on a node's disk. */
typedef struct mb_slot_ {
    unsigned char *bytes;   /* room for a checkpoint; NULL: never written */
    size_t         n;       /* written                                    */
    uint64_t       order;   /* the larger the newer; 0: empty             */
    int64_t        fed;     /* pieces of rows that the node then had      */
    int64_t       *came;    /* fed: when they came by its clock           */
    int64_t        read_ms; /* of the node                                */
    int64_t        tick;    /* own ticks of the life, for notes           */
} mb_slot_;

/* Rows that come to a node together. */
typedef struct mb_piece_ {
    const mb_rows *rows;
    int64_t        now; /* the node's clock when it was given them, ms; moved by its jumps */
} mb_piece_;

typedef struct mb_vnode_ {
    mb_peer        *peer; /* NULL: no life */
    mb_arena       *own;  /* its memory    */
    mb_life         life;
    uint32_t        incarnation;
    double          speed;
    int64_t         period_us; /* least time between two ticks                                  */
    int64_t         first_us;  /* of the first tick of this life                                */
    int64_t         last_us;   /* last tick                                                     */
    int64_t         tick_ms;   /* the clock then                                                */
    int64_t         read_ms;   /* the clock at the last tick, or at a jump since                */
    int64_t         ticks;     /* of this life                                                  */
    int64_t         wake_us;   /* planned; -1: not                                              */
    int64_t         true_us;   /* when local_us and drift began to hold                         */
    int64_t         local_us;  /* the clock then                                                */
    double          drift;
    int64_t         full_us; /* the disk is full before                                        */
    uint64_t        pauses;  /* so far: marks the end of each                                  */
    mb_peer_verdict verdict; /* after the last tick */
    mb_slot_        slot[2];
    uint64_t        saves;  /* writes of checkpoints tried                                    */
    uint64_t        newest; /* order of the newest slot                                       */
    int64_t         fed;    /* pieces that the node has                                       */
    int64_t         pieces; /* that have come so far, fed or not                              */
    mb_piece_      *piece;  /* room for those of the whole schedule                           */
    int64_t         rows;   /* of all pieces of the schedule                                  */
} mb_vnode_;

struct mb_virtual {
    mb_virtual_opt     opt;
    mb_arena          *own; /* everything but lives */
    int32_t            n;
    int64_t            links; /* directed */
    int32_t           *tail;  /* links: where each begins */
    mb_vlink_         *link;
    mb_vnode_         *node;
    int64_t            now;
    int64_t            tick_us; /* the period at speed 1 */
    mb_item_          *heap;
    size_t             items, room;
    uint64_t           planned; /* items so far */
    mb_packet_        *spare[MB_CLASSES_];
    unsigned char     *scratch; /* frame_max: what a node sends; also torn checkpoints */
    size_t             scratch_room;
    int64_t            event;     /* next of the schedule  */
    int64_t            resumes;   /* planned ends of pauses that have not come */
    int64_t            looked_us; /* when it was last asked whether all is settled */
    int32_t            begun, stop, recorders;
    int32_t            moving; /* live nodes that did not rest after their last tick */
    int32_t            watchers;
    mb_virtual_watcher watcher[MB_WATCHERS_];
    int64_t            tally[MB_TALLIES];
    mb_vmask_         *mask;  /* n, where nodes mask sums; else NULL */
    uint64_t           drawn; /* times that nodes were given random bytes */
    int32_t            twice; /* 1: one mask has served two contributions */
};

/* queue.c */
mb_status mb_plan_item_(mb_virtual *v, int64_t at, mb_item_kind_ kind, int64_t what, uint64_t mark,
                        mb_packet_ *packet, mb_err *err) MB_CHECKED;
mb_item_  mb_next_item_(mb_virtual *v); /* v->items > 0 */
mb_status mb_packet_take_(mb_virtual *v, const void *bytes, size_t n, mb_packet_ **out,
                          mb_err *err) MB_CHECKED;
void      mb_packet_drop_(mb_virtual *v, mb_packet_ *p); /* NULL is allowed */

/* link.c */
int       mb_open_(const mb_virtual *v, int64_t p);
mb_status mb_link_send_(mb_virtual *v, int64_t p, const void *bytes, size_t n,
                        mb_err *err) MB_CHECKED;
mb_status mb_link_free_(mb_virtual *v, int64_t p, mb_err *err) MB_CHECKED;

/* disk.c */
mb_status mb_disk_save_(mb_virtual *v, int32_t i, mb_err *err) MB_CHECKED;
/* Hands the node its newest complete checkpoint; *slot NULL: there is none. refused: how many were
 * refused, and why the last of them was. */
mb_status mb_disk_load_(mb_virtual *v, int32_t i, const mb_slot_ **slot, int32_t *refused,
                        mb_err *why, mb_err *err) MB_CHECKED;
void      mb_disk_wipe_(mb_virtual *v, int32_t i);

/* clock.c */
int64_t mb_node_clock_(const mb_vnode_ *node, int64_t at_us); /* ms */
void    mb_node_set_clock_(mb_vnode_ *node, int64_t at_us, int64_t jump_us, double drift);
/* The node reads its clock, at a tick, with rows or with a frame: where it went back since the last
 * tick, or on by more than a day, no row became older. */
void mb_node_read_clock_(mb_vnode_ *node, int64_t now);

/* node.c */
mb_status mb_node_begin_(mb_virtual *v, int32_t i, char *note, mb_err *err) MB_CHECKED;
mb_status mb_node_end_(mb_virtual *v, int32_t i, mb_life life, mb_err *err) MB_CHECKED;
mb_status mb_node_link_(mb_virtual *v, int64_t p, mb_err *err) MB_CHECKED; /* unless it has it */
mb_status mb_node_feed_(mb_virtual *v, int32_t i, mb_err *err) MB_CHECKED; /* pieces not yet fed */

/* tick.c */
mb_status mb_node_wake_(mb_virtual *v, int32_t i, mb_err *err) MB_CHECKED; /* plans it */
mb_status mb_node_woken_(mb_virtual *v, int32_t i, mb_err *err) MB_CHECKED;
/* A packet is at the end of link p: heard, held for a paused node, or lost. */
mb_status mb_node_arrive_(mb_virtual *v, int64_t p, mb_packet_ *packet, mb_err *err) MB_CHECKED;

/* event.c */
mb_status mb_event_happen_(mb_virtual *v, const mb_event *e, mb_err *err) MB_CHECKED;
mb_status mb_event_resume_(mb_virtual *v, int32_t i, mb_err *err) MB_CHECKED;

/* watch.c */
mb_status mb_tell_event_(mb_virtual *v, const mb_event *e, const char *note,
                         mb_err *err) MB_CHECKED;
/* Fills node's part of *c and tells it. */
mb_status mb_tell_call_(mb_virtual *v, int32_t i, mb_called c, mb_err *err) MB_CHECKED;
mb_status mb_tell_look_(mb_virtual *v, int64_t watcher, mb_err *err) MB_CHECKED;

/* mask.c: masks of the sums of nodes, if the plan has some. */
mb_status mb_masks_make_(mb_virtual *v, mb_err *err) MB_CHECKED;

/* truth.c */
/* 1 when the node rests and agrees with the truth on its links. */
int mb_node_settled_(const mb_virtual *v, int32_t i);

/* schedule_check.c: mb_schedule_check of one event in the state of the network now. */
mb_status mb_event_check_(const mb_virtual *v, const mb_event *e, mb_err *err) MB_CHECKED;
/* "FILE:LINE", or "FILE: event K" for an event made in memory. */
void mb_event_where_(const mb_schedule *s, int64_t k, char *out, size_t room);
/* Name of node i in a buffer of the caller's when it has none. */
const char *mb_node_name_(const char *const *name, int32_t i, char out[16]);

#endif
