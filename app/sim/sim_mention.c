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

static int has_gaps(const mb_data *data, int32_t column)
{
    for (int64_t r = 0; data->gaps && r < data->n; r++)
        if (isnan(data->x[r * data->d + column]))
            return 1;
    return 0;
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

/* 1 if the numbers, in some order, are equal steps from the smallest to the largest, as times
 * are. */
static int is_steps(const mb_data *data, int32_t column, double *work)
{
    const int64_t n = data->n;
    double        step;

    for (int64_t r = 0; r < n; r++)
        work[r] = data->x[r * data->d + column];
    qsort(work, (size_t)n, sizeof *work, ascending);
    step = (work[n - 1] - work[0]) / (double)(n - 1);
    for (int64_t r = 1; r < n; r++)
        if (!(fabs(work[r] - work[r - 1] - step) <= 1e-6 * step))
            return 0;
    return step > 0;
}

/* A cheap test that most columns fail: a number that is no step from the first rows' smallest. */
static int may_be_steps(const mb_data *data, int32_t column)
{
    double lo = INFINITY, hi = -INFINITY;

    for (int64_t r = 0; r < data->n; r++) {
        lo = fmin(lo, data->x[r * data->d + column]);
        hi = fmax(hi, data->x[r * data->d + column]);
    }
    for (int64_t r = 0; r < data->n && r < GLANCE; r++) {
        const double k = (data->x[r * data->d + column] - lo) / ((hi - lo) / (double)(data->n - 1));

        if (!(fabs(k - nearbyint(k)) <= 1e-3))
            return 0;
    }
    return 1;
}

/* The network's ids as ascending numbers; 0 when they are none. id: of net->n. */
static int ids_as_numbers(const mb_network *net, double *id)
{
    for (int32_t i = 0; i < net->n; i++)
        if (mb_parse_double(net->id[i], &id[i]))
            return 0;
    qsort(id, (size_t)net->n, sizeof *id, ascending);
    return 1;
}

/* 1 when all numbers of a column are nodes of the network, and half of the nodes or more occur. */
static int is_nodes(const sim *s, int32_t column, const double *id, uint8_t *seen)
{
    const mb_data *data = &s->rows.data;
    const int32_t  N = s->world.net.n;
    int32_t        count = 0;

    memset(seen, 0, (size_t)N);
    for (int64_t r = 0; r < data->n; r++) {
        const double *found =
            bsearch(&data->x[r * data->d + column], id, (size_t)N, sizeof *id, ascending);

        if (!found)
            return 0;
        count += !seen[found - id];
        seen[found - id] = 1;
    }
    return count > 1 && 2 * count >= N;
}

static void mention_name(sim *s, const char *name, const char *why)
{
    char hint[240];

    snprintf(hint, sizeof hint, "if it only names rows or nodes, leave it out with --drop %.60s",
             name);
    if (s->command->fit == NULL && !s->opt.node_column)
        snprintf(hint, sizeof hint,
                 "if it says where a row is from, say --node-column %.60s, and if it only names "
                 "rows, leave it out with --drop %.60s",
                 name, name);
    sim_warn(s, "column \"%.60s\"%s is used as a feature; %s", name, why, hint);
}

static int is_usual(const char *name)
{
    return !strcasecmp(name, "node") || !strcasecmp(name, "site") || !strcasecmp(name, "id");
}

/* Whole numbers that never repeat, and steps of time, differ from measurements by their
 * values. */
static const char *why_name(const sim *s, int32_t d, double *work)
{
    const mb_data *data = &s->rows.data;
    const int64_t  few = data->n < GLANCE ? data->n : GLANCE;

    if (data->n <= FEW || has_gaps(data, d))
        return NULL;
    if (all_differ(data, d, few, work) && all_differ(data, d, data->n, work))
        return "whole numbers that never repeat";
    return may_be_steps(data, d) && is_steps(data, d, work) ? "equal steps" : NULL;
}

/* Names the first column of each kind. work: a number for each row. */
static void mention_names(sim *s, double *work)
{
    const mb_data *data = &s->rows.data;
    const char    *first = NULL, *why = NULL;
    int32_t        more = 0;
    char           text[96];

    for (int32_t d = 0; d < sim_inputs(s); d++) {
        const char *mine = is_usual(data->name[d]) ? NULL : why_name(s, d, work);

        if (is_usual(data->name[d]))
            mention_name(s, data->name[d], "");
        if (!mine)
            continue;
        more += first != NULL;
        first = first ? first : data->name[d];
        why = why ? why : mine;
    }
    if (!first)
        return;
    snprintf(text, sizeof text, " (%s)", why);
    if (more)
        snprintf(text, sizeof text, " (%s, as in %d more)", why, more);
    mention_name(s, first, text);
}

/* Columns whose values are ids of --network. work: N numbers and N bytes. */
static void mention_nodes(sim *s, double *work)
{
    const mb_data *data = &s->rows.data;
    const int32_t  N = s->world.net.n;
    char           why[200];

    if (!s->opt.network || s->opt.node_column || data->N != N ||
        !ids_as_numbers(&s->world.net, work))
        return;
    snprintf(why, sizeof why, " (its values are nodes of %.140s)", s->opt.network);
    for (int32_t d = 0; d < sim_inputs(s); d++)
        if (!is_usual(data->name[d]) && !has_gaps(data, d) &&
            is_nodes(s, d, work, (uint8_t *)(work + N)))
            mention_name(s, data->name[d], why);
}

mb_status sim_mention(sim *s, mb_err *err)
{
    mb_arena *draft;
    double   *work = NULL;

    mention_empty(s);
    mention_label(s);
    if (s->rows.mapped.x) /* no names, and rows that nothing has read yet stay in the file */
        return MB_OK;
    draft = mb_arena_new(1 << 16);
    if (draft)
        work = mb_alloc(draft, (size_t)s->rows.data.n + 2 * (size_t)s->world.net.n, sizeof *work);
    if (work) {
        mention_names(s, work);
        mention_nodes(s, work);
    }
    mb_arena_free(draft);
    if (!work)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    return MB_OK;
}

void sim_mention_case(sim *s)
{
    const mb_case  *c = &s->world.fit.nodes;
    const mb_units *u = &c->agreed;
    const mb_gaps  *gaps = &s->world.fit.nodes.gaps;

    if (gaps->cells)
        sim_note(s, "%lld of %lld cells have no value (%lld of %lld rows): they are integrated out",
                 (long long)gaps->cells, (long long)(s->rows.data.n * s->rows.data.d),
                 (long long)gaps->rows, (long long)s->rows.data.n);
    if (gaps->empty)
        sim_note(s, "rows without any value, whose weight is 0: %lld", (long long)gaps->empty);
    for (int32_t d = 0; d < u->d; d++)
        if (u->constant[d])
            sim_warn(s, "%s \"%s\" is constant (%.9g): %s", d < c->size.D ? "column" : "target",
                     c->table.column[d], u->origin[d],
                     d < c->size.D ? "its scale is taken as 1" : "nothing explains it");
    if (s->world.fit.nodes.warning)
        sim_warn(s, "%s", s->world.fit.nodes.warning);
}
