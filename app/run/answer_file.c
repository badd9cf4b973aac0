/* answer_file.c - answer.json: the answer in numbers, as the report's first section shows it. */
#include "model/kind.h"
#include "run/doubts.h"

#include <math.h>
#include <string.h>

/* A matrix, or null. */
static void matrix(mb_json_out *j, const char *key, int64_t rows, int64_t columns, const double *x)
{
    const int64_t shape[2] = {rows, columns};

    if (x)
        mb_json_numbers(j, key, 2, shape, x);
    else
        mb_json_null(j, key);
}

static void list(mb_json_out *j, const char *key, int64_t n, const double *x)
{
    if (x)
        mb_json_numbers(j, key, 1, &n, x);
    else
        mb_json_null(j, key);
}

static void parts(mb_json_out *j, const mb_summary *u)
{
    mb_json_text(j, "part", u->part);
    mb_json_texts(j, "columns", u->columns, u->name);
    if (u->label)
        mb_json_texts(j, "names", u->rows, u->label);
    else
        mb_json_null(j, "names");
    mb_json_integer(j, "count", u->rows);
    list(j, "weight", u->rows, u->weight);
    list(j, "rows", u->rows, u->count);
    if (strcmp(u->counted, "rows") != 0)
        mb_json_text(j, "counted", u->counted);
    matrix(j, "mean", u->rows, u->columns, u->mean);
    matrix(j, "sd", u->rows, u->columns, u->sd);
    matrix(j, "low", u->rows, u->columns, u->low);
    matrix(j, "high", u->rows, u->columns, u->high);
    mb_json_text(j, "note", u->note);
    if (u->warning)
        mb_json_text(j, "warning", u->warning);
}

static void classes(const sim_rows *rows, const sim_answer *a, mb_json_out *j)
{
    const int64_t *row = a->table;

    if (!row) {
        mb_json_null(j, "classes");
        return;
    }
    mb_json_texts(j, "classes", rows->data.nlabel, rows->data.label_name);
    mb_json_list(j, "table"); /* component by class */
    for (int32_t k = 0; k < a->summary.rows; k++) {
        mb_json_list(j, NULL);
        for (int32_t c = 0; c < rows->data.nlabel; c++)
            mb_json_integer(j, NULL, *row++);
        mb_json_close(j);
    }
    mb_json_close(j);
}

/* Those of a target that is a category. */
static void levels(const sim_answer *a, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const mb_column    *c = p->kind ? mb_kind_levels(p->kind, &p->size) : NULL;

    if (c)
        mb_json_texts(j, "levels", c->levels, c->level);
    else
        mb_json_null(j, "levels");
}

/* How well they are predicted. */
static void fit_of_levels(const mb_classification *c, mb_json_out *j)
{
    mb_json_number(j, "accuracy", mb_classification_accuracy(c));
    mb_json_number(j, "log_loss", mb_classification_loss(c));
    matrix(j, "confusion", c->levels, c->levels, c->table);
    if (!c->bin)
        return;
    mb_json_list(j, "calibration");
    for (int32_t k = 0; k < MB_CALIBRATION_BINS; k++) {
        double x[5] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};

        x[4] = mb_calibration(c, k, &x[0], &x[1], &x[2], &x[3]);
        list(j, NULL, 5, x);
    }
    mb_json_close(j);
}

static void regression(const sim_rows *rows, const sim_answer *a, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const int32_t       T = p->kind ? mb_kind_targets(p->kind, &p->size) : 0;

    if (T > 1) {
        mb_json_texts(j, "target", T, p->target);
        list(j, "r2", T, a->r2);
        list(j, "rmse", T, a->rmse);
    } else {
        mb_json_text(j, "target", T ? p->target[0] : NULL);
        mb_json_number(j, "r2", a->r2 ? a->r2[0] : (double)NAN);
        mb_json_number(j, "rmse", a->rmse ? a->rmse[0] : (double)NAN);
    }
    list(j, "column_sd", rows->data.d, a->sd);
    levels(a, j);
    if (a->levels)
        fit_of_levels(a->levels, j);
}

