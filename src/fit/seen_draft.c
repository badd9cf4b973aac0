/* seen_draft.c - moments of this process's rows, until the network sums them. */
#include "fit/fit.h"

#include <math.h>

mb_status mb_seen_draft_(mb_arena *a, mb_case *c, mb_err *err)
{
    const mb_rows  *rows = &c->table.rows;
    const int32_t   d = rows->d;
    mb_row_moments *m = &c->seen;

    m->d = d;
    m->weight = mb_rows_weight(rows);
    MB_NEW(m->mean, a, d, err);
    MB_NEW(m->sd, a, d, err);
    MB_NEW(m->cov, a, (size_t)d * (size_t)d, err);
    for (int64_t j = 0; j < rows->n; j++)
        for (int32_t i = 0; i < d; i++)
            m->mean[i] += (rows->w ? rows->w[j] : 1) / m->weight *
                          (mb_rows_at(rows, j, i) - c->agreed.origin[i]);
    for (int64_t j = 0; j < rows->n; j++)
        for (int32_t i = 0; i < d; i++)
            for (int32_t k = 0; k < d; k++)
                m->cov[i * d + k] += (rows->w ? rows->w[j] : 1) / (m->weight - 1) *
                                     (mb_rows_at(rows, j, i) - c->agreed.origin[i] - m->mean[i]) *
                                     (mb_rows_at(rows, j, k) - c->agreed.origin[k] - m->mean[k]);
    for (int32_t i = 0; i < d; i++) {
        m->mean[i] += c->agreed.origin[i];
        m->sd[i] = c->agreed.constant[i] ? 0 : sqrt(m->cov[i * d + i]);
    }
    return MB_OK;
}
