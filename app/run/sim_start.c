/* sim_start.c - --init: a word, or a file of responsibilities, centres or a posterior; and --prior
 * posterior:FILE. */
#include "run/fit_update.h"

#include <math.h>
#include <string.h>

/* n x K, rows in the file's order of the data; each row a distribution. */
static mb_status read_responsibilities(sim *s, const char *file, mb_err *err)
{
    const mb_origin from = {.file = file};
    const int64_t   n = s->rows.data.n, K = sim_components(s);
    mb_matrix       m = {0};
    char            place[MB_PLACE];

    MB_TRY(mb_matrix_read(s->job.a, file, &m, err));
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
    s->cs.start.resp = m.x;
    s->cs.start.how = MB_INIT_RESPONSIBILITIES;
    return MB_OK;
}

/* K x D, the features' names in any order (CSV) or the features' order (NPY). */
static mb_status read_centres(sim *s, const char *file, mb_err *err)
{
    const int32_t D = s->rows.data.d, K = sim_components(s);
    mb_matrix     m = {0};
    double       *centres;

    MB_TRY(mb_matrix_read(s->job.a, file, &m, err));
    if (m.n != K || m.d != D)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %lld x %d centres; expected %d components x %d features",
                file, (long long)m.n, m.d, K, D);
    MB_NEW(centres, s->job.a, (size_t)K * (size_t)D, err);
    for (int32_t d = 0; d < D; d++) {
        int32_t from = d;

        if (m.name) {
            for (from = 0; from < D && strcmp(m.name[from], s->rows.data.name[d]) != 0;)
                from++;
            if (from == D)
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: column \"%s\" is missing; expected the features' names", file,
                        s->rows.data.name[d]);
        }
        for (int32_t k = 0; k < K; k++)
            centres[(int64_t)k * D + d] = m.x[(int64_t)k * D + from];
    }
    s->cs.start.centres = centres;
    s->cs.start.how = MB_INIT_CENTRES;
    return MB_OK;
}

/* The words are those of the option, in the order of mb_init. */
static mb_status word(sim *s, const char *init, mb_err *err)
{
    mb_opt  o = *sim_option("init");
    int32_t how;

    o.kind = MB_OPT_CHOICE;
    o.at = 0;
    MB_TRY(mb_opt_set(&o, init, &how, err));
    s->cs.start.how = (mb_init)how;
    if (how == MB_INIT_RANDOM) {
        sim_warn(s, "--init random: every node starts by itself, so components mean different "
                    "things at different nodes; expect a poor result");
        return MB_OK;
    }
    s->cs.start.drawn = &s->cs.drawn; /* shared by all algorithms */
    MB_NEW(s->cs.drawn.centres, s->job.a, (size_t)sim_components(s) * sim_centre(s), err);
    return MB_OK;
}

static mb_status read_posterior(sim *s, const char *file, const mb_posterior **out, mb_err *err)
{
    mb_posterior *p;

    MB_NEW(p, s->job.a, 1, err);
    *out = p;
    return mb_posterior_read(s->job.a, file, s->args.kind, p, NULL, err);
}

/* What follows `prefix` in a text; NULL: it begins otherwise. */
static const char *after(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(text, prefix, n) ? NULL : text + n;
}

/* A former answer as prior leaves nothing to single options. */
static mb_status prior_posterior(sim *s, mb_err *err)
{
    const char *file = sim_prior_file(s);

    if (!file)
        return MB_OK;
    for (const mb_opt *o = s->args.kind->opts; o->name; o++)
        if (!strncmp(o->name, "prior.", 6) && sim_option_given(o, s->args.model_opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --prior posterior:FILE.json exclude each other",
                    o->name);
    if (s->args.kind->latent && s->args.opt.prune == SIM_PRUNE_ON)
        MB_FAIL(err, MB_E_ARG,
                "--prune on and --prior posterior:FILE.json exclude each other: its components "
                "have priors of their own, so that none can be merged");
    return read_posterior(s, file, &s->cs.prior, err);
}

mb_status sim_start_check(sim *s, mb_err *err)
{
    const char   *resp = after(s->args.opt.init, "responsibilities:");
    const char   *centres = after(s->args.opt.init, "centres:");
    const char   *former = after(s->args.opt.init, "posterior:");
    const int32_t K = sim_components(s);

    s->cs.start.seed = (uint64_t)s->args.opt.seed;
    s->cs.start.prefer = s->args.prefer;
    s->cs.n_init = s->args.opt.n_init;
    if (s->args.update)
        return sim_update_start(s, err);
    MB_TRY(prior_posterior(s, err));
    if (!s->args.kind->latent)
        return MB_OK;
    if (K > s->rows.data.n)
        MB_FAIL(err, MB_E_ARG,
                "--n-components: got %d components for %lld rows; expected 1 to %lld", K,
                (long long)s->rows.data.n, (long long)s->rows.data.n);
    if (s->args.opt.n_init > 1 && (resp || centres || former))
        sim_warn(s, "--n-init %lld makes no difference: the start comes from a file",
                 (long long)s->args.opt.n_init);
    if (resp || centres || former)
        s->cs.n_init = 1;
    if (former)
        s->cs.start.how = MB_INIT_POSTERIOR;
    if (former)
        return read_posterior(s, former, &s->cs.start.posterior, err);
    if (resp)
        return read_responsibilities(s, resp, err);
    return centres ? read_centres(s, centres, err) : word(s, s->args.opt.init, err);
}
