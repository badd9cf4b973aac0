/* genesis_block.c - the genesis as bytes: encoder, decoder, hash. docs/protocol.md, "Genesis", has
 * the layout. */
#include "base/epochs.h"
#include "base/far.h"
#include "base/gaps.h"
#include "fit/fit.h"
#include "mesh/genesis.h"
#include "model/choices.h"
#include "model/kind.h"
#include "start/lines.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { MAGIC = 0x3147424d /* "MBG1" */, MOST_KINDS = 1 << 24 };
enum { VERSION = 1, CHOSEN, MIXED }; /* with choices; with choices and kinds of columns */
/* Sizes above these are refused before anything is computed from them. */
enum {
    MOST_KIND = 64,
    MOST_COLUMNS = 10000,
    /* and targets */ MOST_COMPONENTS = 1000000,
    MOST_NAME = 65536
};

/* ---- sizes ---- */

size_t mb_genesis_len_(const mb_kind *kind, const mb_sizes *s)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(kind, s, f);
    size_t        len = 0;

    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived && !f[k].absent)
            len += mb_field_items(&f[k]) * mb_field_stored(&f[k]);
    return len;
}

/* What says whether it is of lines is as long as one of them, so that files have lists alike. */
size_t mb_genesis_start_len_(const mb_kind *kind, const mb_sizes *s)
{
    const size_t limits = MB_FAR_(kind->trims != NULL) ? 2 * (size_t)s->D : 0;
    const size_t lines = mb_genesis_may_have_lines_(kind) ? (size_t)mb_kind_columns(kind, s) : 0;

    return mb_kind_has_components(kind)
               ? mb_centres_len(s, mb_kind_columns(kind, s)) + limits + lines
               : 0;
}

int mb_genesis_has_lines_(const mb_genesis *g)
{
    return g->start[mb_centres_len(&g->size, g->columns)] > 0;
}

void mb_genesis_of_lines_(mb_genesis *g)
{
    ((double *)(uintptr_t)g->start)[mb_centres_len(&g->size, g->columns)] = 1;
    g->hash = mb_genesis_hash_(g);
}

void mb_genesis_limits_(const mb_genesis *g, mb_limits *out)
{
    double *at = (double *)(uintptr_t)g->start;

    *out = (mb_limits){.d = 0};
    if (!g->kind->trims || !g->start_len)
        return;
    at += mb_centres_len(&g->size, g->columns);
    *out = (mb_limits){.d = g->size.D, .middle = at, .reach = at + g->size.D};
}

/* Bytes of the numbers, and of the fixed fields with the kind's name and choices. */
static size_t number_bytes(int32_t columns, size_t len, size_t start)
{
    return 8 * (2 * (size_t)columns + 2 * len + start);
}

static size_t fixed_bytes(const mb_kind *kind, const mb_sizes *s)
{
    char         text[MB_CHOICES_TEXT_];
    const size_t n = mb_choices_text_(kind, s, text);

    return 3 * 4 + strlen(kind->name) + 4 * 4 + (n || s->columns ? 4 + n : 0) +
           (s->columns ? 4 + strlen(s->columns->text) : 0) + 2 * 4 + 2 * 8;
}

size_t mb_genesis_bytes(const mb_plan *plan)
{
    mb_sizes s;
    size_t   bytes;

    mb_plan_sizes(plan, &s);
    bytes = fixed_bytes(plan->kind, &s);
    for (int32_t d = 0; d < plan->columns; d++)
        bytes += 4 + strlen(plan->column[d]);
    return bytes + number_bytes(plan->columns, mb_genesis_len_(plan->kind, &s),
                                mb_genesis_start_len_(plan->kind, &s));
}

/* Moments and units, the model and its prior, the start block, and the block itself; of a release its
 * moments and posterior. */
