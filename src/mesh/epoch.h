/* mesh/epoch.h - epochs of SUM on nodes: a record that is flooded, the tree that the flood makes,
 * and what nodes say of them (docs/protocol.md, section 4b; docs/adr/0087-sums-on-nodes.md). */
#ifndef MB_MESH_EPOCH_H
#define MB_MESH_EPOCH_H

#include "meshbayes/extend.h"

struct mb_peer;

/* The name of an epoch: the higher one wins, by counter, proposer and the proposer's life. */
typedef struct mb_record_ {
    uint64_t counter; /* 0: none */
    uint32_t proposer, life;
} mb_record_;
/* 1: a is the higher one. */
static inline int mb_record_is_higher_(const mb_record_ *a, const mb_record_ *b)
{
    if (a->counter != b->counter)
        return a->counter > b->counter;
    if (a->proposer != b->proposer)
        return a->proposer > b->proposer;
    return a->life > b->life;
}
static inline int mb_record_is_(const mb_record_ *a, const mb_record_ *b)
{
    return a->counter == b->counter && a->proposer == b->proposer && a->life == b->life;
}

/* Where a node is in its epoch. */
typedef enum mb_stage_ {
    MB_STAGE_NONE_,     /* in none: it proposes one                                         */
    MB_STAGE_GATHERS_,  /* it knows the record, and not yet what is below it                */
    MB_STAGE_GATHERED_, /* it has answered its parent, with the children that it has then    */
    MB_STAGE_RUNS_,     /* it makes passes                                                  */
    MB_STAGES_
} mb_stage_;

/* mb_stated_::flags */
enum {
    MB_SAYS_PARENT_ = 1,  /* the receiver is the sender's parent                          */
    MB_SAYS_RESTS_ = 2,   /* it waits until rows change                                   */
    MB_SAYS_SEEDS_ = 4,   /* the next pass is of the start block, not of phi              */
    MB_SAYS_AGAIN_ = 8,   /* it, or a node below it, is to begin with the start block    */
    MB_SAYS_MIDDLE_ = 16, /* who is `received` hops above its farthest node, down the deepest
                             branches, is to propose                                         */
    MB_SAYS_LISTED_ = 32, /* with masks, while gathering: it has the receiver's list of members */
    MB_SAYS_READY_ = 64,  /* times the nodes at and below it with a batch of new rows, at most 3 */
    MB_SAYS_SIZES_ = 256, /* how large statistics can be comes with the start of the epoch */
    MB_SAYS_WRONG_ = 512, /* the root has a total that makes no phi: no rows have it            */
    MB_SAYS_FLAGS_ = 1023
};

/* What follows: nothing; up, phi of the newest pass that is known; down, that the epoch begins,
 * with how large each statistic can be, where that is declared, and phi unless no pass was made; a
 * message of SUM. */
typedef enum mb_content_ {
    MB_CONTENT_NONE_,
    MB_CONTENT_PHI_,
    MB_CONTENT_BEGIN_,
    MB_CONTENT_SUM_,
    MB_CONTENTS_
} mb_content_;

/* The head of the part of a frame: one layout, by a table in epoch_part.c. */
typedef struct mb_stated_ {
    mb_record_ record;
    uint32_t   stage;
    uint16_t   flags, content;
    uint32_t   hop;      /* from the proposer                                    */
    uint32_t   nodes;    /* at and below the sender; when it runs, of the epoch        */
    uint64_t   pass;     /* that made phi; while gathering, the newest one that is known */
    uint64_t   received; /* the newest pass of a message of SUM that it has heard; while gathering,
                            MB_SHAPE_ times the hops of the longest path at and below the sender,
                            and those to the farthest node below; or as MB_SAYS_MIDDLE_ has it */
    double     bound; /* of the network at the phi of the pass; while gathering, the rows that are
                            declared of the sender and the nodes below it, -1: not of all */
} mb_stated_;

