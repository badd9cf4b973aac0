/* groups.c - the effects in each group of rows, of a model in which they vary, for answer.json. */
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "run/answer.h"

#include <math.h>

enum { MOST_GROUPS = 400 };

typedef struct groups {
    const mb_case *c;
    const double  *phi;
    int32_t        p;     /* effects that vary                                             */
    int32_t       *input; /* p: of which input, -1: the intercept                          */
    double        *x;     /* the rows of a group, in run units                             */
    double        *effect, *scratch;  /* p x 3                                        */
    double        *rows, *raw;        /* of each group: how many, mean of its target  */
    double        *mean, *low, *high; /* groups + 1 x p: the last one is a new group's */
} groups;

static const mb_rows *all_rows(const groups *q)
{
    return &q->c->table.rows;
}

static void list_effects(groups *q)
{
    const mb_sizes *s = &q->c->size;

    if (s->intercept)
        q->input[q->p++] = -1;
    for (int32_t d = 0; d < s->D; d++)
        if (s->columns && s->columns->of[d].varying)
            q->input[q->p++] = d;
}

static mb_status groups_new(mb_arena *a, int32_t shown, groups *q, mb_err *err)
{
    const mb_rows *rows = all_rows(q);
    const size_t   all = (size_t)q->c->size.D + 1, lines = (size_t)shown + 1;
    int64_t        longest = 0;

    for (int32_t g = 0; g < shown; g++)
        longest = rows->first[g + 1] - rows->first[g] > longest
                      ? rows->first[g + 1] - rows->first[g]
                      : longest;
    MB_NEW(q->input, a, all, err);
    list_effects(q);
    MB_NEW(q->x, a, (size_t)longest * (size_t)q->c->run.d, err);
    MB_NEW(q->effect, a, 3 * all, err);
    MB_NEW(q->scratch, a, mb_local_scratch(&q->c->model), err);
    MB_NEW(q->rows, a, lines, err);
    MB_NEW(q->raw, a, lines, err);
    MB_NEW(q->mean, a, lines * all, err);
    MB_NEW(q->low, a, lines * all, err);
    MB_NEW(q->high, a, lines * all, err);
    return MB_OK;
}

/* Effect i of group g in data units: of the intercept, the target where the columns of the run are 0,
 * near the means of the inputs. */
static void in_data_units(groups *q, int32_t g, int32_t i)
{
    const mb_units *u = &q->c->run;
    const int32_t   target = q->c->size.D, at = g * q->p + i, input = q->input[i];
    const double    origin = input < 0 ? u->origin[target] : 0;
    const double    scale = u->scale[target] / (input < 0 ? 1 : u->scale[input]);
    const double   *t = q->effect + 3 * (size_t)i;
    const double    half = t[1] * mb_student_quantile(t[2], 0.975);

    q->mean[at] = origin + scale * t[0];
    q->low[at] = origin + scale * (t[0] - half);
    q->high[at] = origin + scale * (t[0] + half);
}

/* Group g has the rows first .. end - 1. */
static mb_status one_group(groups *q, int32_t g, int64_t first, int64_t end, mb_err *err)
{
    const size_t  d = (size_t)q->c->run.d;
    const int64_t whole[] = {0, end - first};
    const mb_rows rows = {
        .x = q->x, .n = end - first, .d = q->c->run.d, .ld = d, .first = whole, .ngroup = 1};

    q->rows[g] = (double)rows.n;
    for (int64_t j = first; j < end; j++) {
        mb_case_row(q->c, j, q->x + (size_t)(j - first) * d);
        q->raw[g] += mb_rows_at(all_rows(q), j, q->c->size.D) / (double)rows.n;
    }
    MB_TRY(q->c->model.ops->effects(&q->c->model, q->phi, &rows, q->effect, q->scratch, err));
    for (int32_t i = 0; i < q->p; i++)
        in_data_units(q, g, i);
    return MB_OK;
}

/* NULL: it has none, and is not all that a node has. */
static const char *name_of(const sim_case *cs, const groups *q, int32_t g)
{
    const mb_data    *data = &cs->rows->data;
    const mb_network *net = &cs->network->net;
    const int64_t    *first = all_rows(q)->first;

    if (data->group_name && data->ngroup == all_rows(q)->ngroup)
        return data->group_name[g];
    for (int32_t i = 0; net->id && data->first && i < net->n; i++)
        if (data->first[i] == first[g] && data->first[i + 1] == first[g + 1])
            return net->id[i];
    return NULL;
}

static void put(const sim_case *cs, const groups *q, int32_t shown, mb_json_out *j)
{
    const int64_t lines[] = {shown, q->p}, one = shown, new = q->p;
    const size_t  last = (size_t)shown * (size_t)q->p;

    mb_json_object(j, "groups");
    mb_json_integer(j, "count", all_rows(q)->ngroup);
    mb_json_list(j, "names");
    for (int32_t g = 0; g < shown; g++)
        mb_json_text(j, NULL, name_of(cs, q, g));
    mb_json_close(j);
    mb_json_list(j, "effects");
    for (int32_t i = 0; i < q->p; i++)
        mb_json_text(j, NULL, q->input[i] < 0 ? "(intercept)" : q->c->table.column[q->input[i]]);
    mb_json_close(j);
    mb_json_numbers(j, "rows", 1, &one, q->rows);
    mb_json_numbers(j, "target_mean", 1, &one, q->raw);
    mb_json_numbers(j, "at", 1, &(int64_t){q->c->size.D}, q->c->run.origin);
    mb_json_numbers(j, "mean", 2, lines, q->mean);
    mb_json_numbers(j, "low", 2, lines, q->low);
    mb_json_numbers(j, "high", 2, lines, q->high);
    mb_json_numbers(j, "new_mean", 1, &new, q->mean + last);
    mb_json_numbers(j, "new_low", 1, &new, q->low + last);
    mb_json_numbers(j, "new_high", 1, &new, q->high + last);
    mb_json_close(j);
}

mb_status sim_groups_write(sim_job *job, const sim_case *cs, const sim_answer *a, mb_json_out *j)
{
    const mb_case *c = a->of->session.c;
    const mb_rows *rows = &c->table.rows;
    const int32_t  shown = rows->ngroup < MOST_GROUPS ? rows->ngroup : MOST_GROUPS;
    groups         q = {.c = c, .phi = a->of->out.mean};

    if (!c->model.ops->effects || !rows->first)
        return MB_OK;
    MB_TRY(groups_new(job->a, shown, &q, j->err));
    for (int32_t g = 0; g < shown; g++)
        MB_TRY(one_group(&q, g, rows->first[g], rows->first[g + 1], j->err));
    MB_TRY(one_group(&q, shown, 0, 0, j->err));
    put(cs, &q, shown, j);
    return MB_OK;
}