size_t mb_genesis_scratch(const mb_plan *plan)
{
    const size_t D = (size_t)plan->columns + 1;
    mb_sizes     s;
    size_t       len, start, seen, limits;

    mb_plan_sizes(plan, &s);
    len = mb_genesis_len_(plan->kind, &s);
    start = mb_genesis_start_len_(plan->kind, &s);
    seen = s.columns && s.K ? start / (size_t)s.K : 0; /* columns, by the start block */
    limits = MB_FAR_(plan->kind->trims != NULL)
                 ? 8 * (2 * D * D + 80 * D + MB_GENESIS_ROWS) + 64 * 100
                 : 0;
    return limits + (MB_EPOCHS_(plan->privacy != NULL) ? 8 * (24 * D * D + 60 * D) + 64 * 64 : 0) +
           (mb_genesis_may_have_lines_(plan->kind) ? mb_lines_bytes_(&s, plan->columns) : 0) +
           8 * (8 * len + (MB_GAPS_(1) ? 14 : 12) * D * D + 150 * D + 10 * start + 8 * (size_t)s.K +
                200 * seen) +
           48 * (size_t)MB_GENESIS_ROWS + 64 * 220;
}

/* ---- written ---- */

typedef struct put {
    unsigned char *out;  /* NULL: bytes are only counted and hashed */
    size_t         room; /* of out                                  */
    size_t         n;    /* bytes so far                            */
    uint64_t       hash; /* FNV-1a of them                          */
} put;

static void put_byte(put *p, unsigned char byte)
{
    if (p->out && p->n < p->room)
        p->out[p->n] = byte;
    p->n++;
    p->hash = (p->hash ^ byte) * UINT64_C(1099511628211);
}

static void put_integer(put *p, uint64_t x, int bytes)
{
    for (int k = 0; k < bytes; k++)
        put_byte(p, (unsigned char)(x >> (8 * k)));
}

static void put_text(put *p, const char *text)
{
    put_integer(p, strlen(text), 4);
    for (; *text; text++)
        put_byte(p, (unsigned char)*text);
}

static void put_doubles(put *p, const double *x, size_t n)
{
    for (size_t l = 0; l < n; l++) {
        uint64_t bits;

        memcpy(&bits, &x[l], sizeof bits);
        put_integer(p, bits, 8);
    }
}

static put put_block(const mb_genesis *g, void *out, size_t room)
{
    const size_t columns = (size_t)g->columns;
    char         text[MB_CHOICES_TEXT_];
    const size_t n = mb_choices_text_(g->kind, &g->size, text);
    put          p = {out, room, 0, UINT64_C(14695981039346656037)};

    put_integer(&p, MAGIC, 4);
    put_integer(&p, g->size.columns ? MIXED : n ? CHOSEN : VERSION, 4);
    put_text(&p, g->kind->name);
    put_integer(&p, (uint32_t)(g->size.K + g->size.factors), 4);
    put_integer(&p, (uint32_t)g->size.D, 4);
    put_integer(&p, (uint32_t)g->size.intercept, 4);
    put_integer(&p, (uint32_t)g->columns, 4);
    if (n || g->size.columns)
        put_text(&p, text);
    if (g->size.columns)
        put_text(&p, g->size.columns->text);
    for (size_t d = 0; d < columns; d++)
        put_text(&p, g->column[d]);
    put_integer(&p, g->maker, 4);
    put_integer(&p, g->counter, 4);
    put_integer(&p, g->len, 8);
    put_integer(&p, g->start_len, 8);
    put_doubles(&p, g->run.origin, columns);
    put_doubles(&p, g->run.scale, columns);
    put_doubles(&p, g->prior, g->len);
    put_doubles(&p, g->prior_par, g->len);
    put_doubles(&p, g->start, g->start_len);
    p.hash += !p.hash; /* 0 stands for no block */
    return p;
}

uint64_t mb_genesis_hash_(const mb_genesis *g)
{
    return put_block(g, NULL, 0).hash;
}

mb_status mb_genesis_encode(mb_genesis *g, void *out, size_t room, size_t *n, mb_err *err)
{
    const put p = put_block(g, out, room);

    if (p.n > room)
        MB_FAIL(err, MB_E_ARG, "genesis block: got room for %zu bytes; expected %zu", room, p.n);
    g->hash = p.hash;
    *n = p.n;
    return MB_OK;
}

/* ---- read ---- */

typedef struct get {
    const unsigned char *in;
    size_t               n, at; /* bytes, and those that have been read */
    mb_err              *err;
} get;

static mb_status need(const get *g, const char *what, size_t bytes)
{
    if (g->n - g->at < bytes)
        MB_FAIL(g->err, MB_E_FORMAT, "genesis block: %s: got %zu bytes; expected %zu more", what,
                g->n, bytes - (g->n - g->at));
    return MB_OK;
}