enum {
    MB_STATED_ = 56,     /* bytes of the head                 */
    MB_SHAPE_ = 1 << 20, /* more than the hops of any network */
};

/* Of a neighbour. Plain numbers. */
typedef struct mb_branch_ {
    mb_stated_ stated; /* in its newest frame                                      */
    int32_t    child;  /* 1: of the tree                                           */
    double     rows;   /* of a child: declared of it and the nodes below it, -1: not */
    int32_t    fresh;  /* 1: its row of p->sum_in has come since the last tick     */
    uint64_t   sent;   /* content and pass of the newest message to it; 0: none    */
    uint64_t   sent_tick;
} mb_branch_;

enum {
    MB_FRESH_ = 32,
    MB_PARTICIPANT_ = 8 + MB_FRESH_ /* bytes of one in a frame, and its offer */
};
/* With masks: a member of the genesis in the record. No part of a checkpoint. */
typedef struct mb_participant_ {
    uint32_t      life;             /* 0: it is not known to take part                     */
    int64_t       offer;            /* rows that it may have in the sums of the record       */
    int32_t       via;              /* id of the neighbour that says so, or of this node   */
    int64_t       last_ms;          /* when it was last there; at first, when this node began */
    unsigned char fresh[MB_FRESH_]; /* drawn for this record alone                        */
} mb_participant_;

enum { MB_WRONG_TOTAL_ = -1 };

/* The least that is said of how large a statistic can be. */
static const double MB_SUM_LEAST_ = 1e-120;

/* Of the node. */
typedef struct mb_epoch_ {
    mb_record_ record;
    uint64_t   counter; /* the highest one that was heard                        */
    int32_t    stage;   /* mb_stage_                                            */
    int32_t    parent;  /* id; -1: the node is the root                         */
    int32_t    children;
    int32_t    rests, seeds, again;
    int32_t    still;   /* root: passes in turn that moved phi by at most tol     */
    int32_t    words;   /* 1: p->sum_words is of this epoch                       */
    int32_t    stale;   /* 1: phi* is not that of phi                             */
    int32_t    news;    /* 1: what came since the last tick may let it continue    */
    int32_t    sized;   /* 1: p->sum_most_of is of this epoch                    */
    int32_t    central; /* 1: the node was found to be in the middle, and proposed therefore */
    uint32_t   hop;
    uint32_t   nodes;   /* as mb_stated_::nodes                                     */
    uint32_t   depth;   /* hops to the farthest node below                          */
    uint32_t   longest; /* hops of the longest path at and below the node           */
    uint32_t   middle;  /* hops from the middle of the tree to the farthest node; 0: it is not
                           looked for                                                   */
    int32_t    deepest; /* id of the child with the farthest node                */
    int64_t    since;   /* own tick of the newest record or pass                  */
    uint64_t   pass;    /* that made phi                                         */
    uint64_t   best;    /* the newest known while gathering; p->sum_best has it   */
    int64_t    old;     /* messages of another epoch or pass that were dropped    */
    int32_t    wrong;   /* 1 + id of a child whose sum cannot be, for the reason in the message;
                           MB_WRONG_TOTAL_: the sum of all; 0: none                            */
    double     rows;    /* while gathering: as mb_stated_::bound                   */
    double     bound;
} mb_epoch_;

