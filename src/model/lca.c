/* lca.c - latent classes: a mixture whose columns are independent within a class. */
#include "model/lca.h"
#include "base/columns.h"
#include "model/kind.h"
#include "model/prior.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_K = 1000000, MAX_D = 10000 };

/* As a mixture of Gaussians has the choice. */
static mb_sizes as_gmm(const mb_sizes *s)
{
    mb_sizes out = *s;

    out.choice[MB_GMM_WEIGHTS_CHOICE_] = s->choice[MB_LCA_CHOICE_];
    return out;
}

const mb_family *mb_lca_weights_(const mb_sizes *s)
{
    const mb_sizes same = as_gmm(s);

    return mb_gmm_weights_(&same);
}

mb_gmm_shares_ mb_lca_shares_(const mb_sizes *s, const double *par)
{
    const mb_sizes same = as_gmm(s);

    return mb_gmm_shares_begin_(&same, par);
}

mb_lca_at_ mb_lca_at_of_(const mb_sizes *s)
{
    const int32_t N = mb_sizes_count(s, MB_COLUMN_NUMBER), C = mb_sizes_count(s, MB_COLUMN_COUNT);
    const size_t  K = (size_t)s->K;
    mb_lca_at_    at = {.numbers = N, .counts = C, .levels = mb_sizes_levels(s)};

    at.number_step = MB_LCA_NUMBER_ * (size_t)N;
    at.count_step = MB_LCA_COUNT_ * (size_t)C;
    at.share_step = (size_t)at.levels;
    at.number = K * mb_lca_weights_(s)->weights->entry;
    at.count = at.number + K * at.number_step;
    at.share = at.count + K * at.count_step;
    return at;
}

int mb_lca_next_(mb_lca_cell_ *c)
{
    enum { NUMBER, COUNT, SHARE };
    int    which;
    size_t len;

    if (!c->d) {
        const mb_lca_at_ at = mb_lca_at_of_(c->s);
        const size_t     k = (size_t)c->k;

        c->next[NUMBER] = c->par + at.number + k * at.number_step;
        c->next[COUNT] = c->par + at.count + k * at.count_step;
        c->next[SHARE] = c->par + at.share + k * at.share_step;
    }
    if (c->d == c->s->D)
        return 0;
    c->kind = mb_columns_kind(c->s->columns, c->d);
    c->levels = c->kind >= MB_COLUMN_CATEGORY ? c->s->columns->of[c->d].levels : 1;
    which = c->kind == MB_COLUMN_NUMBER ? NUMBER : c->kind == MB_COLUMN_COUNT ? COUNT : SHARE;
    len = which == NUMBER ? MB_LCA_NUMBER_ : which == COUNT ? MB_LCA_COUNT_ : (size_t)c->levels;
    c->at = c->next[which];
    c->next[which] += len;
    c->d++;
    return 1;
}

double mb_lca_mean_(const mb_lca_cell_ *c, int32_t l)
{
    double sum = 0;

    if (c->kind == MB_COLUMN_NUMBER)
        return c->at[MB_LCA_M_];
    if (c->kind == MB_COLUMN_COUNT)
        return c->at[MB_LCA_A_] / c->at[MB_LCA_B_];
    for (int32_t i = 0; i < c->levels; i++)
        sum += c->at[i];
    return c->at[l] / sum;
}

double mb_lca_variance_(const mb_lca_cell_ *c, int32_t l)
{
    const double mean = mb_lca_mean_(c, l);

    if (c->kind == MB_COLUMN_NUMBER)
        return c->at[MB_LCA_B_] / c->at[MB_LCA_A_];
    return c->kind == MB_COLUMN_COUNT ? mean : mean * (1 - mean);
}

mb_lca_prior_ mb_lca_defaults_(int32_t K)
{
    return (mb_lca_prior_){
        .alpha0 = K > 0 ? 1.0 / K : 1, .beta0 = 1, .nu0 = 1, .a0 = 1, .share0 = 1};
}

static mb_status check(const mb_sizes *s, const mb_lca_prior_ *o, mb_err *err)
{
    if (s->K < 1 || s->K > MAX_K)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " classes; expected 1 to %d", s->K, MAX_K);
    if (s->D < 1 || s->D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " columns; expected 1 to %d", s->D, MAX_D);
    MB_TRY(mb_check_positive_("alpha0", o->alpha0, err));
    MB_TRY(mb_check_positive_("beta0", o->beta0, err));
    MB_TRY(mb_check_positive_("nu0", o->nu0, err));
    MB_TRY(mb_check_positive_("a0", o->a0, err));
    return mb_check_positive_("share0", o->share0, err);
}

