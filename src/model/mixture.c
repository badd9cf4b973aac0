/* mixture.c - mixtures of products of independent columns: eq. (17a) and (18) with ln rho_k = E[ln
 * pi_k] + sum over the blocks of E[ln p(x | theta_k)]. */
#include "model/mixture.h"
#include "base/gaps.h"
#include "base/groups.h"
#include "model/mixture_step.h"

static mb_status expect(const mb_model *m, const double *phi, mb_mixture_view_ *w, mb_err *err)
{
    MB_TRY(mb_weights_expect_(m, phi, w->ln_pi, err));
    return mb_mixture_prepare_(m, phi, 0, w, err);
}

static mb_status predictive(const mb_model *m, const double *phi, mb_mixture_view_ *w, mb_err *err)
{
    MB_TRY(mb_weights_shares_(m, phi, w->ln_pi, err));
    return mb_mixture_prepare_(m, phi, 1, w, err);
}

/* r and lnz of the block; *total += their sum by weight. */
static mb_status respond(const mb_model *m, int predictive, mb_mixture_view_ *w, double *total,
                         mb_err *err)
{
    mb_mixture_densities_(m, predictive, w->ln_pi, w);
    return mb_gmm_normalise_(&w->g, total, err);
}

static void gather(const mb_model *m, mb_mixture_view_ *w, double *s)
{
    mb_mixture_gather_(m, w, s);
    mb_weights_add_(m, w->count, s);
}

static mb_status check(const mb_model *m, const mb_mixture_view_ *w, const mb_rows *rows,
                       mb_err *err)
{
    MB_TRY(mb_mixture_gaps_(m, rows, err));
    return mb_gmm_check_(&w->g, rows, err);
}

/* s += the statistics of the rows, with resp instead of an E-step unless it is NULL. */
static mb_status absorb(const mb_model *m, mb_mixture_view_ *w, const mb_rows *rows,
                        const double *resp, double *s, double *logz, mb_err *err)
{
    double total = 0;

    MB_TRY(check(m, w, rows, err));
    w->g.unit = !rows->w;
    for (int gaps = 0; gaps <= MB_GAPS_(rows->gaps); gaps++)
        for (int64_t next = 0; next < rows->n;) {
            next = gaps ? mb_gmm_fill_gaps_(&w->g, rows, 0, next)
                        : mb_gmm_fill_whole_(&w->g, rows, next);
            MB_TRY(mb_mixture_cells_(m, w, err));
            MB_TRY(resp ? mb_gmm_given_(&w->g, resp, err) : respond(m, 0, w, &total, err));
            gather(m, w, s);
        }
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);

    MB_TRY(expect(m, phi, &w, err));
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

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const int        density = want == MB_WANT_LOGPDF;
    mb_mixture_view_ w = mb_mixture_work_(m, scratch);
    mb_rows          all = *rows;
    double           total = 0;

    all.w = NULL; /* rows of weight 0 are predicted, too */
    if (!density && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP, "a mixture predicts densities, responsibilities and labels only");
    MB_TRY(check(m, &w, &all, err));
    MB_TRY(density ? predictive(m, phi, &w, err) : expect(m, phi, &w, err));
    for (int gaps = 0; gaps <= MB_GAPS_(all.gaps); gaps++)
        for (int64_t next = 0; next < all.n;) {
            next = gaps ? mb_gmm_fill_gaps_(&w.g, &all, 1, next)
                        : mb_gmm_fill_whole_(&w.g, &all, next);
            MB_TRY(mb_mixture_cells_(m, &w, err));
            MB_TRY(respond(m, density, &w, &total, err));
            mb_gmm_answer_(&w.g, want, out);
        }
    return MB_OK;
}

static const mb_model_ops ops = {.name = "mixture",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .predict = predict,
                                 .sample = mb_mixture_sample_};

/* The columns of a block. */
static mb_status part_of(mb_arena *a, const mb_block *b, const mb_emission_ *emission,
                         mb_part_ *out, mb_err *err)
{
    const int32_t wide = emission->single ? 1 : b->dim;
    int32_t      *column;

    *out = (mb_part_){.emission = emission,
                      .dim = b->dim,
                      .dims = b->dims,
                      .members = b->members,
                      .n = wide * b->members,
                      .len = b->len / (size_t)b->members};
    MB_NEW(column, a, out->n, err);
    for (int32_t i = 0; i < out->n; i++)
        column[i] = (b->column ? b->column[i / wide] : 0) + i % wide;
    out->column = column;
    return MB_OK;
}

mb_status mb_mixture_(mb_arena *a, int32_t D, const mb_emission_ *const *emission, int32_t grouped,
                      mb_model *m, mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_mixture_spec_ *q;

    (void)grouped; /* in a build without groups */
    MB_NEW(q, a, 1, err);
    mb_kernel_list_(kernel);
    *q = (mb_mixture_spec_){.kernel = kernel[0], .D = D};
    for (int32_t b = 1; b < m->layout.nblock; b++) {
        MB_TRY(part_of(a, &m->layout.block[b], emission[b - 1], &q->part[b], err));
        q->tables += emission[b - 1]->table(&q->part[b]);
    }
    m->ops = MB_GROUPS_(grouped) ? &mb_mixture_groups_ops_ : &ops;
    m->spec = q;
    m->scratch =
        mb_rows_scratch_(m->K, D) + (size_t)m->K * (q->tables + 2) + MB_BLOCK_MAX + 2 * (size_t)D;
    if (MB_GROUPS_(grouped))
        m->scratch += mb_mixture_groups_room_(m);
    return MB_OK;
}
