/* bind_world.h - the models of the contract tests through the facade, and by the library. */
#ifndef MB_TEST_BIND_WORLD_H
#define MB_TEST_BIND_WORLD_H

#include "base/text.h"
#include "fit/case.h"
#include "meshbayes/bind.h"
#include "models.h"

static inline const char *bind_rounds(void)
{
    return sized(0, 1) ? "4" : "12";
}

/* A call must succeed; what the handle says of it else. */
static inline void done(const mb_bind *f, int st)
{
    const char *text;

    assert_non_null(f);
    mb_bind_error(f, &text, NULL, NULL, NULL);
    if (st)
        fail_msg("status %d: %s", st, text);
}

/* A matrix with this many numbers from row to row. */
static inline void matrix(mb_bind *f, const char *name, int64_t n, int64_t d, int64_t ld,
                          const double *x)
{
    done(f, mb_bind_array(f, name, MB_BIND_F8, 2, (int64_t[]){n, d}, (int64_t[]){8 * ld, 8}, x));
}

/* Calls set(self, name, value) for each option that the sizes of a bench ask for. */
static inline void
options_of(const bench *b, void (*set)(void *self, const char *name, const char *value), void *self)
{
    char text[64], name[64];

    if (b->size.K) {
        snprintf(text, sizeof text, "%d", (int)b->size.K);
        set(self, "n-components", text);
    }
    for (int32_t c = 0; c < mb_kind_choices(b->kind); c++)
        set(self, b->kind->choices[c].option, mb_kind_word(b->kind, &b->size, c));
    if (mb_kind_takes_intercept(b->kind))
        set(self, "intercept", b->size.intercept ? "on" : "off");
    *text = '\0';
    for (int32_t d = 0; mb_kind_varies(b->kind) && d < b->size.D; d++)
        if (b->size.columns->of[d].varying)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%sx%d", *text ? "," : "",
                     (int)d + 1);
    snprintf(name, sizeof name, "%s.varying", b->kind->name);
    if (*text)
        set(self, name, mb_text(arena, NULL, "%s", text)); /* options keep the pointer */
    if (mb_columns_offset(b->size.columns, b->size.D))
        set(self, "offset-column", mb_text(arena, NULL, "x%d", (int)b->size.D));
    snprintf(name, sizeof name, "%s.targets", b->kind->name);
    if (b->size.targets > 1) {
        snprintf(text, sizeof text, "%d", (int)b->size.targets);
        set(self, name, text);
    }
}

static inline void set_facade(void *self, const char *name, const char *value)
{
    done(self, mb_bind_set(self, name, value));
}

static inline mb_bind *facade_of(const bench *b)
{
    mb_bind *f = mb_bind_new(b->kind->name);

    options_of(b, set_facade, f);
    done(f, mb_bind_set(f, "rounds", bind_rounds()));
    done(f, mb_bind_set(f, "n-init", "2"));
    return f;
}

/* The kind of a column as a text: "category(a|b)". */
static inline const char *kind_text(const mb_column *c)
{
    char *text = mb_alloc(arena, 256, 1);

    strcpy(text, mb_column_word(c->kind));
    for (int32_t l = 0; c->kind == MB_COLUMN_CATEGORY && l < c->levels; l++) {
        strcat(text, l ? "|" : "(");
        strcat(text, c->level[l]);
    }
    if (c->kind == MB_COLUMN_CATEGORY)
        strcat(text, ")");
    return text;
}

/* Rows, weights, kinds and, where the model has them, groups. */
static inline void give_rows(mb_bind *f, const bench *b, const double *w)
{
    static int32_t group[ROWS];
    const char    *kinds[MODEL_COLUMNS + 4];

    matrix(f, "x", ROWS, b->rows.d, b->rows.d, b->x);
    if (w)
        done(f, mb_bind_array(f, "sample_weight", MB_BIND_F8, 1, (int64_t[]){ROWS}, (int64_t[]){8},
                              w));
    for (int32_t d = 0; b->size.columns && d < b->size.columns->d; d++)
        kinds[d] = kind_text(&b->size.columns->of[d]);
    for (int32_t d = b->size.columns ? b->size.columns->d : 0; d < b->rows.d; d++)
        kinds[d] = "number";
    if (b->size.columns)
        done(f, mb_bind_texts(f, "kinds", b->rows.d, kinds));
    for (int j = 0; j < ROWS; j++)
        group[j] = j / 3;
    if (mb_kind_grouped(b->kind, &b->size))
        done(f, mb_bind_array(f, "group", MB_BIND_I4, 1, (int64_t[]){ROWS}, (int64_t[]){4}, group));
}

