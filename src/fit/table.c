/* table.c - rows in memory, sorted by the network's nodes, the targets last. */
#include "base/columns.h"
#include "base/err.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"

#include "base/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct named {
    const char *id;
    int32_t     at;
} named;

static int by_id(const void *a, const void *b)
{
    return strcmp(((const named *)a)->id, ((const named *)b)->id);
}

/* to[i]: the network's node with the id of the table's node i. */
static mb_status find_nodes(mb_arena *a, const mb_table *t, const mb_network *net, int32_t N,
                            int32_t *to, mb_err *err)
{
    named *all;

    if (!t->id) {
        if (N != net->n)
            MB_FAIL(
                err, MB_E_SHAPE,
                "nodes with rows: got %d without ids; expected as many as in a network of %d nodes",
                N, net->n);
        for (int32_t i = 0; i < N; i++)
            to[i] = i;
        return MB_OK;
    }
    MB_NEW(all, a, net->n, err);
    for (int32_t i = 0; i < net->n; i++)
        all[i] = (named){net->id[i], i};
    qsort(all, (size_t)net->n, sizeof *all, by_id);
    for (int32_t i = 0; i < N; i++) {
        const named  key = {t->id[i], 0};
        const named *found = bsearch(&key, all, (size_t)net->n, sizeof *all, by_id);

        if (!found)
            MB_FAIL(err, MB_E_ARG, "node \"%.60s\" has rows but is not in the network", t->id[i]);
        to[i] = found->at;
    }
    return MB_OK;
}

/* The table's node of row j. *at: the node, or the group, of the previous row; first 0. */
static mb_status node_of(const mb_table *t, int64_t j, int32_t N, int32_t *at, int32_t *node,
                         mb_err *err)
{
    if (t->node)
        *node = t->node[j];
    else if (t->first) {
        while (*at + 1 < N && t->first[*at + 1] <= j)
            ++*at;
        *node = *at;
    } else if (t->rows.first) {
        while (t->rows.first[*at + 1] <= j) /* here *at is the group */
            ++*at;
        *node = (int32_t)(((int64_t)N * (*at + 1) - 1) / t->rows.ngroup);
    } else
        *node = (int32_t)((N * (j + 1) - 1) / t->rows.n); /* the last with floor(n node/N) <= j */
    if (*node < 0 || *node >= N)
        MB_FAIL_AT(err, "node", mb_table_number_(t, j), -1, MB_E_ARG,
                   "row %lld: got node %d; expected 0 to %d",
                   (long long)mb_table_number_(t, j) + !t->from_zero, *node, N - 1);
    return MB_OK;
}

/* place[j]: the new position of row j; first: of the network's nodes. *moved 1: a row moves. */
static mb_status places(mb_arena *a, const mb_table *t, const mb_network *net, int64_t *first,
                        int64_t *place, int *moved, mb_err *err)
{
    const int32_t N = t->N ? t->N : net->n;
    int32_t      *to, *node, at = 0;
    int64_t      *next;

    MB_NEW(to, a, N, err);
    MB_NEW(node, a, t->rows.n + 1, err);
    MB_NEW(next, a, (size_t)net->n + 1, err);
    MB_TRY(find_nodes(a, t, net, N, to, err));
    for (int64_t j = 0; j < t->rows.n; j++) {
        MB_TRY(node_of(t, j, N, &at, &node[j], err));
        first[to[node[j]] + 1]++;
    }
    for (int32_t i = 0; i < net->n; i++)
        first[i + 1] += first[i];
    memcpy(next, first, ((size_t)net->n + 1) * sizeof *next);
    for (int64_t j = 0; j < t->rows.n; j++) {
        place[j] = next[to[node[j]]]++;
        *moved |= place[j] != j;
    }
    return MB_OK;
}

/* Takes the next name from a list; what follows it is the new list. */
static const char *next_name(const char **list, int32_t several, size_t *n)
{
    const char *name = *list;

    *n = several ? strcspn(name, ",") : strlen(name);
    *list = name[*n] ? name + *n + 1 : NULL;
    return name;
}

static int is_name(const char *column, const char *name, size_t n)
{
    return strlen(column) == n && !memcmp(column, name, n);
}

/* Columns without names are called x1, x2, .. */
static int is_column(const mb_table *t, int32_t k, const char *name, size_t n)
{
    char number[16];

    mb_format_(number, sizeof number, "x%ld", (long)k + 1);
    return is_name(t->column ? t->column[k] : number, name, n);
}

