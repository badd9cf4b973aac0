/* http_rows.c - POST /rows: CSV with a line of names, or JSON {"columns", "rows"}; all rows of a
 * request are taken or none. Only on a Unix socket. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"

#include "data/data.h"
#include "data/table.h"
#include "mesh/genesis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What is refused before the body is looked at. */
static mb_status permit(http_request *r, mb_err *err)
{
    http *h = r->h;

    MB_TRY(http_local(r, "/rows", err));
    if (r->seen > HTTP_BODY)
        return http_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, HTTP_TOO_LARGE, err,
                           "POST /rows: got %lld bytes; expected at most %d", (long long)r->seen,
                           HTTP_BODY);
    if (h->now - h->second >= 1000) {
        h->second = h->now;
        h->posts = h->post_bytes = 0;
    }
    if (h->posts >= HTTP_POSTS || h->post_bytes + r->seen > HTTP_POST_BYTES)
        return http_refuse(r, MHD_HTTP_TOO_MANY_REQUESTS, HTTP_TOO_MANY, err,
                           "POST /rows: got more in a second than %d requests or %d bytes",
                           HTTP_POSTS, HTTP_POST_BYTES);
    h->posts++;
    h->post_bytes += r->seen;
    return MB_OK;
}

/* The column with this name, one number each `ld`, of n rows. */
static mb_status column(const char *const *name, int32_t columns, const double *x, int64_t n,
                        const char *which, size_t ld, double *to, mb_err *err)
{
    int32_t at = 0;

    while (at < columns && strcmp(name[at], which) != 0)
        at++;
    if (at == columns)
        MB_FAIL(err, MB_E_FORMAT, "POST /rows: no column \"%s\"", which);
    for (int64_t i = 0; i < n; i++)
        to[(size_t)i * ld] = x[i * columns + at];
    return MB_OK;
}

/* The columns of the plan, and the weights, by name. */
static mb_status pick(http_request *r, const char *const *name, int32_t columns, const double *x,
                      int64_t n, mb_rows *out, mb_err *err)
{
    const node_config *c = &r->h->n->c;
    const csv_want     want = feed_columns(c);
    const size_t       D = (size_t)want.columns;
    double            *to, *w = NULL;

    MB_NEW(to, r->a, (size_t)n * D + 1, err);
    for (size_t d = 0; d < D; d++)
        MB_TRY(column(name, columns, x, n, want.name[d], D, to + d, err));
    if (c->weight_column) {
        MB_NEW(w, r->a, n + 1, err);
        MB_TRY(column(name, columns, x, n, c->weight_column, 1, w, err));
    }
    *out = (mb_rows){.x = to, .w = w, .n = n, .d = want.columns, .ld = D, .gaps = want.gaps};
    return design_rows(r->a, &want, out, err);
}

/* A number of a row; null where there is no value, for a model that can do with gaps. */
static void number_of(mb_json_in *j, const mb_json *v, int64_t row, size_t column, int gaps,
                      double *x)
{
    char at[64];

    if ((v->type == MB_JSON_INTEGER || v->type == MB_JSON_REAL) && isfinite(v->number)) {
        *x = v->number;
    } else if (gaps &&
               (v->type == MB_JSON_NULL || (v->type == MB_JSON_TEXT && mb_cell_missing(v->text)))) {
        *x = (double)NAN;
    } else {
        snprintf(at, sizeof at, "[%lld][%zu]", (long long)row, column);
        mb_json_refuse(j, "rows", at, gaps ? "a finite number or null" : "a finite number");
    }
}

static void numbers(mb_json_in *j, const mb_json *list, size_t columns, int gaps, double *x)
{
    char at[32], accepted[48];

    for (size_t i = 0; i < list->n && j->status >= 0; i++) {
        const mb_json *row = &list->item[i];

        snprintf(at, sizeof at, "[%zu]", i);
        snprintf(accepted, sizeof accepted, "a list of %zu", columns);
        if (row->type != MB_JSON_LIST || row->n != columns)
            mb_json_refuse(j, "rows", at, accepted);
        for (size_t d = 0; d < columns && j->status >= 0; d++)
            number_of(j, &row->item[d], (int64_t)i, d, gaps, &x[i * columns + d]);
    }
}

