/* product.c - mixtures of independent columns, as the list of their emissions describes them. */
#include "model/product.h"
#include "base/columns.h"
#include "model/columns.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/prior.h"

#include <inttypes.h>
#include <string.h>

/* ---- columns and their emissions ---- */

/* The emission of column d: its place in the list, that of the NULL at its end if there is none. */
static int32_t emission_of(const mb_kind *kind, const mb_sizes *s, int32_t d)
{
    const uint32_t bit = 1U << mb_columns_kind(s->columns, d);
    int32_t        e = 0;

    while (kind->emissions->list[e] && kind->emissions->list[e]->columns &&
           !(kind->emissions->list[e]->columns & bit))
        e++;
    return e;
}

/* Levels of column d, which is the size of the family's members; 1 of numbers and counts. */
static int32_t levels_of(const mb_sizes *s, int32_t d)
{
    return mb_columns_kind(s->columns, d) >= MB_COLUMN_CATEGORY ? s->columns->of[d].levels : 1;
}

static int has_levels(const mb_emission *e)
{
    return (e->columns & MB_OVER_LEVELS) != 0;
}

/* The columns of one emission. */
typedef struct columns_of {
    int32_t n;      /* how many                                        */
    int32_t levels; /* of all of them                                  */
    size_t  par;    /* numbers of a component                          */
    size_t  draw;   /* numbers of a draw of a component                */
} columns_of;

static columns_of count(const mb_kind *kind, const mb_sizes *s, int32_t e)
{
    const mb_family *f = kind->emissions->list[e]->family;
    columns_of       out = {.n = 0};

    for (int32_t d = 0; d < s->D; d++)
        if (emission_of(kind, s, d) == e) {
            out.n++;
            out.levels += levels_of(s, d);
            out.par += f->len(levels_of(s, d));
            out.draw += f->draw_len(levels_of(s, d));
        }
    return out;
}

int mb_cell_next(mb_cell *c)
{
    if (!c->d) {
        const mb_family *weights = mb_kind_weights(c->kind, c->s);
        const double    *at = c->par + weights->len(c->s->K);

        for (int32_t e = 0; c->kind->emissions->list[e]; e++) {
            const size_t len = count(c->kind, c->s, e).par;

            c->next[e] = at + (size_t)c->k * len;
            at += (size_t)c->s->K * len;
        }
    }
    if (c->d == c->s->D)
        return 0;
    c->e = emission_of(c->kind, c->s, c->d);
    c->levels = levels_of(c->s, c->d);
    c->at = c->next[c->e];
    c->next[c->e] += c->kind->emissions->list[c->e]->family->len(c->levels);
    c->d++;
    return 1;
}

void mb_cell_moments(const mb_cell *c, double *mean, double *variance)
{
    c->kind->emissions->list[c->e]->moments(c->at, c->levels, mean, variance);
}

/* ---- the model ---- */

static mb_status choose(mb_arena *a, const mb_kind *kind, const mb_sizes *s, int32_t e, int32_t *n,
                        int32_t **column, int32_t **dims, mb_err *err)
{
    MB_NEW(*column, a, s->D, err);
    MB_NEW(*dims, a, s->D, err);
    *n = 0;
    for (int32_t d = 0; d < s->D; d++)
        if (emission_of(kind, s, d) == e) {
            (*column)[*n] = d;
            (*dims)[(*n)++] = levels_of(s, d);
        }
    return MB_OK;
}

mb_status mb_product_layout(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_layout *l,
                            const mb_emission **emission, mb_err *err)
{
    MB_TRY(mb_check_sizes_(s->K, s->D, err));
    for (int32_t e = 0; kind->emissions->list[e]; e++) {
        MB_TRY(mb_emission_check_(kind->emissions->list[e], err));
        if (e == MB_EMISSIONS_MAX - 1 || !kind->emissions->list[e]->numbers ||
            !kind->emissions->list[e]->moments)
            MB_FAIL(err, MB_E_ARG,
                    "emission %" PRId32 " of model %s: expected one of at most %d, with `numbers` "
                    "and `moments`",
                    e, kind->name, MB_EMISSIONS_MAX - 1);
    }
    for (int32_t d = 0; d < s->D; d++)
        if (!kind->emissions->list[emission_of(kind, s, d)])
            MB_FAIL(err, MB_E_ARG, "column %" PRId32 ": no emission of model %s explains a %s",
                    d + 1, kind->name, mb_column_word(mb_columns_kind(s->columns, d)));
    MB_TRY(mb_layout_add(l, mb_kind_weights(kind, s), s->K, 1, err));
    for (int32_t e = 0; kind->emissions->list[e]; e++) {
        const mb_family *f = kind->emissions->list[e]->family;
        int32_t          n = 0, *column, *dims;

        MB_TRY(choose(a, kind, s, e, &n, &column, &dims, err));
        if (!n)
            continue;
        MB_TRY(has_levels(kind->emissions->list[e])
                   ? mb_layout_add_mixed(l, f, dims, n, column, s->K, err)
                   : mb_layout_add_product(l, f, 1, n, column, s->K, err));
        *emission++ = kind->emissions->list[e];
    }
    return MB_OK;
}

mb_status mb_product_model(mb_arena *a, const mb_sizes *s, const mb_emission *const *emission,
                           const double *par, mb_model *m, mb_err *err)
{
    MB_TRY(mb_model_prior(a, par, m, err));
    return mb_mixture_(a, s->D, emission, &mb_plain_columns_, 0, m, err);
}

