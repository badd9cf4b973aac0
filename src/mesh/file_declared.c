/* file_declared.c - members, declared rows and the range of a genesis file (docs/formats.md). */
#include "mesh/file_declared.h"
#include "mesh/genesis.h"
#include "network/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEX = 2 * MB_SIGNING_KEY, BATCH_MOST = 1000000000 };
static const char AT_MOST[] = "at most", EXACTLY[] = "exactly";

const char *const mb_declared_fields_[] = {"rows",    "rows_are",   "gaps",       "range",
                                           "members", "nodes_max",  "weight_max", "algorithm",
                                           "mask",    "rows_batch", NULL};

/* ---- written ---- */

static void put_member(mb_json_out *j, const mb_declared *d, int32_t k)
{
    const mb_member *m = &d->member[k];
    char             hex[HEX + 1];

    mb_json_object(j, NULL);
    mb_json_integer(j, "id", m->id);
    if (m->name)
        mb_json_text(j, "name", m->name);
    if (m->key)
        mb_json_text(j, "key", m->key);
    for (int b = 0; m->signing_key && b < MB_SIGNING_KEY; b++)
        snprintf(hex + 2 * b, 3, "%02x", m->signing_key[b]);
    if (m->signing_key)
        mb_json_text(j, "signing_key", hex);
    if (!isnan(m->rows))
        mb_json_number(j, "rows", m->rows);
    mb_json_list(j, "links");
    for (int64_t e = d->links.ptr[k]; e < d->links.ptr[k + 1]; e++)
        mb_json_integer(j, NULL, d->member[d->links.adj[e]].id);
    mb_json_close(j);
    mb_json_close(j);
}

void mb_declared_write_(mb_json_out *j, const mb_genesis *g)
{
    const mb_declared *d = g->declared;
    const int64_t      shape[2] = {g->columns, 2};

    if (!d)
        return;
    if (!isnan(d->rows))
        mb_json_number(j, "rows", d->rows);
    if (d->at_most)
        mb_json_text(j, "rows_are", AT_MOST);
    if (d->gaps)
        mb_json_bool(j, "gaps", 1);
    if (d->range)
        mb_json_numbers(j, "range", 2, shape, d->range);
    if (d->nodes_max)
        mb_json_integer(j, "nodes_max", d->nodes_max);
    if (d->weight_max > 0)
        mb_json_number(j, "weight_max", d->weight_max);
    if (d->algorithm)
        mb_json_text(j, "algorithm", d->algorithm);
    if (d->mask)
        mb_json_bool(j, "mask", d->mask > 0);
    if (d->rows_batch)
        mb_json_integer(j, "rows_batch", d->rows_batch);
    if (!d->members)
        return;
    mb_json_list(j, "members");
    for (int32_t k = 0; k < d->members; k++)
        put_member(j, d, k);
    mb_json_close(j);
}

/* ---- read ---- */

/* At least 0; NaN: absent. */
static double get_rows(mb_json_in *j, const mb_json *o)
{
    const double rows = mb_json_get_real(j, o, "rows");

    if (rows < 0)
        mb_json_refuse(j, "rows", "", "the number of rows, weights added up: 0 or more");
    return rows;
}

mb_status mb_declared_signing_key_(mb_arena *a, mb_json_in *j, const mb_json *o, const char *key,
                                   const uint8_t **out)
{
    static const char digits[] = "0123456789abcdef";
    const char       *hex = mb_json_get_text(j, o, key);
    uint8_t          *bytes;

    *out = NULL;
    if (!hex)
        return j->status;
    if (strlen(hex) != HEX || strspn(hex, digits) != HEX) {
        mb_json_refuse(
            j, key, "",
            "64 digits 0 to 9, a to f, as signing_public_key in the file of meshbayes-node keygen");
        return j->status;
    }
    MB_NEW(bytes, a, MB_SIGNING_KEY, j->err);
    for (int b = 0; b < HEX; b++)
        bytes[b / 2] =
            (uint8_t)(16 * bytes[b / 2] + (strchr(digits, hex[b]) - digits)); /* high digit first */
    *out = bytes;
    return MB_OK;
}

