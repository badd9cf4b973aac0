/* mixture.c - the E-step, the statistics and the predictions of mixtures: eq. (17a) and (18). The
 * weights are here, the components in the forms (mb_mixture_form_). Rows are alone, or in groups of which all
 * rows are of one component (docs/math.md, section 23). */
#include "model/mixture.h"
#include "base/gaps.h"
#include "base/groups.h"
#include "base/rows.h"

#include <string.h>

static const mb_mixing_spec_ *spec_of(const mb_model *m)
{
    return m->spec;
}

static void begin(mb_pass_ *w, const mb_model *m, const double *phi, double *scratch)
{
    w->m = m;
    w->phi = phi;
    w->groups = NULL;
    w->gaps = w->predictive = w->given = 0;
    spec_of(m)->form->carve(w, scratch);
}

/* Sets up the E-step: ln rho_k = E[ln pi_k] + E[ln p(x | theta_k)]. */
static mb_status expect(mb_pass_ *w, mb_err *err)
{
    MB_TRY(mb_weights_expect_(w->m, w->phi, w->ln_pi, err));
    return spec_of(w->m)->form->prepare(w, err);
}

/* The same of the exact predictive density, sum_k alpha_k/alpha p(x | data, component k). */
static mb_status predictive(mb_pass_ *w, mb_err *err)
{
    w->predictive = 1;
    MB_TRY(mb_weights_shares_(w->m, w->phi, w->ln_pi, err));
    return spec_of(w->m)->form->prepare(w, err);
}

static mb_status check(const mb_pass_ *w, const mb_rows *rows, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(w->m)->form;

    if (f->refuses)
        MB_TRY(f->refuses(w, rows, err));
    return mb_mixture_grouped_(w->m) ? mb_estep_check_groups_(&w->g, rows, err)
                                     : mb_estep_check_(&w->g, rows, err);
}

/* All rows in groups, and room for ln of the weights, which count once a group. */
static void group(mb_pass_ *w, const mb_rows *rows, mb_groups_ *q)
{
    *q = mb_estep_groups_(&w->g, rows, w->room);
    if (q->ln_pi != w->ln_pi)
        memcpy(q->ln_pi, w->ln_pi, (size_t)w->g.K * sizeof *q->ln_pi);
    w->groups = q;
}

/* The next block; 0: there is none. empty 1: rows without any value, too. */
static int fill(mb_pass_ *w, const mb_rows *rows, int empty, int64_t *next)
{
    if (MB_GROUPS_(w->groups != NULL))
        return mb_estep_fill_groups_(w->groups, &w->g, rows);
    if (*next >= rows->n)
        return 0;
    *next = MB_GAPS_(w->gaps) ? mb_estep_fill_gaps_(&w->g, rows, empty, *next)
                              : mb_estep_fill_whole_(&w->g, rows, *next);
    return w->g.rows > 0;
}

/* 1 once r is that of the block's rows: of a long group only in the second of its passes. */
static int is_ready(const mb_pass_ *w)
{
    return !MB_GROUPS_(w->groups != NULL) || w->groups->ready;
}

/* r and lnz of the block, by an E-step unless resp gives r; *total += the sum of w lnz. */
static mb_status respond(mb_pass_ *w, const double *resp, double *total, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(w->m)->form;
    const int               grouped = MB_GROUPS_(w->groups != NULL);

    if (f->look)
        MB_TRY(f->look(w, err));
    if (!grouped || !w->groups->again)
        MB_TRY(resp ? mb_estep_given_(&w->g, resp, err) : f->density(w, err));
    if (grouped)
        return mb_estep_share_(w->groups, &w->g, resp != NULL, total, err);
    return resp ? MB_OK : mb_estep_normalise_(&w->g, total, err);
}

/* s += the statistics of the rows without gaps, or of those with: all, if they are in groups. */
static mb_status pass(mb_pass_ *w, const mb_rows *rows, const double *resp, double *s,
                      double *total, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(w->m)->form;

    if (MB_GAPS_(w->gaps) && f->clear)
        f->clear(w);
    for (int64_t next = 0; fill(w, rows, 0, &next);) {
        MB_TRY(respond(w, resp, total, err));
        if (is_ready(w))
            MB_TRY(f->gather(w, s, err));
    }
    if (f->finish)
        f->finish(w, s);
    return MB_OK;
}

/* s += the statistics of the rows with responsibilities resp, or if NULL those of the E-step that w
 * holds; then *logz += sum of w ln Z, unless it is NULL. */