/* epoch.c */
/* Of a block that is new, or after a time away: the node is in no epoch. pass 0: nor has it phi. */
void mb_epoch_leave_(struct mb_peer *p, uint64_t pass);
/* Link j is new, or its neighbour has a new life. */
void mb_epoch_unknown_(struct mb_peer *p, int32_t j);
/* A tick: the highest record that is heard, a new one where that is due, answers of the tree. */
void mb_epoch_tick_(struct mb_peer *p);
/* The epoch begins at this node: n nodes, phi is that of `pass`. */
void mb_epoch_begin_(struct mb_peer *p, uint32_t n, uint64_t pass, int32_t seeds);
/* Of what its passes sum: the statistics of the model, before there is a block those of a start. */
const mb_layout *mb_epoch_layout_(const struct mb_peer *p);
/* How large they can be, as the epoch has it (L); NULL: it is not known. */
const double *mb_epoch_most_(const struct mb_peer *p);
/* The node that SUM sees. */
mb_node mb_epoch_node_(struct mb_peer *p);
/* 1: it is in an epoch that waits until rows change. */
int mb_epoch_rests_(const struct mb_peer *p);
/* What it waits for; "": nothing. Static. */
const char *mb_epoch_text_(const struct mb_peer *p);
/* 1: what came lets it join an epoch, or answer, before its next tick is due. */
int mb_epoch_continues_(const struct mb_peer *p);
/* bounds.c: how large statistics can be by what is declared, of a block. 1: there is such. */
mb_status mb_epoch_largest_(struct mb_peer *p, mb_err *err);
int       mb_epoch_declares_(const struct mb_peer *p);
/* The fewest fraction bits of a statistic in its sums. */
int32_t mb_epoch_bits_(const struct mb_peer *p);
/* 1: the root, by its own word, has a total that no rows have. */
int mb_epoch_doubts_(const struct mb_peer *p);
/* 1: it waits for a member, or for more nodes, or the totals of its root cannot be. */
int mb_epoch_waits_(const struct mb_peer *p);
/* 1: neighbour j is of the tree. */
int mb_epoch_has_(const struct mb_peer *p, int32_t j);

/* epoch_part.c: the part of a frame. */
/* Bytes of it, at most. */
size_t mb_epoch_room_(const struct mb_peer *p);
/* Writes that for neighbour j; returns its bytes. */
size_t mb_epoch_put_(struct mb_peer *p, int32_t j, unsigned char *out);
/* 1: it can be. Before the vectors are read: it writes over p->vector. */
int mb_epoch_sound_(const struct mb_peer *p, const unsigned char *at, size_t n);
/* 1: what came since the last tick begins its passes, completes its sum or brings phi. */
int mb_epoch_completes_(const struct mb_peer *p);
/* Takes it; at NULL: neighbour j has none. hears: it hears this node. */
void mb_epoch_hear_(struct mb_peer *p, int32_t j, int hears, const unsigned char *at, size_t n);

/* participants.c: with masks alone, but for the first. */
/* Bytes of the list in a frame, at most; 0: without masks. */
size_t mb_participants_room_(const struct mb_peer *p);
/* Bytes of a list of all members. */
size_t mb_participants_most_(const mb_declared *d);
/* Bytes of a list of n. */
size_t mb_participants_bytes_(const struct mb_peer *p, uint32_t n);
/* The node is in another record: it draws, and knows of nobody else. */
void mb_participants_enter_(struct mb_peer *p);
/* 1: the list of child j is here. */
int mb_participants_has_(const struct mb_peer *p, int32_t j);
/* Writes those that are known by ascending id, then the vector of rows; returns the end. */
unsigned char *mb_participants_put_(const struct mb_peer *p, unsigned char *at);
/* 1: a list of n can be, in a frame of this record. */
int mb_participants_sound_(const struct mb_peer *p, const unsigned char *at, uint32_t n,
                           const mb_record_ *record);
/* Takes that of child j. */
void mb_participants_hear_(struct mb_peer *p, int32_t j, const unsigned char *at, uint32_t n);
/* Neighbour j is no child: what it said counts for nothing. */
void mb_participants_drop_(struct mb_peer *p, int32_t j);
/* The record begins with the list from the root; NULL: with what this node, the root, knows. 0: it
 * cannot, and the node sends nothing. */
