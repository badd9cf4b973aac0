/* mesh/audit.h - neighbours audit each other at rest (docs/protocol.md, section 5a): what member L
 * has put in follows from what its neighbours received from it, whatever L says. */
#ifndef MB_MESH_AUDIT_H
#define MB_MESH_AUDIT_H

#include "base/audit.h"
#include "mesh/state.h"

enum { MB_AUDIT_WHY_ = 160 /* bytes of a reason */ };

/* A statement: head, then for each listed link of its author, in the order of the list, id, whether
 * the edge is in use, and the flow; then the signature of all of that. */
enum { MB_AUDIT_HEAD_ = 40, MB_AUDIT_LINK_ = 8 };

/* Bytes about a link, whose flow has this many entries. */
static inline size_t mb_audit_link_bytes_(size_t entries)
{
    return MB_AUDIT_LINK_ + 8 * entries;
}

/* What a node knows of member k. */
typedef struct mb_audited_ {
    size_t  at;       /* of its statement in the store                                     */
    size_t  size;     /* of that, with the signature                                       */
    int32_t here;     /* 1: its statement of this audit is there                           */
    int32_t judged;   /* 1: in this audit                                                  */
    int32_t speaks;   /* 1: as a neighbour it has sent a part of an audit, and takes such  */
    int32_t failed;   /* audits in turn that it failed                                     */
    int32_t found;    /* 1: it is connected to this node, by the statements               */
    int32_t next;     /* the member that was found as number k                             */
    int64_t next_ms;  /* it leads this node into no other audit before         */
    int64_t pause_ms; /* by this, after it has; 0: not in this rest            */
    char    why[MB_AUDIT_WHY_]; /* of the newest; "": it passed                          */
} mb_audited_;

typedef struct mb_auditor_ {
    int32_t   me;      /* own place in the list                                     */
    size_t    entries; /* audited numbers of a vector, b the last                   */
    size_t   *entry;   /* entries: their places                                     */
    mb_entry *is;      /* entries: what they are; b: MB_ENTRY_OTHER                 */
    /* The audit that this node takes part in: its number is the leader's beat when it began. */
    uint32_t     leader;
    uint64_t     beat;   /* 0: none yet                                                     */
    int32_t      moved;  /* 1: this node has moved since, and takes no part in it           */
    int32_t      here;   /* statements of it                                                */
    uint64_t     digest; /* of whose they are                                               */
    int64_t      since;  /* own tick of the newest of them                                  */
    int64_t      joined_ms;
    int64_t      still;    /* own ticks without movement                                     */
    int64_t      still_ms; /* since when                                                     */
    int64_t      wait_ms;  /* until this node begins one                                     */
    int64_t      rounds, refused;
    int32_t      judged;
    int32_t      there;    /* members connected to this node, by the statements; 0: not known */
    uint64_t     there_of; /* digest of those statements                                    */
    mb_audited_ *member;
    uint8_t     *disputed;  /* by directed link L -> k: they contradicted each other in this rest */
    uint64_t    *digest_of; /* M: as neighbours say; by link                           */
    int32_t     *turn;      /* M: member whose statement is sent next                  */
    unsigned char *store;
    double        *x, *size, *other; /* entries: to judge with                    */
} mb_auditor_;

/* audit.c */
/* What the store, and the rest of an auditor's memory, take; 0: there is no audit. */
size_t mb_audit_bytes_(const mb_peer *p);
/* In that memory. */
void mb_audit_make_(mb_peer *p, void *at);
/* Bytes of the part in a frame, at most. */
size_t mb_audit_room_(const mb_peer *p);
/* After a tick, in which the node moved or not. */
void mb_audit_tick_(mb_peer *p, int64_t now, int moved);
/* 1: statements are on their way, and the node ticks as when it is awake. */
int mb_audit_hurries_(const mb_peer *p);
/* The part for neighbour j, in mb_audit_room_ bytes; 0: none. */
size_t mb_audit_put_(mb_peer *p, int32_t j, unsigned char *out);
/* That of neighbour j. */
void mb_audit_take_(mb_peer *p, int64_t now, int32_t j, const unsigned char *in, size_t n);
/* 1: edges to this node are not used. */
int mb_audit_drops_(const mb_peer *p, int32_t id);

/* judge.c */
/* Which entries of the model's statistics are audited: out and is (L + 1 each; NULL: counted). */
size_t mb_audit_entries_(const mb_model *m, const mb_entry *all, size_t *out, mb_entry *is);
/* counts: n, so that <counts, s> is the number of rows in statistics s; 0 where no entry counts
 * them. */
void mb_audit_counts_(const mb_entry *all, size_t n, double *counts);
/* What is declared and is not so, of all nodes together. */
mb_doubt_ mb_audit_doubt_(const mb_peer *p);
/* Judges the members whose neighbours have all spoken. */
void mb_audit_judge_(mb_peer *p);

#endif
