/* paper_row_coil20.c - Fig. samples and Fig. accuracy: objects turned on a table, in 52 principal
 * components, 2 to 10 of them. */
#include "base/pool.h"
#include "base/text.h"
#include "data/pca.h"
#include "paper_rows.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 20, DIMENSIONS = 52, SIDE = 32, STARTS = 3, KS = 9 };
#define SHARE 0.9

static const char *const label[KS + 1] = {"K=2", "K=3", "K=4", "K=5",  "K=6",
                                          "K=7", "K=8", "K=9", "K=10", NULL};

enum { IMAGES, LABELS }; /* in files() */

static mb_status files(mb_arena *a, const paper_set *set, const char **file, const char **how,
                       mb_err *err)
{
    file[IMAGES] = mb_text(a, err, "%s/coil20/coil20.npy", set->data);
    file[LABELS] = mb_text(a, err, "%s/coil20/coil20_labels.csv", set->data);
    *how = mb_text(a, err, "meshbayes paper fetch coil20 --out %s", set->data);
    if (!file[IMAGES] || !file[LABELS] || !*how)
        return MB_E_NOMEM;
    if (!access(file[IMAGES], R_OK) && !access(file[LABELS], R_OK))
        *how = NULL;
    return MB_OK;
}

/* Rows of length 1 in their first 52 principal components, and the objects from 0. */
typedef struct coil {
    int64_t  n;
    double  *x;      /* n x DIMENSIONS */
    int32_t *object; /* n             */
} coil;

static mb_status read_objects(mb_arena *a, const char *file, coil *c, mb_err *err)
{
    mb_csv csv;

    MB_TRY(mb_csv_read(a, file, &csv, err));
    if (csv.rows != c->n)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %lld rows; expected %lld, one for each image", file,
                (long long)csv.rows, (long long)c->n);
    MB_NEW(c->object, a, c->n, err);
    for (int64_t r = 0; r < c->n; r++) {
        int64_t k;

        MB_TRY(mb_csv_integer(&csv, r, 0, 1, OBJECTS, &k, err));
        c->object[r] = (int32_t)k - 1;
    }
    return MB_OK;
}

static mb_status read_images(mb_arena *a, const char *file, mb_npy *m, mb_err *err)
{
    MB_TRY(mb_npy_read(a, file, m, err));
    if (m->ndim != 2 || m->shape[1] != (int64_t)SIDE * SIDE)
        MB_FAIL(err, MB_E_SHAPE, "%s: expected images of %d x %d pixels, one a row", file, SIDE,
                SIDE);
    return MB_OK;
}

/* The components are those of all images, as in the paper; stored in a file that every run reads. */
static mb_status reduce(mb_arena *a, const char *images, const char *stored, coil *c, mb_err *err)
{
    mb_npy m;
    pca    p;

    MB_TRY(read_images(a, images, &m, err));
    c->n = m.shape[0];
    pca_unit_rows(c->n, (int32_t)m.shape[1], m.x);
    MB_TRY(pca_fit(a, c->n, (int32_t)m.shape[1], m.x, DIMENSIONS, SHARE, &p, err));
    MB_NEW(c->x, a, c->n * DIMENSIONS, err);
    pca_apply(&p, c->n, m.x, c->x);
    return mb_npy_write(a, stored, 2, (int64_t[]){c->n, DIMENSIONS}, c->x, err);
}

static mb_status load(paper_unit *u, coil *c, mb_err *err)
{
    const char *stored =
        mb_text(u->a, err, "%s/coil20/components-%016" PRIx64 ".npy", u->set->out, u->data_print);
    const char *file[PAPER_FILES], *how;
    mb_status   st = MB_OK;
    mb_npy      m;

    if (!stored)
        return MB_E_NOMEM;
    MB_TRY(files(u->a, u->set, file, &how, err));
    mb_pool_lock(u->set->pool);
    if (!access(stored, R_OK) && mb_npy_read(u->a, stored, &m, NULL) >= 0 && m.ndim == 2 &&
        m.shape[1] == DIMENSIONS) {
        c->n = m.shape[0];
        c->x = m.x;
    } else
        st = reduce(u->a, file[IMAGES], stored, c, err);
    mb_pool_unlock(u->set->pool);
    MB_TRY(st);
    return read_objects(u->a, file[LABELS], c, err);
}

