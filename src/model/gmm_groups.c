/* gmm_groups.c - the mixture of Gaussians with matrices whose unit is the group: all rows of a
 * group are of one component (docs/math.md, section 23). */
#include "base/gaps.h"
#include "base/rows.h"
#include "expfam/normal_wishart.h"
#include "model/gmm_step.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static mb_estep_ work_of(const mb_model *m, double *scratch)
{
    return mb_estep_carve_(m->spec, m->K, m->layout.block[MB_GMM_NORMALS_].dim, scratch);
}

/* 3 K doubles for mb_gmm_groups_, then those of `chain`. */
static double *room_of(const mb_model *m, double *scratch)
{
    return scratch + mb_estep_scratch_(m->K, m->layout.block[MB_GMM_NORMALS_].dim);
}

static size_t slice_len(int32_t D)
{
    return 1 + mb_svec_len_(D + 1);
}

size_t mb_gmm_groups_room_(int32_t K, int32_t D)
{
    const size_t n = (size_t)D + 1;

    return (size_t)K * (4 + slice_len(D)) + n * n + mb_svec_len_(D + 1);
}

/* E[ln pi_k] counts once a group and is in room. */
static mb_status expect(const mb_model *m, const double *phi, double *room, mb_estep_ *g,
                        mb_err *err)
{
    MB_TRY(mb_weights_expect_(m, phi, room, err));
    for (int32_t k = 0; k < g->K; k++) {
        MB_TRY(mb_gmm_factor_(m, phi, k, g, err));
        mb_gmm_expect_(phi + mb_gmm_at_(&m->layout, k), k, 0, g);
    }
    return MB_OK;
}

/* r, and lnz, of the block's groups; resp: given. */
static mb_status respond(mb_groups_ *q, mb_estep_ *g, const double *resp, double *total,
                         mb_err *err)
{
    if (resp && !q->again)
        MB_TRY(mb_gmm_given_(g, resp, err));
    for (int32_t k = 0; !resp && !q->again && k < g->K; k++)
        g->kernel->density(g, k, g->c[k], g->g[k], g->r + (size_t)k * (size_t)g->block);
    return mb_gmm_share_(q, g, resp != NULL, total, err);
}

/* s += the statistics of the rows: those of the E-step that g holds, of phi, or with
 * responsibilities resp. Then *logz += sum of w ln Z, unless it is NULL. */
