/* num/privacy.h - noise for privacy: what it costs, how it is drawn. docs/math.md, section 32. */
#ifndef MB_NUM_PRIVACY_H
#define MB_NUM_PRIVACY_H

#include "meshbayes/meshbayes.h"

/* Random bytes that cannot be foretold, as those of getrandom; the library has none of its own. */
typedef struct mb_entropy {
    mb_status (*fill)(void *self, void *to, size_t n, mb_err *err);
    void *self;
} mb_entropy;

/* Gaussian differential privacy. Releases of sensitivity over standard deviation mu_1, mu_2, .. are
 * together one of mu = sqrt(sum mu_i^2). */

/* The delta of (epsilon, delta) for mu > 0, epsilon in [0, MB_EPSILON_MOST]: exact. */
double mb_privacy_delta_(double epsilon, double mu);
/* The largest mu that costs no more than epsilon > 0 and delta in (0, 1). */
double mb_privacy_mu_(double epsilon, double delta);
/* The least epsilon that mu >= 0 costs at this delta; INFINITY above MB_EPSILON_MOST. */
double mb_privacy_epsilon_(double mu, double delta);
enum { MB_EPSILON_MOST = 100 };

/* n numbers of the discrete Gaussian, P(x) ~ exp(-x^2 / (2 sigma^2)) over whole numbers, by
 * rejection in integers, with no rounding at all [Canonne20]. 1 <= sigma <= MB_SIGMA_MOST. Fails
 * when `from` does. */
mb_status mb_discrete_gaussian_(const mb_entropy *from, int64_t sigma, size_t n, int64_t *out,
                                mb_err *err) MB_CHECKED;
enum { MB_SIGMA_MOST = 1 << 28 };

#endif
