/* posterior.c - posterior files: every field checked, numbers bit for bit, written and read. */
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1, MOST_FEATURES = 10000 };

static const posterior_model *const models[] = {&posterior_gmm, &posterior_linreg};
enum { MODELS = sizeof models / sizeof *models };

const posterior_model *posterior_model_of(const char *name)
{
    for (int k = 0; k < MODELS; k++)
        if (!strcmp(models[k]->name, name))
            return models[k];
    return NULL;
}

static const char *need_text(app_json *j, const json_t *o, const char *key)
{
    const char *text = app_json_text(j, o, key);

    if (!text)
        app_json_refuse(j, key, "", "a text");
    return text;
}

static void need_count(app_json *j, const json_t *o, const char *key)
{
    if (app_json_count(j, o, key) < 0)
        app_json_refuse(j, key, "", "an integer from 0 up");
}

static void must_be(app_json *j, const json_t *o, const char *key, const char *want)
{
    const char *text = app_json_text(j, o, key);

    if (!text || strcmp(text, want) != 0)
        app_json_refuse(j, key, "", want);
}

/* What kind of file it is. */
static mb_status kind(app_json *j, posterior *p)
{
    const char *model;

    must_be(j, p->json, "format", "meshbayes posterior");
    if (app_json_count(j, p->json, "version") != VERSION)
        app_json_refuse(j, "version", "", "1 (this is meshbayes " MB_VERSION ")");
    must_be(j, p->json, "units", "data units");
    model = need_text(j, p->json, "model");
    p->kind = model ? posterior_model_of(model) : NULL;
    if (!p->kind)
        app_json_refuse(j, "model", "", "gmm or linreg");
    return j->status;
}

/* Where it comes from. */
static mb_status provenance(app_json *j, const json_t *o)
{
    const json_t *options, *data, *v;
    const char   *hash, *key;

    need_text(j, o, "meshbayes");
    need_text(j, o, "algorithm");
    need_text(j, o, "of");
    need_count(j, o, "rounds");
    need_count(j, o, "seed");
    options = app_json_get(j, o, "options", JSON_OBJECT);
    data = app_json_get(j, o, "data", JSON_OBJECT);
    MB_TRY(j->status);
    json_object_foreach((json_t *)(uintptr_t)options, key, v)
    {
        if (!json_is_string(v))
            app_json_refuse(j, "options.", key, "a text");
    }
    j->where = "data.";
    need_text(j, data, "file");
    need_count(j, data, "rows");
    hash = need_text(j, data, "hash");
    if (hash && (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16))
        app_json_refuse(j, "hash", "", "16 hexadecimal digits");
    j->where = "";
    return j->status;
}

/* Names of the columns, all different. */
static mb_status columns(mb_arena *a, app_json *j, posterior *p)
{
    const json_t *list = app_json_get(j, p->json, "features", JSON_ARRAY);
    const size_t  n = json_array_size(list);
    char          index[32];

    if (n > MOST_FEATURES)
        app_json_refuse(j, "features", "", "at most 10000 names");
    MB_TRY(j->status);
    p->D = (int32_t)n;
    p->target = app_json_text(j, p->json, "target");
    MB_NEW(p->feature, a, n + 1, j->err);
    for (size_t d = 0; d < n && j->status >= 0; d++) {
        snprintf(index, sizeof index, "[%zu]", d);
        p->feature[d] = json_string_value(json_array_get(list, d));
        if (!p->feature[d])
            app_json_refuse(j, "features", index, "a text");
        for (size_t e = 0; p->feature[d] && e < d; e++)
            if (!strcmp(p->feature[d], p->feature[e]))
                app_json_refuse(j, "features", index, "a name that is there once");
        if (p->feature[d] && p->target && !strcmp(p->feature[d], p->target))
            app_json_refuse(j, "target", "", "a name that is not among the features");
    }
    return j->status;
}

/* Equal up to the digits that other programs keep. */
static int agree(const json_t *a, const json_t *b)
{
    const double x = json_number_value(a), y = json_number_value(b);

    if (json_is_number(a) && json_is_number(b))
        return fabs(x - y) <= 1e-9 * fabs(x);
    if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b))
        return json_is_null(a) && json_is_null(b);
    for (size_t k = 0; k < json_array_size(a); k++)
        if (!agree(json_array_get(a, k), json_array_get(b, k)))
            return 0;
    return 1;
}

