/* kernel/kernel.h - the loops over rows of the Gaussian models, once for each instruction set.
 *
 * A block of rows passes log densities, softmax and second moments while it is in the cache;
 * nothing of size rows x K is stored. Blocks are processed in order, and the order of every sum
 * depends on the rows and the instruction set alone. */
#ifndef MB_KERNEL_H
#define MB_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MB_BLOCK_MAX = 192, /* rows of a block at most                                          */
    MB_LANES_MAX = 8,   /* rows are padded to a multiple of this                            */
    MB_SMALL_D = 8,     /* up to here a component's moments fit in registers              */
    MB_MANY_K = 32      /* from here on, what a component does not reach is skipped       */
};

/* How second moments are summed: moments_small.h, moments_packed.h and moments_direct.h. */
typedef enum mb_form_ {
    MB_FORM_SMALL,  /* lanes are rows: sums in registers, added over the lanes at the end       */
    MB_FORM_PACKED, /* the products x_i x_j of a row are computed once for all components       */
    MB_FORM_DIRECT  /* (r x) x' of one component after another                                 */
} mb_form_;

/* Views of the caller's scratch; n = D + 1, B = block. Rows are lanes: columns are contiguous. */
typedef struct mb_estep_ {
    const struct mb_kernel_ *kernel;
    int32_t                  K, D;
    int32_t                  block; /* B: rows a block can hold, a multiple of MB_LANES_MAX  */
    int32_t                  rows;  /* rows in the block                                     */
    int32_t                  gaps;  /* 1: each of them has gaps, NaN in z                    */
    int32_t                  unit;  /* 1: weights are 1, and only the sum of lnz is wanted   */
    mb_form_                 form;
    double                  *m;     /* K x D: means                                          */
    double                  *C;     /* K x D(D+1)/2: chol(W^-1) in the kernel's own order    */
    double                  *c, *g; /* K: log density = c - g distance                       */
    double                  *h;     /* K, for the caller                                     */
    double                  *z;     /* D x B: columns                                        */
    double                  *x;     /* room for the rows one after another (moments)         */
    double                  *w;     /* B: row weights, 0 after the rows                      */
    int32_t                  ones;  /* w[0] .. w[ones - 1] are known to be 1                 */
    double                  *lnz;   /* B: ln sum_k density_k                                 */
    double                  *r;     /* K x B: log densities, then weighted responsibilities  */
    double                  *acc;   /* sums in the kernel's own order                        */
    double                  *y;     /* room for a tile (density), or r and products (moments) */
    double                  *S;     /* K x n x n: sum of r z z', z = (1, x), lower triangle  */
    double                  *tmp;   /* K + n x n, for the caller                             */
    double                  *wide;  /* B x D: rows of the block given in single precision    */
    const double            *from;  /* row l of the block is at from + at[l] * from_ld       */
    size_t                   from_ld;
    const int64_t           *at;     /* row; NULL: l, the rows follow each other at from      */
    int32_t                  follow; /* 1: the caller's rows are first, first + 1, ..         */
    int64_t                  first;
    int64_t                  row[MB_BLOCK_MAX]; /* last. Else these, the last one repeated */
} mb_estep_;

/* The caller's number of row l of the block. */
static inline int64_t mb_estep_row_(const mb_estep_ *g, int32_t l)
{
    return g->follow ? g->first + l : g->row[l];
}

/* Row l of the block, row after row; up to whole lanes the last one. */
static inline const double *mb_estep_from_(const mb_estep_ *g, size_t l)
{
    const size_t last = (size_t)g->rows - 1;

    return g->from + (g->at ? (size_t)g->at[l] : l < last ? l : last) * g->from_ld;
}

/* Sums of rows about an origin, for moments (scatter.h). All rows in it have `len` numbers, whole
 * vectors: those from D on are scratch. */
enum { MB_SCATTER_ROWS = MB_BLOCK_MAX / 2 /* rows at once, at most */ };
typedef struct mb_scatter_ {
    int32_t D, products; /* products 1: of each two columns; 0: the squares of each alone   */
    size_t  len;         /* mb_scatter_len_                                                 */
    double *origin;      /* 0 from D on                                                     */
    double *less, *more; /* the largest of -x and of x                                      */
    double *sum;         /* of x - origin                                                   */
    double *square;      /* products: D rows; those with columns j <= i are in row i        */
    double *room;        /* MB_SCATTER_ROWS rows                                            */
} mb_scatter_;
size_t mb_scatter_len_(int32_t D);

enum { MB_NEAR_ROWS = 32 /* rows of a call of mb_kernel_.nearest */ };
#ifdef __OPTIMIZE_SIZE__
enum { MB_NEAR_BOUNDS = 0 };
#else
enum { MB_NEAR_BOUNDS = 1 /* distances are measured only where bounds of them do not decide */ };
#endif

enum { MB_CLASSES_MOST = 99 /* of a category, but for the first */ };
/* R, lower triangular of order T p, as T blocks of p columns: R_0 to R_(T - 1). */
enum { MB_FORMS_ROOM = 192 };
typedef struct mb_forms_ {
    int32_t       T, p;
    const double *R;
    size_t        ld;   /* from one number of a row to the next, of x and of V */
    double       *room; /* MB_FORMS_ROOM x T                                   */
} mb_forms_;

/* Points of a quadrature under N(0, 1). */
typedef struct mb_points_ {
    int           n;
    const double *at, *weight;
} mb_points_;

