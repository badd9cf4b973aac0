/* http_answer.c - a request: its body, its route, its answer. Everything it needs is in an arena
 * that ends with it. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct route {
    const char *url;
    const char *method;
    mb_status (*work)(http_request *r, mb_err *err);
} route;
static const route routes[] = {
    {"/", "GET", http_page},           {"/status", "GET", http_status},
    {"/curves", "GET", http_curves},   {"/posterior", "GET", http_posterior},
    {"/metrics", "GET", http_metrics}, {"/healthz", "GET", http_health},
    {"/readyz", "GET", http_ready},    {"/rows", "POST", http_rows},
    {"/reset", "POST", http_reset},    {"/refuse", "POST", http_shut},
    {"/without", "POST", http_without}};

/* A page of another site whose name leads here (DNS rebinding) is not answered. */
static int is_here(const char *host)
{
    static const char *const here[] = {"localhost", "[::1]"};
    size_t                   n = host ? strlen(host) : 0;

    for (size_t k = n; k > 0; k--) /* without a port */
        if (host[k - 1] == ':' && host[n - 1] != ']') {
            n = k - 1;
            break;
        }
    for (size_t k = 0; k < sizeof here / sizeof *here; k++)
        if (n == strlen(here[k]) && !strncmp(host, here[k], n))
            return 1;
    return n > 4 && !strncmp(host, "127.", 4) && strspn(host, "0123456789.") == n;
}

static const route *find(const char *url)
{
    for (size_t k = 0; k < sizeof routes / sizeof *routes; k++)
        if (!strcmp(routes[k].url, url))
            return &routes[k];
    return NULL;
}

static mb_status work(http_request *r, const char *url, const char *method, mb_err *err)
{
    const route *to = find(url);
    const char  *host =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

    MB_TRY(http_admit(r, err));
    if (!r->h->path && !http_is_open(&r->h->n->c) && !is_here(host))
        return http_refuse(r, MHD_HTTP_FORBIDDEN, HTTP_HOST, err,
                           "header Host: got \"%.100s\"; expected an address of this machine",
                           host ? host : "");
    if (!to)
        return http_refuse(r, MHD_HTTP_NOT_FOUND, HTTP_NOT_FOUND, err,
                           "got \"%.100s\"; expected /, /status, /curves, /posterior, /metrics, "
                           "/healthz, /readyz, /rows, /reset, /refuse or /without",
                           url);
    if (strcmp(to->method, method) != 0 &&
        (strcmp(method, "HEAD") != 0 || strcmp(to->method, "GET") != 0))
        return http_refuse(r, MHD_HTTP_METHOD_NOT_ALLOWED, HTTP_METHOD, err,
                           "got %.20s %s; expected %s", method, url, to->method);
    return to->work(r, err);
}

/* {"error": ".."}; a text that needs no memory if there is none. */
static void excuse(http_request *r, const mb_err *why)
{
    mb_json_out j;
    char       *text;
    size_t      n;

    mb_json_begin(&j, r->a, NULL);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "error", why->msg);
    mb_json_close(&j);
    r->type = "application/json";
    if (mb_json_end(&j, &text, &n) >= 0) {
        r->text = text;
        r->len = n;
        return;
    }
    r->text = "{\"error\": \"it cannot be said in JSON\"}\n";
    r->len = strlen(r->text);
}

static const char *allowed(const char *url)
{
    const route *to = find(url);

    return to && !strcmp(to->method, "POST") ? "POST" : "GET, HEAD";
}

static enum MHD_Result send_answer(http_request *r, const char *url)
{
    static const char *const fixed[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
         "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"}};
    struct MHD_Response *with =
        MHD_create_response_from_buffer(r->len, (void *)(uintptr_t)r->text, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result sent = MHD_NO;
    int             whole;

    if (!with)
        return MHD_NO;
    whole = MHD_add_response_header(with, MHD_HTTP_HEADER_CONTENT_TYPE, r->type) == MHD_YES;
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        whole = MHD_add_response_header(with, fixed[k][0], fixed[k][1]) == MHD_YES && whole;
    if (r->code == MHD_HTTP_UNAUTHORIZED)
        whole =
            MHD_add_response_header(with, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer") == MHD_YES &&
            whole;
    if (r->code == MHD_HTTP_METHOD_NOT_ALLOWED)
        whole =
            MHD_add_response_header(with, MHD_HTTP_HEADER_ALLOW, allowed(url)) == MHD_YES && whole;
    if (r->code == MHD_HTTP_TOO_MANY_REQUESTS || r->code == MHD_HTTP_SERVICE_UNAVAILABLE)
        whole = MHD_add_response_header(with, MHD_HTTP_HEADER_RETRY_AFTER, "1") == MHD_YES && whole;
    if (whole)
        sent = MHD_queue_response(r->connection, (unsigned int)r->code, with);
    MHD_destroy_response(with);
    return sent;
}

static enum MHD_Result answer(http_request *r, const char *url, const char *method)
{
    mb_err    why = {.msg = ""};
    mb_status st;

    r->a = mb_arena_new(1 << 14);
    if (!r->a)
        return MHD_NO;
    r->code = MHD_HTTP_OK;
    r->type = "application/json";
    st = work(r, url, method, &why);
    if (st < 0 && r->code == MHD_HTTP_OK)
        r->code = st == MB_E_NOMEM ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (st < 0)
        excuse(r, &why);
    return send_answer(r, url);
}

/* A piece of the body; what is beyond the limit is read and left out. */
static enum MHD_Result absorb(http_request *r, const char *bytes, size_t n)
{
    char *more;

    r->seen += (int64_t)n;
    if (r->seen > HTTP_DRAIN) {
        r->h->refused[HTTP_TOO_LARGE]++;
        return MHD_NO;
    }
    if (r->seen > HTTP_BODY || !r->h->path)
        return MHD_YES;
    if (r->n + n + 1 > r->room) {
        r->room = 2 * (r->n + n) + 4096;
        more = realloc(r->body, r->room);
        if (!more)
            return MHD_NO;
        r->body = more;
    }
    memcpy(r->body + r->n, bytes, n);
    r->n += n;
    r->body[r->n] = 0;
    return MHD_YES;
}

enum MHD_Result http_handle(void *self, struct MHD_Connection *c, const char *url,
                            const char *method, const char *version, const char *upload,
                            size_t *upload_size, void **request)
{
    http_request   *r = *request;
    enum MHD_Result went;

    (void)version;
    if (!r) {
        *request = r = calloc(1, sizeof *r);
        if (!r)
            return MHD_NO;
        r->h = self;
        r->connection = c;
        return MHD_YES;
    }
    if (!*upload_size)
        return answer(r, url, method);
    went = absorb(r, upload, *upload_size);
    *upload_size = 0;
    return went;
}

void http_ended(void *self, struct MHD_Connection *c, void **request,
                enum MHD_RequestTerminationCode how)
{
    http                           *h = self;
    http_request                   *r = *request;
    const union MHD_ConnectionInfo *is =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    http_slot *s = is ? is->socket_context : NULL;

    if (s && how == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        s->requests++;
        s->since = h->now;
    }
    if (!r)
        return;
    mb_arena_free(r->a);
    free(r->body);
    free(r);
    *request = NULL;
}
