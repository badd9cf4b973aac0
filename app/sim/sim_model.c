/* sim_model.c - the models of --model. */
#include "sim/sim_model.h"

#include <string.h>

static const sim_model *const models[] = {&sim_gmm, &sim_linreg};
enum { MODELS = sizeof models / sizeof *models };

const sim_model *sim_model_of(const sim *s)
{
    return models[s->opt.model];
}

int32_t sim_inputs(const sim *s)
{
    return s->data.d - (sim_model_of(s)->columns != NULL); /* the target is no input */
}

static int given(const sim *s, const mb_opt *o, mb_err *err)
{
    char    now[256], before[256];
    sim_opt fresh;

    if (mb_opt_defaults(sim_options, &fresh, err) < 0)
        return 0;
    mb_opt_text(o, &s->opt, now, sizeof now);
    mb_opt_text(o, &fresh, before, sizeof before);
    return strcmp(now, before) != 0;
}

mb_status sim_model_check(const sim *s, mb_err *err)
{
    const sim_model *mine = sim_model_of(s);

    for (int k = 0; k < MODELS; k++)
        for (const char *const *name = models[k]->options; models[k] != mine && *name; name++) {
            const mb_opt *o = mb_opt_find(sim_options, *name);

            if (given(s, o, err))
                MB_FAIL(err, MB_E_ARG, "--%s belongs to --model %s, not to --model %s", *name,
                        models[k]->name, mine->name);
        }
    return MB_OK;
}

mb_status sim_prior_numbers(sim *s, const char *option, const char *text, int32_t n, int one_is_all,
                            double *x, mb_err *err)
{
    double *number = NULL;
    int32_t count = 0;

    if (!text)
        return MB_OK;
    MB_TRY(sim_numbers(s->a, option, text, &number, &count, err));
    if (count != n && !(count == 1 && one_is_all))
        MB_FAIL(err, MB_E_ARG, "--%s: %d numbers for %d features, accepted: %s%d numbers", option,
                count, s->data.d, one_is_all ? "1 or " : "", n);
    for (int32_t k = 0; k < n; k++)
        x[k] = number[count == 1 ? 0 : k];
    return MB_OK;
}
