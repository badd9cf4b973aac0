/* groups.c - the effects in each group of rows, of a model in which they vary: of the fitted targets,
 * and for answer.json. */
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "run/answer.h"

#include <math.h>

enum { MOST_GROUPS = 400 /* of answer.json */ };

static int64_t rows_of(const mb_rows *rows, int32_t g)
{
    return rows->first[g + 1] - rows->first[g];
}

static int64_t longest(const mb_rows *rows)
{
    int64_t most = 0;

    for (int32_t g = 0; g < rows->ngroup; g++)
        most = rows_of(rows, g) > most ? rows_of(rows, g) : most;
    return most;
}

/* Which effects vary. */
static void list_effects(const mb_sizes *s, sim_effects *e)
{
    if (s->intercept)
        e->input[e->p++] = -1;
    for (int32_t d = 0; d < s->D; d++)
        if (s->columns && s->columns->of[d].varying)
            e->input[e->p++] = d;
}

/* Those of the rows first .. first + n - 1, which become x. */
static mb_status one_group(const mb_case *c, const double *phi, int64_t first, int64_t n, double *x,
                           double *scratch, double *out, mb_err *err)
{
    const size_t  d = (size_t)c->run.d;
    const int64_t whole[] = {0, n};
    const mb_rows rows = {.x = x, .n = n, .d = c->run.d, .ld = d, .first = whole, .ngroup = 1};

    for (int64_t j = 0; j < n; j++)
        mb_case_row(c, first + j, x + (size_t)j * d);
    return c->model.ops->effects(&c->model, phi, &rows, out, scratch, err);
}

mb_status sim_effects_find(mb_arena *a, const mb_case *c, const double *phi, sim_effects **out,
                           mb_err *err)
{
    const mb_rows *rows = &c->table.rows;
    sim_effects   *e;
    double        *x, *scratch;

    *out = NULL;
    if (!c->model.ops->effects || !rows->first)
        return MB_OK;
    MB_NEW(e, a, 1, err);
    MB_NEW(e->input, a, (size_t)c->size.D + 1, err);
    list_effects(&c->size, e);
    MB_NEW(e->t, a, 3 * ((size_t)rows->ngroup + 1) * (size_t)e->p, err);
    MB_NEW(x, a, (size_t)longest(rows) * (size_t)c->run.d, err);
    MB_NEW(scratch, a, mb_local_scratch(&c->model), err);
    for (int32_t g = 0; g < rows->ngroup; g++)
        MB_TRY(one_group(c, phi, rows->first[g], rows_of(rows, g), x, scratch,
                         e->t + 3 * (size_t)g * (size_t)e->p, err));
    MB_TRY(
        one_group(c, phi, 0, 0, x, scratch, e->t + 3 * (size_t)rows->ngroup * (size_t)e->p, err));
    *out = e;
    return MB_OK;
}

double sim_effects_of(const sim_effects *e, const mb_rows *rows, int64_t j, const double *x)
{
    const double *own, *new = e->t + 3 * (size_t)rows->ngroup *(size_t)e->p;
    int32_t       g = 0, end = rows->ngroup;
    double        sum = 0;

    while (end - g > 1) { /* the last group that begins at row j or before */
        const int32_t middle = g + (end - g) / 2;

        if (rows->first[middle] <= j)
            g = middle;
        else
            end = middle;
    }
    own = e->t + 3 * (size_t)g * (size_t)e->p;
    for (size_t i = 0; i < (size_t)e->p; i++)
        sum += (e->input[i] < 0 ? 1 : x[e->input[i]]) * (own[3 * i] - new[3 * i]);
    return sum;
}

/* Mean, low and high of effect i of group g in data units: of the intercept, the target where the columns
 * of the run are 0, near the means of the inputs. */
