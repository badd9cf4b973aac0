/* tmm_tables.c - what a robust mixture says of its components, for people. */
#include "base/format.h"
#include "model/tables.h"
#include "model/tmm.h"

#include <math.h>

enum { LISTED = 20 /* components whose degrees of freedom the note has */ };

/* "degrees of freedom 3.4, 48; ..". */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const int32_t n = p->size.K < LISTED ? p->size.K : LISTED;
    const size_t  cap = 128 + 16 * (size_t)n;
    size_t        used = 0;
    char         *text;

    MB_NEW(text, a, cap, err);
    used += (size_t)mb_format_(text, cap, "degrees of freedom");
    for (int32_t k = 0; k < n; k++)
        used += (size_t)mb_format_(text + used, cap - used, "%s %.3g", k ? "," : "",
                                   mb_tmm_dof_(&p->size, p->par, k));
    (void)mb_format_(text + used, cap - used,
                     "%s; standard deviations have the tails, ellipses have not",
                     n < p->size.K ? ", .." : "");
    *out = text;
    return MB_OK;
}

/* Rows of Student's t have v/(v - 2) times the variance of their scale, none up to v = 2. */
mb_status mb_tmm_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    double *sd;

    MB_TRY(mb_gmm_summary_(a, p, out, err));
    MB_NEW(sd, a, (size_t)out->rows * (size_t)out->columns, err);
    for (int32_t k = 0; k < out->rows; k++) {
        const double v = mb_tmm_dof_(&p->size, p->par, k);

        for (int32_t d = 0; d < out->columns; d++) {
            const size_t at = (size_t)k * (size_t)out->columns + (size_t)d;

            sd[at] = v > 2 ? out->sd[at] * sqrt(v / (v - 2)) : (double)NAN;
        }
    }
    out->sd = sd;
    return note(a, p, &out->note, err);
}