/* The rows of K objects sampled for this draw, in a random order; classes from 0. */
static mb_status choose(paper_unit *u, int32_t K, int64_t draw, coil *c, int64_t **order,
                        int64_t *n, mb_err *err)
{
    const uint64_t seed = (uint64_t)(u->set->seed + draw);
    mb_rng         rng = mb_rng_at(seed, MB_STREAM_DEAL, (uint32_t)K, 2);
    int64_t        object[OBJECTS], *rows, *mixed;
    int32_t        class_of[OBJECTS];

    mb_random_order(&rng, OBJECTS, object);
    for (int k = 0; k < OBJECTS; k++)
        class_of[object[k]] = k < K ? k : -1;
    MB_NEW(rows, u->a, c->n, err);
    *n = 0;
    for (int64_t r = 0; r < c->n; r++) {
        const int32_t k = class_of[c->object[r]];

        if (k >= 0)
            rows[(*n)++] = r;
        c->object[r] = k;
    }
    MB_NEW(mixed, u->a, *n, err);
    MB_NEW(*order, u->a, *n, err);
    mb_random_order(&rng, *n, mixed);
    for (int64_t r = 0; r < *n; r++)
        (*order)[r] = rows[mixed[r]];
    return MB_OK;
}

/* Run r is start r % STARTS of draw r / STARTS (of the paper's 300: start % 10 of draw / 10). */
static mb_status run(paper_unit *u, mb_err *err)
{
    const int64_t starts = u->set->runs < 0 ? 10 : STARTS;
    const int32_t K = u->part + 2;
    int64_t      *order, n = 0;
    coil          c = {0};

    MB_TRY(load(u, &c, err));
    MB_TRY(choose(u, K, u->run / starts, &c, &order, &n, err));
    return paper_cluster(u, &(paper_rows_of){c.x, c.object, n, DIMENSIONS, order}, &paper_net10, K,
                         (int32_t)(u->run % starts), "admm.rho=16", err);
}

/* One image of every object as a grid of grey squares. */
static mb_status samples(paper_figures *f, const paper_table *t, mb_err *err)
{
    const char *file[PAPER_FILES], *how;
    FILE       *out = f->r->script;
    mb_npy      m;
    int64_t     each;

    MB_TRY(files(t->a, t->set, file, &how, err));
    MB_TRY(read_images(t->a, file[IMAGES], &m, err));
    each = m.shape[0] / OBJECTS;
    MB_TRY(paper_figure(f, t, "samples", "Sample images",
                        "The first image of each of the 20 objects; the same for all protocols.",
                        err));
    MB_TRY(paper_panel(f, t, "samples", "the 20 objects", 330, err));
    fputs("$i << EOD\n", out);
    for (int y = 0; y < 4 * SIDE; y++) {
        for (int x = 0; x < 5 * SIDE; x++) {
            const int k = y / SIDE * 5 + x / SIDE;

            fprintf(out, "%.0f ", m.x[k * each * m.shape[1] + y % SIDE + x % SIDE * SIDE]);
        }
        fputc('\n', out);
    }
    fputs(
        "EOD\nunset border\nunset tics\nset key off\nset xlabel 'objects 1 to 20'\nset ylabel ''\n"
        "set size ratio -1\nset yrange [*:*] reverse\nset palette gray\nunset colorbox\n"
        "plot $i matrix with image\n",
        out);
    return MB_OK;
}

static mb_status curves(paper_figures *f, const paper_table *t, paper_protocol p,
                        const char *quantity, mb_err *err)
{
    const char *separator = "plot ";
    FILE       *out = f->r->script;

    MB_TRY(paper_panel_of(f, t, p, quantity, paper_quantity_words(quantity), 340, err));
    fputs("set xlabel 'number of objects K'\nset ylabel 'accuracy (%)'\nset xrange [1.6:10.4]\n"
          "set yrange [0:105]\nset key bmargin center horizontal maxcols 3\nset bmargin 6.5\n",
          out);
    for (int a = 0; a < PAPER_NAMES; a++) {
        fprintf(out, "$a%d << EOD\n", a);
        for (int k = 0; k < KS; k++) {
            const paper_stat s = paper_stat_at(t, p, paper_names[a], quantity, label[k], PAPER_NAN);

            if (s.runs && isfinite(s.mean))
                fprintf(out, "%g %.5g %.5g\n", k + 2 + 0.06 * (a - 3), 100 * s.mean, 100 * s.sd);
        }
        fputs("EOD\n", out);
    }
    for (int a = 0; a < PAPER_NAMES; a++)
        if (paper_find(t, p, paper_names[a], quantity, label[0], PAPER_NAN)) {
            fprintf(out,
                    "%s$a%d using 1:2:3 with yerrorlines lw 1.6 pt 7 ps 0.4 lc '%s' title '%s'",
                    separator, a, paper_line_of(paper_names[a]).colour,
                    paper_line_of(paper_names[a]).label);
            separator = ", ";
        }
    fputs(*separator == 'p' ? "plot [2:10][0:100] NaN title 'no values'\n" : "\n", out);
    return MB_OK;
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    MB_TRY(samples(f, t, err));
    MB_TRY(paper_figure(f, t, "accuracy", "Accuracy against the number of objects",
                        "Points and bars: mean and standard deviation over the runs.", err));
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        if (t->protocols >> p & 1)
            MB_TRY(curves(f, t, (paper_protocol)p, "accuracy", err));
    if (t->protocols >> PAPER_PUBLISHED & 1)
        MB_TRY(curves(f, t, PAPER_PUBLISHED, "accuracy_node_map", err));
    return MB_OK;
}