int mb_participants_begin_(struct mb_peer *p, const unsigned char *at, uint32_t n);
/* 1: the operator had left out who takes part now. */
int mb_participants_return_(const struct mb_peer *p);
/* 1: so is member `id`, as far as the node knows: no sums of a start without it are for it. */
int mb_participants_was_out_(const struct mb_peer *p, int32_t id);
/* 1: members are neither there nor left out. */
int mb_participants_missing_(const struct mb_peer *p);
/* The root says who; others, that it does not know of all yet. */
void mb_participants_say_(struct mb_peer *p);
/* The host would mask other numbers under a mask that was used: the node says so. */
void mb_participants_refused_(struct mb_peer *p);
/* Members that are left out, and their rows. */
int32_t mb_participants_out_(const struct mb_peer *p);
double  mb_participants_rows_out_(const struct mb_peer *p);
/* What a recorder keeps of them: bytes, at most MB_TAKING_ a member and 4; MB_E_FORMAT: it cannot
 * be. */
enum { MB_TAKING_ = 28 + MB_FRESH_ };
size_t    mb_taking_bytes_(const struct mb_peer *p);
void      mb_taking_write_(const struct mb_peer *p, unsigned char *at);
mb_status mb_taking_read_(struct mb_peer *p, const unsigned char *at, mb_err *err) MB_CHECKED;

/* batch.c: with rows_batch alone, but for the first. */
enum { MB_BATCHES_ = 3 /* nodes that have new rows enough, or none enter */ };
/* Bytes of the vector of rows in a list; 0: there is none. */
size_t mb_batch_bytes_(const mb_declared *d);
/* Writes it; returns the end. */
unsigned char *mb_batch_put_(const struct mb_peer *p, unsigned char *at);
/* 1: one can be in a frame of this record: it is of no later record, or one lie would use up the
 * counter; and a later one than that of the node has a batch more of at least three members. */
int mb_batch_sound_(const struct mb_peer *p, const unsigned char *at, const mb_record_ *record);
/* Takes that of neighbour `by`, if it is later than that of the node. 0: it is an earlier one. */
int mb_batch_take_(struct mb_peer *p, int32_t by, const unsigned char *at);
/* Rows that the node offers for the sums of the next record. */
int64_t mb_batch_offer_(const struct mb_peer *p);
/* At the root, where its record begins: the rows that are offered enter, if enough members have
 * enough. */
void mb_batch_decide_(struct mb_peer *p);
/* 1: the node has the rows that the vector says of it. */
int mb_batch_has_rows_(const struct mb_peer *p);
/* Rows have come: a node that had too few, for which a record waits, proposes another when it has
 * them again. */
void mb_batch_return_(struct mb_peer *p);
/* Nodes at and below it that have a batch, at most 3. */
int32_t mb_batch_ready_(const struct mb_peer *p);
/* What the rows in the sums weigh at most, of all members that are not left out. */
double mb_batch_all_rows_(const struct mb_peer *p);
/* 1: rows of batches have weights, as the genesis says how large these may be. */
int mb_batch_weighs_(const struct mb_peer *p);
/* For what its new rows wait. */
void mb_batch_say_(struct mb_peer *p);

/* judge.c: 1: sums x of the rows at and below child j, or of all nodes (j = -1), can be by what is
 * declared of them. */
int mb_audit_sum_fits_(struct mb_peer *p, int32_t j, const double *x, mb_err *err);
/* mb_sum_root::can_be; self is the node, whose message says why not. */
int32_t mb_audit_total_fits_(void *self, const double *sums);

/* pass.c: a tick of a node that runs. */
mb_status mb_epoch_pass_(struct mb_peer *p, mb_err *err);

/* round.c */
/* phi* and the local bound at phi, or of the start block, whose first phi* is phi as well where the
 * node has none yet. */
mb_status mb_epoch_step_(struct mb_peer *p, int32_t seeds, mb_err *err);
/* How far phi is from that before, in posterior standard deviations, for a whole step of which this
 * part was made. */
double mb_epoch_moved_(const struct mb_peer *p, double step);

#endif
