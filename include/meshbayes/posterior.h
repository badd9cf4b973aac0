/* meshbayes/posterior.h - a posterior in data units: made from numbers in memory, asked about rows,
 * sampled, compared. Files are posterior_file.h. The struct itself is in kind.h. */
#ifndef MESHBAYES_POSTERIOR_H
#define MESHBAYES_POSTERIOR_H

#include "meshbayes/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The model of a posterior of a kind and sizes, which are set, and the number of its parameters. */
mb_status mb_posterior_model_(mb_arena *a, mb_posterior *p, mb_err *err) MB_CHECKED;
/* A posterior that can predict, from its textbook parameters in data units (the kind's fields that
 * are not derived, mb_kind_arrays). Borrows par; columns are called x1 .. xD and y, until the
 * caller replaces the names. MB_E_ARG for sizes that the kind refuses, MB_E_DOMAIN for parameters
 * that are outside the domain. Cost: O(D^3) a component. */
MB_API mb_status mb_posterior_make(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                                   const double *par, mb_posterior *out, mb_err *err) MB_CHECKED;
/* The posterior with natural parameters phi of `model`, in the units that a run computed in: its
 * components in the given order (K; NULL: the canonical one). Names and prior are the caller's to
 * fill in. MB_E_DOMAIN when phi is outside Omega. Not ready to predict. */
MB_API mb_status mb_posterior_of(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                                 const mb_model *model, const mb_units *run, const double *phi,
                                 const int32_t *order, mb_posterior *out, mb_err *err) MB_CHECKED;
/* Fills in what prediction needs (units, phi). Errors as at mb_posterior_make. */
MB_API mb_status mb_posterior_ready(mb_arena *a, mb_posterior *p, mb_err *err) MB_CHECKED;
/* The canonical order of components: means in lexicographic order. order: K. O(K^2). */
MB_API void mb_posterior_order(const mb_kind *kind, const mb_sizes *size, const double *par,
                               int32_t *order);
/* The parts of p for people: by the function of its kind; else weight, mean and spread of its
 * components (components_on); else its lists of parameters that are as long as the first of them,
 * side by side. O(K D) or the size of the fields. */
MB_API mb_status mb_posterior_summary(mb_arena *a, const mb_posterior *p, mb_summary *out,
                                      mb_err *err) MB_CHECKED;
/* Columns of its rows: D, and one more for a target. */
MB_API int32_t mb_posterior_columns(const mb_posterior *p);
/* par of the same layout, data units, as natural parameters in the units where p computes: phi
 * (layout.len). MB_E_DOMAIN when double precision cannot hold them. */
MB_API mb_status mb_posterior_move(mb_arena *a, const mb_posterior *p, const double *par,
                                   double *phi, mb_err *err) MB_CHECKED;

/* What each want is called: "labels", "responsibilities", "mean", "interval", "density",
 * "probabilities"; MB_WANT_RANGE is an "interval", too. Static. */
MB_API const char *mb_want_text(mb_want want);
/* Names of the columns that mb_posterior_predict writes for a want, *width of them. */
MB_API mb_status mb_posterior_says(mb_arena *a, const mb_posterior *p, mb_want want,
                                   const char *const **name, int32_t *width,
                                   mb_err *err) MB_CHECKED;
/* Doubles of scratch for calls with at most n rows. */
MB_API size_t mb_posterior_scratch(const mb_posterior *p, int64_t n);
/* out: rows->n x width, row-major, all in data units: ln density (nats), responsibilities (K),
 * label (from 0), probabilities (C), mean and variance, mean, lower and upper end of the central
 * interval of probability `level`, scale and degrees of freedom, or (MB_WANT_RANGE) mean of a count
 * or probability of the likeliest level, and the ends of an interval of it. level is read for
 * intervals only. Rows are in data units and have D columns, or one more for the target, which the
 * density needs. scratch: mb_posterior_scratch. MB_E_SHAPE for other columns, MB_E_NOSUP for a want
 * that the kind lacks, MB_E_NUMERIC for values too far out. O(K D^2) a row. */
MB_API mb_status mb_posterior_predict(const mb_posterior *p, const mb_rows *rows, mb_want want,
                                      double level, double *out, double *scratch,
                                      mb_err *err) MB_CHECKED;

/* Which density of rows a score averages. */
typedef enum mb_density {
    MB_PREDICTIVE, /* ln p(row | data), parameters integrated out         */
    MB_EXPECTED    /* the E-step's ln Z: what scikit-learn calls the score */
} mb_density;
/* Weighted sums over the rows scored so far; starts zeroed. The mean is sum/weight, nats a row. */
typedef struct mb_score {
    double  sum;    /* of weight times ln density, nats */
    double  lost;   /* what rounding took from sum      */
    double  weight; /* of the rows                      */
    int64_t rows;   /* scored                           */
} mb_score;
/* What a score adds: rows->n predictive ln densities and, of MB_EXPECTED, sum_j w_j ln Z_j (else 0)
 * into each (rows->n + 1). scratch, errors and cost as at mb_posterior_predict. */
