/* sim_start.c - --init: a word, or a file of responsibilities, centres or a posterior; and --prior
 * posterior:FILE. */
#include "model/kind.h"
#include "run/fit_update.h"

#include <math.h>
#include <string.h>

/* n x K, rows in the file's order of the data; each row a distribution. */
static mb_status read_responsibilities(sim_job *job, sim_case *cs, const char *file, mb_err *err)
{
    const mb_origin from = {.file = file};
    const int64_t   n = cs->rows->data.n, K = sim_components(cs->args);
    mb_matrix       m = {0};
    char            place[MB_PLACE];

    MB_TRY(mb_matrix_read(job->a, file, &m, err));
    if (m.n != n || m.d != K)
        MB_FAIL(err, MB_E_SHAPE,
                "%s: got %lld x %d responsibilities; expected %lld rows x %lld components", file,
                (long long)m.n, m.d, (long long)n, (long long)K);
    for (int64_t r = 0; r < n; r++) {
        double sum = 0;

        for (int64_t k = 0; k < K; k++) {
            if (!(m.x[r * K + k] >= 0)) {
                mb_row_place(&from, r, NULL, place);
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: responsibility of component %lld is %g; expected 0 to 1", place,
                        (long long)k, m.x[r * K + k]);
            }
            sum += m.x[r * K + k];
        }
        if (!(fabs(sum - 1) <= 1e-6)) {
            mb_row_place(&from, r, NULL, place);
            MB_FAIL(err, MB_E_FORMAT, "%s: responsibilities sum to %.9g; expected 1", place, sum);
        }
    }
    cs->start.resp = m.x;
    cs->start.how = MB_INIT_RESPONSIBILITIES;
    return MB_OK;
}

/* K x D, the features' names in any order (CSV) or the features' order (NPY). */
static mb_status read_centres(sim_job *job, sim_case *cs, const char *file, mb_err *err)
{
    const int32_t D = cs->rows->data.d, K = sim_components(cs->args);
    mb_matrix     m = {0};
    double       *centres;

    MB_TRY(mb_matrix_read(job->a, file, &m, err));
    if (m.n != K || m.d != D)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %lld x %d centres; expected %d components x %d features",
                file, (long long)m.n, m.d, K, D);
    MB_NEW(centres, job->a, (size_t)K * (size_t)D, err);
    for (int32_t d = 0; d < D; d++) {
        int32_t from = d;

        if (m.name) {
            for (from = 0; from < D && strcmp(m.name[from], cs->rows->data.name[d]) != 0;)
                from++;
            if (from == D)
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: column \"%s\" is missing; expected the features' names", file,
                        cs->rows->data.name[d]);
        }
        for (int32_t k = 0; k < K; k++)
            centres[(int64_t)k * D + d] = m.x[(int64_t)k * D + from];
    }
    cs->start.centres = centres;
    cs->start.how = MB_INIT_CENTRES;
    return MB_OK;
}

/* The words are those of the option, in the order of mb_init. */
static mb_status word(sim_job *job, sim_case *cs, const char *init, mb_err *err)
{
    mb_opt  o = *sim_option("init");
    int32_t how;

    o.kind = MB_OPT_CHOICE;
    o.at = 0;
    MB_TRY(mb_opt_set(&o, init, &how, err));
    cs->start.how = (mb_init)how;
    if (how == MB_INIT_RANDOM) {
        sim_warn(job, "--init random: every node starts by itself, so components mean different "
                      "things at different nodes; expect a poor result");
        return MB_OK;
    }
    cs->start.drawn = cs->drawn; /* shared by all algorithms */
    MB_NEW(cs->drawn->centres, job->a, (size_t)sim_components(cs->args) * sim_centre(cs->rows),
           err);
    return MB_OK;
}

static mb_status read_posterior(sim_job *job, const sim_args *args, const char *file,
                                const mb_posterior **out, mb_err *err)
{
    mb_posterior *p;

    MB_NEW(p, job->a, 1, err);
    *out = p;
    return mb_posterior_read(job->a, file, args->kind, p, NULL, err);
}

/* What follows `prefix` in a text; NULL: it begins otherwise. */
static const char *after(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(text, prefix, n) ? NULL : text + n;
}

/* An earlier answer as prior leaves nothing to single options. */
static mb_status prior_posterior(sim_job *job, sim_case *cs, mb_err *err)
{
    const char *file = sim_prior_file(cs->args);

    if (!file)
        return MB_OK;
    for (const mb_opt *o = cs->args->kind->opts; o->name; o++)
        if (!strncmp(o->name, "prior.", 6) && sim_option_given(o, cs->args->model_opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --prior posterior:FILE.json exclude each other",
                    o->name);
    if (mb_kind_has_components(cs->args->kind) && cs->args->opt.prune == SIM_PRUNE_ON)
        MB_FAIL(err, MB_E_ARG,
                "--prune on and --prior posterior:FILE.json exclude each other: its components "
                "have priors of their own, so that none can be merged");
    return read_posterior(job, cs->args, file, &cs->prior, err);
}

/* --bounds; without a network there is nobody who must not see values. */
static mb_status stated(sim_job *job, sim_case *cs, mb_err *err)
{
    const sim_opt *o = &cs->args->opt;
    const mb_data *data = &cs->rows->data;
    double        *low, *high;

    if (!strcmp(o->init, "ranges") && !o->bounds && cs->args->command->bit == SIM_SIM &&
        mb_kind_has_components(cs->args->kind))
        MB_FAIL(err, MB_E_ARG, "--init ranges requires --bounds FILE.csv: column,low,high");
    if (!o->bounds)
        return MB_OK;
    if (o->formula)
        MB_FAIL(err, MB_E_ARG, "--bounds and --formula exclude each other");
    MB_NEW(low, job->a, data->d, err);
    MB_NEW(high, job->a, data->d, err);
    MB_TRY(mb_bounds_read(job->a, o->bounds, data->d, data->name, low, high, err));
    cs->bounds = (mb_bounds){data->d, low, high};
    return MB_OK;
}

mb_status sim_start_check(sim_job *job, sim_case *cs, mb_err *err)
{
    const char   *resp = after(cs->args->opt.init, "responsibilities:");
    const char   *centres = after(cs->args->opt.init, "centres:");
    const char   *earlier = after(cs->args->opt.init, "posterior:");
    const int32_t K = sim_components(cs->args);

    cs->start.seed = (uint64_t)cs->args->opt.seed;
    cs->start.prefer = cs->args->prefer;
    if (cs->args->update)
        return sim_update_start(job, cs, err);
    MB_TRY(prior_posterior(job, cs, err));
    MB_TRY(stated(job, cs, err));
    if (!mb_kind_has_components(cs->args->kind))
        return MB_OK;
    if (K > cs->rows->data.n)
        MB_FAIL(err, MB_E_ARG,
                "--n-components: got %d components for %lld rows; expected 1 to %lld", K,
                (long long)cs->rows->data.n, (long long)cs->rows->data.n);
    if (cs->args->opt.n_init > 1 && (resp || centres || earlier))
        sim_warn(job, "--n-init %lld makes no difference: the start comes from a file",
                 (long long)cs->args->opt.n_init);
    if (resp || centres || earlier)
        cs->n_init = 1;
    if (earlier)
        cs->start.how = MB_INIT_POSTERIOR;
    if (earlier)
        return read_posterior(job, cs->args, earlier, &cs->start.posterior, err);
    if (resp)
        return read_responsibilities(job, cs, resp, err);
    return centres ? read_centres(job, cs, centres, err) : word(job, cs, cs->args->opt.init, err);
}