/* The columns of one kind (categories: and flags), and their levels. */
static mb_status choose(mb_arena *a, const mb_sizes *s, mb_column_kind kind, int32_t *n,
                        int32_t **column, int32_t **dims, mb_err *err)
{
    MB_NEW(*column, a, s->D, err);
    MB_NEW(*dims, a, s->D, err);
    *n = 0;
    for (int32_t d = 0; d < s->D; d++) {
        const mb_column_kind own = mb_columns_kind(s->columns, d);

        if (own != kind && !(kind == MB_COLUMN_CATEGORY && own == MB_COLUMN_FLAG))
            continue;
        (*column)[*n] = d;
        (*dims)[(*n)++] = s->columns ? s->columns->of[d].levels : 0;
    }
    return MB_OK;
}

/* The blocks, and how each explains its columns; emission: room for three. */
static mb_status lay_out(mb_arena *a, const mb_sizes *s, mb_layout *l,
                         const mb_emission_ **emission, mb_err *err)
{
    static const struct {
        mb_column_kind      kind;
        const mb_family    *family;
        const mb_emission_ *emission;
    } block[] = {{MB_COLUMN_NUMBER, &mb_normal_gamma_diag, &mb_gaussian_columns_},
                 {MB_COLUMN_COUNT, &mb_gamma, &mb_poisson_columns_},
                 {MB_COLUMN_CATEGORY, &mb_dirichlet, &mb_category_columns_}};

    MB_TRY(mb_layout_add(l, mb_lca_weights_(s), s->K, 1, err));
    for (size_t b = 0; b < sizeof block / sizeof *block; b++) {
        int32_t n = 0, *column, *dims;

        MB_TRY(choose(a, s, block[b].kind, &n, &column, &dims, err));
        if (!n)
            continue;
        MB_TRY(block[b].kind == MB_COLUMN_CATEGORY
                   ? mb_layout_add_mixed(l, block[b].family, dims, n, column, s->K, err)
                   : mb_layout_add_product(l, block[b].family, 1, n, column, s->K, err));
        *emission++ = block[b].emission;
    }
    return MB_OK;
}

/* Textbook parameters of the prior: the same for all classes. */
static void fill_prior(const mb_sizes *s, const mb_lca_prior_ *o, double *par)
{
    const size_t entry = mb_lca_weights_(s)->weights->entry;

    for (int32_t k = 0; k < s->K; k++) {
        mb_lca_cell_ c = {.s = s, .par = par, .k = k};
        double      *weight = par + (size_t)k * entry;

        weight[0] = 1; /* v ~ Beta(1, alpha0) */
        weight[entry - 1] = o->alpha0;
        while (mb_lca_next_(&c)) {
            const int    count = c.kind == MB_COLUMN_COUNT;
            const double mean = o->mean ? o->mean[c.d - 1] : count,
                         var = o->var ? o->var[c.d - 1] : 1;
            double *at = par + (c.at - par);

            if (c.kind == MB_COLUMN_NUMBER) {
                at[MB_LCA_A_] = 0.5 * o->nu0;
                at[MB_LCA_B_] = 0.5 * o->nu0 * var;
                at[MB_LCA_M_] = mean;
                at[MB_LCA_LAMBDA_] = o->beta0;
            } else if (count) {
                at[MB_LCA_A_] = o->a0;
                at[MB_LCA_B_] = o->a0 / mean;
            } else
                for (int32_t l = 0; l < c.levels; l++)
                    at[l] = o->share0;
        }
    }
}

mb_status mb_lca_new_(mb_arena *a, const mb_sizes *s, const mb_lca_prior_ *o, mb_model *out,
                      mb_err *err)
{
    const mb_emission_ *emission[3];
    mb_model            m = {.K = s->K};
    double             *par;
    mb_status           st;

    MB_TRY(check(s, o, err));
    MB_TRY(lay_out(a, s, &m.layout, emission, err));
    MB_NEW(par, a, m.layout.len, err);
    fill_prior(s, o, par);
    st = mb_model_prior(a, par, &m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior cannot be held in double precision: alpha0 = %g or share0 = %g is too "
                "small, or nu0 = %g against beta0 = %g",
                o->alpha0, o->share0, o->nu0, o->beta0);
    MB_TRY(st);
    MB_TRY(mb_mixture_(a, s->D, emission, 0, &m, err));
    *out = m;
    return MB_OK;
}