static mb_status get_integer(get *g, const char *what, int bytes, uint64_t *x)
{
    MB_TRY(need(g, what, (size_t)bytes));
    *x = 0;
    for (int k = 0; k < bytes; k++)
        *x |= (uint64_t)g->in[g->at++] << (8 * k);
    return MB_OK;
}

static mb_status get_range(get *g, const char *what, uint64_t least, uint64_t most, uint64_t *x)
{
    MB_TRY(get_integer(g, what, 4, x));
    if (*x < least || *x > most)
        MB_FAIL(g->err, MB_E_FORMAT, "genesis block: %s: got %lld; expected %lld to %lld", what,
                (long long)*x, (long long)least, (long long)most);
    return MB_OK;
}

static mb_status get_size(get *g, const char *what, uint64_t least, uint64_t most, int32_t *x)
{
    uint64_t v;

    MB_TRY(get_range(g, what, least, most, &v));
    *x = (int32_t)v;
    return MB_OK;
}

/* The bytes of a text and how many, still in the block. */
static mb_status get_text(get *g, const char *what, size_t most, const char **text, size_t *n)
{
    uint64_t len;

    MB_TRY(get_range(g, what, 0, most, &len));
    MB_TRY(need(g, what, (size_t)len));
    *text = (const char *)g->in + g->at;
    *n = (size_t)len;
    g->at += *n;
    if (memchr(*text, 0, *n))
        MB_FAIL(g->err, MB_E_FORMAT, "genesis block: %s: got a byte 0 in a text", what);
    return MB_OK;
}

static mb_status get_kind(get *g, mb_genesis *out, uint64_t *version)
{
    const mb_kind *const *all = mb_kind_list();
    uint64_t              magic = 0;
    const char           *name;
    size_t                n;

    MB_TRY(get_integer(g, "magic", 4, &magic));
    if (magic != MAGIC)
        MB_FAIL(g->err, MB_E_FORMAT,
                "genesis block: got other bytes; expected it to begin with "
                "MBG1");
    MB_TRY(get_range(g, "version", VERSION, MIXED, version));
    MB_TRY(get_text(g, "model", MOST_KIND, &name, &n));
    for (; *all; all++)
        if (strlen((*all)->name) == n && !memcmp((*all)->name, name, n)) {
            out->kind = *all;
            return MB_OK;
        }
    MB_FAIL(g->err, MB_E_FORMAT, "genesis block: model: got \"%.*s\"; expected one of this build",
            (int)n, name);
}

static mb_status get_sizes(mb_arena *a, get *g, uint64_t version, mb_genesis *out)
{
    const int32_t most = out->kind->targets, least = most > 0, latent = mb_kind_latent(out->kind);
    const char   *text;
    size_t        n;

    MB_TRY(get_size(g, "K", (uint64_t)latent, latent ? MOST_COMPONENTS : 0,
                    mb_sizes_latent(out->kind, &out->size)));
    MB_TRY(get_size(g, "D", 0, MOST_COLUMNS, &out->size.D));
    MB_TRY(get_size(g, "intercept", 0, 1, &out->size.intercept));
    MB_TRY(get_size(g, "columns", (uint64_t)(out->size.D + least), (uint64_t)(out->size.D + most),
                    &out->columns));
    out->size.targets = out->columns - out->size.D;
    if (out->size.D < mb_kind_least_inputs(out->kind, &out->size))
        MB_FAIL(g->err, MB_E_FORMAT, "genesis block: D: got 0; expected at least 1");
    MB_TRY(need(g, "columns", 20 * (size_t)out->columns)); /* before memory is taken for them */
    if (version >= CHOSEN) {
        MB_TRY(get_text(g, "choices", MB_CHOICES_TEXT_, &text, &n));
        if (n || version == CHOSEN)
            MB_TRY(mb_choices_read_(out->kind, text, n, &out->size, g->err));
    }
    if (version == MIXED) {
        MB_TRY(get_text(g, "kinds of columns", MOST_KINDS, &text, &n));
        MB_TRY(mb_kind_columns_(a, out->kind, text, n, &out->size, g->err));
    }
    return MB_OK;
}

