/* file_read.c - posterior files read: every field is checked against the table of the kind, numbers are
 * read bit for bit. */
#include "expfam/expfam.h"
#include "model/kind.h"
#include "posterior/file_parts.h"
#include "posterior/posterior.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t need_count(mb_json_in *j, const mb_json *o, const char *key)
{
    const int64_t n = mb_json_get_count(j, o, key);

    if (n < 0)
        mb_json_refuse(j, key, "", "an integer from 0 up");
    return n;
}

/* What kind of file it is. */
static mb_status open_kind(mb_json_in *j, const mb_json *o, const mb_kind *only, mb_posterior *p,
                           int64_t *version)
{
    mb_part_must_be_(j, o, "format", "meshbayes posterior");
    *version = mb_json_get_count(j, o, "version");
    if (*version != MB_PART_FULL_ && *version != MB_PART_TRIANGLES_)
        mb_json_refuse(j, "version", "", "1 or 2 (this is meshbayes " MB_VERSION ")");
    mb_part_must_be_(j, o, "units", "data units");
    p->kind = mb_part_kind_(j, o, only);
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

/* A member that is true or false; absent: 0. */
static int32_t flag(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json_type type = mb_json_at(o, key)->type;

    if (type > MB_JSON_TRUE)
        mb_json_refuse(j, key, "", "true or false");
    return type == MB_JSON_TRUE;
}

/* Where it comes from. */
static mb_status provenance(mb_arena *a, mb_json_in *j, const mb_json *o, mb_provenance *out)
{
    const mb_json *given, *data;
    const char    *hash;
    double         weight;

    out->meshbayes = mb_part_text_(j, o, "meshbayes");
    out->algorithm = mb_part_text_(j, o, "algorithm");
    out->of = mb_part_text_(j, o, "of");
    out->rounds = need_count(j, o, "rounds");
    out->accelerated = flag(j, o, "accelerated");
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
    out->data = mb_json_at(data, "file")->type == MB_JSON_NULL ? NULL /* rows in memory */
                                                               : mb_part_text_(j, data, "file");
    out->data_rows = need_count(j, data, "rows");
    hash = mb_part_text_(j, data, "hash");
    if (hash && (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16))
        mb_json_refuse(j, "hash", "", "16 hexadecimal digits");
    j->where = "";
    MB_TRY(j->status);
    out->data_hash = strtoull(hash, NULL, 16);
    return MB_OK;
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
                            int64_t version, const double *par)
{
    mb_field  f[MB_FIELDS_MAX];
    mb_array *want;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, par, &want, &n, j->err));
    mb_kind_fields(p->kind, &p->size, f);
    for (int32_t k = 0; k < n; k++) {
        const mb_json *is = mb_json_at(o, want[k].name);
        const double  *x = want[k].x;

        if (f[k].symmetric && version == MB_PART_TRIANGLES_) {
            if (f[k].derived && is->type != MB_JSON_NONE)
                mb_json_refuse(j, want[k].name, "", "no such field in version 2");
            continue;
        }
        if (!x && want[k].ndim && is->type == MB_JSON_NULL)
            continue;
        if (!agree(is, want[k].ndim, want[k].shape, &x))
            mb_json_refuse(j, want[k].name, "", "what follows from the other parameters");
    }
    return j->status;
}

/* The parameters of p, whose model is known; outside the domain is refused, and so are derived
 * fields that do not follow from the others. */
static mb_status read_fields(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                             int64_t version, int of_prior, const double **out)
{
    double *par;

    MB_TRY(mb_part_parameters_(a, j, o, p, version, of_prior, &par));
    *out = par;
    return consistent(a, j, o, p, version, par);
}

static int is_known(const mb_posterior *p, const char *key)
{
    static const char *const fixed[] = {
        "format",       "version",  "meshbayes",  "model",       "algorithm", "of",
        "rounds",       "seed",     "data",       "units",       "layout",    "options",
        "n_components", "features", "target",     "prior",       "verdict",   "bound",
        "weight_total", "kinds",    "categories", "accelerated", "levels",    "design"};
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(p->kind, &p->size, f);

    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (!strcmp(fixed[k], key))
            return 1;
    for (int32_t k = 0; k < n; k++)
        if (!strcmp(f[k].key, key))
            return 1;
    for (int32_t c = 0; c < mb_kind_choices(p->kind); c++)
        if (!strcmp(p->kind->choices[c].name, key))
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
    int64_t        version;

    MB_TRY(open_kind(j, o, only, p, &version));
    MB_TRY(provenance(a, j, o, from));
    MB_TRY(mb_part_columns_(a, j, o, p));
    MB_TRY(mb_part_sizes_(a, j, o, o, "", version, p));
    MB_TRY(mb_part_design_(a, j, o, p));
    MB_TRY(mb_posterior_model_(a, p, j->err));
    mb_layout_text(&p->model->layout, layout, sizeof layout);
    mb_part_must_be_(j, o, "layout", layout);
    prior = mb_json_get(j, o, "prior", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_TRY(read_fields(a, j, o, p, version, 0, &p->par));
    j->where = "prior.";
    MB_TRY(read_fields(a, j, prior, p, version, 1, &p->prior_par));
    MB_TRY(remember(a, o, p, from, j->err));
    return mb_posterior_ready(a, p, j->err);
}

/* name: what messages call it. */
static mb_status read_whole(mb_arena *a, const char *name, const mb_json *o, const mb_kind *kind,
                            mb_posterior *out, mb_provenance *from, mb_err *err)
{
    mb_json_in    j = {.file = name, .where = "", .err = err};
    mb_provenance unread;

    from = from ? from : &unread;
    *from = (mb_provenance){.nmore = 0};
    *out = (mb_posterior){.name = name};
    return read_object(a, &j, o, kind, out, from);
}

mb_status mb_posterior_read(mb_arena *a, const char *file, const mb_kind *kind, mb_posterior *out,
                            mb_provenance *from, mb_err *err)
{
    const mb_json *o;

    MB_TRY(mb_json_read(a, file, &o, err));
    return read_whole(a, file, o, kind, out, from, err);
}

mb_status mb_posterior_parse(mb_arena *a, const char *text, size_t n, const char *name,
                             const mb_kind *kind, mb_posterior *out, mb_provenance *from,
                             mb_err *err)
{
    const mb_json *o;

    MB_TRY(mb_json_parse(a, name, text, n, &o, err));
    return read_whole(a, name, o, kind, out, from, err);
}
