/* group_blocks.c - blocks of rows in groups that share their component, for mixtures of every kind of
 * component. */
#include "base/gaps.h"
#include "base/rows.h"
#include "model/estep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int is_empty(const void *rows, int64_t j)
{
    const mb_rows *of = rows;

    return mb_rows_gaps(of, j) == of->d;
}

mb_status mb_estep_check_groups_(const mb_estep_ *g, const mb_rows *rows, mb_err *err)
{
    MB_TRY(mb_estep_check_rows_(g, rows, err));
    for (int32_t i = 0; rows->first && rows->w && i < rows->ngroup; i++) {
        double w = -1;

        for (int64_t j = rows->first[i]; j < rows->first[i + 1]; j++) {
            if (MB_GAPS_(rows->gaps) && is_empty(rows, j))
                continue;
            if (w >= 0 && (rows->w[j] < w || rows->w[j] > w))
                MB_FAIL(err, MB_E_ARG,
                        "row %" PRId64 ": got weight %g; expected %g, that of the rows before it "
                        "in its group",
                        j, rows->w[j], w);
            w = rows->w[j];
        }
    }
    return MB_OK;
}

mb_groups_ mb_estep_groups_(const mb_estep_ *g, const mb_rows *rows, double *room)
{
    mb_groups_ q =
        mb_groups_begin_(g->K, room, rows->first ? rows->ngroup : rows->n, rows->first, rows->w);

    q.rows = rows;
    q.empty = MB_GAPS_(rows->gaps) ? is_empty : NULL;
    return q;
}

int mb_estep_fill_groups_(mb_groups_ *q, mb_estep_ *g, const mb_rows *rows)
{
    const int some = mb_groups_next_(q, g);

    mb_estep_load_(g, rows, rows->gaps);
    return some;
}

void mb_estep_fill_one_(mb_estep_ *g, const mb_rows *rows, int64_t j)
{
    g->follow = g->rows = 1;
    g->first = j;
    g->w[0] = 1;
    g->ones = 0;
    mb_estep_load_(g, rows, rows->gaps);
}

mb_status mb_estep_share_(mb_groups_ *q, mb_estep_ *g, int given, double *total, mb_err *err)
{
    if (!q->again) {
        if (!mb_groups_fold_(q, g, given))
            return MB_OK;
        if (!given)
            MB_TRY(mb_estep_normalise_(g, total, err));
    }
    mb_groups_spread_(q, g);
    return MB_OK;
}

/* What the weights of the mixture alone say. */
static void answer_weights(const double *ln_pi, int32_t K, mb_want want, double *out)
{
    int32_t best = 0;
    double  sum = 0;

    for (int32_t k = 1; k < K; k++)
        best = ln_pi[k] > ln_pi[best] ? k : best;
    if (want == MB_WANT_LABEL) {
        *out = best;
        return;
    }
    for (int32_t k = 0; k < K; k++)
        sum += out[k] = exp(ln_pi[k] - ln_pi[best]);
    for (int32_t k = 0; k < K; k++)
        out[k] /= sum;
}

void mb_estep_answer_empty_(const mb_groups_ *q, const mb_rows *rows, int32_t K, mb_want want,
                            double *out)
{
    const int32_t width = want == MB_WANT_RESP ? K : 1;

    for (int64_t i = 0; q->empty && i < q->n; i++) {
        const int64_t first = q->first ? q->first[i] : i, end = q->first ? q->first[i + 1] : i + 1;
        int64_t       from = first;

        while (from < end && q->empty(rows, from))
            from++;
        for (int64_t j = first; j < end; j++)
            if (from == end)
                answer_weights(q->ln_pi, K, want, out + j * width);
            else if (q->empty(rows, j))
                memcpy(out + j * width, out + from * width, (size_t)width * sizeof *out);
    }
}

mb_status mb_estep_further_(int64_t j, int32_t K, const double *a, double *before, double *out,
                            mb_err *err)
{
    double top = a[0], sum = 0, now;

    for (int32_t k = 1; k < K; k++)
        top = a[k] > top ? a[k] : top;
    for (int32_t k = 0; k < K; k++)
        sum += exp(a[k] - top);
    now = top + log(sum);
    if (!isfinite(now))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its predictive density is %g; its values must be finite and not "
                "absurdly far from every component",
                j, now);
    *out = now - *before;
    *before = now;
    return MB_OK;
}
