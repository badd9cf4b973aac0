/* series.c - level, slope and season of series over time and what comes next, for answer.json. */
#include "base/rows.h"
#include "model/kind.h"
#include "posterior/posterior.h"
#include "run/answer.h"

#include <math.h>

enum {
    SERIES = 12,
    ROWS = 400 /* of each, the last ones */,
    LEAST = 4,
    MOST = 48,
    A_STEP = 5 /* a forecast has one step for as many rows, and as many as these say */
};

/* A series that is shown. */
typedef struct series {
    mb_rows rows;
    int64_t whole[2];
    int64_t from, shown; /* its rows that are */
    int64_t steps;       /* of the forecast; 0: there is none */
    int32_t parts;       /* of the state */
} series;

/* What is wanted of it, means and variances. */
static mb_status predict(mb_arena *a, const mb_posterior *p, const series *s, mb_want want,
                         int64_t numbers, double **out, mb_err *err)
{
    double *scratch;

    MB_NEW(*out, a, numbers, err);
    MB_NEW(scratch, a, mb_posterior_scratch(p, s->rows.n), err);
    return mb_posterior_predict(p, &s->rows, want, 0, *out, scratch, err);
}

/* "mean" and "sd" of `parts` lists of n, of n x parts pairs of mean and variance. */
static mb_status put_pairs(mb_arena *a, const double *x, int64_t n, int32_t parts, mb_json_out *j)
{
    const int64_t shape[] = {parts, n};
    mb_err *const err = j->err;
    double       *list;

    MB_NEW(list, a, n * parts, err);
    for (int sd = 0; sd < 2; sd++) {
        for (int32_t k = 0; k < parts; k++)
            for (int64_t t = 0; t < n; t++) {
                const double v = x[2 * (t * parts + k) + sd];

                list[k * n + t] = sd ? sqrt(v) : v;
            }
        mb_json_numbers(j, sd ? "sd" : "mean", 2, shape, list);
    }
    return MB_OK;
}

static mb_status put(mb_arena *a, const mb_posterior *p, const series *s, mb_json_out *j)
{
    mb_err *const err = j->err;
    double       *state, *next, *value;

    MB_TRY(predict(a, p, s, MB_WANT_SMOOTHED, 2 * s->rows.n * s->parts, &state, err));
    MB_NEW(value, a, s->shown, err);
    for (int64_t t = 0; t < s->shown; t++)
        value[t] = mb_rows_at(&s->rows, s->from + t, p->size.D);
    mb_json_object(j, NULL);
    mb_json_integer(j, "rows", s->rows.n);
    mb_json_integer(j, "from", s->from);
    mb_json_numbers(j, "values", 1, &s->shown, value);
    MB_TRY(put_pairs(a, state + 2 * s->from * s->parts, s->shown, s->parts, j));
    if (s->steps) {
        MB_TRY(predict(a, p, s, MB_WANT_AHEAD, 2 * s->steps, &next, err));
        mb_json_object(j, "forecast");
        MB_TRY(put_pairs(a, next, s->steps, 1, j));
        mb_json_close(j);
    }
    mb_json_close(j);
    return MB_OK;
}

/* Its last rows, and a forecast where no inputs are needed. */
static void choose(const mb_rows *rows, int32_t g, const mb_posterior *p, series *out)
{
    const char *const *part = p->kind->state(&p->size);
    int64_t            n;

    *out = (series){.parts = 0};
    out->rows = sim_sequence(rows, g, out->whole);
    n = out->rows.n;
    out->shown = n < ROWS ? n : ROWS;
    out->from = n - out->shown;
    while (part[out->parts])
        out->parts++;
    if (!p->size.D)
        out->steps = n / A_STEP < LEAST ? LEAST : n / A_STEP > MOST ? MOST : n / A_STEP;
    out->rows.ahead = (int32_t)out->steps;
}

mb_status sim_series_write(sim_job *job, const sim_case *cs, const sim_answer *a, mb_json_out *j)
{
    const mb_kind *kind = a->posterior.kind;
    const mb_rows *rows = &cs->fit->stages->nodes.table.rows;
    const int32_t  shown = rows->ngroup < SERIES ? rows->ngroup : SERIES;
    mb_posterior   ready = a->posterior;

    if (!kind->state || !sim_rows_in_sequences(rows) ||
        mb_posterior_ready(job->a, &ready, NULL) < 0)
        return MB_OK;
    mb_json_object(j, "series");
    mb_json_integer(j, "count", rows->ngroup);
    mb_json_list(j, "parts");
    for (const char *const *part = kind->state(&ready.size); *part; part++)
        mb_json_text(j, NULL, *part);
    mb_json_close(j);
    sim_group_names(cs, rows, shown, j);
    mb_json_list(j, "shown");
    for (int32_t g = 0; g < shown; g++) {
        series s;

        choose(rows, g, &ready, &s);
        MB_TRY(put(job->a, &ready, &s, j));
    }
    mb_json_close(j);
    mb_json_close(j);
    return MB_OK;
}
