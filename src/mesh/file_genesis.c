/* file_genesis.c - genesis files written and read. */
#include "base/columns.h"
#include "mesh/file_declared.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "model/prior.h"
#include "posterior/file_parts.h"
#include "posterior/posterior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

/* The start block as a list of numbers, or of one list for each component, two for limits, and
 * one that says whether they are lines. Returns ndim. */
static int32_t start_shape(const mb_genesis *g, int32_t *shape)
{
    const int32_t more = mb_genesis_may_have_lines_(g->kind) ? 1 : 2 * (g->kind->trims != NULL);
    const int32_t lists = g->size.K + more;
    const size_t  len = g->start_len;

    if (g->size.K > 0 && len % (size_t)lists == 0) {
        shape[0] = lists;
        shape[1] = (int32_t)(len / (size_t)lists);
        return 2;
    }
    shape[0] = (int32_t)len;
    return 1;
}

/* ---- written ---- */

/* The parameters of the prior; those that follow from them are left out. */
static mb_status put_prior(mb_arena *a, mb_json_out *j, const mb_genesis *g, mb_err *err)
{
    mb_field  f[MB_FIELDS_MAX];
    mb_array *x;
    int32_t   n;

    MB_TRY(mb_kind_arrays(a, g->kind, &g->size, g->prior_par, &x, &n, err));
    mb_kind_fields(g->kind, &g->size, f);
    mb_json_object(j, "prior");
    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived && x[k].x)
            mb_json_numbers(j, x[k].name, x[k].ndim, x[k].shape, x[k].x);
        else if (!f[k].derived)
            mb_json_null(j, x[k].name);
    mb_json_close(j);
    return MB_OK;
}

static void put_start(mb_json_out *j, const mb_genesis *g)
{
    int32_t       shape[2] = {0, 0};
    const int32_t ndim = start_shape(g, shape);
    const int64_t wide[2] = {shape[0], shape[1]};

    if (g->start_len)
        mb_json_numbers(j, "start", ndim, wide, g->start);
}

mb_status mb_genesis_write(mb_arena *a, const mb_genesis *g, const char *file, mb_err *err)
{
    const int64_t columns = g->columns, len = (int64_t)g->len;
    char          hash[32];
    mb_json_out   j;

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)mb_genesis_hash_(g));
    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "format", "meshbayes genesis");
    mb_json_integer(&j, "version", VERSION);
    mb_json_text(&j, "meshbayes", MB_VERSION);
    mb_json_text(&j, "hash", hash);
    mb_json_integer(&j, "maker", g->maker);
    mb_json_integer(&j, "counter", g->counter);
    mb_json_text(&j, "model", g->kind->name);
    mb_part_write_choices_(&j, g->kind, &g->size);
    if (g->size.K + g->size.factors)
        mb_json_integer(&j, "n_components", g->size.K + g->size.factors);
    mb_json_texts(&j, "features", g->size.D, g->column);
    mb_part_write_kinds_(&j, g->kind, &g->size, g->column);
    mb_part_write_target_(&j, g->columns - g->size.D, g->column + g->size.D);
    if (g->design)
        mb_part_write_design_(&j, g->design);
    mb_json_numbers(&j, "origin", 1, &columns, g->run.origin);
    mb_json_numbers(&j, "scale", 1, &columns, g->run.scale);
    MB_TRY(put_prior(a, &j, g, err));
    mb_json_numbers(&j, "prior_natural", 1, &len, g->prior);
    put_start(&j, g);
    mb_declared_write_(&j, g);
    mb_json_close(&j);
    return mb_json_write(&j, file);
}

/* ---- read ---- */

static void only_known(mb_json_in *j, const mb_json *o, const mb_json *prior, const mb_posterior *p)
{
    static const char *const known[] = {"format",  "version", "meshbayes",     "hash",   "maker",
                                        "counter", "model",   "features",      "origin", "scale",
                                        "prior",   "start",   "prior_natural", "design", NULL};
    const char *here[sizeof known / sizeof *known + MB_DECLARED_FIELDS_ + MB_CHOICES_MAX + 5] = {
        NULL};
    const char   *fields[MB_FIELDS_MAX + 1] = {NULL};
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(p->kind, &p->size, f);
    int32_t       count = 0;

    memcpy(here, known, sizeof known);
    while (here[count])
        count++;
    if (mb_kind_latent(p->kind))
        here[count++] = "n_components";
    if (p->kind->targets)
        here[count++] = "target";
    if (mb_kind_category(p->kind, &p->size))
        here[count++] = "levels";
    if (p->size.columns &&
        (!mb_kind_category(p->kind, &p->size) || mb_columns_offset(p->size.columns, p->size.D))) {
        here[count++] = "kinds";
        here[count++] = "categories";
    }
    for (int32_t c = 0; c < mb_kind_choices(p->kind); c++)
        here[count++] = p->kind->choices[c].name;
    for (int32_t c = 0; c < MB_DECLARED_FIELDS_; c++)
        here[count++] = mb_declared_fields_[c];
    mb_json_only(j, o, here);
    count = 0;
    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived)
            fields[count++] = f[k].key;
    j->where = "prior.";
    mb_json_only(j, prior, fields);
    j->where = "";
}

