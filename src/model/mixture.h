/* model/mixture.h - one pass of a mixture over rows, whatever its components are.
 *
 * Block 0 of the layout are the weights. The driver fills a block with rows, alone or in groups
 * that share their component, first those without gaps; a form of mixture says what the log
 * densities of the block's rows are and adds the rows up under their responsibilities. */
#ifndef MB_MIXTURE_H
#define MB_MIXTURE_H

#include "base/groups.h"
#include "kernel/gaps.h"
#include "kernel/kernel.h"
#include "meshbayes/extend.h"
#include "model/estep.h"

#include <math.h>

/* A pass over rows, of which a form sees one block at a time. */
typedef struct mb_pass_ {
    mb_estep_       g;     /* the block of rows                                                 */
    const mb_model *m;     /* the mixture                                                       */
    const double   *phi;   /* of the E-step or the prediction; where responsibilities are given,
                            what is missing of rows is expected by it                         */
    double         *ln_pi; /* K: of the weights                                                 */
    double         *own;   /* doubles of the form                                               */
    double *room; /* of rows in groups: 3 K doubles, then those of mb_mixture_form_::chain     */
    mb_groups_  *groups;     /* NULL: rows are not in groups                                      */
    mb_patterns_ patterns;   /* of the block's gaps, for forms that find them                 */
    int32_t      gaps;       /* 1: the pass is over rows with gaps                            */
    int32_t      predictive; /* 1: of the predictive density                                  */
    int32_t      given;      /* 1: responsibilities were given                                */
} mb_pass_;

/* A form of mixture: pure functions, in the order in which the driver calls them. */
typedef struct mb_mixture_form_ {
    /* Points g and the scratch of w at their places; sums are 0. */
    void (*carve)(mb_pass_ *w, double *scratch);
    /* MB_E_NOSUP for rows that it cannot have. NULL: there are none. */
    mb_status (*refuses)(const mb_pass_ *w, const mb_rows *rows, mb_err *err);
    /* What the densities at phi need that does not depend on rows; w->ln_pi is there, and counts
     * here unless rows are in groups. MB_E_DOMAIN when phi is outside Omega. */
    mb_status (*prepare)(mb_pass_ *w, mb_err *err);
    /* The sums of the pass become 0: called before one over rows with gaps. NULL: there are
     * none. */
    void (*clear)(mb_pass_ *w);
    /* Looks at the block's rows: MB_E_NUMERIC for a cell that is no value. NULL: nothing to see. */
    mb_status (*look)(mb_pass_ *w, mb_err *err);
    /* r: the log densities of the block's rows. */
    mb_status (*density)(mb_pass_ *w, mb_err *err);
    /* The rows under r, into the sums or into s, statistics. */
    mb_status (*gather)(mb_pass_ *w, double *s, mb_err *err);
    /* s += the sums of the pass in natural form; the weights, too, unless rows are in groups. NULL:
     * gather has done it. */
    void (*finish)(mb_pass_ *w, double *s);
    /* ln p of rows first .. end - 1, a group, each given those before it. NULL: rows are alone. */
    mb_status (*chain)(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t end, double *out,
                       mb_err *err);
} mb_mixture_form_;

/* What mb_model::spec of a mixture begins with. */
typedef struct mb_mixing_spec_ {
    const mb_mixture_form_ *form;
    int32_t                 grouped; /* 1: rows come in groups, or each is one of its own */
} mb_mixing_spec_;
static inline int mb_mixture_grouped_(const mb_model *m)
{
    (void)m; /* in a build without groups */
    return MB_GROUPS_(((const mb_mixing_spec_ *)m->spec)->grouped);
}

/* mb_model_ops of every mixture. */
mb_status mb_mixture_stats_(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err);
mb_status mb_mixture_more_stats_(const mb_model *m, const double *phi, const mb_rows *rows,
                                 double *s, double *logz, double *scratch, mb_err *err);
mb_status mb_mixture_seed_stats_(const mb_model *m, const mb_rows *rows, const double *resp,
                                 double *s, double *scratch, mb_err *err);
mb_status mb_mixture_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                              mb_want want, double *out, double *scratch, mb_err *err);

/* For models that find responsibilities in a way of their own, with a mixture as the emission of
 * their states. Begins a pass over rows of such a mixture at phi: of its E-step, or of predictive
 * densities. The weights are left out. MB_E_DOMAIN when the components are outside Omega. */
mb_status mb_mixture_open_(mb_pass_ *w, const mb_model *m, const double *phi, const mb_rows *rows,
                           int32_t predictive, double *scratch, mb_err *err) MB_CHECKED;
/* ln (n x K): the log densities of n rows from row `first` on, whatever their weights; 0 of a row
 * without any value. */
mb_status mb_mixture_densities_(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t n,
                                double *ln, mb_err *err) MB_CHECKED;
/* The statistics of the same rows under resp (n x K), into the pass or s, where the weights, too,
 * may have grown. */
mb_status mb_mixture_gather_(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t n,
                             const double *resp, double *s, mb_err *err) MB_CHECKED;
/* s += what the pass has. */
void mb_mixture_close_(mb_pass_ *w, double *s);

#endif
