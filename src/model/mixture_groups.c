/* mixture_groups.c - mixtures of independent columns whose unit is the group: all rows of a group
 * are of one component (docs/math.md, section 23). */
#include "model/mixture_step.h"

#include <string.h>

size_t mb_mixture_groups_room_(const mb_model *m)
{
    return 4 * (size_t)m->K + m->layout.len;
}

/* r, and lnz, of the block's groups, once q->ready says so; resp: given, instead of an E-step. */
static mb_status respond(const mb_model *m, mb_mixture_view_ *w, mb_groups_ *q, const double *resp,
                         double *total, mb_err *err)
{
    MB_TRY(mb_mixture_cells_(m, w, err));
    if (resp && !q->again)
        MB_TRY(mb_gmm_given_(&w->g, resp, err));
    else if (!q->again)
        mb_mixture_densities_(m, 0, NULL, w);
    return mb_gmm_share_(q, &w->g, resp != NULL, total, err);
}

static mb_groups_ groups_of(mb_mixture_view_ *w, const mb_rows *rows)
{
    const mb_groups_ q = mb_gmm_groups_(&w->g, rows, w->groups);

    memcpy(q.ln_pi, w->ln_pi, (size_t)w->g.K * sizeof *q.ln_pi);
    return q;
}

static mb_status check(const mb_model *m, const mb_mixture_view_ *w, const mb_rows *rows,
                       mb_err *err)
{
    MB_TRY(mb_mixture_gaps_(m, rows, err));
    return mb_gmm_check_groups_(&w->g, rows, err);
}

/* s += the statistics of the rows, with resp instead of an E-step unless it is NULL. */
static mb_status absorb(const mb_model *m, mb_mixture_view_ *w, const mb_rows *rows,
                        const double *resp, double *s, double *logz, mb_err *err)
{
    mb_groups_ q = groups_of(w, rows);
    double     total = 0;

    MB_TRY(check(m, w, rows, err));
    while (mb_gmm_fill_groups_(&q, &w->g, rows)) {
        MB_TRY(respond(m, w, &q, resp, &total, err));
        if (q.ready)
            mb_mixture_gather_(m, w, s);
    }
    mb_weights_add_(m, q.count, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);

    MB_TRY(mb_weights_expect_(m, phi, w.ln_pi, err));
    MB_TRY(mb_mixture_prepare_(m, phi, 0, &w, err));
    return absorb(m, &w, rows, NULL, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);

    (void)phi;
    return absorb(m, &w, rows, NULL, s, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);

    return absorb(m, &w, rows, resp, s, NULL, err);
}

/* ln p of rows first .. end - 1, a group, each given those before it: `now` is the posterior of the
 * components given these. */
static mb_status chain(const mb_model *m, const double *phi, mb_mixture_view_ *w,
                       const mb_rows *rows, int64_t first, int64_t end, double *out, mb_err *err)
{
    const int32_t K = m->K;
    double       *a = w->groups + 3 * K, *now = a + K, before = 0;

    memcpy(a, w->ln_pi, (size_t)K * sizeof *a);
    memcpy(now, phi, m->layout.len * sizeof *now);
    for (int64_t j = first; j < end; j++) {
        mb_gmm_fill_one_(&w->g, rows, j);
        MB_TRY(mb_gmm_finite_(&w->g, err));
        MB_TRY(mb_mixture_cells_(m, w, err));
        MB_TRY(mb_mixture_prepare_(m, now, 1, w, err));
        mb_mixture_densities_(m, 1, NULL, w);
        for (int32_t k = 0; k < K; k++) {
            double *r = w->g.r + (size_t)k * (size_t)w->g.block;

            a[k] += *r;
            for (int32_t l = 0; l < MB_LANES_MAX; l++)
                r[l] = l == 0;
        }
        mb_mixture_gather_(m, w, now);
        MB_TRY(mb_gmm_further_(j, K, a, &before, &out[j], err));
    }
    return MB_OK;
}

static mb_status chains(const mb_model *m, const double *phi, mb_mixture_view_ *w,
                        const mb_rows *rows, double *out, mb_err *err)
{
    const int64_t n = rows->first ? rows->ngroup : rows->n;

    MB_TRY(mb_weights_shares_(m, phi, w->ln_pi, err));
    for (int64_t i = 0; i < n; i++)
        MB_TRY(chain(m, phi, w, rows, rows->first ? rows->first[i] : i,
                     rows->first ? rows->first[i + 1] : i + 1, out, err));
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);
    mb_rows          all = *rows;
    mb_groups_       q;
    double           total = 0;

    all.w = NULL; /* rows of weight 0 are predicted, too */
    if (want != MB_WANT_LOGPDF && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP, "a mixture predicts densities, responsibilities and labels only");
    MB_TRY(check(m, &w, &all, err));
    if (want == MB_WANT_LOGPDF)
        return chains(m, phi, &w, &all, out, err);
    MB_TRY(mb_weights_expect_(m, phi, w.ln_pi, err));
    MB_TRY(mb_mixture_prepare_(m, phi, 0, &w, err));
    q = groups_of(&w, &all);
    while (mb_gmm_fill_groups_(&q, &w.g, &all)) {
        MB_TRY(respond(m, &w, &q, NULL, &total, err));
        if (q.ready)
            mb_gmm_answer_(&w.g, want, out);
    }
    mb_gmm_answer_empty_(&q, &all, m->K, want, out);
    return MB_OK;
}

/* Each row is of a group of its own. */
const mb_model_ops mb_mixture_groups_ops_ = {.name = "mixture",
                                             .stats = stats,
                                             .more_stats = more_stats,
                                             .seed_stats = seed_stats,
                                             .predict = predict,
                                             .sample = mb_mixture_sample_};
