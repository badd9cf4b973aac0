/* meshbayes/models/mixture.h - a mixture of your own: components that explain each column by a
 * distribution of an exponential family with its conjugate prior (docs/howto/own-model.md).
 *
 * What such a mixture is beyond its emission - responsibilities, statistics, bound, prediction,
 * drawing rows, gaps - is the library's. */
#ifndef MESHBAYES_MIXTURE_H
#define MESHBAYES_MIXTURE_H

#include "meshbayes/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MB_EMISSION_MAX = 8 /* numbers of an emission's parameter */ };
/* How a component explains a value x of a column: p(x | theta) = h(x) exp(<u(theta), T(x)>), where
 * u are the sufficient statistics of theta's family. Pure functions. */
typedef struct mb_emission {
    const mb_family *family;  /* of theta, with `draw`; at dim 1 it has at most MB_EMISSION_MAX
                                numbers, in a draw too, and needs no scratch                   */
    const char      *expects; /* what a value is, for messages: "a number > 0"                  */
    /* t := T(x), in the order of u. Returns ln h(x), nats; NaN when x is no value. Data units: the
     * kind keeps them (mb_kind::units). */
    double (*statistics)(double x, double *t);
    /* A value of p(x | theta), theta as the family draws it. */
    double (*draw)(const double *theta, mb_rng *rng);
} mb_emission;

/* A mixture of K components over D columns that are independent within a component. alpha0:
 * Dirichlet concentration of each component. par: D textbook parameters of the family, the prior of
 * each column. Layout: dirichlet.1, then K slices of D members. A local step costs O(n K D) calls
 * of `statistics`. Predictive densities are exact, ln p(x | data) = A(phi + T(x)) - A(phi) + ln
 * h(x), up to the rounding of A. Keeps the emission's address; MB_E_ARG names what is wrong. */
MB_API mb_status mb_mixture_new(mb_arena *a, const mb_emission *emission, int32_t K, int32_t D,
                                double alpha0, const double *par, mb_model *out,
                                mb_err *err) MB_CHECKED;
/* In the textbook parameters of such a mixture: where those of component k and column d begin. The
 * first K are the concentrations. */
MB_API size_t mb_mixture_at(const mb_model *m, int32_t k, int32_t d);

/* mb_kind::start_len of a mixture: K x D centres, data units. */
MB_API size_t mb_centres_len(const mb_sizes *s);
/* Its mb_kind::start_from: centres by k-means++ and Lloyd's iteration. */
MB_API mb_status mb_centres_from(mb_arena *a, mb_arena *draft, const mb_sizes *s,
                                 const mb_units *run, const mb_rows *sample, uint64_t seed,
                                 double *start, mb_err *err) MB_CHECKED;
/* Its mb_kind::start_resp: rows go to the nearest centre. */
MB_API void mb_centres_resp(const mb_sizes *s, const mb_units *run, const double *start,
                            const mb_rows *rows, double *resp);

#ifdef __cplusplus
}
#endif
#endif