MB_API mb_status mb_score_rows(const mb_posterior *p, const mb_rows *rows, mb_density density,
                               double *each, double *scratch, mb_err *err) MB_CHECKED;
/* Adds them (weights: rows->w) to a score, one after the other. */
MB_API void mb_score_add(mb_score *s, const mb_posterior *p, const mb_rows *rows, mb_density of,
                         const double *each);

enum { MB_CALIBRATION_BINS = 10 /* of equal width */ };
/* How well the levels of a target (mb_kind_takes_levels) are predicted: of the rows added so far,
 * by their weights. */
typedef struct mb_classification {
    int32_t levels; /* of the target                                                           */
    double *table;  /* levels x levels: weight of the rows, by observed and likeliest level     */
    double  loss;   /* sum of weight times -ln probability of the observed level, nats          */
    double  weight; /* of the rows                                                             */
    double *bin;    /* of two levels, else NULL: MB_CALIBRATION_BINS x 3: of the rows whose
                       probability of the second is in the bin their weight, the sum of weight
                       times probability, and the weight of those that have the second         */
} mb_classification;
/* Without rows. MB_E_ARG for less than two levels. */
MB_API mb_status mb_classification_new(mb_arena *a, int32_t levels, mb_classification *out,
                                       mb_err *err) MB_CHECKED;
/* n rows with probabilities (n x levels, MB_WANT_PROB) and observed levels, row j's at y[j ld]; w:
 * weights, NULL: 1. A row whose level is NaN is left out. */
MB_API void mb_classification_add(mb_classification *c, int64_t n, const double *probability,
                                  const double *y, size_t ld, const double *w);
/* The share of the rows whose level is the likeliest; NaN without rows. */
MB_API double mb_classification_accuracy(const mb_classification *c);
/* Nats a row; NaN without rows. */
MB_API double mb_classification_loss(const mb_classification *c);
/* One bin of two levels: mean probability of the second, its observed share, and the 95 % interval
 * of that share (Wilson's, of rows that weigh 1). Returns the weight; 0: no rows, no numbers. */
MB_API double mb_calibration(const mb_classification *c, int32_t bin, double *predicted,
                             double *observed, double *low, double *high);

/* The rows number first to first + n - 1 of the predictive distribution: out is n x D, and
 * component (n, may be NULL) says which component each came from, from 0. Row j depends on par,
 * seed and j alone. scratch: mb_posterior_scratch(p, n). MB_E_NOSUP for a kind without a
 * distribution of its inputs. */
MB_API mb_status mb_posterior_sample(const mb_posterior *p, uint64_t seed, int64_t first, int64_t n,
                                     double *out, int32_t *component, double *scratch,
                                     mb_err *err) MB_CHECKED;

/* Draws of the parameters as table rows. With components a draw has K rows that begin with the
 * number of the draw, from 1, and of the component, from 0; else one with its own. */
typedef struct mb_draws {
    int32_t      rows;    /* of a draw                                      */
    int32_t      columns; /* of each row                                    */
    const char **name;    /* columns: "draw", "component", "mean.x1" etc.   */
} mb_draws;
/* The columns of such a table. */
MB_API mb_status mb_posterior_draws(mb_arena *a, const mb_posterior *p, mb_draws *out,
                                    mb_err *err) MB_CHECKED;
/* Doubles of scratch of mb_posterior_draw. */
MB_API size_t mb_posterior_draw_scratch(const mb_posterior *p);
/* Draw j (from 0), of par, seed and j alone: out is rows x columns. Errors as of mb_random. */
MB_API mb_status mb_posterior_draw(const mb_posterior *p, uint64_t seed, int64_t j, double *out,
                                   double *scratch, mb_err *err) MB_CHECKED;

/* How much two posteriors differ. */
typedef struct mb_compared {
    double     kl[2];   /* nats: KL(first || second), KL(second || first)                        */
    double     largest; /* difference of a textbook parameter, relative to max(1, |first's|)     */
    int32_t   *match;   /* K: the component of the second that each of the first is matched with */
    mb_listing parts;   /* component by component or coefficient by coefficient                  */
} mb_compared;
/* Compares p with q; both are ready to predict. The components of q are matched so that the
 * divergence is smallest. MB_E_SHAPE when kind, sizes or names of columns differ. O(K^3). */
MB_API mb_status mb_posterior_compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                                      mb_compared *out, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