static mb_status get_member(mb_arena *a, mb_json_in *j, const mb_json *o, mb_member *m)
{
    static const char *const known[] = {"id", "name", "key", "signing_key", "rows", "links", NULL};
    int64_t                  id;

    if (o->type != MB_JSON_OBJECT)
        mb_json_refuse(j, "", "", "an object with id, name, key, signing_key, rows and links");
    MB_TRY(j->status);
    mb_json_only(j, o, known);
    id = mb_json_get_count(j, o, "id");
    if (id < 0 || id >= INT32_MAX)
        mb_json_refuse(j, "id", "", "the id of a node, 0 to 2147483646");
    m->id = (int32_t)id;
    m->name = mb_json_get_text(j, o, "name");
    m->key = mb_json_get_text(j, o, "key");
    if (m->key && strlen(m->key) != MB_CURVE_KEY)
        mb_json_refuse(j, "key", "",
                       "the 40 characters that meshbayes-node keygen printed for that node");
    m->rows = get_rows(j, o);
    return mb_declared_signing_key_(a, j, o, "signing_key", &m->signing_key);
}

static int by_id(const void *a, const void *b)
{
    const mb_member *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int same_bytes(const void *a, const void *b, size_t n)
{
    return a && b && !memcmp(a, b, n);
}

/* Each id and each key once: who has a key is one node. */
static void check_members(mb_json_in *j, const mb_declared *d)
{
    char where[60];

    for (int32_t k = 1; k < d->members; k++)
        for (int32_t i = 0; i < k; i++) {
            const mb_member *x = &d->member[i], *y = &d->member[k];

            snprintf(where, sizeof where, " of %ld and %ld", (long)x->id, (long)y->id);
            if (x->id == y->id)
                mb_json_refuse(j, "members: id", where, "each id once");
            if (same_bytes(x->key, y->key, MB_CURVE_KEY))
                mb_json_refuse(j, "members: key", where, "a key of its own for each");
            if (same_bytes(x->signing_key, y->signing_key, MB_SIGNING_KEY))
                mb_json_refuse(j, "members: signing_key", where, "a key of its own for each");
        }
}

/* The links of one member, as pairs of places, from edge *n on; NULL: they are only counted. */
static void get_links(mb_json_in *j, const mb_json *o, const mb_declared *d, int32_t *edge,
                      int64_t *n)
{
    const mb_json *list = mb_json_get(j, o, "links", MB_JSON_LIST);
    const int64_t  from = mb_json_at(o, "id")->integer;
    char           index[32];

    for (size_t l = 0; l < list->n && j->status >= 0; l++, ++*n) {
        const mb_json *to = &list->item[l];
        const int32_t  at = to->type == MB_JSON_INTEGER ? mb_declared_find(d, to->integer) : -1;

        snprintf(index, sizeof index, "[%zu]", l);
        if (at < 0 || to->integer == from)
            mb_json_refuse(j, "links", index, "the id of another member");
        else if (edge) {
            edge[2 * *n] = mb_declared_find(d, from);
            edge[2 * *n + 1] = at;
        }
    }
}

/* An edge may be listed at one end or at both. */
static mb_status get_graph(mb_arena *a, mb_json_in *j, const mb_json *list, mb_declared *d)
{
    int32_t *edge = NULL;
    int64_t  n = 0;

    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            MB_NEW(edge, a, 2 * n + 1, j->err);
        n = 0;
        for (int32_t k = 0; k < d->members && j->status >= 0; k++) {
            char where[48];

            snprintf(where, sizeof where, "members[%d].", (int)k);
            j->where = where;
            get_links(j, &list->item[k], d, edge, &n);
            j->where = "";
        }
        MB_TRY(j->status);
    }
    return mb_graph_from_edges(a, d->members, n, edge, &d->links, j->err);
}

static mb_status get_members(mb_arena *a, mb_json_in *j, const mb_json *list, mb_declared *d)
{
    mb_member *member;
    char       where[48];

    MB_NEW(member, a, list->n + 1, j->err);
    for (size_t k = 0; k < list->n && j->status >= 0; k++) {
        snprintf(where, sizeof where, "members[%zu].", k);
        j->where = where;
        MB_TRY(get_member(a, j, &list->item[k], &member[k]));
        j->where = "";
    }
    MB_TRY(j->status);
    qsort(member, list->n, sizeof *member, by_id);
    d->member = member;
    d->members = (int32_t)list->n;
    check_members(j, d);
    MB_TRY(j->status);
    return get_graph(a, j, list, d);
}

