/* arrays.c - arrays, texts and networks that are given to a handle. */
#include "base/format.h"
#include "base/opt.h"
#include "base/text.h"
#include "bind/handle.h"

#include <string.h>

/* Bytes of a name: tables of characters need no addresses when the library is loaded. */
enum { NAME = 17 };
static const char names[MB_BIND_ARRAYS_][NAME] = {[MB_BIND_X_] = "x",
                                                  [MB_BIND_Y_] = "y",
                                                  [MB_BIND_WEIGHT_] = "sample_weight",
                                                  [MB_BIND_GROUP_] = "group",
                                                  [MB_BIND_NODE_] = "node",
                                                  [MB_BIND_CENTRES_] = "centres",
                                                  [MB_BIND_RESP_] = "responsibilities",
                                                  [MB_BIND_LABELS_] = "labels"};
static const char text_names[MB_BIND_TEXTS_][NAME] = {[MB_BIND_COLUMNS_] = "columns",
                                                      [MB_BIND_TARGETS_] = "targets",
                                                      [MB_BIND_NODES_] = "nodes",
                                                      [MB_BIND_KINDS_] = "kinds"};

/* The place of a name in a list; n: it has none. */
static int32_t place(const char (*list)[NAME], int32_t n, const char *name)
{
    int32_t k = 0;

    while (k < n && strcmp(list[k], name) != 0)
        k++;
    return k;
}

static int64_t bytes_of(int type)
{
    static const int8_t bytes[] = {8, 4, 8, 4, 1};

    return bytes[type];
}

static mb_status view(const char *name, int type, int32_t ndim, const int64_t *shape,
                      const int64_t *stride, const void *x, mb_bind_array_ *out, mb_err *err)
{
    if (type < MB_BIND_F8 || type > MB_BIND_U1)
        MB_FAIL(err, MB_E_ARG, "%.60s: got items of type %d; expected 0 to 4", name, type);
    if (ndim < 1 || ndim > 2)
        MB_FAIL(err, MB_E_SHAPE, "%.60s: got %d dimensions; expected 1 or 2", name, (int)ndim);
    *out = (mb_bind_array_){x, type, ndim, {shape[0], 1}, {stride[0], bytes_of(type)}};
    if (ndim == 2) {
        out->shape[1] = shape[1];
        out->stride[1] = stride[1];
    }
    for (int k = 0; k < 2; k++)
        if (out->shape[k] < 0 || out->shape[k] > (k ? INT32_MAX : (int64_t)1 << 48))
            MB_FAIL(err, MB_E_SHAPE, "%.60s: got %lld in dimension %d; expected 0 to %lld", name,
                    (long long)out->shape[k], k, (long long)(k ? INT32_MAX : (int64_t)1 << 48));
    return MB_OK;
}

/* Numbers as the text of an option, "1,2.5": in the digits that read back to the same. */
static mb_status write(mb_arena *a, const mb_bind_array_ *v, const char **out, mb_err *err)
{
    enum { EACH = 32 /* bytes of a number */ };
    const int64_t n = v->shape[0] * v->shape[1];
    const double *x;
    char         *at;

    MB_TRY(mb_bind_numbers_(a, v, &x, err));
    MB_NEW(at, a, (n + 1) * EACH, err);
    *out = at;
    for (int64_t k = 0; k < n; k++) {
        mb_format_exact_(at, EACH - 1, x[k]);
        at += strlen(at);
        *at++ = ',';
    }
    if (n)
        at[-1] = 0;
    return MB_OK;
}

static mb_status to_option(mb_bind *b, const mb_opt *row, const mb_bind_array_ *v, mb_err *err)
{
    mb_arena   *a = mb_arena_new(1 << 12);
    const char *text = NULL;
    mb_status   st = a ? write(a, v, &text, err) : MB_E_NOMEM;

    st = st >= 0 ? mb_bind_set_(b, row, text, err) : st;
    mb_arena_free(a);
    return st;
}

static mb_status give(mb_bind *b, const char *name, int type, int32_t ndim, const int64_t *shape,
                      const int64_t *stride, const void *x)
{
    const int32_t  k = place(names, MB_BIND_ARRAYS_, name);
    const char    *whose;
    const mb_opt  *row = k < MB_BIND_ARRAYS_ ? NULL : mb_bind_option_(b, name, &whose);
    mb_bind_array_ v = {.x = NULL};
    mb_err        *err = &b->fault;

    if (k == MB_BIND_ARRAYS_ && !(row && row->kind == MB_OPT_TEXT && !strcmp(whose, b->kind->name)))
        MB_FAIL(err, MB_E_ARG,
                "array: got \"%.60s\"; expected x, y, sample_weight, group, node, centres, "
                "responsibilities, labels or an option of the model of numbers",
                name);
    if (x)
        MB_TRY(view(name, type, ndim, shape, stride, x, &v, err));
    if (row)
        return x ? to_option(b, row, &v, err) : mb_bind_set_(b, row, NULL, err);
    b->array[k] = v;
    return MB_OK;
}

