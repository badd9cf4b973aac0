/* cmd_export.c - `meshbayes export`: a posterior for other programs. */
#include "posterior/posterior_cmd.h"

#include <math.h>
#include <string.h>

typedef struct export_opt {
    const char *posterior, *out;
    int32_t     format;
} export_opt;

enum { SKLEARN, ARRAYS, JSON };
#define AT(field) offsetof(export_opt, field)
static const mb_opt options[] = {
    {POSTERIOR_INPUT(AT(posterior))},
    {"format", MB_OPT_CHOICE, AT(format), "sklearn", .choices = "sklearn|arrays|json",
     .help = "sklearn: attributes of BayesianGaussianMixture, BayesianRidge, ARDRegression "
             "(linreg with relevance) or FactorAnalysis, .npz; arrays: those of the posterior "
             "file, .npz; json: the "
             "file checked and written again"},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE", .help = "file to write"},
    {.name = NULL}};

static mb_status no_estimator(const mb_posterior *p, mb_err *err)
{
    char list[80] = "";

    for (const mb_kind *const *k = mb_kind_list(); *k; k++)
        if ((*k)->sklearn)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " or " : "",
                     (*k)->name);
    MB_FAIL(err, MB_E_ARG, "--format sklearn: %s is a %s posterior; expected %s", p->name,
            p->kind->name, list);
}

/* What the file says of its run. */
static mb_run_info ended(const mb_provenance *from)
{
    const int known = from->weight_total > 0;

    return (mb_run_info){
        .settled = !from->verdict ? -1 : !strcmp(from->verdict, mb_verdict_text(MB_ENDED_SETTLED)),
        .rounds = from->rounds,
        .bound = known ? from->bound : (double)NAN,
        .weight_total = from->weight_total};
}

static mb_status sklearn(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                         const char *file, mb_err *err)
{
    const mb_run_info run = ended(from);
    mb_array         *x;
    int32_t           n;

    if (!p->kind->sklearn)
        return no_estimator(p, err);
    MB_TRY(p->kind->sklearn(a, p, &run, &x, &n, err));
    return mb_arrays_write(a, x, n, file, err);
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const export_opt *o = opt;
    mb_posterior      p;
    mb_provenance     from;

    if (!o->posterior || !o->out)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --out FILE are needed");
    if (o->format != JSON && !mb_path_ends(o->out, ".npz"))
        MB_FAIL(err, MB_E_ARG,
                "--out: got \"%.200s\"; expected a name that ends in .npz (JSON: --format json)",
                o->out);
    MB_TRY(mb_posterior_read(a, o->posterior, NULL, &p, &from, err));
    if (o->format == JSON)
        return mb_posterior_write(a, &p, &from, o->out, err);
    if (o->format == ARRAYS)
        return mb_posterior_arrays_write(a, &p, &from, o->out, err);
    return sklearn(a, &p, &from, o->out, err);
}

const app_command app_cmd_export = {
    .name = "export",
    .summary = "a posterior for other programs",
    .usage = "meshbayes export --posterior P.json --out FILE [--format sklearn|arrays|json]",
    .options = options,
    .size = sizeof(export_opt),
    .work = work,
    .text =
        "\nWrites a mixture as all attributes that scikit-learn's BayesianGaussianMixture has "
        "after fit, so that predict, predict_proba, score_samples and sample work there at once:\n"
        "  from sklearn.mixture import BayesianGaussianMixture\n"
        "  import numpy as np\n"
        "  mixture = BayesianGaussianMixture()\n"
        "  mixture.__dict__.update(np.load(\"mixture.npz\"))\n"
        "  mixture.predict_proba(X)      # columns in the posterior's order\n"
        "Its options n_components, covariance_type and weight_concentration_prior_type are set "
        "with "
        "them. The prior is there, too, under the names scikit-learn has for it; lower_bound_ has "
        "scikit-learn's constant. With full covariances its score is what `meshbayes score "
        "--density expected` prints.\n"
        "\nA regression becomes the attributes of BayesianRidge: coef_, intercept_, alpha_ "
        "(expected precision of the noise), sigma_, scores_ (the log evidence), X_offset_, "
        "X_scale_, and lambda_ when the prior has one precision for all coefficients "
        "(--prior.lambda0 NUMBER), for there is no other number of that meaning; with "
        "--linreg.relevance on those of ARDRegression, lambda_ a number for each input.\n"
        "\narrays are the fields of the posterior file under their names, matrices in full, as fit "
        "--out posterior.npz writes them: np.load(\"posterior.npz\")[\"means\"], and "
        "[\"prior.means\"] of the prior.\n"
        "\njson writes the posterior file itself again, byte for byte as fit or sim wrote it.\n"
        "\nExample\n"
        "  meshbayes export --posterior posterior.json --format sklearn --out mixture.npz\n"};