static mb_status model(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_model *out,
                       mb_err *err)
{
    const mb_emission *emission[MB_EMISSIONS_MAX];
    mb_model           m = {.K = s->K};
    double            *par;

    MB_TRY(mb_product_layout(a, kind, s, &m.layout, emission, err));
    for (int32_t e = 0; kind->emissions->list[e]; e++)
        if (!kind->emissions->list[e]->prior)
            MB_FAIL(err, MB_E_ARG, "emission %" PRId32 " of model %s: expected one with `prior`", e,
                    kind->name);
    MB_NEW(par, a, m.layout.len, err);
    for (size_t i = 0; i < m.layout.block[0].len; i++)
        par[i] = 1;
    for (int32_t k = 0; k < s->K; k++) {
        mb_cell c = {.kind = kind, .s = s, .par = par, .k = k};

        while (mb_cell_next(&c))
            memcpy(par + (c.at - par), kind->emissions->list[c.e]->prior,
                   kind->emissions->list[c.e]->family->len(1) * sizeof *par);
    }
    MB_TRY(mb_product_model(a, s, emission, par, &m, err));
    *out = m;
    return MB_OK;
}

/* ---- names in files ---- */

/* A number for each of the columns, or of their levels. */
static mb_field of_columns(const mb_emission *e, const mb_sizes *s, const columns_of *n,
                           const char *key)
{
    const int32_t each = has_levels(e) ? n->levels : n->n;

    return (mb_field){.key = key,
                      .ndim = 2,
                      .shape = {s->K, each},
                      .absent = each == 0,
                      .over = (int32_t)e->columns};
}

static int32_t fields(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    const mb_family *weights = mb_kind_weights(kind, s);
    const size_t     K = (size_t)s->K;
    size_t           at = weights->len(s->K), derived = K;
    int32_t          f = mb_weights_fields(weights, s->K, out);

    for (int32_t e = 0; kind->emissions->list[e]; e++) {
        const mb_emission *own = kind->emissions->list[e];
        const columns_of   n = count(kind, s, e);

        for (const mb_named *x = own->numbers; x->key; x++) {
            mb_field *to = &out[f++];

            *to = of_columns(own, s, &n, x->key);
            to->bounded = x->bounded;
            to->derived = x->at < 0;
            to->at = to->derived ? derived : at + (size_t)x->at;
            to->step = to->derived ? (size_t)to->shape[1] : n.par;
            to->inner = to->derived || has_levels(own) ? 1 : own->family->len(1);
            derived += to->derived ? K * (size_t)to->shape[1] : 0;
        }
        at += K * n.par;
    }
    return f;
}

static void derive(const mb_kind *kind, const mb_sizes *s, const double *par, double *out)
{
    mb_shares(mb_kind_weights(kind, s), s->K, par, out);
    out += s->K;
    for (int32_t e = 0; kind->emissions->list[e]; e++)
        for (const mb_named *x = kind->emissions->list[e]->numbers; x->key; x++)
            for (int32_t k = 0; x->at < 0 && k < s->K; k++) {
                mb_cell c = {.kind = kind, .s = s, .par = par, .k = k};

                while (mb_cell_next(&c))
                    if (c.e == e) {
                        mb_cell_moments(&c, x->at == MB_NAMED_MEAN ? out : NULL,
                                        x->at == MB_NAMED_MEAN ? NULL : out);
                        out += c.levels;
                    }
            }
}

static int32_t drawn(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    size_t  at = (size_t)s->K;
    int32_t f = 1;

    out[0] = (mb_field){.key = "weight", 1, {s->K}, .step = 1};
    for (int32_t e = 0; kind->emissions->list[e]; e++) {
        const mb_emission *own = kind->emissions->list[e];
        const columns_of   n = count(kind, s, e);

        if (!own->drawn)
            return 0;
        for (size_t i = 0; own->drawn[i]; i++) {
            out[f] = of_columns(own, s, &n, own->drawn[i]);
            out[f].at = at + i;
            out[f].step = n.draw;
            out[f++].inner = has_levels(own) ? 1 : own->family->draw_len(1);
        }
        at += (size_t)s->K * n.draw;
    }
    return f;
}

static void component(const mb_kind *kind, const mb_sizes *s, const double *par, int32_t k,
                      double *mean, double *variance)
{
    mb_cell c = {.kind = kind, .s = s, .par = par, .k = k};

    while (mb_cell_next(&c)) {
        const int flag = mb_columns_kind(s->columns, c.d - 1) == MB_COLUMN_FLAG;
        double    both[2], spread[2];

        mb_cell_moments(&c, flag ? both : mean, flag ? spread : variance);
        if (flag) {
            *mean = both[1];
            *variance = spread[1];
        }
        mean += flag ? 1 : c.levels;
        variance += flag ? 1 : c.levels;
    }
}

static void units(const mb_kind *kind, const mb_sizes *s, mb_units *run)
{
    for (int32_t e = 0; kind->emissions->list[e]; e++)
        if (kind->emissions->list[e]->statistics)
            mb_units_of_data(s, run);
}

static int mixes(const mb_kind *kind)
{
    uint32_t columns = 0;

    for (int32_t e = 0; kind->emissions->list[e]; e++)
        columns |= kind->emissions->list[e]->columns;
    return (columns & ~(1U << MB_COLUMN_NUMBER)) != 0;
}

const struct mb_emitted mb_by_emissions = {.model = model,
                                           .fields = fields,
                                           .derive = derive,
                                           .drawn = drawn,
                                           .component = component,
                                           .units = units,
                                           .mixes = mixes};
