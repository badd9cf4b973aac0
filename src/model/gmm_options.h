/* model/gmm_options.h - rows of the tables of options of mixtures whose users have mb_gmm_kind
 * among their options. AT(field): where that member is in the struct of all of them. */
#ifndef MB_GMM_OPTIONS_H
#define MB_GMM_OPTIONS_H

#include "meshbayes/meshbayes.h"
#include "model/prior.h"

/* The choice of mb_kind::choices at MB_GMM_WEIGHTS_CHOICE_; its words are in gmm.c. */
#define MB_GMM_WEIGHTS_WORDS_                                                                      \
    {                                                                                              \
        "weight_concentration_prior_type", "weight-concentration-prior-type",                      \
            mb_gmm_weights_words_                                                                  \
    }

/* clang-format off */
#define MB_GMM_COMPONENTS_(AT)                                                                     \
    {"n-components", MB_OPT_INT, AT(n_components), "2", 1, 10000, NULL, "components", "",          \
     "n_components",                                                                               \
     "number of mixture components K; fit and sim also take a list (2,4,8) or a range (1..8), fit "\
     "auto: each is run and the best lower bound is taken"}

#define MB_GMM_WEIGHTS_OPTION_(AT)                                                                 \
    {"weight-concentration-prior-type", MB_OPT_CHOICE, AT(weight_concentration_prior_type),        \
     "dirichlet_distribution", 0, 0, "dirichlet_distribution|dirichlet_process", "", "math 18",    \
     "weight_concentration_prior_type",                                                            \
     "dirichlet_distribution: symmetric in the components; dirichlet_process: stick-breaking, "    \
     "truncated at n-components, in which earlier components are larger"}

#define MB_GMM_PRIOR_OPTIONS_(AT)                                                                  \
    MB_GMM_PRIOR_OPTIONS_OF_(AT, "scikit-learn's, from mean and covariance of all rows (meshbayes "\
                             "help empirical)", "1", "the covariance of the rows")

/* Where empirical is another prior: what it is, the automatic beta0, and where W0^-1 comes from. */
#define MB_GMM_PRIOR_OPTIONS_OF_(AT, EMPIRICAL, BETA0, SCATTER)                                    \
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, MB_GMM_PRIORS_, "", "", "",              \
     "empirical: " EMPIRICAL "; "                                                                  \
     "weak: middle and a quarter of the range; paper: alpha0 = beta0 = mu0 = w0inv = 1e-5, nu0 = " \
     "D + 1; posterior: an earlier one, component by component. Single options override the "     \
     "first three"},                                                                               \
    {"prior.alpha0", MB_OPT_AUTO, AT(alpha0), "auto", 1e-300, 1e12, NULL, "", "App. A",            \
     "weight_concentration_prior", "concentration of each component, or of the Dirichlet "         \
     "process; auto = 1/K"},      \
    {"prior.beta0", MB_OPT_AUTO, AT(beta0), "auto", 1e-300, 1e12, NULL, "", "App. A",              \
     "mean_precision_prior", "strength of the prior mean, in rows; auto = " BETA0},                \
    {"prior.mu0", MB_OPT_TEXT, AT(mu0), NULL, 0, 0, "A,B,..", "data units", "App. A", "mean_prior",\
     "prior mean: one number or D; without it the mean of the rows"},                              \
    {"prior.nu0", MB_OPT_AUTO, AT(nu0), "auto", 0, 1e12, NULL, "", "App. A",                       \
     "degrees_of_freedom_prior",                                                                   \
     "degrees of freedom, above D - 1 (diag, spherical: 0); auto = D, weak D + 2"},                \
    {"prior.w0inv", MB_OPT_TEXT, AT(w0inv), NULL, 0, 0, "A[,B,..]", "data units squared", "App. A",\
     "covariance_prior",                                                                           \
     "W0^-1: one number (times the identity) or D*D (diag: D); without it " SCATTER " "            \
     "(their variances, or the mean of those)"}
/* clang-format on */

#endif
