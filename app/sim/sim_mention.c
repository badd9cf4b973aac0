/* sim_mention.c - warnings about the data: nodes without rows, constant columns, and features that
 * look like names or classes. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    FEW = 2,    /* rows too few to tell       */
    GLANCE = 32 /* rows checked first, which rules out most columns     */
};

static void mention_empty(sim *s)
{
    const mb_data *data = &s->rows.data;
    int32_t        empty = 0, first = -1;

    for (int32_t i = 0; i < data->N; i++)
        if (data->first[i] == data->first[i + 1]) {
            empty++;
            first = first < 0 ? i : first;
        }
    if (empty)
        sim_warn(s, "%d node%s without rows (the first is \"%s\"): they only pass messages on",
                 empty, empty > 1 ? "s" : "", s->world.net.id[first]);
}

/* A label that is used as a feature would reach inference unnoticed. */
static void mention_label(sim *s)
{
    static const char *const usual[] = {"label", "class", "target", "y"};

    for (int32_t d = 0; d < sim_inputs(s); d++)
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (!strcmp(s->rows.data.name[d], usual[k]))
                sim_warn(s,
                         "column \"%s\" is used as a feature; if it is the true class, say "
                         "--label-column %s",
                         usual[k], usual[k]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 1 if the first n numbers of a column are integers without repetition. work: n. */
static int all_differ(const mb_data *data, int32_t column, int64_t n, double *work)
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

static void mention_name(sim *s, const char *name, const char *why)
{
    char hint[240] = "if it only names rows or nodes, leave it out of the file";

    if (!strcmp(s->command->name, "sim") && !s->opt.node_column)
        snprintf(hint, sizeof hint,
                 "if it says where a row is from, say --node-column %.60s, and if it only names "
                 "rows, leave it out of the file",
                 name);
    sim_warn(s, "column \"%.60s\"%s is used as a feature; %s", name, why, hint);
}

static int is_usual(const char *name)
{
    return !strcasecmp(name, "node") || !strcasecmp(name, "site") || !strcasecmp(name, "id");
}

/* Names the first column of integers that never repeat. work: a number for each row. */
static void mention_names(sim *s, double *work)
{
    const mb_data *data = &s->rows.data;
    const int64_t  few = data->n < GLANCE ? data->n : GLANCE;
    const char    *first = NULL;
    int32_t        more = 0;
    char           why[96] = " (whole numbers that never repeat)";

    for (int32_t d = 0; d < sim_inputs(s); d++)
        if (is_usual(data->name[d]))
            mention_name(s, data->name[d], "");
        else if (data->n > FEW && all_differ(data, d, few, work) &&
                 all_differ(data, d, data->n, work)) {
            more += first != NULL;
            first = first ? first : data->name[d];
        }
    if (more)
        snprintf(why, sizeof why, " (whole numbers that never repeat, as in %d more)", more);
    if (first)
        mention_name(s, first, why);
}

mb_status sim_mention(sim *s, mb_err *err)
{
    mb_arena *draft;
    double   *work;

    mention_empty(s);
    mention_label(s);
    if (s->rows.mapped.x) /* no names, and rows that nothing has read yet stay in the file */
        return MB_OK;
    draft = mb_arena_new(1 << 16);
    work = draft ? mb_alloc(draft, (size_t)s->rows.data.n, sizeof *work) : NULL;
    if (work)
        mention_names(s, work);
    mb_arena_free(draft);
    if (!work)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    return MB_OK;
}

void sim_mention_case(sim *s)
{
    const mb_units *u = &s->world.fit.nodes.agreed;

    for (int32_t d = 0; d < u->d; d++)
        if (u->constant[d])
            sim_warn(s, "column \"%s\" is constant (%.9g): its scale is taken as 1",
                     s->rows.data.name[d], u->origin[d]);
    if (s->world.fit.nodes.warning)
        sim_warn(s, "%s", s->world.fit.nodes.warning);
}