static mb_status take_json(http_request *r, uint64_t key, int64_t *rows, mb_err *err)
{
    mb_json_in     j = {.file = "POST /rows", .where = "", .err = err};
    const mb_json *o, *names, *list;
    const char   **name;
    double        *x;
    mb_rows        picked;

    MB_TRY(mb_json_parse(r->a, j.file, r->body, r->n, &o, err));
    names = mb_json_get(&j, o, "columns", MB_JSON_LIST);
    list = mb_json_get(&j, o, "rows", MB_JSON_LIST);
    MB_TRY(j.status);
    MB_NEW(name, r->a, names->n + 1, err);
    for (size_t d = 0; d < names->n; d++) {
        name[d] = names->item[d].text;
        if (!name[d])
            mb_json_refuse(&j, "columns", "", "a list of names");
    }
    MB_TRY(j.status);
    *rows = (int64_t)list->n;
    if (*rows > HTTP_ROWS)
        return MB_OK;
    MB_NEW(x, r->a, list->n * names->n + 1, err);
    numbers(&j, list, names->n, mb_plan_gaps(&r->h->n->c.plan), x);
    MB_TRY(j.status);
    MB_TRY(pick(r, name, (int32_t)names->n, x, *rows, &picked, err));
    return feed_post(&r->h->n->f, r->h->now, key, &picked, err);
}

static int64_t lines(const http_request *r)
{
    int64_t count = 0;

    for (size_t k = 0; k < r->n; k++)
        count += r->body[k] == '\n';
    return count;
}

/* By the type that the client names, or by the first character. */
static int is_json(http_request *r)
{
    const char *type =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    const size_t blanks = strspn(r->body, " \t\r\n");

    if (type && !strncasecmp(type, "application/json", 16))
        return 1;
    return (!type || strncasecmp(type, "text/csv", 8) != 0) && r->body[blanks] == '{';
}

/* Which rows: too many, refused by the node for lack of room, wrong. */
static mb_status judge(http_request *r, mb_status st, int64_t rows, const mb_err *why, mb_err *err)
{
    if (st >= 0 && rows > HTTP_ROWS)
        return http_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, HTTP_TOO_LARGE, err,
                           "POST /rows: got %lld rows; expected at most %d a request",
                           (long long)rows, HTTP_ROWS);
    if (st == MB_E_ARG)
        return http_refuse(r, MHD_HTTP_TOO_MANY_REQUESTS, HTTP_TOO_MANY, err, "%s (rows_max)",
                           why->msg);
    if (st == MB_E_IO)
        return http_refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, HTTP_NOT_STORED, err, "%s", why->msg);
    if (st < 0 && st != MB_E_NOMEM)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_ROWS, err, "%s", why->msg);
    if (st < 0)
        MB_FAIL(err, st, "%s", why->msg);
    return MB_OK;
}

/* How many rows were taken; repeated: of an earlier request with the same key. */
static mb_status answer(http_request *r, int64_t rows, int repeated, mb_err *err)
{
    mb_json_out j;
    char       *text = NULL;

    mb_json_begin(&j, r->a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "rows", rows);
    if (repeated)
        mb_json_bool(&j, "repeated", 1);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, &r->len));
    r->text = text;
    return MB_OK;
}

/* What the client calls the request, so that it counts once; 0: nothing. */
static uint64_t key_of(const http_request *r)
{
    const char *key =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Idempotency-Key");

    return key && *key ? mb_bytes_hash(key, strlen(key)) | 1 : 0;
}

mb_status http_rows(http_request *r, mb_err *err)
{
    const uint64_t key = key_of(r);
    mb_err         why = {.msg = ""};
    mb_status      st = MB_OK;
    int64_t        rows = 0;

    MB_TRY(permit(r, err));
    if (posted_known(r->h->n->f.posted, key))
        return answer(r, 0, 1, err);
    if (!r->n)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_ROWS, err,
                           "POST /rows: got no rows; expected CSV with a line of names, or "
                           "{\"columns\": [..], \"rows\": [[..], ..]}");
    if (is_json(r))
        st = take_json(r, key, &rows, &why);
    else if ((rows = lines(r)) <= HTTP_ROWS)
        st = feed_text(&r->h->n->f, r->h->now, key, r->body, r->n, &rows, &why);
    MB_TRY(judge(r, st, rows, &why, err));
    r->h->rows += rows;
    if (posted_fd(r->h->n->f.posted) >= 0)
        disk_sync(r->h->n->d, posted_fd(r->h->n->f.posted));
    return answer(r, rows, 0, err);
}