/* Makes the column that an option names the last of the first n. */
static mb_status to_the_end(const mb_table *t, const char *option, const char *name, size_t length,
                            int32_t n, int32_t *order, mb_err *err)
{
    const int32_t d = t->rows.d;
    int32_t       at = 0, column;

    while (at < n && !is_column(t, order[at], name, length))
        at++;
    if (at == n)
        MB_FAIL(err, MB_E_ARG, "--%s-column: %s has no feature \"%.*s\"; expected %s .. %s", option,
                t->name ? t->name : "the table", (int)length, name, t->column ? t->column[0] : "x1",
                t->column ? t->column[d - 1] : "the last");
    column = order[at];
    memmove(order + at, order + at + 1, (size_t)(n - 1 - at) * sizeof *order);
    order[n - 1] = column;
    return MB_OK;
}

/* The last of the inputs; targets without a name are the last columns. What a formula makes of
 * columns is none of the table, and will be there. */
static mb_status offset_last(const mb_table *t, const mb_kind *kind, const void *opt,
                             int32_t targets, int32_t *order, mb_err *err)
{
    const int32_t d = t->rows.d, n = mb_kind_target_column(kind, opt) ? d : d - targets;
    mb_offset     is;
    const char   *name = mb_kind_offset_column(kind, opt, &is);

    return name && strncmp(name, "offset(", 7) != 0
               ? to_the_end(t, is == MB_OFFSET_EXPOSURE ? "exposure" : "offset", name, strlen(name),
                            n, order, err)
               : MB_OK;
}

mb_status mb_table_order(const mb_table *t, const mb_kind *kind, const void *opt, int32_t *order,
                         mb_err *err)
{
    const int32_t d = t->rows.d;
    const char   *list =
        kind->targets && !t->last_is_target ? mb_kind_target_column(kind, opt) : NULL;
    mb_sizes s = {.K = 0};
    int32_t  targets, given = 0;
    size_t   n;

    for (int32_t k = 0; k < d; k++)
        order[k] = k;
    if (kind->targets)
        mb_kind_sizes(kind, opt, d, NULL, &s);
    targets = mb_kind_targets(kind, &s);
    if (s.D < 0)
        MB_FAIL(err, MB_E_ARG, "%s: got %d columns; expected %d targets and inputs beside them",
                t->name ? t->name : "the table", d, targets);
    if (!t->last_is_target)
        MB_TRY(offset_last(t, kind, opt, targets, order, err));
    for (; list; given++) {
        const char *name = next_name(&list, targets > 1, &n);

        for (int32_t k = d - given; given < targets && k < d && t->column; k++)
            if (is_name(t->column[order[k]], name, n))
                MB_FAIL(err, MB_E_ARG, "--target-column: got \"%.*s\" twice; expected it once",
                        (int)n, name);
        if (given < targets)
            MB_TRY(to_the_end(t, "target", name, n, d, order, err));
    }
    if (given && given != targets)
        MB_FAIL(err, MB_E_ARG, "--target-column: got %d names; expected those of %d targets", given,
                targets);
    return MB_OK;
}

static mb_status column_names(mb_arena *a, const mb_table *t, const int32_t *order, mb_table *out,
                              mb_err *err)
{
    const int32_t      d = t->rows.d;
    const char *const *all = t->column;
    const char       **name;

    if (!all) {
        MB_TRY(mb_numbered_(a, "x", d, &name, err));
        all = name;
    }
    MB_NEW(name, a, d, err);
    for (int32_t k = 0; k < d; k++)
        name[k] = all[order[k]];
    out->column = name;
    return MB_OK;
}

static mb_status move_kinds(mb_arena *a, const mb_table *t, const int32_t *order, mb_table *out,
                            mb_err *err)
{
    if (t->kinds && t->kinds->d != t->rows.d)
        MB_FAIL(err, MB_E_SHAPE, "%s: got the kinds of %d columns; expected %d",
                t->name ? t->name : "rows", t->kinds->d, t->rows.d);
    return mb_columns_permute(a, order, &out->kinds, err);
}

/* The groups at the new positions of their rows, which are consecutive there, too. */
static mb_status move_groups(mb_arena *a, const mb_rows *rows, const int64_t *place, mb_rows *out,
                             mb_err *err)
{
    int64_t *first, *size;

    MB_NEW(first, a, (size_t)rows->ngroup + 1, err);
    MB_NEW(size, a, (size_t)rows->n + 1, err);
    for (int32_t g = 0; g < rows->ngroup; g++)
        if (rows->first[g] < rows->first[g + 1])
            size[place[rows->first[g]]] = rows->first[g + 1] - rows->first[g];
    out->ngroup = 0;
    for (int64_t j = 0; j < rows->n; j += size[j])
        first[out->ngroup++] = j;
    first[out->ngroup] = rows->n;
    out->first = first;
    return MB_OK;
}