static inline void set_library(void *self, const char *name, const char *value)
{
    void **to = self; /* table, struct */

    must(mb_opt_set(mb_opt_find(to[0], name), value, to[1], NULL));
}

/* The same fit by the library. */
static inline mb_fit library_fit_by(bench *b, const mb_network *net, const int32_t *node,
                                    const mb_algo *algo)
{
    mb_fit_opt o = mb_fit_defaults();
    mb_table   t = {.rows = b->rows, .node = node, .kinds = b->size.columns};
    void      *opt = mb_alloc(arena, 1, b->kind->opt_size);
    int64_t   *first = mb_alloc(arena, ROWS, sizeof *first);
    mb_fit     fit;

    must(mb_opt_defaults(b->kind->opts, opt, NULL));
    options_of(b, set_library, (void *[]){(void *)(uintptr_t)b->kind->opts, opt});
    for (int j = 0; j <= ROWS / 3; j++)
        first[j] = 3 * j;
    if (mb_kind_grouped(b->kind, &b->size)) {
        t.rows.first = first;
        t.rows.ngroup = ROWS / 3;
    }
    o.kind = b->kind;
    o.kind_opt = opt;
    o.how.rounds = atoi(bind_rounds());
    o.how.algo = algo;
    o.n_init = 2;
    b->err.code = mb_fit_run(arena, net, &t, &o, &fit, &b->err);
    return fit;
}

static inline mb_fit library_fit(bench *b, const mb_network *net, const int32_t *node,
                                 const mb_rows *rows)
{
    b->rows = *rows;
    return library_fit_by(b, net, node, NULL);
}

/* Fits a bench that is given; 0: the model cannot have such rows (tied covariances in groups). */
static inline int can_fit(mb_bind *f)
{
    const int st = mb_bind_fit(f, NULL, NULL);

    if (st != MB_E_NOSUP)
        done(f, st);
    return !st;
}

/* Numbers of a thing of the result. */
static inline const double *numbers_of(mb_bind *f, int32_t node, const char *name, size_t *n)
{
    int         type;
    int32_t     ndim;
    int64_t     shape[3];
    const void *x;

    done(f, mb_bind_get(f, node, name, &type, &ndim, shape, &x));
    assert_int_not_equal(type, MB_BIND_TEXT);
    *n = 1;
    for (int32_t k = 0; k < ndim; k++)
        *n *= (size_t)shape[k];
    if (type == MB_BIND_I8) {
        double *out = doubles(*n + 1);

        for (size_t k = 0; k < *n; k++)
            out[k] = (double)((const int64_t *)x)[k];
        return out;
    }
    return x;
}

static inline double number(mb_bind *f, int32_t node, const char *name)
{
    size_t        n;
    const double *x = numbers_of(f, node, name, &n);

    assert_int_equal(n, 1);
    return *x;
}

static inline void same_arrays(mb_bind *f, int32_t node, const mb_posterior *p, const double *par,
                               const char *before)
{
    mb_array *x;
    int32_t   n;
    char      name[80];

    must(mb_kind_arrays(arena, p->kind, &p->size, par, &x, &n, NULL));
    for (int32_t k = 0; k < n; k++) {
        size_t        size, len = 1;
        const double *got;

        if (!x[k].x)
            continue;
        snprintf(name, sizeof name, "%s%s", before, x[k].name);
        got = numbers_of(f, node, name, &size);
        for (int32_t d = 0; d < x[k].ndim; d++)
            len *= (size_t)x[k].shape[d];
        assert_int_equal(size, len);
        assert_memory_equal(got, x[k].x, len * sizeof *got);
    }
}

/* The same posterior and prior, bound and rounds, to the bit. */
static inline void same_answer(mb_bind *f, int32_t node, const mb_posterior *p,
                               const mb_outcome *out)
{
    const double bound = number(f, node, "bound");

    assert_non_null(p->kind);
    assert_memory_equal(&bound, &out->bound, sizeof bound);
    assert_int_equal((int64_t)number(f, node, "rounds"), out->rounds);
    same_arrays(f, node, p, p->par, "");
    same_arrays(f, node, p, p->prior_par, "prior.");
}

/* The same posterior of a node, whose components keep the order of the mean. */
static inline void same_node(mb_bind *f, int32_t i, const mb_fit *fit)
{
    const mb_session *s = &fit->stages->session;
    mb_posterior      p;

    must(mb_case_posterior(arena, s->c, s->state.phi + (size_t)i * s->state.ld, fit->out.order, &p,
                           NULL));
    same_arrays(f, i, &p, p.par, "");
}

#endif