static mb_status absorb(mb_pass_ *w, const mb_rows *rows, const double *resp, double *s,
                        double *logz, mb_err *err)
{
    mb_groups_ q;
    double     total = 0;

    MB_TRY(check(w, rows, err));
    w->given = resp != NULL;
    if (mb_mixture_grouped_(w->m))
        group(w, rows, &q);
    else
        w->g.unit = !rows->w;
    for (w->gaps = mb_mixture_grouped_(w->m) && MB_GAPS_(rows->gaps);
         w->gaps <= MB_GAPS_(rows->gaps); w->gaps++)
        MB_TRY(pass(w, rows, resp, s, &total, err));
    if (mb_mixture_grouped_(w->m))
        mb_weights_add_(w->m, q.count, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

mb_status mb_mixture_stats_(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    mb_pass_ w;

    begin(&w, m, phi, scratch);
    MB_TRY(expect(&w, err));
    return absorb(&w, rows, NULL, s, logz, err);
}

mb_status mb_mixture_more_stats_(const mb_model *m, const double *phi, const mb_rows *rows,
                                 double *s, double *logz, double *scratch, mb_err *err)
{
    mb_pass_ w;

    begin(&w, m, phi, scratch);
    return absorb(&w, rows, NULL, s, logz, err);
}

mb_status mb_mixture_seed_stats_(const mb_model *m, const mb_rows *rows, const double *resp,
                                 double *s, double *scratch, mb_err *err)
{
    mb_pass_ w;

    begin(&w, m, m->prior, scratch);
    return absorb(&w, rows, resp, s, NULL, err);
}

static mb_status chains(mb_pass_ *w, const mb_rows *rows, double *out, mb_err *err)
{
    const int64_t n = rows->first ? rows->ngroup : rows->n;

    MB_TRY(mb_weights_shares_(w->m, w->phi, w->ln_pi, err));
    for (int64_t i = 0; i < n; i++)
        MB_TRY(spec_of(w->m)->form->chain(w, rows, rows->first ? rows->first[i] : i,
                                          rows->first ? rows->first[i + 1] : i + 1, out, err));
    return MB_OK;
}

/* What is wanted of all rows, once w is set up. */
static mb_status answer(mb_pass_ *w, const mb_rows *rows, mb_want want, double *out, mb_err *err)
{
    mb_groups_ q;
    double     total = 0;

    if (mb_mixture_grouped_(w->m))
        group(w, rows, &q);
    for (w->gaps = mb_mixture_grouped_(w->m) && MB_GAPS_(rows->gaps);
         w->gaps <= MB_GAPS_(rows->gaps); w->gaps++)
        for (int64_t next = 0; fill(w, rows, 1, &next);) {
            MB_TRY(respond(w, NULL, &total, err));
            if (is_ready(w))
                mb_estep_answer_(&w->g, want, out);
        }
    if (mb_mixture_grouped_(w->m))
        mb_estep_answer_empty_(&q, rows, w->g.K, want, out);
    return MB_OK;
}

mb_status mb_mixture_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                              mb_want want, double *out, double *scratch, mb_err *err)
{
    const int density = want == MB_WANT_LOGPDF;
    mb_pass_  w;
    mb_rows   all = *rows;

    begin(&w, m, phi, scratch);
    all.w = NULL; /* rows of weight 0 are predicted, too */
    if (!density && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP, "a mixture predicts densities, responsibilities and labels only");
    MB_TRY(check(&w, &all, err));
    if (mb_mixture_grouped_(m) && density)
        return chains(&w, &all, out, err);
    MB_TRY(density ? predictive(&w, err) : expect(&w, err));
    return answer(&w, &all, want, out, err);
}

/* ---- the emission of another model ---- */

mb_status mb_mixture_open_(mb_pass_ *w, const mb_model *m, const double *phi, const mb_rows *rows,
                           int32_t predictive, double *scratch, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(m)->form;

    begin(w, m, phi, scratch);
    w->gaps = MB_GAPS_(rows->gaps);
    w->predictive = predictive;
    if (f->refuses)
        MB_TRY(f->refuses(w, rows, err));
    MB_TRY(mb_estep_check_rows_(&w->g, rows, err));
    for (int32_t k = 0; k < m->K; k++)
        w->ln_pi[k] = 0;
    MB_TRY(f->prepare(w, err));
    if (w->gaps && f->clear)
        f->clear(w);
    return MB_OK;
}

/* The block gets rows with a value, from row j to `end` at most, of weight 1. */
static mb_status load(mb_pass_ *w, const mb_rows *rows, int64_t *j, int64_t end, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(w->m)->form;
    mb_estep_              *g = &w->g;

    g->rows = g->ones = 0;
    g->follow = !w->gaps;
    g->first = *j;
    for (; *j < end && g->rows < g->block; ++*j) {
        if (w->gaps && mb_rows_gaps(rows, *j) == rows->d)
            continue;
        g->row[g->rows] = *j;
        g->w[g->rows++] = 1;
    }
    mb_estep_load_(g, rows, w->gaps);
    return g->rows && f->look ? f->look(w, err) : MB_OK;
}

mb_status mb_mixture_densities_(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t n,
                                double *ln, mb_err *err)
{
    mb_estep_   *g = &w->g;
    const size_t K = (size_t)g->K;

    for (size_t e = 0; w->gaps && e < (size_t)n * K; e++)
        ln[e] = 0;
    for (int64_t j = first; j < first + n;) {
        MB_TRY(load(w, rows, &j, first + n, err));
        if (!g->rows)
            continue;
        MB_TRY(spec_of(w->m)->form->density(w, err));
        for (int32_t l = 0; l < g->rows; l++)
            for (size_t k = 0; k < K; k++)
                ln[(size_t)(mb_estep_row_(g, l) - first) * K + k] =
                    g->r[k * (size_t)g->block + (size_t)l];
    }
    return MB_OK;
}

mb_status mb_mixture_gather_(mb_pass_ *w, const mb_rows *rows, int64_t first, int64_t n,
                             const double *resp, double *s, mb_err *err)
{
    const mb_mixture_form_ *f = spec_of(w->m)->form;
    mb_estep_              *g = &w->g;
    const size_t            K = (size_t)g->K;

    for (int64_t j = first; j < first + n;) {
        MB_TRY(load(w, rows, &j, first + n, err));
        if (!g->rows)
            continue;
        if (w->m->ops->more_latent) /* which follows from the density */
            MB_TRY(f->density(w, err));
        for (int32_t l = 0; l < g->rows; l++)
            for (size_t k = 0; k < K; k++)
                g->r[k * (size_t)g->block + (size_t)l] =
                    resp[(size_t)(mb_estep_row_(g, l) - first) * K + k];
        mb_estep_weights_given_(g);
        MB_TRY(f->gather(w, s, err));
    }
    return MB_OK;
}

void mb_mixture_close_(mb_pass_ *w, double *s)
{
    if (spec_of(w->m)->form->finish)
        spec_of(w->m)->form->finish(w, s);
}
