/* data_synthetic.c - `meshbayes data synthetic`: the paper's problem, sections V-A and V-C. */
#include "data/data_cmd.h"

#include <math.h>

typedef struct synthetic_opt {
    data_problem problem;
    const char  *out;
} synthetic_opt;

#define AT(field) offsetof(synthetic_opt, field)
static const mb_opt options[] = {
    {"nodes", MB_OPT_INT, AT(problem.nodes), "50", 1, 10000000, .unit = "nodes",
     .eq = "section V-A",
     .help = "number of nodes; groups of 30 %, 40 % and 30 % of them prefer components 1, 2 and 3"},
    {"rows", MB_OPT_INT, AT(problem.rows), "100", 1, 1000000000, .unit = "rows a node",
     .eq = "section V-A", .help = "rows of every node"},
    {"rows-min", MB_OPT_INT, AT(problem.rows_min), "0", 0, 1000000000, .unit = "rows a node",
     .eq = "section V-C.1",
     .help = "with --rows-max: sizes are uniform between the two, and --rows is not used"},
    {"rows-max", MB_OPT_INT, AT(problem.rows_max), "0", 0, 1000000000, .unit = "rows a node",
     .eq = "section V-C.1", .help = "see --rows-min; the paper uses 40 and 160"},
    {"balanced", MB_OPT_FLAG, AT(problem.balanced), .eq = "section V-C.1",
     .help = "sample every row from the whole mixture instead of from that of the node's group"},
    {"seed", MB_OPT_INT, AT(problem.seed), "0", 0, 9007199254740992.0,
     .help = "same seed, same rows"},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv",
     .help = "the file to write: columns node, x1, x2, label"},
    {.name = NULL}};

enum { K = 3 };
static const double mixture[K] = {0.32, 0.45, 0.23};
static const double centre[K][2] = {{1.5, 3.5}, {4, 4}, {6.5, 4.5}};
/* Variances are 0.6 everywhere. */
static const double covariance[K] = {0.4, -0.4, 0.4};
/* Shares of the nodes in each group, and of the components at a node of the group. */
static const double groups[K] = {15, 20, 15};
static const double shares[K][K] = {{0.8, 0.1, 0.1}, {0.05, 0.9, 0.05}, {0.2, 0.2, 0.6}};

static int draw_component(mb_rng *rng)
{
    double u = mb_rng_uniform(rng);

    return u < mixture[0] ? 0 : u < mixture[0] + mixture[1] ? 1 : 2;
}

/* A draw from component k by the Cholesky factor of its covariance. */
static void draw_row(mb_rng *rng, int k, double *x)
{
    const double l11 = sqrt(0.6), l21 = covariance[k] / l11, l22 = sqrt(0.6 - l21 * l21);
    const double z1 = mb_rng_normal(rng), z2 = mb_rng_normal(rng);

    x[0] = centre[k][0] + l11 * z1;
    x[1] = centre[k][1] + l21 * z1 + l22 * z2;
}

int64_t data_problem_rows(const data_problem *p, int64_t node)
{
    mb_rng rng = mb_rng_at((uint64_t)p->seed, MB_STREAM_DATA, (uint32_t)node, 1);

    if (!p->rows_max)
        return p->rows;
    return p->rows_min + (int64_t)mb_rng_below(&rng, (uint64_t)(p->rows_max - p->rows_min) + 1);
}

static int group_of(const data_problem *p, int64_t node)
{
    int64_t size[K];
    int     group = 0;

    data_shares(p->nodes, K, groups, size);
    while (group < K - 1 && node >= size[group])
        node -= size[group++];
    return group;
}

void data_problem_draw(const data_problem *p, int64_t node, double *x, int32_t *label)
{
    const int64_t n = data_problem_rows(p, node);
    mb_rng        rng = mb_rng_at((uint64_t)p->seed, MB_STREAM_DATA, (uint32_t)node, 0);
    int64_t       count[K], row = 0;

    data_shares(n, K, shares[group_of(p, node)], count);
    for (int k = 0; k < K && !p->balanced; k++)
        for (int64_t r = 0; r < count[k]; r++)
            label[row++] = k;
    for (row = 0; row < n; row++) {
        if (p->balanced)
            label[row] = draw_component(&rng);
        draw_row(&rng, label[row], x + 2 * row);
    }
}

static mb_status put_all(mb_arena *a, mb_file *f, const data_problem *p, int64_t *total,
                         mb_err *err)
{
    const int64_t most = p->rows_max ? p->rows_max : p->rows;
    double       *x;
    int32_t      *label;

    MB_NEW(x, a, 2 * most, err);
    MB_NEW(label, a, most, err);
    MB_TRY(mb_file_printf(f, err, "node,x1,x2,label\n"));
    for (int64_t i = 0; i < p->nodes; i++) {
        const int64_t n = data_problem_rows(p, i);

        data_problem_draw(p, i, x, label);
        for (int64_t r = 0; r < n; r++)
            MB_TRY(mb_file_printf(f, err, "%lld,%.10g,%.10g,%d\n", (long long)i + 1, x[2 * r],
                                  x[2 * r + 1], label[r] + 1));
        *total += n;
    }
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const synthetic_opt *o = opt;
    const data_problem  *p = &o->problem;
    mb_file              f;
    int64_t              total = 0;

    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the CSV file to write");
    if (!p->rows_min != !p->rows_max || p->rows_min > p->rows_max)
        MB_FAIL(err, MB_E_ARG,
                "--rows-min %lld and --rows-max %lld; expected both, the smaller one first",
                (long long)p->rows_min, (long long)p->rows_max);
    MB_TRY(mb_file_open(a, o->out, &f, err));
    MB_TRY(mb_file_close(&f, put_all(a, &f, p, &total, err), err));
    data_tell(o->out, "%lld row%s at %d node%s", (long long)total, app_plural(total),
              (int32_t)p->nodes, app_plural(p->nodes));
    return MB_OK;
}

const app_command data_synthetic = {
    .name = "synthetic",
    .summary = "the paper's synthetic problem",
    .options = options,
    .size = sizeof(synthetic_opt),
    .work = work,
    .text =
        "Three Gaussians in the plane with weights 0.32, 0.45 and 0.23, as in section V-A of the "
        "paper. Of 50 nodes, nodes 1 to 15 have 80 % of their rows from component 1, nodes 16 to "
        "35 have 90 % from component 2, nodes 36 to 50 have 60 % from component 3; the remaining "
        "rows come evenly from the other two components. For other numbers of nodes the groups "
        "keep their shares. Fractional numbers of rows are rounded.\n"
        "  meshbayes data synthetic --seed 1 --out rows.csv\n"
        "  meshbayes data synthetic --balanced --rows-min 40 --rows-max 160 --out rows.csv\n"};