/* All names in one piece of memory: the first walk through them only counts. */
static mb_status get_names(mb_arena *a, get *g, mb_genesis *out)
{
    const size_t first = g->at;
    const char **column, *name;
    char        *copy;
    size_t       n, bytes = 1;

    MB_NEW(column, a, out->columns + 1, g->err);
    for (int32_t d = 0; d < out->columns; d++) {
        MB_TRY(get_text(g, "name of a column", MOST_NAME, &name, &n));
        bytes += n + 1;
    }
    MB_NEW(copy, a, bytes, g->err);
    g->at = first;
    for (int32_t d = 0; d < out->columns; d++) {
        MB_TRY(get_text(g, "name of a column", MOST_NAME, &name, &n));
        memcpy(copy, name, n);
        column[d] = copy;
        copy += n + 1;
    }
    out->column = column;
    return MB_OK;
}

/* Lengths that must be those of the sizes, and as many bytes as they say. */
static mb_status get_lengths(get *g, mb_genesis *out)
{
    const uint64_t len = mb_genesis_len_(out->kind, &out->size);
    const uint64_t start = mb_genesis_start_len_(out->kind, &out->size);
    uint64_t       L, S, v;

    MB_TRY(get_range(g, "maker", 0, UINT32_MAX, &v));
    out->maker = (uint32_t)v;
    MB_TRY(get_range(g, "counter", 0, UINT32_MAX, &v));
    out->counter = (uint32_t)v;
    MB_TRY(get_integer(g, "length of the prior", 8, &L));
    MB_TRY(get_integer(g, "length of the start block", 8, &S));
    if (L != len || S != start)
        MB_FAIL(g->err, MB_E_FORMAT,
                "genesis block: got lengths %lld and %lld of prior and start block; expected %lld "
                "and %lld, those of its sizes",
                (long long)L, (long long)S, (long long)len, (long long)start);
    if (g->n - g->at != number_bytes(out->columns, (size_t)len, (size_t)start))
        MB_FAIL(g->err, MB_E_FORMAT, "genesis block: got %zu bytes of numbers; expected %zu",
                g->n - g->at, number_bytes(out->columns, (size_t)len, (size_t)start));
    out->len = (size_t)len;
    out->start_len = (size_t)start;
    return MB_OK;
}

static mb_status get_doubles(mb_arena *a, get *g, const char *what, size_t n, double **out)
{
    MB_NEW(*out, a, n + 1, g->err);
    for (size_t l = 0; l < n; l++) {
        uint64_t bits;

        MB_TRY(get_integer(g, what, 8, &bits));
        memcpy(&(*out)[l], &bits, sizeof bits);
        if (!isfinite((*out)[l]))
            MB_FAIL(g->err, MB_E_FORMAT, "genesis block: %s: number %zu is not finite", what, l);
    }
    return MB_OK;
}

static mb_status get_numbers(mb_arena *a, get *g, mb_genesis *out)
{
    const size_t columns = (size_t)out->columns;
    double      *prior, *par, *start;

    out->run = (mb_units){.d = out->columns};
    MB_TRY(get_doubles(a, g, "origin", columns, &out->run.origin));
    MB_TRY(get_doubles(a, g, "scale", columns, &out->run.scale));
    MB_TRY(get_doubles(a, g, "prior", out->len, &prior));
    MB_TRY(get_doubles(a, g, "parameters of the prior", out->len, &par));
    MB_TRY(get_doubles(a, g, "start block", out->start_len, &start));
    out->prior = prior;
    out->prior_par = par;
    out->start = start;
    return MB_OK;
}

mb_status mb_genesis_decode(mb_arena *a, const void *bytes, size_t n, mb_genesis *out, mb_err *err)
{
    get      g = {bytes, n, 0, err};
    uint64_t version;
    mb_model model;

    *out = (mb_genesis){.maker = 0};
    MB_TRY(get_kind(&g, out, &version));
    MB_TRY(get_sizes(a, &g, version, out));
    MB_TRY(get_names(a, &g, out));
    MB_TRY(get_lengths(&g, out));
    MB_TRY(get_numbers(a, &g, out));
    MB_TRY(mb_genesis_check_(a, out, &model, err));
    out->hash = mb_genesis_hash_(out);
    return MB_OK;
}