/* Means and covariances (lower triangles by rows) on the columns drawn. */
static mb_status columns(const sim_job *job, const sim_rows *rows, const sim_answer *a,
                         const sim_view *v, mb_json_out *j)
{
    const mb_posterior *p = &a->posterior;
    const int64_t       K = p->size.K, n = v->ncol, len = n * (n + 1) / 2;
    mb_component       *part;
    double             *mean, *cov;
    int64_t             at = 0;

    MB_NEW(part, job->a, K, j->err);
    MB_NEW(mean, job->a, K * n, j->err);
    MB_NEW(cov, job->a, K * len, j->err);
    for (int32_t x = 0; x < n; x++)
        for (int32_t y = 0; y <= x; y++, at++) {
            p->kind->components_on(&p->size, p->par, v->col[x], v->col[y], part);
            for (int64_t k = 0; k < K; k++) {
                mean[k * n + x] = part[k].mean[0];
                cov[k * len + at] = part[k].cov[1];
            }
        }
    mb_json_list(j, "columns");
    for (int32_t x = 0; x < n; x++)
        mb_json_text(j, NULL, rows->data.name[v->col[x]]);
    mb_json_close(j);
    matrix(j, "mean", K, n, mean);
    matrix(j, "cov", K, len, cov);
    return MB_OK;
}

static mb_status plane(const sim_job *job, const sim_rows *rows, const sim_answer *a,
                       const sim_view *v, mb_json_out *j)
{
    const int64_t K = a->posterior.size.K;
    double       *mean, *cov;

    MB_NEW(mean, job->a, 2 * K, j->err);
    MB_NEW(cov, job->a, 3 * K, j->err);
    MB_TRY(sim_view_parts(job, rows, a, v, mean, cov, j->err));
    list(j, "pca_share", 2, v->share);
    matrix(j, "pca_mean", K, 2, mean);
    matrix(j, "pca_cov", K, 3, cov);
    return MB_OK;
}

/* What every node learns of rows that are not its own, besides the statistics of the rounds. */
static void revealed(const sim_case *cs, mb_json_out *j)
{
    const mb_kind *kind = cs->args->kind;
    const char    *init = cs->args->opt.init ? cs->args->opt.init : "";
    const int      drawn = !strncmp(init, "kmeans", 6) || !strcmp(init, "farthest");
    const int32_t  each = mb_start_candidates(cs->start.how, sim_components(cs->args), 0);

    mb_json_object(j, "revealed");
    mb_json_integer(j, "rows",
                    drawn && kind->latent ? 1 + (sim_components(cs->args) - 1) * each : 0);
    mb_json_bool(j, "covariance",
                 kind->needs_covariance && kind->needs_covariance(cs->args->model_opt));
    mb_json_close(j);
}

/* --prefer held-out. */
static void held_out(const mb_search_result *f, mb_json_out *j)
{
    if (!f->optima)
        return;
    mb_json_object(j, "held_out");
    mb_json_integer(j, "optima", f->optima);
    mb_json_number(j, "density", f->held_out);
    mb_json_number(j, "density_of_best_bound", f->of_best);
    mb_json_number(j, "bound_below_best", f->below);
    mb_json_close(j);
}

mb_status sim_answer_write(sim_job *job, const sim_case *cs, const sim_answer *a, const sim_view *v,
                           mb_err *err)
{
    char       *text;
    mb_json_out j;
    int         safe;

    MB_TRY(sim_is_safe(job, cs, a, &safe, err));
    mb_json_begin(&j, job->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "algorithm", a->of->choice->name);
    mb_json_integer(&j, "initialisations", a->of->found.n_init);
    mb_json_integer(&j, "at_best", a->of->found.at_best);
    mb_json_integer(&j, "moves", a->of->found.moves);
    mb_json_integer(&j, "improved", a->of->found.improved);
    if (a->of->found.sampled)
        mb_json_integer(&j, "sampled", a->of->found.sampled);
    held_out(&a->of->found, &j);
    mb_json_bool(&j, "safe", safe);
    MB_TRY(sim_doubts_write(job, cs, &j, err));
    parts(&j, &a->summary);
    classes(cs->rows, a, &j);
    regression(cs->rows, a, &j);
    if (v->ncol) {
        mb_json_object(&j, "view");
        mb_json_integer(&j, "lacking", v->lacking);
        MB_TRY(columns(job, cs->rows, a, v, &j));
        if (v->axis)
            MB_TRY(plane(job, cs->rows, a, v, &j));
        mb_json_close(&j);
    }
    revealed(cs, &j);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, NULL));
    return sim_file(job, "answer.json", text, NULL, NULL, err);
}
