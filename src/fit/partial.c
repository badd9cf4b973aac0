/* partial.c - an earlier answer that learns from one more batch of rows. */
#include "base/columns.h"
#include "base/format.h"
#include "base/text.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

/* Sets the option from text if the kind has it. */
static mb_status set(const mb_kind *kind, void *opt, const char *name, const char *text,
                     mb_err *err)
{
    const mb_opt *o = kind->opts ? mb_opt_find(kind->opts, name) : NULL;

    return o ? mb_opt_set(o, text, opt, err) : MB_OK;
}

static mb_status set_number(const mb_kind *kind, void *opt, const char *name, int32_t n,
                            mb_err *err)
{
    char text[16];

    mb_format_(text, sizeof text, "%ld", (long)n);
    return set(kind, opt, name, text, err);
}

/* The names of the targets, with commas. */
static mb_status set_targets(mb_arena *a, const mb_posterior *p, void *opt, mb_err *err)
{
    const int32_t targets = mb_kind_targets(p->kind, &p->size);
    const char   *list = targets ? p->target[0] : NULL;

    for (int32_t t = 1; list && t < targets; t++)
        list = mb_text(a, err, "%s,%s", list, p->target[t]);
    if (targets && !list)
        return MB_E_NOMEM;
    return targets ? set(p->kind, opt, "target-column", list, err) : MB_OK;
}

/* The names of the inputs whose effects vary, with commas. */
static mb_status set_varying(mb_arena *a, const mb_posterior *p, void *opt, mb_err *err)
{
    const char *list = NULL, *name = mb_text(a, err, "%s.varying", p->kind->name);

    for (int32_t d = 0; name && p->size.columns && d < p->size.D; d++)
        if (p->size.columns->of[d].varying) {
            list = list ? mb_text(a, err, "%s,%s", list, p->column[d]) : p->column[d];
            if (!list)
                return MB_E_NOMEM;
        }
    if (!name)
        return MB_E_NOMEM;
    return list ? set(p->kind, opt, name, list, err) : MB_OK;
}

static mb_status set_offset(const mb_posterior *p, void *opt, mb_err *err)
{
    const mb_offset is = mb_columns_offset(p->size.columns, p->size.D);
    const char     *name = is == MB_OFFSET_EXPOSURE ? "exposure-column" : "offset-column";

    return is ? set(p->kind, opt, name, p->column[p->size.D - 1], err) : MB_OK;
}

mb_status mb_posterior_options(mb_arena *a, const mb_posterior *p, void **out, mb_err *err)
{
    const mb_kind *kind = p->kind;
    const int32_t  columns = mb_posterior_columns(p);
    mb_sizes       wanted;

    MB_TRY(mb_options_new_(a, kind->name, kind->opts, kind->opt_size, out, err));
    if (p->size.K + p->size.factors)
        MB_TRY(set_number(kind, *out, "n-components", p->size.K + p->size.factors, err));
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        MB_TRY(set(kind, *out, kind->choices[c].option, mb_kind_word(kind, &p->size, c), err));
    if (mb_kind_takes_intercept(kind))
        MB_TRY(set(kind, *out, "intercept", p->size.intercept ? "on" : "off", err));
    MB_TRY(set_targets(a, p, *out, err));
    if (mb_kind_varies(kind))
        MB_TRY(set_varying(a, p, *out, err));
    MB_TRY(set_offset(p, *out, err));
    mb_kind_sizes(kind, *out, columns, p->size.columns, &wanted);
    if (wanted.K != p->size.K || wanted.factors != p->size.factors || wanted.D != p->size.D ||
        wanted.intercept != p->size.intercept ||
        mb_kind_targets(kind, &wanted) != mb_kind_targets(kind, &p->size) ||
        mb_kind_differs(kind, &wanted, &p->size) >= 0)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: the options of model %s do not follow from its sizes: it cannot be updated",
                p->name, kind->name);
    return MB_OK;
}

/* Where the likelihood is conjugate, prior times bound of the rows is the posterior times a constant:
 * the constants of all batches add up. */
static mb_status add_learnt(mb_arena *a, const mb_posterior *earlier, double forget,
                            const mb_fit *fit, mb_update_totals *to, mb_err *err)
{
    const mb_case *c = &fit->stages->nodes;

    if (c->model.ops->overshoots)
        to->bound = (double)NAN;
    MB_TRY(mb_earlier_bound_(a, earlier, forget, c, &to->bound, err));
    to->bound += fit->out.bound;
    to->rows += c->table.rows.n + c->table.rows.remote_rows;
    to->weight = to->weight > 0 ? forget * to->weight + c->weight_total : 0;
    return MB_OK;
}

mb_status mb_fit_partial(mb_arena *a, const mb_posterior *earlier, double forget,
                         const mb_table *rows, const mb_fit_opt *opt, mb_update_totals *learnt,
                         mb_fit *out, mb_err *err)
{
    mb_fit_opt o = opt ? *opt : mb_fit_defaults();
    void      *kind_opt;
    mb_status  st;

    *out = (mb_fit){0};
    if (!(forget > 0 && forget <= 1))
        MB_FAIL(err, MB_E_ARG, "forget: got %g; expected a number above 0, at most 1", forget);
    MB_TRY(mb_posterior_options(a, earlier, &kind_opt, err));
    o.kind = earlier->kind;
    o.kind_opt = kind_opt;
    o.units.prior = earlier;
    o.units.update = 1;
    o.units.forget = forget;
    o.start.how = MB_INIT_POSTERIOR;
    o.start.posterior = earlier;
    o.n_init = 1;
    st = mb_fit_run(a, NULL, rows, &o, out, err);
    if (st != MB_OK || !learnt)
        return st;
    st = add_learnt(a, earlier, forget, out, learnt, err);
    if (st < 0)
        mb_fit_close(out);
    return st;
}