/* Fields that follow from others and were changed alone would mislead whoever reads them. */
static mb_status consistent(mb_arena *a, app_json *j, const json_t *o, const posterior *p,
                            const double *par)
{
    json_t     *want = json_object(), *v;
    const char *key;
    mb_status   st = p->kind->put(a, p, par, want, j->err);

    json_object_foreach(want, key, v)
    {
        if (st >= 0 && !agree(v, json_object_get(o, key)))
            app_json_refuse(j, key, "", "what follows from the other parameters");
    }
    json_decref(want);
    return st < 0 ? st : j->status;
}

static mb_status parameters(mb_arena *a, app_json *j, const json_t *o, const posterior *p,
                            const double **out)
{
    double *par;

    MB_NEW(par, a, p->model.layout.len, j->err);
    MB_TRY(p->kind->get(a, j, o, p, par));
    MB_TRY(consistent(a, j, o, p, par));
    *out = par;
    return MB_OK;
}

int32_t posterior_columns(const posterior *p)
{
    return p->D + (p->target != NULL);
}

mb_status posterior_move(mb_arena *a, const posterior *p, const double *par, double *phi,
                         mb_err *err)
{
    const mb_layout *l = &p->model.layout;
    const int32_t    d = posterior_columns(p);
    double          *moved, *o, *s, *scratch, A;

    MB_NEW(moved, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_NEW(o, a, d, err);
    MB_NEW(s, a, d, err);
    memcpy(moved, par, l->len * sizeof *moved);
    for (int32_t k = 0; k < d; k++) {
        o[k] = -p->origin[k] / p->scale[k];
        s[k] = 1 / p->scale[k];
    }
    mb_move_par(l, o, s, moved);
    if (mb_from_par(l, moved, phi, NULL) < 0 || mb_moments(l, phi, NULL, &A, scratch, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN,
                "%s: double precision can not hold these parameters together: components are too "
                "far apart for their width, or a number is too small or too large",
                p->file);
    return MB_OK;
}

static mb_status read_object(mb_arena *a, posterior *p, mb_err *err)
{
    app_json      j = {.file = p->file, .where = "", .err = err};
    char          layout[256];
    const json_t *prior;

    MB_TRY(kind(&j, p));
    MB_TRY(provenance(&j, p->json));
    MB_TRY(columns(a, &j, p));
    MB_TRY(p->kind->make(a, &j, p->json, p));
    mb_layout_text(&p->model.layout, layout, sizeof layout);
    must_be(&j, p->json, "layout", layout);
    prior = app_json_get(&j, p->json, "prior", JSON_OBJECT);
    MB_TRY(j.status);
    MB_TRY(parameters(a, &j, p->json, p, &p->par));
    j.where = "prior.";
    MB_TRY(parameters(a, &j, prior, p, &p->prior));
    MB_TRY(p->kind->own_units(a, p, err));
    MB_NEW(p->phi, a, p->model.layout.len, err);
    return posterior_move(a, p, p->par, p->phi, err);
}

mb_status posterior_read(mb_arena *a, const char *file, posterior *p, mb_err *err)
{
    mb_status st;

    *p = (posterior){.file = file};
    MB_TRY(app_json_load(a, file, &p->json, err));
    st = read_object(a, p, err);
    if (st < 0)
        posterior_close(p);
    return st;
}

mb_status posterior_write(mb_arena *a, const posterior *p, const char *file, mb_err *err)
{
    json_t   *out = json_copy(p->json), *prior = json_object();
    mb_status st;

    if (!out || !prior) {
        json_decref(out);
        json_decref(prior);
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory, or a name that is not UTF-8", file);
    }
    st = p->kind->put(a, p, p->par, out, err);
    json_object_set_new(out, "prior", prior);
    if (st >= 0)
        st = p->kind->put(a, p, p->prior, prior, err);
    if (st >= 0)
        st = app_json_write(a, file, out, err);
    json_decref(out);
    return st;
}

void posterior_close(posterior *p)
{
    json_decref(p->json);
    p->json = NULL;
}
