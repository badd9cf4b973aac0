/* transport/share.h - rows of one set in several processes (mb_rows.share).
 *
 * They are cut into pieces by their number alone, and each process has whole pieces, one after the
 * other; sums are those of one process, to the bit, however many there are. All functions are
 * collective: every process calls them alike. */
#ifndef MB_TRANSPORT_SHARE_H
#define MB_TRANSPORT_SHARE_H

#include "meshbayes/transport.h"

/* Builds without MPI: no rows are shared, so that the compiler leaves out what follows. */
#ifdef MB_MPI
#define MB_SHARE_(may) (may)
#else
#define MB_SHARE_(may) (0 && (may))
#endif

enum { MB_SHARE_PIECES = 64 /* at most: more processes would find nothing to do */ };
typedef struct mb_share {
    const mb_comm *comm;     /* borrowed                                        */
    int64_t        all;      /* rows of all processes                           */
    int64_t        first, n; /* rows here: number of the first, and how many    */
    int64_t        each;     /* rows of a piece; the last may have fewer        */
    int32_t        count;    /* pieces of all rows                              */
    mb_parcel     *out, *in; /* scratch: MB_SHARE_PIECES + 2 x processes each   */
    double        *failed;   /* scratch: processes                              */
    int64_t        sums;     /* calls of mb_share_sum_ so far                    */
    int64_t        bytes;    /* that this process has sent in them              */
} mb_share;
/* The share of this process in `all` rows: none where there are more processes than pieces. */
mb_status mb_share_make_(mb_arena *a, const mb_comm *comm, int64_t all, mb_share *out,
                         mb_err *err) MB_CHECKED;
/* First piece of a process; that of process `size` is the number of pieces. */
int32_t mb_share_piece_(const mb_share *s, int32_t rank);
/* sum (len) += the sums of all pieces, in their order. table: count x len, where the pieces of this
 * process are filled in; the others are scratch. st, err: how making them went; the first failure
 * is that of all. */
mb_status mb_share_sum_(mb_share *s, size_t len, double *table, double *sum, mb_status st,
                        mb_err *err) MB_CHECKED;
/* Processes in turn: add(self, sum) adds the rows here to the sum (len) of those before. */
mb_status mb_share_chain_(mb_share *s, void (*add)(void *self, double *sum), void *self, size_t len,
                          double *sum, mb_err *err) MB_CHECKED;
/* A call of mb_share_join_: mine := mine or theirs, whichever is better; 1 when it changed. */
typedef int (*mb_better_)(double *mine, const double *theirs, size_t len);
/* v (len): the best of all processes. other: len, scratch. */
mb_status mb_share_join_(mb_share *s, mb_better_ merge, size_t len, double *v, double *other,
                         mb_err *err) MB_CHECKED;

#endif
