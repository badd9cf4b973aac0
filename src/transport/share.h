/* transport/share.h - rows of one set in several processes (mb_rows.share).
 *
 * They are cut into pieces by their number and that of their columns alone, and pieces into slices;
 * each process has whole pieces, or whole slices, one after the other. Sums are those of one
 * process, to the bit, however many there are. All functions are collective: every process calls
 * them alike. */
#ifndef MB_TRANSPORT_SHARE_H
#define MB_TRANSPORT_SHARE_H

#include "meshbayes/extend.h"

/* Builds without MPI: no rows are shared, so that the compiler leaves out what follows. */
#ifdef MB_MPI
#define MB_SHARE_(may) (may)
#else
#define MB_SHARE_(may) (0 && (may))
#endif

/* At most, of all rows: one process stores sums of pieces, so that its memory does not grow with
 * the rows; more processes than slices would find nothing to do. */
enum { MB_SHARE_PIECES = 64, MB_SHARE_SLICES = 1024 };

/* The sum of all rows is that of the pieces, that of a piece the sum of its slices, in order. */
typedef struct mb_cut_ {
    int64_t piece, slice; /* rows of each, a piece a multiple; the last ones may have fewer */
} mb_cut_;
mb_cut_ mb_cut_of_(int64_t rows, int32_t d);

/* A process has whole chunks. A chunk is a piece or, where there are many processes, a slice. */
typedef struct mb_share {
    const mb_comm *comm;     /* borrowed                                        */
    int64_t        all;      /* rows of all processes                           */
    int64_t        first, n; /* rows here: number of the first, and how many    */
    int64_t        each;     /* rows of a chunk; the last may have fewer        */
    int64_t        slice;    /* rows of a slice of it                           */
    int32_t        count;    /* chunks of all rows                              */
    int32_t        together; /* chunks of a piece                               */
    mb_parcel     *out, *in; /* scratch: count + 2 x processes each             */
    double        *failed;   /* scratch: processes                              */
    int64_t        sums;     /* calls of mb_share_sum_ so far                    */
    int64_t        bytes;    /* that this process has sent in them              */
} mb_share;
/* The share of this process in `all` rows of d columns: none where there are more processes than
 * chunks. */
mb_status mb_share_make_(mb_arena *a, const mb_comm *comm, int64_t all, int32_t d, mb_share *out,
                         mb_err *err) MB_CHECKED;
/* First chunk of a process; that of process `size` is the number of chunks. */
int32_t mb_share_chunk_(const mb_share *s, int32_t rank);
/* Numbers that a table of sums of `len` each needs in any process. */
size_t mb_share_room_(size_t len);
/* sum (len) += the sums of all pieces, in their order. table: mb_share_room_, beginning with the
 * sums of the chunks here, len each; the rest is scratch. st, err: how making them went; the first
 * failure is that of all. */
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
