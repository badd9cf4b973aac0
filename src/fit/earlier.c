/* earlier.c - an earlier answer as prior or as initialisation: it is moved to the units of the run, its
 * components are those of the run in the same order. An update forgets a part of what it learnt. */
#include "base/columns.h"
#include "expfam/expfam.h"
#include "fit/fit.h"
#include "formula/design.h"
#include "model/kind.h"
#include "model/prior.h"
#include "start/start.h"

#include <string.h>

static int is_varying(const mb_columns *columns, int32_t d)
{
    return columns && columns->of[d].varying;
}

/* The same effects vary by group. */
static mb_status same_varying(const mb_case *c, const mb_posterior *p, mb_err *err)
{
    for (int32_t d = 0; d < c->size.D; d++) {
        const int there = is_varying(p->size.columns, d);

        if (there != is_varying(c->size.columns, d))
            MB_FAIL(err, MB_E_ARG,
                    "%s: the effect of \"%.60s\" %s there, %s here; --%s.varying declares it",
                    p->name, p->column[d], there ? "varies by group" : "is common to all groups",
                    there ? "is common to all groups" : "varies by group", p->kind->name);
    }
    return MB_OK;
}

/* The same input, or none, is an offset. */
static mb_status same_offset(const mb_case *c, const mb_posterior *p, mb_err *err)
{
    const mb_offset there = mb_columns_offset(p->size.columns, p->size.D);
    const mb_offset here = mb_columns_offset(c->size.columns, c->size.D);

    static const char *const what[] = {"an input with a coefficient", "an offset", "an exposure"};

    if (there != here)
        MB_FAIL(err, MB_E_ARG, "%s: \"%.60s\" is %s there, %s here; --%s-column declares it",
                p->name, p->column[p->size.D - 1], what[there], what[here],
                (there ? there : here) == MB_OFFSET_EXPOSURE ? "exposure" : "offset");
    return MB_OK;
}

/* The columns are of the same kinds and have the same categories. */
static mb_status same_kinds(const mb_case *c, const mb_posterior *p, mb_err *err)
{
    for (int32_t d = 0; d < c->size.D; d++)
        if (mb_columns_kind(p->size.columns, d) != mb_columns_kind(c->size.columns, d))
            MB_FAIL(err, MB_E_ARG,
                    "%s: column \"%.60s\" is a %s there and a %s here; --column "
                    "declares it",
                    p->name, p->column[d], mb_column_word(mb_columns_kind(p->size.columns, d)),
                    mb_column_word(mb_columns_kind(c->size.columns, d)));
    MB_TRY(same_varying(c, p, err));
    MB_TRY(same_offset(c, p, err));
    if (!mb_columns_same(p->size.columns, c->size.columns))
        MB_FAIL(err, MB_E_ARG,
                "%s: its categories are not those of the rows; --column declares them: %.300s",
                p->name,
                p->size.columns ? p->size.columns->text : mb_column_word(MB_COLUMN_NUMBER));
    return MB_OK;
}

/* MB_E_ARG unless p is of the case's kind, sizes and columns, in their order. */
static mb_status same_design(const mb_case *c, const mb_posterior *p, mb_err *err)
{
    if (MB_STORED_(p->design || c->table.design) && !mb_design_same(p->design, c->table.design))
        MB_FAIL(err, MB_E_ARG,
                "%s: its features are made otherwise than those of the rows: by another formula, "
                "other levels of categories, or constants of poly",
                p->name);
    return MB_OK;
}

static mb_status check(const mb_case *c, const mb_posterior *p, mb_err *err)
{
    const int32_t D = c->size.D;
    int32_t       choice;

    if (strcmp(p->kind->name, c->kind->name) != 0)
        MB_FAIL(err, MB_E_ARG, "%s: got a posterior of model %s; expected %s", p->name,
                p->kind->name, c->kind->name);
    choice = mb_kind_differs(c->kind, &p->size, &c->size);
    if (choice >= 0)
        MB_FAIL(err, MB_E_ARG, "%s: %s is %s there, %s here", p->name,
                c->kind->choices[choice].name, mb_kind_word(c->kind, &p->size, choice),
                mb_kind_word(c->kind, &c->size, choice));
    if (p->size.K != c->size.K || p->size.factors != c->size.factors)
        MB_FAIL(err, MB_E_ARG, "%s: got %d components; expected %d, as --n-components says",
                p->name, p->size.K + p->size.factors, c->size.K + c->size.factors);
    if (p->size.D != D)
        MB_FAIL(err, MB_E_ARG, "%s: got %d features; expected the %d of the rows", p->name,
                p->size.D, D);
    for (int32_t d = 0; d < D; d++)
        if (strcmp(p->column[d], c->table.column[d]) != 0)
            MB_FAIL(err, MB_E_ARG,
                    "%s: feature %d: got \"%.60s\"; expected \"%.60s\", the columns of the rows "
                    "in their order",
                    p->name, d + 1, p->column[d], c->table.column[d]);
    MB_TRY(same_design(c, p, err));
    MB_TRY(same_kinds(c, p, err));
    if (mb_kind_targets(p->kind, &p->size) != mb_kind_targets(c->kind, &c->size))
        MB_FAIL(err, MB_E_ARG, "%s: got %d targets; expected %d", p->name,
                mb_kind_targets(p->kind, &p->size), mb_kind_targets(c->kind, &c->size));
    for (int32_t t = 0; t < mb_kind_targets(c->kind, &c->size); t++)
        if (strcmp(p->target[t], c->table.column[D + t]) != 0)
            MB_FAIL(err, MB_E_ARG, "%s: got target \"%.60s\"; expected \"%.60s\"", p->name,
                    p->target[t], c->table.column[D + t]);
    if (p->size.intercept != c->size.intercept)
        MB_FAIL(err, MB_E_ARG, "%s: got %s intercept; expected one %s it", p->name,
                p->size.intercept ? "an" : "no", c->size.intercept ? "with" : "without");
    return MB_OK;
}