static mb_status absorb(const mb_model *m, const double *phi, mb_estep_ *g, double *room,
                        const mb_rows *rows, const double *resp, double *s, double *logz,
                        mb_err *err)
{
    mb_groups_ q = mb_gmm_groups_(g, rows, room);
    double     total = 0;

    MB_TRY(mb_gmm_check_groups_(g, rows, err));
    if (MB_GAPS_(rows->gaps))
        MB_TRY(mb_gaps_absorb_(m, phi, g, rows, &q, resp, s, &total, err));
    else {
        while (mb_gmm_fill_groups_(&q, g, rows)) {
            MB_TRY(respond(&q, g, resp, &total, err));
            if (q.ready)
                g->kernel->moments(g);
        }
        mb_gmm_sums_(m, g, s);
        mb_weights_add_(m, q.count, s);
    }
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    mb_estep_ g = work_of(m, scratch);
    double   *room = room_of(m, scratch);

    MB_TRY(expect(m, phi, room, &g, err));
    return absorb(m, phi, &g, room, rows, NULL, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    mb_estep_ g = work_of(m, scratch);

    return absorb(m, phi, &g, room_of(m, scratch), rows, NULL, s, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    mb_estep_ g = work_of(m, scratch);

    return absorb(m, m->prior, &g, room_of(m, scratch), rows, resp, s, NULL, err);
}

/* The row that the block holds, as one more of component k: its slice of phi. room: n n +
 * n(n+1)/2. */
static void add_row(const mb_estep_ *g, double *slice, double *room)
{
    const size_t n = (size_t)g->D + 1;
    double      *z = room;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            z[i * n + j] = (i ? g->z[(i - 1) * (size_t)g->block] : 1) *
                           (j ? g->z[(j - 1) * (size_t)g->block] : 1);
    mb_gmm_natural_(g->D + 1, 1, z, room + n * n, slice);
}

/* a[k] += ln p(row | earlier rows of its group, data, component k), and the row becomes one of
 * them: slices (K) are the posteriors of the components given these. */
static mb_status add_ln(mb_estep_ *g, double *a, double *slices, double *room, mb_err *err)
{
    const size_t len = slice_len(g->D);

    for (int32_t k = 0; k < g->K; k++) {
        double *slice = slices + (size_t)k * len, *L = g->tmp + g->K;

        if (mb_nw_factor_(g->D, slice, L) < 0)
            MB_FAIL(err, MB_E_DOMAIN,
                    "component %" PRId32 " (normal-wishart.1) is outside its domain", k);
        mb_gmm_component_(g, k, L);
        mb_gmm_student_(slice, k, 0, g);
        mb_gmm_student_density_(g, k);
        a[k] += g->r[(size_t)k * (size_t)g->block];
        add_row(g, slice, room);
    }
    return MB_OK;
}

/* Rows first .. end - 1, a group: ln p of each given those before it. room: ln shares (K), K, K,
 * and those of mb_gmm_groups_room_. */
static mb_status chain(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                       int64_t first, int64_t end, double *room, double *out, mb_err *err)
{
    const int32_t K = g->K;
    const size_t  len = slice_len(g->D);
    double       *a = room + 3 * K, *slices = a + K, *rest = slices + (size_t)K * len, before = 0;

    memcpy(a, room, (size_t)K * sizeof *a);
    for (int32_t k = 0; k < K; k++)
        memcpy(slices + (size_t)k * len, phi + mb_gmm_at_(&m->layout, k), len * sizeof *slices);
    for (int64_t j = first; j < end; j++) {
        mb_gmm_fill_one_(g, rows, j);
        MB_TRY(mb_gmm_finite_(g, err));
        MB_TRY(add_ln(g, a, slices, rest, err));
        MB_TRY(mb_gmm_further_(j, K, a, &before, &out[j], err));
    }
    return MB_OK;
}

/* The posterior of a component given a row with gaps is no normal-Wishart. */
static mb_status whole(const mb_rows *rows, mb_err *err)
{
    for (int64_t j = 0; j < rows->n; j++)
        if (mb_rows_gaps(rows, j))
            MB_FAIL(err, MB_E_NOSUP,
                    "row %" PRId64 ": has gaps; the predictive density of rows in groups with "
                    "matrices needs all values",
                    j);
    return MB_OK;
}

static mb_status chains(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                        double *room, double *out, mb_err *err)
{
    const int64_t n = rows->first ? rows->ngroup : rows->n;

    if (MB_GAPS_(rows->gaps))
        MB_TRY(whole(rows, err));
    MB_TRY(mb_weights_shares_(m, phi, room, err));
    for (int64_t i = 0; i < n; i++)
        MB_TRY(chain(m, phi, g, rows, rows->first ? rows->first[i] : i,
                     rows->first ? rows->first[i + 1] : i + 1, room, out, err));
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    mb_estep_  g = work_of(m, scratch);
    double    *room = room_of(m, scratch), total = 0;
    mb_rows    all = *rows;
    mb_groups_ q;

    all.w = NULL; /* rows of weight 0 are predicted, too */
    if (want != MB_WANT_LOGPDF && want != MB_WANT_RESP && want != MB_WANT_LABEL)
        MB_FAIL(err, MB_E_NOSUP,
                "a mixture of Gaussians predicts densities, responsibilities and labels only");
    MB_TRY(mb_gmm_check_groups_(&g, &all, err));
    if (want == MB_WANT_LOGPDF)
        return chains(m, phi, &g, &all, room, out, err);
    MB_TRY(expect(m, phi, room, &g, err));
    q = mb_gmm_groups_(&g, &all, room);
    if (MB_GAPS_(all.gaps))
        MB_TRY(mb_gaps_predict_(m, phi, &g, &all, &q, want, out, err));
    while (!MB_GAPS_(all.gaps) && mb_gmm_fill_groups_(&q, &g, &all)) {
        MB_TRY(respond(&q, &g, NULL, &total, err));
        if (q.ready)
            mb_gmm_answer_(&g, want, out);
    }
    mb_gmm_answer_empty_(&q, &all, g.K, want, out);
    return MB_OK;
}

/* Each row is of a group of its own. */
static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    return mb_gmm_draw_(m, par, NULL, seed, first, n, out, scratch, err);
}

const mb_model_ops mb_gmm_groups_ops_ = {.name = "groups",
                                         .stats = stats,
                                         .more_stats = more_stats,
                                         .seed_stats = seed_stats,
                                         .predict = predict,
                                         .sample = sample};