int mb_bind_array(mb_bind *b, const char *name, int type, int32_t ndim, const int64_t *shape,
                  const int64_t *stride, const void *x)
{
    const int st = mb_bind_begin_(b);

    if (st)
        return st;
    mb_bind_views_drop_(b->now);
    if (name)
        return mb_bind_end_named_(b, give(b, name, type, ndim, shape, stride, x), name);
    mb_bind_forget_(b);
    return 0;
}

static mb_status give_texts(mb_bind *b, const char *name, int64_t n, const char *const *text)
{
    const int32_t  k = place(text_names, MB_BIND_TEXTS_, name);
    mb_bind_texts_ to = {.a = NULL};
    mb_err        *err = &b->fault;
    mb_status      st;

    if (k == MB_BIND_TEXTS_)
        MB_FAIL(err, MB_E_ARG, "texts: got \"%.60s\"; expected columns, targets, nodes or kinds",
                name);
    if (n < 0 || n > INT32_MAX)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %lld texts; expected 0 to %d", name, (long long)n,
                INT32_MAX);
    for (int64_t j = 0; j < n; j++)
        for (const char *c = text[j]; *c; c += mb_utf8(c))
            if (!mb_utf8(c))
                MB_FAIL(err, MB_E_FORMAT, "%s: text %lld is not UTF-8; expected UTF-8", name,
                        (long long)j);
    to.a = n ? mb_arena_new(1 << 10) : NULL;
    if (n && !to.a)
        return MB_E_NOMEM;
    to.n = n;
    st = n ? mb_texts_copy(to.a, n, text, &to.text, err) : MB_OK;
    mb_arena_free(st < 0 ? to.a : b->texts[k].a);
    if (st >= 0)
        b->texts[k] = to;
    return st;
}

int mb_bind_texts(mb_bind *b, const char *name, int64_t n, const char *const *text)
{
    const int st = mb_bind_begin_(b);

    return st ? st : mb_bind_end_named_(b, give_texts(b, name, n, text), name);
}

static mb_status links(mb_bind_network_ *to, const char *spec, const int32_t *ends, mb_err *err)
{
    if (spec) {
        to->spec = mb_text(to->a, err, "%s", spec);
        return to->spec ? MB_OK : MB_E_NOMEM;
    }
    MB_NEW(to->ends, to->a, 2 * to->m + 1, err);
    if (to->m)
        memcpy(to->ends, ends, 2 * (size_t)to->m * sizeof *ends);
    return MB_OK;
}

/* Made once to see whether it can be. */
static mb_status network(mb_bind_network_ *to, const int32_t *ends, mb_err *err)
{
    mb_arena  *a = mb_arena_new(1 << 12);
    mb_network net;
    mb_status  st;

    to->a = mb_arena_new(1 << 10);
    if (!a || !to->a) {
        mb_arena_free(a);
        return MB_E_NOMEM;
    }
    st = links(to, to->spec, ends, err);
    if (st >= 0 && to->spec)
        st = mb_network_draw(a, to->spec, to->seed, &(mb_network_opt){.links_only = 1}, &net, err);
    else if (st >= 0)
        st = mb_network_from(a, to->n, NULL, to->m, to->ends, &(mb_network_opt){.links_only = 1},
                             &net, err);
    mb_arena_free(a);
    return st;
}

int mb_bind_network(mb_bind *b, const char *spec, uint64_t seed, int32_t n, int64_t m,
                    const int32_t *ends)
{
    const int        failed = mb_bind_begin_(b);
    mb_bind_network_ to = {.spec = spec, .seed = seed, .n = n, .m = m};
    mb_status        st = MB_OK;

    if (failed)
        return failed;
    if (!spec && (n < 0 || m < 0 || m > INT32_MAX))
        st = mb_fail_(&b->fault, MB_E_SHAPE, __FILE__, __LINE__,
                      "network: got %d nodes and %lld links; expected numbers from 0 up", (int)n,
                      (long long)m);
    else if (spec || n)
        st = network(&to, ends, &b->fault);
    mb_arena_free(st < 0 ? to.a : b->network.a);
    if (st >= 0)
        b->network = to;
    return mb_bind_end_(b, st, "network");
}
