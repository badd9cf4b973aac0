/* doubts.c - what speaks against the result of a fit, in sentences. */
#include "base/format.h"
#include "base/text.h"
#include "fit/fit.h"

#include <math.h>

static const double same = 1e-6; /* relative: bounds that do not differ */

/* text NULL: no memory. */
static mb_status add(mb_doubts_ *to, const char *text)
{
    if (!text)
        return MB_E_NOMEM;
    to->line[to->n++] = text;
    return MB_OK;
}

/* What is known of answers without such a component. */
static const char *without(mb_arena *a, const mb_fit *fit, mb_err *err)
{
    return isnan(fit->sound)
               ? mb_text(a, err, "without: none found")
               : mb_text(a, err, "without: the best found has lower bound %.6f nats, %.4g lower",
                         mb_shown_(fit->sound, 6), fit->out.bound - fit->sound);
}

static mb_status weak(mb_arena *a, const mb_fit *fit, mb_doubts_ *to, mb_err *err)
{
    const mb_weak *w = &fit->weak;
    const double   least = 2.0 * fit->stages->nodes.size.D;
    const char    *rest = without(a, fit, err);
    char           more[64] = "";

    if (!rest)
        return MB_E_NOMEM;
    if (w->count > 1)
        mb_format_(more, sizeof more, " (and %d more are like it)", w->count - 1);
    if (w->rows < least)
        return add(to,
                   mb_text(a, err,
                           "component %d has %.1f expected rows, fewer than two a column (%.0f)%s; "
                           "answers %s",
                           w->component, mb_shown_(w->rows, 1), least, more, rest));
    return add(to, mb_text(a, err,
                           "%.0f %% of the expected precision of component %d are the prior's%s; "
                           "answers %s",
                           100 * w->prior, w->component, more, rest));
}

/* A component of rows far out; or an answer that has one and the higher bound. */
static mb_status wide(mb_arena *a, const mb_fit *fit, mb_doubts_ *to, mb_err *err)
{
    if (fit->wide.times > 0)
        MB_TRY(add(to, mb_text(a, err,
                               "component %d is %.3g times as wide as the median component: rows "
                               "far out rather than a cluster",
                               fit->wide.component, fit->wide.times)));
    if (isnan(fit->found.refused) || !(fit->found.refused > fit->out.bound))
        return MB_OK;
    return add(to, mb_text(a, err,
                           "an answer with a component of rows far out has the higher lower bound, "
                           "%.6f nats, %.4g higher: --tmm.trim 0 takes the highest",
                           mb_shown_(fit->found.refused, 6), fit->found.refused - fit->out.bound));
}

mb_status mb_fit_doubts_(mb_arena *a, const mb_fit *fit, mb_doubts_ *out, mb_err *err)
{
    *out = (mb_doubts_){.n = 0};
    if (!isfinite(fit->out.bound))
        return MB_OK;
    if (fit->weak.count)
        MB_TRY(weak(a, fit, out, err));
    MB_TRY(wide(a, fit, out, err));
    if (!(fit->one > fit->out.bound + same * fabs(fit->out.bound)))
        return MB_OK;
    return add(out, mb_text(a, err,
                            "one component has the higher lower bound, %.6f nats, %.4g higher: "
                            "--n-components 1",
                            mb_shown_(fit->one, 6), fit->one - fit->out.bound));
}