/* Kind, columns, sizes and layout; prior: its object. */
static mb_status get_head(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_kind *kind,
                          mb_posterior *p, const mb_json **prior)
{
    mb_part_must_be_(j, o, "format", "meshbayes genesis");
    if (mb_json_get_count(j, o, "version") != VERSION)
        mb_json_refuse(j, "version", "", "1 (this is meshbayes " MB_VERSION ")");
    p->kind = mb_part_kind_(j, o, kind);
    MB_TRY(j->status);
    MB_TRY(mb_part_columns_(a, j, o, p));
    *prior = mb_json_get(j, o, "prior", MB_JSON_OBJECT);
    MB_TRY(j->status);
    MB_TRY(mb_part_sizes_(a, j, o, *prior, "prior.", MB_PART_FULL_, p));
    MB_TRY(mb_part_design_(a, j, o, p));
    only_known(j, o, *prior, p);
    MB_TRY(j->status);
    return mb_posterior_model_(a, p, j->err);
}

static uint32_t get_count(mb_json_in *j, const mb_json *o, const char *key)
{
    const int64_t n = mb_json_get_count(j, o, key);

    if (n > UINT32_MAX)
        mb_json_refuse(j, key, "", "an integer from 0 to 4294967295");
    return n > 0 ? (uint32_t)n : 0;
}

static mb_status get_units(mb_arena *a, mb_json_in *j, const mb_json *o, mb_units *out)
{
    char index[32];

    MB_NEW(out->origin, a, out->d, j->err);
    MB_NEW(out->scale, a, out->d, j->err);
    mb_json_get_numbers(j, o, "origin", 1, &out->d, out->origin);
    mb_json_get_numbers(j, o, "scale", 1, &out->d, out->scale);
    for (int32_t d = 0; d < out->d && j->status >= 0; d++) {
        snprintf(index, sizeof index, "[%d]", (int)d);
        if (!(out->scale[d] > 0))
            mb_json_refuse(j, "scale", index, "a number above 0");
    }
    return j->status;
}

/* The prior in run units: as it is there, or from its textbook parameters. */
static mb_status get_natural(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_layout *l,
                             mb_genesis *g)
{
    const int32_t len = (int32_t)l->len;
    double       *phi, *par;

    MB_NEW(phi, a, l->len, j->err);
    g->prior = phi;
    if (mb_json_at(o, "prior_natural")->type != MB_JSON_NONE) {
        mb_json_get_numbers(j, o, "prior_natural", 1, &len, phi);
        return j->status;
    }
    MB_NEW(par, a, l->len, j->err);
    memcpy(par, g->prior_par, l->len * sizeof *par);
    MB_TRY(mb_par_to_units_(a, l, NULL, &g->run, par, j->err));
    if (mb_from_par(l, par, phi, NULL) < 0)
        mb_json_refuse(j, "prior", "", "parameters inside their domain");
    return j->status;
}

static mb_status get_start(mb_arena *a, mb_json_in *j, const mb_json *o, mb_genesis *g)
{
    int32_t       shape[2];
    const int32_t ndim = start_shape(g, shape);
    double       *start;

    if (!g->start_len && mb_json_at(o, "start")->type != MB_JSON_NONE)
        mb_json_refuse(j, "start", "", "none: the model needs no start block");
    if (!g->start_len || j->status < 0)
        return j->status;
    mb_json_get_numbers(j, o, "start", ndim, shape, NULL);
    MB_TRY(j->status);
    MB_NEW(start, a, g->start_len, j->err);
    mb_json_get_numbers(j, o, "start", ndim, shape, start);
    g->start = start;
    return j->status;
}

static void check_hash(mb_json_in *j, const mb_json *o, mb_genesis *g)
{
    const char *text = mb_json_get_text(j, o, "hash");
    char        want[100];

    g->hash = mb_genesis_hash_(g);
    snprintf(want, sizeof want, "%016llx", (unsigned long long)g->hash);
    if (!text || !strcmp(text, want))
        return;
    strcat(want, ", or no hash and no prior_natural in a file changed by hand");
    mb_json_refuse(j, "hash", "", want);
}

static mb_status get_block(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_kind *kind,
                           mb_genesis *g)
{
    mb_posterior   p = {.name = j->file};
    const mb_json *prior;
    const char   **column;
    double        *par;
    mb_model       model;
    mb_err         own = {.msg = ""};

    MB_TRY(get_head(a, j, o, kind, &p, &prior));
    *g = (mb_genesis){.kind = p.kind, .size = p.size, .columns = p.size.D + p.size.targets};
    g->run.d = g->columns;
    g->len = p.model->layout.len;
    g->start_len = mb_genesis_start_len_(g->kind, &g->size);
    g->maker = get_count(j, o, "maker");
    g->counter = get_count(j, o, "counter");
    MB_NEW(column, a, g->columns + 1, j->err);
    memcpy(column, p.column, (size_t)p.size.D * sizeof *column);
    for (int32_t t = 0; t < p.size.targets; t++)
        column[p.size.D + t] = p.target[t];
    g->column = column;
    g->design = p.design;
    MB_TRY(get_units(a, j, o, &g->run));
    j->where = "prior.";
    MB_TRY(mb_part_parameters_(a, j, prior, &p, MB_PART_FULL_, 1, &par));
    j->where = "";
    g->prior_par = par;
    MB_TRY(get_natural(a, j, o, &p.model->layout, g));
    MB_TRY(get_start(a, j, o, g));
    if (mb_genesis_check_(a, g, &model, &own) < 0)
        MB_FAIL(j->err, own.code, "%.100s: %.380s", j->file, own.msg);
    check_hash(j, o, g);
    MB_TRY(j->status);
    return mb_declared_read_(a, j, o, g);
}

mb_status mb_genesis_read(mb_arena *a, const char *file, const mb_kind *kind, mb_genesis *out,
                          mb_err *err)
{
    mb_json_in     j = {.file = file, .where = "", .err = err};
    const mb_json *o;

    MB_TRY(mb_json_read(a, file, &o, err));
    return get_block(a, &j, o, kind, out);
}
