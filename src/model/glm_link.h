/* model/glm_link.h - what a generalised linear model knows of its targets: ln p(y | eta), and its
 * expectations for eta ~ N(e, v). */
#ifndef MB_MODEL_GLM_LINK_H
#define MB_MODEL_GLM_LINK_H

#include "kernel/kernel.h"

/* E[ln p(y | eta)] and its derivatives with respect to e and v. */
typedef struct mb_glm_moments_ {
    double value, by_mean, by_var;
} mb_glm_moments_;
/* The same of the rows of a block. */
typedef struct mb_glm_lanes_ {
    double value[MB_BLOCK_MAX], by_mean[MB_BLOCK_MAX], by_var[MB_BLOCK_MAX];
} mb_glm_lanes_;

typedef struct mb_glm_link_ {
    const char *expects; /* of a target, for messages */
    int (*accepts)(double y);
    /* Of n rows, MB_BLOCK_MAX at most; up to whole vectors e and v are read, too. */
    void (*expect)(const mb_kernel_ *with, int32_t n, const double *y, const double *e,
                   const double *v, mb_glm_lanes_ *out);
    /* ln p(y | eta), and its first two derivatives with respect to eta. */
    mb_glm_moments_ (*at)(double y, double eta);
    /* eta of a row before anything is known: its statistics are the first step's. */
    double (*start)(double y);
    /* Mean and variance of y with eta integrated out. */
    void (*predict)(const mb_kernel_ *with, double e, double v, double *mean, double *var);
} mb_glm_link_;

/* Of mb_glm_opt.link. */
extern const mb_glm_link_ mb_glm_links_[];
/* ln E[p(y | eta)]. */
double mb_glm_log_density_(const mb_glm_link_ *link, double y, double e, double v);

#endif