static void in_data_units(const mb_case *c, const sim_effects *e, int32_t g, int32_t i,
                          double out[3])
{
    const mb_units *u = &c->run;
    const int32_t   target = c->size.D, input = e->input[i];
    const double    origin = input < 0 ? u->origin[target] : 0;
    const double    scale = u->scale[target] / (input < 0 ? 1 : u->scale[input]);
    const double   *t = e->t + 3 * ((size_t)g * (size_t)e->p + (size_t)i);
    const double    half = t[1] * mb_student_quantile(t[2], 0.975);

    out[0] = origin + scale * t[0];
    out[1] = origin + scale * (t[0] - half);
    out[2] = origin + scale * (t[0] + half);
}

static const char *name_of(const sim_case *cs, const mb_rows *rows, int32_t g)
{
    const mb_data    *data = &cs->rows->data;
    const mb_network *net = &cs->network->net;

    if (data->group_name && data->ngroup == rows->ngroup)
        return data->group_name[g];
    for (int32_t i = 0; net->id && data->first && i < net->n; i++)
        if (data->first[i] == rows->first[g] && data->first[i + 1] == rows->first[g + 1])
            return net->id[i];
    return NULL;
}

void sim_group_names(const sim_case *cs, const mb_rows *rows, int64_t shown, mb_json_out *j)
{
    mb_json_list(j, "names");
    for (int32_t g = 0; g < shown; g++)
        mb_json_text(j, NULL, name_of(cs, rows, g));
    mb_json_close(j);
}

/* Names, numbers of rows and means of the target of the groups that are shown. */
static void put_groups(const sim_case *cs, const mb_case *c, int64_t shown, double *work,
                       mb_json_out *j)
{
    const mb_rows *rows = &c->table.rows;

    sim_group_names(cs, rows, shown, j);
    for (int32_t g = 0; g < shown; g++)
        work[g] = (double)rows_of(rows, g);
    mb_json_numbers(j, "rows", 1, &shown, work);
    for (int32_t g = 0; g < shown; g++) {
        work[g] = 0;
        for (int64_t k = rows->first[g]; k < rows->first[g + 1]; k++)
            work[g] += mb_rows_at(rows, k, c->size.D) / (double)rows_of(rows, g);
    }
    mb_json_numbers(j, "target_mean", 1, &shown, work);
}

/* The effects of groups first .. first + n - 1, of one alone without its list. */
static void put_effects(const mb_case *c, const sim_effects *e, int32_t first, int64_t n, int one,
                        double *work, mb_json_out *j)
{
    static const char *const key[2][3] = {{"mean", "low", "high"},
                                          {"new_mean", "new_low", "new_high"}};
    const int64_t            shape[] = {n, e->p};

    for (int k = 0; k < 3; k++) {
        for (int64_t g = 0; g < n; g++)
            for (int32_t i = 0; i < e->p; i++) {
                double x[3];

                in_data_units(c, e, first + (int32_t)g, i, x);
                work[g * e->p + i] = x[k];
            }
        mb_json_numbers(j, key[one][k], one ? 1 : 2, shape + one, work);
    }
}

mb_status sim_groups_write(sim_job *job, const sim_case *cs, const sim_answer *a, mb_json_out *j)
{
    const mb_case     *c = a->of->session.c;
    const sim_effects *e = a->effects;
    const int32_t      all = c->table.rows.ngroup, shown = all < MOST_GROUPS ? all : MOST_GROUPS;
    const int64_t      D = c->size.D;
    double            *work;

    if (!e)
        return MB_OK;
    MB_NEW(work, job->a, ((size_t)shown + 1) * (size_t)e->p, j->err);
    mb_json_object(j, "groups");
    mb_json_integer(j, "count", all);
    put_groups(cs, c, shown, work, j);
    mb_json_list(j, "effects");
    for (int32_t i = 0; i < e->p; i++)
        mb_json_text(j, NULL, e->input[i] < 0 ? "(intercept)" : c->table.column[e->input[i]]);
    mb_json_close(j);
    mb_json_numbers(j, "at", 1, &D, c->run.origin);
    put_effects(c, e, 0, shown, 0, work, j);
    put_effects(c, e, all, 1, 1, work, j);
    mb_json_close(j);
    return MB_OK;
}