/* Mean over K = 2 .. last of the mean accuracies, %. */
static void mean_to(const paper_table *t, paper_protocol p, int last, double out[PAPER_NAMES])
{
    double one[PAPER_NAMES];

    memset(out, 0, sizeof one);
    for (int k = 2; k <= last; k++) {
        paper_percents(t, p, "accuracy", label[k - 2], one);
        for (int a = 0; a < PAPER_NAMES; a++)
            out[a] += one[a];
    }
    for (int a = 0; a < PAPER_NAMES; a++)
        out[a] /= last - 1;
}

static void judge(const paper_table *t, paper_claims *c)
{
    double all[PAPER_NAMES], few[PAPER_NAMES], own[PAPER_NAMES];

    mean_to(t, PAPER_PAPER, 10, all);
    mean_to(t, PAPER_PAPER, 6, few);
    mean_to(t, PAPER_OURS, 10, own);
    if (isfinite(all[CVB])) {
        const double least = fmin(all[DSVB], all[ADMM]);

        paper_judge(
            c, least > all[CVB] - 5 && least > fmax(all[NSG], all[NONCOOP]) + 5,
            "dSVB and dVB-ADMM perform almost as well as cVB and much better than nsg-dVB and "
            "noncoop-VB.",
            "Protocol paper, mean accuracy over K = 2 to 10: cVB %.1f, dSVB %.1f, dVB-ADMM "
            "%.1f, nsg-dVB %.1f, noncoop %.1f %%.",
            all[CVB], all[DSVB], all[ADMM], all[NSG], all[NONCOOP]);
        paper_needs(t, c, PAPER_PAPER, "dsvb");
        paper_needs(t, c, PAPER_PAPER, "admm");
        paper_judge(c, few[ADMM] > few[CVB], "For K < 7 dVB-ADMM can be better than central VB.",
                    "Protocol paper, mean over K = 2 to 6: dVB-ADMM %.1f, cVB %.1f %%.", few[ADMM],
                    few[CVB]);
        paper_needs(t, c, PAPER_PAPER, "admm");
    }
    if (isfinite(own[EDGE]))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours, mean over K = 2 to 10: EDGE %.1f, FLOW %.1f, cVB %.1f %%.",
                    own[EDGE], own[FLOW], own[CVB]);
}

const paper_row paper_row_coil20 = {
    .name = "coil20",
    .title = "COIL-20",
    .place = "Fig. samples, Fig. accuracy",
    .setup =
        "10 nodes, 72 images an object, length 1, 52 principal components of all images, K = 2 to "
        "10 objects, tau = .2, rho = 16, at most 100 rounds (15 with --quick); 3 draws of "
        "objects x 3 starts (with --runs paper 30 x 10).",
    .says = "dSVB and dVB-ADMM do almost as well as central VB and much better than nsg-dVB and "
            "noncoop-VB; for K < 7 dVB-ADMM can be better than cVB.",
    .why = "The paper's curves are made from the best of 10 initialisations, data stacked 10 "
           "times, other objects after 10 failures, and a reduction that takes rows of the "
           "eigenvector matrix where columns are meant. With true principal components and every "
           "initialisation counted, 720 rows in 52 dimensions under a prior of nearly no weight "
           "keep whatever labels the initialisation gives them.",
    .runs = 9,
    .runs_quick = 1,
    .runs_paper = 300,
    .seconds = 26,
    .part = label,
    .plan = {.rounds = 100, .quick = 15},
    .files = files,
    .run = run,
    .draw = draw,
    .judge = judge};