/* A copy of the rows at their new positions, with their columns in this order. */
static mb_status copy_rows(mb_arena *a, const mb_table *t, const int64_t *place,
                           const int32_t *order, mb_table *out, mb_err *err)
{
    const int32_t d = t->rows.d;
    const size_t  n = (size_t)t->rows.n;
    double       *x, *w = NULL;
    int64_t      *row;

    MB_NEW(x, a, n * (size_t)d + 1, err);
    MB_NEW(row, a, n + 1, err);
    if (t->rows.w)
        MB_NEW(w, a, n + 1, err);
    for (size_t j = 0; j < n; j++) {
        double *to = x + (size_t)place[j] * (size_t)d;

        for (int32_t k = 0; k < d; k++)
            to[k] = mb_rows_at(&t->rows, (int64_t)j, order[k]);
        row[place[j]] = t->row ? t->row[j] : (int64_t)j;
        if (w)
            w[place[j]] = t->rows.w[j];
    }
    out->rows =
        (mb_rows){.x = x, .w = w, .n = t->rows.n, .d = d, .ld = (size_t)d, .gaps = t->rows.gaps};
    mb_share_as_(&t->rows, &out->rows);
    out->row = row;
    return t->rows.first ? move_groups(a, &t->rows, place, &out->rows, err) : MB_OK;
}

int64_t mb_table_number_(const mb_table *t, int64_t j)
{
    return t->rows.before + (t->row ? t->row[j] : j);
}

void mb_table_place_(const mb_table *t, int64_t j, const char *column, char text[MB_PLACE])
{
    const int64_t number = mb_table_number_(t, j);

    if (t->place && t->from.file)
        t->place(&t->from, number, column, text);
    else
        mb_format_(text, MB_PLACE,
                   column ? "%.200s: row %lld, column \"%.60s\"" : "%.200s: row %lld",
                   t->name ? t->name : "rows", (long long)number + !t->from_zero, column);
}

mb_status mb_refuse_cell_(const mb_table *t, int64_t j, int32_t d, const char *expected,
                          mb_err *err)
{
    char place[MB_PLACE];

    mb_table_place_(t, j, t->column[d], place);
    MB_FAIL_CELL(err, mb_table_number_(t, j), d, MB_E_FORMAT, "%s: got %.9g; expected %s", place,
                 mb_rows_at(&t->rows, j, d), expected);
}

mb_status mb_refuse_not_finite_(const mb_table *t, mb_status st, mb_err *err)
{
    char place[MB_PLACE];

    for (int64_t j = 0; st == MB_E_NUMERIC && j < t->rows.n; j++)
        for (int32_t d = 0; d < t->rows.d; d++) {
            const double x = mb_rows_at(&t->rows, j, d);

            if (isfinite(x) || (t->rows.gaps && isnan(x)))
                continue;
            mb_table_place_(t, j, t->column[d], place);
            MB_FAIL_CELL(err, mb_table_number_(t, j), d, st, "%s: %g is not a finite number", place,
                         x);
        }
    return st;
}

static mb_status divided(const mb_table *t, int64_t j, mb_err *err)
{
    char place[MB_PLACE];

    mb_table_place_(t, j, NULL, place);
    MB_FAIL_CELL(err, mb_table_number_(t, j), -1, MB_E_ARG,
                 "%s: its group begins at another node; expected all rows of a group at one",
                 place);
}

/* MB_E_SHAPE for groups that are none, MB_E_ARG for one whose rows are at two nodes. */
static mb_status check_groups(const mb_table *t, const mb_rows *rows, int32_t N,
                              const int64_t *node_first, mb_err *err)
{
    int32_t node = 0;

    for (int32_t g = 0; rows->first && g <= rows->ngroup; g++)
        if (rows->first[g] < (g ? rows->first[g - 1] : 0) || rows->first[g] > rows->n ||
            (g == 0 && rows->first[g]) || (g == rows->ngroup && rows->first[g] < rows->n))
            MB_FAIL(err, MB_E_SHAPE,
                    "first row of group %d: got %lld; expected numbers that ascend from 0 to %lld",
                    g, (long long)rows->first[g], (long long)rows->n);
    for (int32_t g = 0; node_first && rows->first && g < rows->ngroup; g++) {
        while (node < N && node_first[node + 1] <= rows->first[g])
            node++;
        if (node < N && node_first[node + 1] < rows->first[g + 1])
            return divided(t, node_first[node + 1], err);
    }
    return MB_OK;
}

