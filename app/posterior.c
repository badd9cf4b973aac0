/* posterior.c - reads posterior files: every field checked, numbers bit for bit. */
#include "posterior.h"
#include "sim_model.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1, MOST_FEATURES = 10000 };

static mb_status refuse(const posterior *p, const char *where, const char *accepted, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\" is not accepted: %s", p->file, where, accepted);
}

static mb_status text(const posterior *p, const char *key, const char **out, mb_err *err)
{
    *out = json_string_value(json_object_get(p->json, key));
    return *out ? MB_OK : refuse(p, key, "a text", err);
}

mb_status posterior_real(const posterior *p, const char *key, double *out, mb_err *err)
{
    const json_t *v = json_object_get(p->json, key);

    if (!json_is_number(v))
        return refuse(p, key, "a number", err);
    *out = json_number_value(v);
    return MB_OK;
}

mb_status posterior_list(const posterior *p, const json_t *v, const char *where, int32_t n,
                         double *out, mb_err *err)
{
    if (!json_is_array(v) || json_array_size(v) != (size_t)n)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\" is not accepted: a list of %d numbers", p->file,
                where, n);
    for (int32_t k = 0; k < n; k++) {
        const json_t *x = json_array_get(v, (size_t)k);

        if (!json_is_number(x))
            MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s[%d]\" is not accepted: a number", p->file,
                    where, k);
        out[k] = json_number_value(x);
    }
    return MB_OK;
}

mb_status posterior_triangle(const posterior *p, const json_t *v, const char *where, int32_t n,
                             double *tril, mb_err *err)
{
    char row[96];

    if (!json_is_array(v) || json_array_size(v) != (size_t)n)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\" is not accepted: a list of %d rows", p->file,
                where, n);
    for (int32_t i = 0; i < n; i++) {
        const json_t *list = json_array_get(v, (size_t)i);

        if (!json_is_array(list) || json_array_size(list) != (size_t)n)
            MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s[%d]\" is not accepted: a list of %d numbers",
                    p->file, where, i, n);
        for (int32_t j = 0; j <= i; j++) {
            const json_t *x = json_array_get(list, (size_t)j);
            const json_t *y = json_array_get(json_array_get(v, (size_t)j), (size_t)i);

            snprintf(row, sizeof row, "%.60s[%d][%d]", where, i, j);
            if (!json_is_number(x) || !json_equal(x, y))
                return refuse(p, row, "a number, the same in a symmetric matrix", err);
            *tril++ = json_number_value(x);
        }
    }
    return MB_OK;
}

static mb_status features(mb_arena *a, posterior *p, mb_err *err)
{
    const json_t *list = json_object_get(p->json, "features");

    p->D = json_array_size(list) <= MOST_FEATURES ? (int32_t)json_array_size(list) : 0;
    if (!json_is_array(list) || !p->D)
        return refuse(p, "features", "a list of 1 to 10000 names", err);
    MB_NEW(p->feature, a, p->D, err);
    for (int32_t d = 0; d < p->D; d++) {
        p->feature[d] = json_string_value(json_array_get(list, (size_t)d));
        if (!p->feature[d])
            return refuse(p, "features", "a list of names", err);
    }
    return MB_OK;
}

static mb_status head(mb_arena *a, posterior *p, mb_err *err)
{
    const char *format, *model, *units;
    double      version = 0;

    MB_TRY(text(p, "format", &format, err));
    if (strcmp(format, "meshbayes posterior") != 0)
        return refuse(p, "format", "\"meshbayes posterior\"", err);
    MB_TRY(posterior_real(p, "version", &version, err));
    if (version < VERSION || version > VERSION)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: field \"version\" is %g, accepted: %d (this is meshbayes %s)", p->file,
                version, VERSION, MB_VERSION);
    MB_TRY(text(p, "units", &units, err));
    if (strcmp(units, "data units") != 0)
        return refuse(p, "units", "\"data units\"", err);
    MB_TRY(text(p, "model", &model, err));
    p->kind = sim_model_named(model);
    if (!p->kind)
        return refuse(p, "model", "\"gmm\" or \"linreg\"", err);
    return features(a, p, err);
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
    double          *moved, *o, *s;

    MB_NEW(moved, a, l->len, err);
    MB_NEW(o, a, d, err);
    MB_NEW(s, a, d, err);
    memcpy(moved, par, l->len * sizeof *moved);
    for (int32_t k = 0; k < d; k++) {
        o[k] = -p->origin[k] / p->scale[k];
        s[k] = 1 / p->scale[k];
    }
    mb_move_par(l, o, s, moved);
    if (mb_from_par(l, moved, phi, err) < 0)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: the parameters are outside their domain (not positive definite, or too few "
                "degrees of freedom)",
                p->file);
    return MB_OK;
}

static mb_status check_layout(const posterior *p, mb_err *err)
{
    const char *want;
    char        have[256];

    MB_TRY(text(p, "layout", &want, err));
    mb_layout_text(&p->model.layout, have, sizeof have);
    if (strcmp(want, have) != 0)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: field \"layout\" is \"%.100s\", but its parameters make \"%s\"", p->file, want,
                have);
    return MB_OK;
}

mb_status posterior_read(mb_arena *a, const char *file, posterior *p, mb_err *err)
{
    mb_status st;

    *p = (posterior){.file = file};
    MB_TRY(app_json_load(a, file, &p->json, err));
    st = head(a, p, err);
    if (st >= 0)
        st = p->kind->read(a, p, err);
    if (st >= 0)
        st = check_layout(p, err);
    if (st >= 0 && !(p->phi = mb_alloc(a, p->model.layout.len, sizeof *p->phi)))
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for a posterior");
    if (st >= 0)
        st = posterior_move(a, p, p->par, p->phi, err);
    if (st < 0)
        posterior_close(p);
    return st;
}

void posterior_close(posterior *p)
{
    json_decref(p->json);
    p->json = NULL;
}
