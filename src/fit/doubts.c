/* doubts.c - what speaks against the result of a fit, in sentences. */
#include "base/format.h"
#include "base/text.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"

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

mb_status mb_fit_iterations_(mb_arena *a, const mb_case *c, const double *phi, mb_iterations *out,
                             mb_err *err)
{
    double *scratch;

    *out = (mb_iterations){0};
    if (!c->model.ops->iterations)
        return MB_OK;
    MB_NEW(scratch, a, c->model.scratch, err);
    return c->model.ops->iterations(&c->model, phi, &c->table.rows, out, scratch, err);
}

mb_status mb_fit_capped_(mb_arena *a, const mb_iterations *is, const char **text, mb_err *err)
{
    *text = is->capped ? mb_text(a, err,
                                 "%lld of %lld groups of rows did not come to rest within %lld "
                                 "iterations",
                                 (long long)is->capped, (long long)is->groups, (long long)is->cap)
                       : NULL;
    return is->capped && !*text ? MB_E_NOMEM : MB_OK;
}

mb_status mb_fit_capped_at_(mb_arena *a, const mb_case *c, const double *phi, const char **text,
                            mb_err *err)
{
    mb_iterations is;

    MB_TRY(mb_fit_iterations_(a, c, phi, &is, err));
    return mb_fit_capped_(a, &is, text, err);
}

mb_status mb_fit_levels_(mb_arena *a, const mb_case *c, const double *phi, mb_classification **out,
                         mb_err *err)
{
    const mb_rows   *rows = &c->table.rows;
    const mb_column *known = mb_kind_levels(c->kind, &c->size);
    const size_t     d = (size_t)c->run.d;
    double          *scratch, *probability, weight[MB_TOGETHER];
    int64_t          j[MB_TOGETHER];

    *out = NULL;
    if (!mb_kind_takes_levels(c->kind, &c->size))
        return MB_OK;
    MB_NEW(*out, a, 1, err);
    MB_TRY(mb_classification_new(a, known ? known->levels : 2, *out, err));
    MB_NEW(scratch, a, MB_TOGETHER * d + mb_local_scratch(&c->model), err);
    MB_NEW(probability, a, MB_TOGETHER * (size_t)(*out)->levels, err);
    for (int64_t first = 0, n; first < rows->n; first += n) {
        for (n = 0; n < MB_TOGETHER && first + n < rows->n; n++) {
            j[n] = first + n;
            weight[n] = rows->w ? rows->w[j[n]] : 1;
        }
        MB_TRY(mb_case_predict(c, phi, j, n, MB_WANT_PROB, probability, scratch, err));
        mb_classification_add(*out, n, probability, scratch + c->size.D, d, weight);
    }
    return MB_OK;
}

/* Whether the inputs separate the levels: no row is wrong, and not all are of one level. */
static int are_separated(const mb_classification *c)
{
    double  wrong = 0;
    int32_t present = 0;

    for (int32_t l = 0; l < c->levels; l++) {
        double all = 0;

        for (int32_t k = 0; k < c->levels; k++) {
            all += c->table[l * c->levels + k];
            wrong += k == l ? 0 : c->table[l * c->levels + k];
        }
        present += all > 0;
    }
    return present > 1 && !(wrong > 0);
}

mb_status mb_fit_separated_(mb_arena *a, const mb_posterior *p, const mb_classification *levels,
                            const char **text, mb_err *err)
{
    *text = NULL;
    if (!are_separated(levels))
        return MB_OK;
    *text =
        mb_text(a, err,
                mb_kind_levels(p->kind, &p->size)
                    ? "the inputs separate the categories of \"%s\": how large the coefficients "
                      "are comes from the prior (--prior.lambda0)"
                    : "the inputs separate the rows where \"%s\" is 0 from those where it is 1: "
                      "how large the coefficients are comes from the prior (--prior.lambda0)",
                p->target[0]);
    return *text ? MB_OK : MB_E_NOMEM;
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
