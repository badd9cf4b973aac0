/* sequences.c - the states of rows in sequences over time, for answer.json. */
#include "base/columns.h"
#include "base/rows.h"
#include "model/kind.h"
#include "posterior/posterior.h"
#include "run/answer.h"

#include <math.h>

enum { SEQUENCES = 12, ROWS = 400 /* of each, in answer.json */ };

int sim_rows_in_sequences(const mb_rows *rows)
{
    return rows->first && rows->ngroup && !rows->share && !rows->remote_rows;
}

mb_rows sim_sequence(const mb_rows *rows, int32_t g, int64_t whole[2])
{
    const int64_t from = rows->first[g], n = rows->first[g + 1] - from;
    mb_rows       one = mb_rows_part(rows, from, n);

    whole[0] = 0;
    whole[1] = n;
    one.w = NULL;
    one.first = whole;
    one.ngroup = 1;
    return one;
}

/* 1 for a model whose rows have states, of rows that are all here. */
static int has_states(const sim_answer *a, const mb_rows *rows)
{
    int32_t        n;
    const mb_want *wants = mb_kind_wants(a->posterior.kind, &a->posterior.size, &n);

    for (int32_t k = 0; k < n; k++)
        if (wants[k] == MB_WANT_STATES)
            return sim_rows_in_sequences(rows);
    return 0;
}

/* The first column that is a number or a count; -1: there is none. */
static int32_t drawn_column(const mb_sizes *s)
{
    for (int32_t d = 0; d < s->D; d++)
        if (mb_columns_kind(s->columns, d) < MB_COLUMN_CATEGORY)
            return d;
    return -1;
}

/* The likeliest states of all rows of group g into out. */
static mb_status states_of(mb_arena *a, const mb_posterior *p, const mb_rows *rows, int32_t g,
                           double *out, mb_err *err)
{
    int64_t       whole[2];
    const mb_rows one = sim_sequence(rows, g, whole);
    double       *scratch;

    MB_NEW(scratch, a, mb_posterior_scratch(p, one.n), err);
    return mb_posterior_predict(p, &one, MB_WANT_STATES, 0, out, scratch, err);
}

/* States, values of the column that is drawn, and where rows have no value, of one sequence. */
static void put(const mb_rows *rows, int32_t g, int32_t column, const double *state, double *work,
                mb_json_out *j)
{
    const int64_t from = rows->first[g], n = rows->first[g + 1] - from;
    const int64_t shown = n < ROWS ? n : ROWS;

    mb_json_object(j, NULL);
    mb_json_integer(j, "rows", n);
    mb_json_numbers(j, "states", 1, &shown, state);
    for (int64_t k = 0; k < shown; k++)
        work[k] = mb_rows_gaps(rows, from + k) == rows->d;
    mb_json_numbers(j, "gaps", 1, &shown, work);
    for (int64_t k = 0; k < shown; k++)
        work[k] = column < 0 ? (double)NAN : mb_rows_at(rows, from + k, column);
    mb_json_numbers(j, "values", 1, &shown, work);
    mb_json_close(j);
}

mb_status sim_sequences_write(sim_job *job, const sim_case *cs, const sim_answer *a, mb_json_out *j)
{
    const mb_case *c = &cs->fit->stages->nodes;
    const mb_rows *rows = &c->table.rows;
    const int32_t  column = drawn_column(&a->posterior.size);
    const int32_t  shown = rows->ngroup < SEQUENCES ? rows->ngroup : SEQUENCES;
    mb_posterior   ready = a->posterior;
    double        *state, work[ROWS];

    if (!has_states(a, rows) || mb_posterior_ready(job->a, &ready, NULL) < 0)
        return MB_OK;
    mb_json_object(j, "sequences");
    mb_json_integer(j, "count", rows->ngroup);
    mb_json_text(j, "column", column < 0 ? NULL : c->table.column[column]);
    sim_group_names(cs, rows, shown, j);
    mb_json_list(j, "shown");
    for (int32_t g = 0; g < shown; g++) {
        MB_NEW(state, job->a, rows->first[g + 1] - rows->first[g], j->err);
        MB_TRY(states_of(job->a, &ready, rows, g, state, j->err));
        put(rows, g, column, state, work, j);
    }
    mb_json_close(j);
    mb_json_close(j);
    return MB_OK;
}
