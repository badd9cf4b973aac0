/* read.c - posterior files read: every field is checked against the table of the kind, numbers are
 * read bit for bit. */
#include "meshbayes/json.h"
#include "meshbayes/posterior_file.h"
#include "num/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_COLUMNS = 10000, MOST_COMPONENTS = 1000000 };

static const char *need_text(mb_json_in *j, const mb_json *o, const char *key)
{
    const char *text = mb_json_get_text(j, o, key);

    if (!text)
        mb_json_refuse(j, key, "", "a text");
    return text;
}

static int64_t need_count(mb_json_in *j, const mb_json *o, const char *key)
{
    const int64_t n = mb_json_get_count(j, o, key);

    if (n < 0)
        mb_json_refuse(j, key, "", "an integer from 0 up");
    return n;
}

static void must_be(mb_json_in *j, const mb_json *o, const char *key, const char *want)
{
    const char *text = mb_json_get_text(j, o, key);

    if (!text || strcmp(text, want) != 0)
        mb_json_refuse(j, key, "", want);
}

/* The kind of that name: `only`, or one that is listed. */
static const mb_kind *find_kind(mb_json_in *j, const char *name, const mb_kind *only)
{
    const mb_kind *const *all = mb_kind_list();
    const mb_kind        *found = only ? only : name ? mb_kind_find(name) : NULL;
    char                  list[160] = "";
    size_t                n = 0;

    if (name && found && !strcmp(found->name, name))
        return found;
    for (int k = 0; !only && all[k] && n < sizeof list; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                              k == 0       ? ""
                              : all[k + 1] ? ", "
                                           : " or ",
                              all[k]->name);
    mb_json_refuse(j, "model", "", only ? only->name : list);
    return NULL;
}

/* What kind of file it is. */
static mb_status open_kind(mb_json_in *j, const mb_json *o, const mb_kind *only, mb_posterior *p)
{
    must_be(j, o, "format", "meshbayes posterior");
    if (mb_json_get_count(j, o, "version") != VERSION)
        mb_json_refuse(j, "version", "", "1 (this is meshbayes " MB_VERSION ")");
    must_be(j, o, "units", "data units");
    p->kind = find_kind(j, need_text(j, o, "model"), only);
    return j->status;
}

/* Names and values of options. */
static mb_status options(mb_arena *a, mb_json_in *j, const mb_json *o, mb_provenance *out)
{
    const char *(*list)[2];

    MB_NEW(list, a, o->n, j->err);
    for (size_t k = 0; k < o->n; k++) {
        if (!o->item[k].text)
            mb_json_refuse(j, "options.", o->item[k].key, "a text");
        list[k][0] = o->item[k].key;
        list[k][1] = o->item[k].text;
    }
    out->noptions = (int32_t)o->n;
    out->option = (const char *const(*)[2])list;
    return MB_OK;
}

/* Where it comes from. */
static mb_status provenance(mb_arena *a, mb_json_in *j, const mb_json *o, mb_provenance *out)
{
    const mb_json *given, *data;
    const char    *hash;
    double         weight;

    out->meshbayes = need_text(j, o, "meshbayes");
    out->algorithm = need_text(j, o, "algorithm");
    out->of = need_text(j, o, "of");
    out->rounds = need_count(j, o, "rounds");
    out->seed = need_count(j, o, "seed");
    given = mb_json_get(j, o, "options", MB_JSON_OBJECT);
    data = mb_json_get(j, o, "data", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_TRY(options(a, j, given, out));
    out->verdict = mb_json_get_text(j, o, "verdict");
    out->bound = mb_json_get_real(j, o, "bound");
    weight = mb_json_get_real(j, o, "weight_total");
    if (weight <= 0)
        mb_json_refuse(j, "weight_total", "", "a number above 0");
    out->weight_total = isnan(weight) ? 0 : weight;
    j->where = "data.";
    out->data = need_text(j, data, "file");
    out->data_rows = need_count(j, data, "rows");
    hash = need_text(j, data, "hash");
    if (hash && (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16))
        mb_json_refuse(j, "hash", "", "16 hexadecimal digits");
    j->where = "";
    MB_TRY(j->status);
    out->data_hash = strtoull(hash, NULL, 16);
    return MB_OK;
}

/* Names of the columns, all different. */
static mb_status columns(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const mb_json *list = mb_json_get(j, o, "features", MB_JSON_LIST);
    const size_t   n = list->n;
    const char   **name;
    char           index[32];

    if (n > MOST_COLUMNS)
        mb_json_refuse(j, "features", "", "at most 10000 names");
    MB_TRY(j->status);
    p->size.D = (int32_t)n;
    p->target = mb_json_get_text(j, o, "target");
    MB_NEW(name, a, n + 1, j->err);
    p->column = name;
    for (size_t d = 0; d < n && j->status >= 0; d++) {
        snprintf(index, sizeof index, "[%zu]", d);
        name[d] = list->item[d].text;
        if (!name[d])
            mb_json_refuse(j, "features", index, "a text");
        for (size_t e = 0; name[d] && e < d; e++)
            if (!strcmp(name[d], name[e]))
                mb_json_refuse(j, "features", index, "a name that is there once");
        if (name[d] && p->target && !strcmp(name[d], p->target))
            mb_json_refuse(j, "target", "", "a name that is not among the features");
    }
    return j->status;
}

/* Sets s->intercept by the field that is null without one; 1 when the kind has such a field. */
static int find_intercept(mb_json_in *j, const mb_json *o, const mb_kind *kind, mb_sizes *s)
{
    mb_field       f[MB_FIELDS_MAX];
    const int32_t  n = kind->fields(s, f);
    const mb_json *v;

    for (int32_t k = 0; k < n; k++)
        if (f[k].optional && !f[k].derived) {
            v = mb_json_at(o, f[k].key);
            if (v->type == MB_JSON_NONE)
                mb_json_refuse(j, f[k].key, "", "a number, or null for none");
            s->intercept = v->type != MB_JSON_NULL;
            return 1;
        }
    return 0;
}

/* Refuses matrices of the wrong size, before memory for them is allocated. */
static void check_matrices(mb_json_in *j, const mb_json *o, const mb_kind *kind, const mb_sizes *s)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = kind->fields(s, f);

    for (int32_t k = 0; k < n; k++)
        if (f[k].symmetric && !f[k].derived)
            mb_json_get_numbers(j, o, f[k].key, f[k].ndim, f[k].shape, NULL);
}