/* The same by rows: those of a group have one node. */
static mb_status check_nodes(const mb_table *t, mb_err *err)
{
    for (int32_t g = 0; t->node && t->rows.first && g < t->rows.ngroup; g++)
        for (int64_t j = t->rows.first[g] + 1; j < t->rows.first[g + 1]; j++)
            if (t->node[j] != t->node[j - 1])
                return divided(t, j, err);
    return MB_OK;
}

mb_status mb_table_sequences_(mb_arena *a, const mb_kind *kind, int32_t N, mb_table *t,
                              const char **warning, mb_err *err)
{
    const int placed = t->node || t->first;
    int64_t  *first;
    int32_t   at = 0, node = 0, before = -1, count = 0;
    uint8_t  *seen;

    *warning = NULL;
    if (!mb_kind_needs_groups(kind) || t->rows.first)
        return MB_OK;
    MB_NEW(first, a, (size_t)N + 2, err);
    MB_NEW(seen, a, (size_t)N + 1, err);
    for (int64_t j = 0; j < t->rows.n; j++, before = node) {
        if (placed)
            MB_TRY(node_of(t, j, N, &at, &node, err));
        if (node == before)
            continue;
        if (seen[node]++)
            MB_FAIL_CELL(
                err, mb_table_number_(t, j), -1, MB_E_ARG,
                "row %lld: node %d continues after another one; expected the rows of a node, "
                "which are one sequence without groups, one after the other",
                (long long)mb_table_number_(t, j) + !t->from_zero, node);
        first[count++] = j;
    }
    first[count] = t->rows.n;
    t->rows.first = first;
    t->rows.ngroup = count;
    *warning = placed ? "rows without groups: those of each node are taken as one group"
                      : "rows without groups: all are taken as one group";
    return MB_OK;
}

/* Checks that `first` divides all rows among N nodes. */
static mb_status check_first(const mb_table *t, int32_t N, mb_err *err)
{
    if (t->rows.n < 0 || t->rows.d < 1)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %lld of %d columns; expected columns",
                (long long)t->rows.n, t->rows.d);
    for (int32_t i = 0; t->first && i <= N; i++)
        if (t->first[i] < (i ? t->first[i - 1] : 0) || t->first[i] > t->rows.n ||
            (i == 0 && t->first[i]) || (i == N && t->first[i] < t->rows.n))
            MB_FAIL(err, MB_E_SHAPE,
                    "first row of node %d: got %lld; expected numbers that ascend from 0 to %lld",
                    i, (long long)t->first[i], (long long)t->rows.n);
    return MB_OK;
}

mb_status mb_table_arrange(mb_arena *a, const mb_table *t, const mb_network *net,
                           const mb_kind *kind, const void *kind_opt, mb_table *out, mb_err *err)
{
    const int in_order = t->first && !t->node && !t->id && (!t->N || t->N == net->n);
    int64_t  *first, *place;
    int32_t  *order;
    int       moved = 0, as_is = 1;

    *out = *t;
    MB_TRY(check_first(t, t->N ? t->N : net->n, err));
    MB_TRY(check_groups(t, &t->rows, t->N ? t->N : net->n, t->node ? NULL : t->first, err));
    MB_TRY(check_nodes(t, err));
    MB_NEW(order, a, t->rows.d, err);
    MB_TRY(mb_table_order(t, kind, kind_opt, order, err));
    MB_TRY(column_names(a, t, order, out, err));
    for (int32_t k = 0; k < t->rows.d; k++)
        as_is &= order[k] == k;
    out->N = net->n;
    out->id = net->id;
    out->node = NULL;
    if (!as_is)
        MB_TRY(move_kinds(a, t, order, out, err));
    MB_TRY(mb_kind_effects(a, kind, kind_opt, t->rows.d, out->column, &out->kinds, err));
    if (in_order && as_is)
        return MB_OK;
    MB_NEW(first, a, (size_t)net->n + 1, err);
    out->first = first;
    first[net->n] = t->rows.n;
    if (net->n == 1 && !t->id && !t->node && as_is)
        return MB_OK;
    first[net->n] = 0;
    MB_NEW(place, a, t->rows.n + 1, err);
    MB_TRY(places(a, t, net, first, place, &moved, err));
    return moved || !as_is ? copy_rows(a, t, place, order, out, err) : MB_OK;
}
