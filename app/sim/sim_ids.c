/* sim_ids.c - columns that look like the names of rows or nodes and would be taken for measurements. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    FEW = 2,    /* rows in which whole numbers that differ say nothing       */
    GLANCE = 32 /* rows that are looked at first: most columns end there     */
};

static int is_named(const char *name)
{
    static const char *const usual[] = {"node", "site", "id"};

    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (!strcasecmp(name, usual[k]))
            return 1;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 1 when the first n numbers of a column are whole and all differ. work: n. */
static int counts(const mb_data *data, int32_t column, int64_t n, double *work)
{
    for (int64_t r = 0; r < n; r++) {
        work[r] = data->x[r * data->d + column];
        if (floor(work[r]) < work[r])
            return 0;
    }
    qsort(work, (size_t)n, sizeof *work, ascending);
    for (int64_t r = 1; r < n; r++)
        if (!(work[r - 1] < work[r]))
            return 0;
    return 1;
}

/* *work: n, made when the first column needs it. */
static mb_status looks_like_ids(const mb_data *data, int32_t column, mb_arena *draft, double **work,
                                int *out, mb_err *err)
{
    double few[GLANCE];

    *out = data->n > FEW && counts(data, column, data->n < GLANCE ? data->n : GLANCE, few);
    if (!*out || data->n <= GLANCE)
        return MB_OK;
    if (!*work)
        MB_NEW(*work, draft, data->n, err);
    *out = counts(data, column, data->n, *work);
    return MB_OK;
}

static void mention(sim *s, const char *name, const char *why)
{
    const int nodes = s->command->name && !strcmp(s->command->name, "sim") && !s->opt.node_column;

    if (nodes)
        sim_warn(s,
                 "column \"%.60s\"%s is used as a feature; if it says where a row is from, say "
                 "--node-column %.60s, and if it only names rows, leave it out of the file",
                 name, why, name);
    else
        sim_warn(
            s,
            "column \"%.60s\"%s is used as a feature; if it only names rows or nodes, leave it "
            "out of the file",
            name, why);
}

mb_status sim_mention_ids(sim *s, mb_arena *draft, mb_err *err)
{
    int32_t first = -1, more = 0;
    int     found;
    char    why[96] = " (whole numbers that never repeat)";
    double *work = NULL;

    if (s->rows.mapped.x) /* no names, and rows that nobody has looked at stay in the file */
        return MB_OK;
    for (int32_t d = 0; d < sim_inputs(s); d++) {
        if (is_named(s->rows.data.name[d])) {
            mention(s, s->rows.data.name[d], "");
            continue;
        }
        MB_TRY(looks_like_ids(&s->rows.data, d, draft, &work, &found, err));
        if (!found)
            continue;
        more += first >= 0;
        first = first < 0 ? d : first;
    }
    if (more)
        snprintf(why, sizeof why, " (whole numbers that never repeat, as in %d more)", more);
    if (first >= 0)
        mention(s, s->rows.data.name[first], why);
    return MB_OK;
}