/* Sizes from the fields that give them, all checked before memory is allocated for them. */
static mb_status sizes(mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    mb_sizes *s = &p->size;
    int64_t   K = p->kind->latent ? mb_json_get_count(j, o, "n_components") : 0;

    if (p->kind->latent && (K < 1 || K > MOST_COMPONENTS))
        mb_json_refuse(j, "n_components", "", "1 to 1000000");
    s->K = K > 0 && K <= MOST_COMPONENTS ? (int32_t)K : MOST_COMPONENTS * p->kind->latent;
    const int optional = find_intercept(j, o, p->kind, s);

    if (p->kind->target && !p->target)
        mb_json_refuse(j, "target", "", "the name of the column that is explained");
    if (s->D + s->intercept < 1)
        mb_json_refuse(j, "features", "",
                       optional ? "at least one name when there is no intercept"
                                : "at least one name");
    if (!p->kind->target)
        p->target = NULL;
    check_matrices(j, o, p->kind, s);
    return j->status;
}

static void above(mb_json_in *j, const mb_field *f, const double *x)
{
    char index[32] = "", accepted[64];

    snprintf(accepted, sizeof accepted, "a number above %g", f->above);
    for (size_t k = 0; k < mb_field_size(f); k++) {
        if (f->ndim)
            snprintf(index, sizeof index, "[%zu]", k);
        if (!(x[k] > f->above))
            mb_json_refuse(j, f->key, index, accepted);
    }
}

/* The lower triangle by rows of a matrix (n x n), which must be symmetric up to the rounding of
 * numbers written as text. index: of the matrix, or "". */
static void lower(mb_json_in *j, const char *key, const char *index, int32_t n, const double *full,
                  double *tril)
{
    const double tol = 1e-9; /* of the geometric mean of the two diagonal entries */
    char         entry[64];

    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            const double x = full[r * n + c], y = full[c * n + r];

            *tril++ = x;
            snprintf(entry, sizeof entry, "%s[%d][%d]", index, (int)r, (int)c);
            if (!(fabs(x - y) <= tol * sqrt(fabs(full[r * n + r])) * sqrt(fabs(full[c * n + c]))))
                mb_json_refuse(j, key, entry, "a symmetric matrix");
        }
}

/* A field to its place in par. */
static mb_status read_field(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_field *f,
                            double *par)
{
    const int32_t n = f->symmetric ? f->shape[f->ndim - 1] : 0;
    const size_t  len = n ? (size_t)n * (size_t)n : mb_field_stored(f);
    char          index[32] = "";
    double       *item;

    if (f->absent && mb_json_at(o, f->key)->type != MB_JSON_NULL)
        mb_json_refuse(j, f->key, "", "null, as in the posterior");
    if (f->absent)
        return j->status;
    MB_NEW(item, a, mb_field_size(f), j->err);
    mb_json_get_numbers(j, o, f->key, f->ndim, f->shape, item);
    MB_TRY(j->status);
    if (f->bounded)
        above(j, f, item);
    for (size_t k = 0; k < mb_field_items(f); k++, item += len) {
        double *to = par + f->at + k * f->step;

        if (f->ndim > 2)
            snprintf(index, sizeof index, "[%zu]", k);
        if (!n) {
            memcpy(to, item, len * sizeof *to);
            continue;
        }
        lower(j, f->key, index, n, item, to);
        if (mb_chol_(item, n) != 0) /* overwrites it */
            mb_json_refuse(j, f->key, index, "a positive definite matrix");
    }
    return j->status;
}