/* The rows of the network are those of its members, where all of these are declared. */
static void add_up(mb_json_in *j, mb_declared *d)
{
    double sum = 0;

    for (int32_t k = 0; k < d->members; k++)
        sum += d->member[k].rows;
    if (!d->members || isnan(sum))
        return;
    if (!isnan(d->rows) && fabs(sum - d->rows) > 1e-9 * sum)
        mb_json_refuse(j, "rows", "", "the sum of the rows of all members, or none");
    d->rows = sum;
}

static mb_status get_range(mb_arena *a, mb_json_in *j, const mb_json *o, mb_declared *d)
{
    const int32_t shape[2] = {d->columns, 2};
    double       *range;
    char          index[32];

    if (mb_json_at(o, "range")->type == MB_JSON_NONE)
        return j->status;
    MB_NEW(range, a, 2 * (size_t)d->columns, j->err);
    mb_json_get_numbers(j, o, "range", 2, shape, range);
    for (int32_t k = 0; k < d->columns && j->status >= 0; k++) {
        snprintf(index, sizeof index, "[%d]", (int)k);
        if (!(range[2 * k] <= range[2 * k + 1]))
            mb_json_refuse(j, "range", index, "two numbers, the lower one first");
    }
    d->range = range;
    return j->status;
}

/* Limits that have a default. */
static void get_most(mb_json_in *j, const mb_json *o, mb_declared *d)
{
    enum { MOST = 1 << 20 };
    const int there = mb_json_at(o, "nodes_max")->type != MB_JSON_NONE;
    int64_t   nodes = there ? mb_json_get_count(j, o, "nodes_max") : 0;

    d->weight_max = mb_json_get_real(j, o, "weight_max");
    if (there && (nodes < 1 || nodes > MOST))
        mb_json_refuse(j, "nodes_max", "", "nodes of the network at most, 1 to 1048576");
    else
        d->nodes_max = (int32_t)nodes;
    if (d->weight_max <= 0 || d->weight_max > MB_WEIGHT_MAX)
        mb_json_refuse(j, "weight_max", "", "the largest weight of a row, above 0, at most 1e15");
}

/* 1: true; 0: false, or not there. */
static int32_t get_flag(mb_json_in *j, const mb_json *o, const char *key)
{
    const int is = mb_json_at(o, key)->type;

    if (is != MB_JSON_NONE && is != MB_JSON_FALSE && is != MB_JSON_TRUE)
        mb_json_refuse(j, key, "", "true or false");
    return is == MB_JSON_TRUE;
}

int32_t mb_declared_at_most_(mb_json_in *j, const mb_json *o)
{
    const char *are = mb_json_get_text(j, o, "rows_are");

    if (are && strcmp(are, AT_MOST) != 0 && strcmp(are, EXACTLY) != 0)
        mb_json_refuse(j, "rows_are", "", "\"exactly\" or \"at most\"");
    return are && !strcmp(are, AT_MOST);
}

mb_status mb_declared_read_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_genesis *g)
{
    const mb_json *list = mb_json_at(o, "members");
    mb_declared   *d;
    int            any = 0;

    for (const char *const *field = mb_declared_fields_; *field; field++)
        any |= mb_json_at(o, *field)->type != MB_JSON_NONE;
    if (!any)
        return j->status;
    MB_NEW(d, a, 1, j->err);
    *d = (mb_declared){.rows = get_rows(j, o), .columns = g->columns};
    get_most(j, o, d);
    d->algorithm = mb_json_get_text(j, o, "algorithm");
    d->gaps = get_flag(j, o, "gaps");
    d->mask = get_flag(j, o, "mask") ? 1 : -(mb_json_at(o, "mask")->type == MB_JSON_FALSE);
    d->at_most = mb_declared_at_most_(j, o);
    if (mb_json_at(o, "rows_batch")->type != MB_JSON_NONE)
        d->rows_batch = mb_json_get_count(j, o, "rows_batch");
    if (d->rows_batch < 0 || d->rows_batch > BATCH_MOST)
        mb_json_refuse(j, "rows_batch", "", "a number of rows, 0 (none) to 1000000000");
    MB_TRY(get_range(a, j, o, d));
    if (list->type != MB_JSON_NONE)
        list = mb_json_get(j, o, "members", MB_JSON_LIST);
    if (list->type != MB_JSON_NONE && !list->n)
        mb_json_refuse(j, "members", "", "at least one, or no list");
    MB_TRY(j->status);
    if (list->n)
        MB_TRY(get_members(a, j, list, d));
    add_up(j, d);
    d->hash = mb_declared_hash_(d);
    g->declared = d;
    return j->status;
}