/* One instruction set. All functions work on the rows of the block, padded to whole lanes. */
typedef struct mb_kernel_ {
    const char *name; /* "plain", "avx2", "avx512" */
    /* z from the rows of the block. */
    void (*fill)(const mb_estep_ *g);
    /* C of component k from L = [*; *, chol(W^-1)], (D+1) x (D+1). */
    void (*factor)(const mb_estep_ *g, int32_t k, const double *L);
    /* out[l] = c - f (x_l - m_k)' W_k (x_l - m_k). */
    void (*density)(const mb_estep_ *g, int32_t k, double c, double f, double *out);
    /* lnz = ln sum_k exp r_k; r := w exp(r - lnz), exactly 0 where r - lnz < -700 or so. Returns
     * sum of w lnz, not finite when any lnz is not. With `unit` several rows share a logarithm, and
     * lnz is right only where it is not finite. */
    double (*softmax)(const mb_estep_ *g);
    /* acc += the moments of the block under r. */
    void (*moments)(const mb_estep_ *g);
    /* S from acc. */
    void (*sums)(const mb_estep_ *g);
    /* out[l] -= sum of f[i] (x_l[column[i]] - m[i])^2 over i < n; and of rows with responsibilities
     * r, sums[2 i] += sum of r x, sums[2 i + 1] += sum of r x^2, x being column[i]. */
    void (*squares)(const mb_estep_ *g, int32_t n, const int32_t *column, const double *m,
                    const double *f, double *out);
    void (*column_sums)(const mb_estep_ *g, int32_t n, const int32_t *column, const double *r,
                        double *sums);
    /* Columns of y, D x B: C^-1 x for each row x; C, D x D, lower. */
    void (*whiten)(const mb_estep_ *g, const double *C, double *y);
    /* Columns of V, T(T + 1)/2 x ld: (R_c x)' (R_d x), d <= c, of each of n columns x of p
     * numbers; up to whole vectors. NULL as scatter. */
    void (*forms)(const mb_forms_ *f, int32_t n, const double *x, double *V);
    /* Of n columns x of p numbers, up to whole vectors: e (T x ld) += m x, m T x p; S (T x p) += w
     * x', w T x ld, with 0 after the rows. x is p x ld. NULL as scatter. */
    void (*lines)(int32_t T, int32_t p, int32_t n, size_t ld, const double *m, const double *x,
                  double *e);
    void (*dots)(int32_t T, int32_t p, int32_t n, size_t ld, const double *w, const double *x,
                 double *S);
    /* f, s (T x ld): the bound of mb_softmax_bound_ and its gradient for n rows, up to whole
     * vectors, whose V have traces of 1 at most; e: T x ld, V: T(T + 1)/2 x ld, as of forms. NaN
     * where e is not finite. NULL as scatter. */
    void (*tilted)(int32_t T, int32_t n, size_t ld, const double *e, const double *V, double *s,
                   double *f);
    /* The sums += n rows of D numbers that follow each other in x; row by row, so the bits do not
     * depend on how rows are cut. NULL in a build with plain kernels only. */
    void (*scatter)(const mb_scatter_ *g, int32_t n, const double *x);
    /* best (MB_NEAR_ROWS): the nearest of the centres (K x D) to each column of z (D x
     * MB_NEAR_ROWS, no NaN), the lowest index on a tie; own, other (MB_NEAR_ROWS, with
     * MB_NEAR_BOUNDS): its squared distance, and the least of the other centres. Bit-identical for
     * all of them. */
    void (*nearest)(int32_t K, int32_t D, const double *z, const double *centres, double *best,
                    double *own, double *other);
    /* out: of n rows, padded to whole vectors, E[ln(1 + exp eta)] and those of its slope and its
     * curvature, eta ~ N(e, s^2), by the points q; NaN where eta is not finite. NULL as scatter. */
    void (*softplus)(int32_t n, const mb_points_ *q, const double *e, const double *s,
                     double *const out[3]);
    /* The exp and log of softmax: y = exp x for |x| <= 700, y = ln x for normal x > 0;
     * n is a multiple of MB_LANES_MAX. */
    void (*exp)(int32_t n, const double *x, double *y);
    void (*log)(int32_t n, const double *x, double *y);
} mb_kernel_;

enum { MB_KERNELS_MAX = 4 };
/* Those that this machine can run, best first, then NULL; "plain" is always among them. */
void mb_kernel_list_(const mb_kernel_ *out[MB_KERNELS_MAX]);

/* A model's choice: the kernel and the form of the moments. */
typedef struct mb_how_ {
    const mb_kernel_ *kernel;
    mb_form_          form; /* MB_FORM_SMALL exactly when D <= MB_SMALL_D */
} mb_how_;
/* The best kernel of this machine; the form by a table of measurements. */
mb_how_ mb_how_best_(int32_t K, int32_t D);

/* Rows of a block, and doubles of scratch for K components. */
int32_t mb_estep_block_(int32_t D);
size_t  mb_estep_scratch_(int32_t K, int32_t D);
/* *g: views carved out of the scratch; the sums are 0, S is undefined but for its corners. */
void mb_estep_carve_(mb_estep_ *g, const mb_how_ *how, int32_t K, int32_t D, double *scratch);

/* The same for models that need the rows and the responsibilities alone. */
size_t mb_rows_scratch_(int32_t K, int32_t D);
void mb_rows_carve_(mb_estep_ *g, const mb_kernel_ *kernel, int32_t K, int32_t D, double *scratch);

extern const mb_kernel_ mb_kernel_plain_;
#if defined(__x86_64__) && defined(__GNUC__)
extern const mb_kernel_ mb_kernel_avx2_, mb_kernel_avx512_;
#endif

#endif