/* 1 when v equals the numbers from x on up to the rounding of other programs; NULL and NaN stand
 * for null. */
static int agree(const mb_json *v, int32_t ndim, const int64_t *shape, const double **x)
{
    double want;

    if (ndim == 0) {
        want = *x ? *(*x)++ : (double)NAN;
        if (v->type != MB_JSON_INTEGER && v->type != MB_JSON_REAL)
            return v->type == MB_JSON_NULL && !isfinite(want);
        return fabs(want - v->number) <= 1e-9 * fabs(want);
    }
    if (v->type != MB_JSON_LIST || v->n != (size_t)shape[0])
        return 0;
    for (size_t k = 0; k < v->n; k++)
        if (!agree(v->item + k, ndim - 1, shape + 1, x))
            return 0;
    return 1;
}

/* Fields that follow from others and were changed alone would mislead readers. */
static mb_status consistent(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                            const double *par)
{
    mb_array *want;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, &want, &n, j->err));
    for (int32_t k = 0; k < n; k++) {
        const double *x = want[k].x;

        if (!agree(mb_json_at(o, want[k].name), want[k].ndim, want[k].shape, &x))
            mb_json_refuse(j, want[k].name, "", "what follows from the other parameters");
    }
    return j->status;
}

/* The parameters of p, whose model is known; outside the domain is refused, and so are derived
 * fields that do not follow from the others. */
static mb_status read_fields(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                             const double **out)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = p->kind->fields(&p->size, f);
    double       *par;

    MB_NEW(par, a, p->model.layout.len, j->err);
    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived)
            MB_TRY(read_field(a, j, o, &f[k], par));
    *out = par;
    return consistent(a, j, o, p, par);
}

static int is_known(const mb_posterior *p, const char *key)
{
    static const char *const fixed[] = {
        "format", "version", "meshbayes", "model",  "algorithm",   "of",           "rounds",
        "seed",   "data",    "units",     "layout", "options",     "n_components", "features",
        "target", "prior",   "verdict",   "bound",  "weight_total"};
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = p->kind->fields(&p->size, f);

    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (!strcmp(fixed[k], key))
            return 1;
    for (int32_t k = 0; k < n; k++)
        if (!strcmp(f[k].key, key))
            return 1;
    return 0;
}

/* What other programs have added. */
static mb_status remember(mb_arena *a, const mb_json *o, const mb_posterior *p, mb_provenance *out,
                          mb_err *err)
{
    mb_json *more;

    MB_NEW(more, a, o->n, err);
    out->more = more;
    for (size_t k = 0; k < o->n; k++)
        if (!is_known(p, o->item[k].key))
            more[out->nmore++] = o->item[k];
    return MB_OK;
}

static mb_status read_object(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_kind *only,
                             mb_posterior *p, mb_provenance *from)
{
    char           layout[256];
    const mb_json *prior;

    MB_TRY(open_kind(j, o, only, p));
    MB_TRY(provenance(a, j, o, from));
    MB_TRY(columns(a, j, o, p));
    MB_TRY(sizes(j, o, p));
    MB_TRY(p->kind->model(a, &p->size, &p->model, j->err));
    mb_layout_text(&p->model.layout, layout, sizeof layout);
    must_be(j, o, "layout", layout);
    prior = mb_json_get(j, o, "prior", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_TRY(read_fields(a, j, o, p, &p->par));
    j->where = "prior.";
    MB_TRY(read_fields(a, j, prior, p, &p->prior_par));
    MB_TRY(remember(a, o, p, from, j->err));
    return mb_posterior_ready(a, p, j->err);
}

mb_status mb_posterior_read(mb_arena *a, const char *file, const mb_kind *kind, mb_posterior *out,
                            mb_provenance *from, mb_err *err)
{
    mb_json_in     j = {.file = file, .where = "", .err = err};
    const mb_json *o;
    mb_provenance  unread;

    from = from ? from : &unread;
    *from = (mb_provenance){.nmore = 0};
    *out = (mb_posterior){.name = file};
    MB_TRY(mb_json_read(a, file, &o, err));
    return read_object(a, &j, o, kind, out, from);
}
