/* meshbayes/genesis.h - what all nodes of a mesh must have in common before their first round: the
 * model with its prior, the units of the columns and the initialisation, as one small block with a
 * hash, the run id. A block comes from a file that all nodes were given, or the network draws it
 * (docs/protocol.md, "Genesis"). Files are genesis_file.h. */
#ifndef MESHBAYES_GENESIS_H
#define MESHBAYES_GENESIS_H

#include "meshbayes/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the block comes from. */
typedef enum mb_genesis_from {
    MB_GENESIS_GIVEN,  /* it is given to every node                                            */
    MB_GENESIS_SAMPLE, /* made by the leader from the rows with the largest keys, which every
                          node sees                                                            */
    MB_GENESIS_SUMS    /* units and prior from averaged sums; centres are K rows, which every
                          node sees                                                            */
} mb_genesis_from;
enum { MB_GENESIS_ROWS = 64 /* of a sample */ };

/* What every node has before there is a block. Borrowed for the life of what is made of it. */
typedef struct mb_plan {
    const mb_kind     *kind;     /* of the model                                               */
    const void        *kind_opt; /* its options, not NULL                                      */
    int32_t            columns;  /* of the rows, a target included, which is the last          */
    const char *const *column;   /* their names                                                */
    uint64_t           seed;     /* of the keys and of k-means++                               */
    mb_genesis_from    from;     /* where the block comes from                                 */
    const mb_columns  *kinds;    /* what the columns are; NULL: all are numbers                */
} mb_plan;

/* Sizes of the plan's model. */
static inline void mb_plan_sizes(const mb_plan *plan, mb_sizes *out)
{
    mb_kind_sizes(plan->kind, plan->kind_opt, plan->columns, plan->kinds, out);
}

/* 1: rows may have gaps. Sums are of rows without. */
static inline int32_t mb_plan_gaps(const mb_plan *plan)
{
    return plan->kind->gaps && plan->from != MB_GENESIS_SUMS;
}

/* The agreed constants of a run. Nothing is owned. */
typedef struct mb_genesis {
    const mb_kind     *kind;      /* of the model                                              */
    mb_sizes           size;      /* of the model                                              */
    int32_t            columns;   /* of the rows, a target included, which is the last         */
    const char *const *column;    /* their names                                               */
    mb_units           run;       /* units that the nodes compute in                           */
    size_t             len;       /* L: numbers of a posterior                                 */
    const double      *prior;     /* L: natural parameters, run units                          */
    const double      *prior_par; /* L: textbook parameters, data units                        */
    size_t             start_len; /* numbers of the start block (mb_kind::start_len)           */
    const double      *start;     /* they: opaque to the mesh, made and read by the kind       */
    uint32_t           maker;     /* 0: a file; else 1 + id of the node that sealed it         */
    uint32_t           counter;   /* its incarnation when it did                               */
    uint64_t           hash;      /* FNV-1a of the encoded block: the run id, never 0 */
} mb_genesis;

/* Bytes of the block of this plan, at most (names and numbers). */
MB_API size_t mb_genesis_bytes(const mb_plan *plan);
/* Bytes of a fixed arena for mb_genesis_of_sample with MB_GENESIS_ROWS rows and its draft. */
MB_API size_t mb_genesis_draft(const mb_plan *plan);
/* Writes the block (little-endian, docs/protocol.md) into out (room bytes): *n bytes; sets g->hash.
 * MB_E_ARG when there is too little room. */
MB_API mb_status mb_genesis_encode(mb_genesis *g, void *out, size_t room, size_t *n,
                                   mb_err *err) MB_CHECKED;
/* Reads a block of n bytes, which are not trusted, into an arena. kinds are looked up by name.
 * MB_E_FORMAT names the field that is wrong: bad sizes, hash, numbers that are not finite, scales
 * that are not positive, a prior outside its domain. Takes from the arena what mb_kind::model takes
 * and at most 2 n + 8 layout.scratch + 1200 bytes; refuses sizes before it takes memory. */
MB_API mb_status mb_genesis_decode(mb_arena *a, const void *bytes, size_t n, mb_genesis *out,
                                   mb_err *err) MB_CHECKED;
/* The block of a case and its initialisation: what `sim` starts from. centres: K x D, data units,
 * in general the start block of the kind; NULL for a kind that has none. Copies all but the names
 * of the columns. MB_E_NOSUP for a case without common units (raw). */
MB_API mb_status mb_genesis_of_case(mb_arena *a, const mb_case *c, const double *centres,
                                    mb_genesis *out, mb_err *err) MB_CHECKED;
/* The block made from rows that stand for all (n x columns, data units): units and prior from
 * their moments, the start block from k-means++ and Lloyd's iteration (10 attempts) on them.
 * Computes in one thread, deterministic. */
MB_API mb_status mb_genesis_of_sample(mb_arena *a, mb_arena *draft, const mb_plan *plan,
                                      const mb_rows *sample, mb_genesis *out,
                                      mb_err *err) MB_CHECKED;
/* The block from an earlier answer (mb_posterior_ready): its prior, units from its own middle and
 * spread, its means as centres. MB_E_ARG when its prior is not known, MB_E_DOMAIN when double
 * precision cannot hold that in these units. */
MB_API mb_status mb_genesis_of_posterior(mb_arena *a, const mb_posterior *p, mb_genesis *out,
                                         mb_err *err) MB_CHECKED;
/* What distinguishes two blocks or plans (without prior), in words: "K is 3 here and 4 there";
 * MB_OK when they are the same, to the bit, else MB_E_ARG with the message in err. */
MB_API mb_status mb_genesis_same(const mb_genesis *mine, const mb_genesis *theirs,
                                 mb_err *err) MB_CHECKED;
/* 1 when block a wins over b: the lower (maker, counter, hash). */
MB_API int mb_genesis_wins(const mb_genesis *a, const mb_genesis *b);
/* The model of a block, in an arena: layout and kernel of the kind, the block's prior. Takes what
 * mb_kind::model takes and at most 8 (L + layout.scratch) + 400 bytes. */
MB_API mb_status mb_genesis_model(mb_arena *a, const mb_genesis *g, mb_model *out,
                                  mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