/* Textbook parameters in run units, in the arena. */
static mb_status moved(mb_arena *a, const double *from, const mb_case *c, double **par, mb_err *err)
{
    const mb_layout *l = &c->model.layout;

    MB_NEW(*par, a, l->len, err);
    memcpy(*par, from, l->len * sizeof **par);
    return mb_par_to_units_(a, l, NULL, &c->run, *par, err);
}

static mb_status too_far(const mb_posterior *p, mb_status st, mb_err *err)
{
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "%s: double precision cannot hold it in the units of these rows: they are too far "
                "from those that it was made from",
                p->name);
    return st;
}

mb_status mb_earlier_units_(mb_arena *a, const mb_posterior *p, mb_units *out, mb_err *err)
{
    const size_t   d = (size_t)p->units.d;
    mb_row_moments seen = {.d = p->units.d, .mean = p->units.origin, .sd = p->units.scale};

    *out = (mb_units){.d = p->units.d};
    MB_NEW(out->origin, a, d, err);
    MB_NEW(out->scale, a, d, err);
    MB_NEW(seen.constant, a, d, err);
    seen.spread = seen.sd;
    out->constant = seen.constant; /* none */
    mb_common_units(&seen, out->origin, out->scale);
    mb_units_keep_(&p->size, out);
    return MB_OK;
}

mb_status mb_earlier_agreed_(mb_arena *a, const mb_posterior *p, mb_case *c, mb_err *err)
{
    MB_TRY(check(c, p, err));
    if (!p->phi)
        MB_FAIL(err, MB_E_ARG, "%s: is not ready to predict", p->name);
    return mb_earlier_units_(a, p, &c->agreed, err);
}

/* Natural parameters in run units of textbook ones in data units. */
static mb_status natural(mb_arena *a, const mb_posterior *p, const double *par, const mb_case *c,
                         double **phi, mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    double          *own;

    MB_NEW(*phi, a, l->len, err);
    MB_TRY(moved(a, par, c, &own, err));
    return too_far(p, mb_from_par(l, own, *phi, NULL), err);
}

/* phi := phi_0 + forget (phi - phi_0), which need not be proper where phi_0 is not. */
static mb_status forgotten(mb_arena *a, const mb_posterior *p, double forget, const mb_case *c,
                           double *phi, mb_err *err)
{
    double *phi_0;

    if (forget >= 1)
        return MB_OK;
    MB_TRY(natural(a, p, p->prior_par, c, &phi_0, err));
    for (size_t e = 0; e < c->model.layout.len; e++)
        phi[e] = phi_0[e] + forget * (phi[e] - phi_0[e]);
    return MB_OK;
}

mb_status mb_earlier_prior_(mb_arena *a, const mb_case_opt *how, mb_case *c, mb_err *err)
{
    const mb_posterior *p = how->prior;
    const mb_layout    *l = &c->model.layout;
    const double       *par = how->update ? p->prior_par : p->par;
    double             *phi;

    MB_TRY(check(c, p, err));
    MB_TRY(mb_kind_model(a, c->kind, &c->size, &c->model, err));
    if (c->model.ops->prior_at)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: parts of this model's prior depend on each other, those of a posterior do "
                "not: it cannot be a prior",
                p->name);
    if (!par)
        MB_FAIL(err, MB_E_ARG, "%s: its prior is not known", p->name);
    if (!(how->forget >= 0 && how->forget <= 1))
        MB_FAIL(err, MB_E_ARG, "forget: got %g; expected a number above 0, at most 1", how->forget);
    MB_NEW(c->prior_par, a, l->len, err);
    memcpy(c->prior_par, par, l->len * sizeof *par);
    MB_TRY(natural(a, p, p->par, c, &phi, err));
    if (how->update && how->forget > 0)
        MB_TRY(forgotten(a, p, how->forget, c, phi, err));
    return too_far(p, mb_prior_natural_(a, phi, &c->model, err), err);
}

mb_status mb_earlier_bound_(mb_arena *a, const mb_posterior *p, double forget, const mb_case *c,
                            double *bound, mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    double          *phi, *scratch, A, A_0;

    if (forget >= 1)
        return MB_OK;
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(natural(a, p, p->par, c, &phi, err));
    MB_TRY(mb_moments(l, phi, NULL, &A, scratch, err));
    MB_TRY(natural(a, p, p->prior_par, c, &phi, err));
    MB_TRY(mb_prior_moments(l, phi, NULL, &A_0, scratch, err));
    *bound = forget * *bound + (c->model.A_prior - A_0) - forget * (A - A_0);
    return MB_OK;
}

mb_status mb_earlier_phi_(mb_arena *a, const mb_posterior *p, const mb_case *c, double **phi,
                          mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    double          *par, *scratch, A;
    mb_status        st;

    MB_TRY(check(c, p, err));
    MB_NEW(*phi, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(moved(a, p->par, c, &par, err));
    st = mb_from_par(l, par, *phi, NULL);
    return too_far(p, st < 0 ? st : mb_moments(l, *phi, NULL, &A, scratch, NULL), err);
}
