/* paper_run.c - one algorithm on one unit's network, by the library's loop. */
#include "paper_run.h"

#include <string.h>

mb_status paper_rounds(mb_arena *a, int64_t rounds, int32_t per_decade, int64_t **at,
                       int32_t *count, mb_err *err)
{
    const double step = pow(10, 1.0 / per_decade);

    MB_NEW(*at, a, (size_t)per_decade * 8 + 2, err);
    *count = 0;
    for (double t = 1; t < (double)rounds; t *= step)
        if (!*count || (int64_t)(t + 0.5) > (*at)[*count - 1])
            (*at)[(*count)++] = (int64_t)(t + 0.5);
    while (*count && (*at)[*count - 1] >= rounds)
        --*count;
    (*at)[(*count)++] = rounds;
    return MB_OK;
}

/* "dsvb.tau=0.2 dsvb.d0=2" into the algorithm's options. */
static mb_status set_options(mb_arena *a, const mb_algo *algo, const char *text, void *opt,
                             mb_err *err)
{
    char *words, *next;

    MB_NEW(words, a, strlen(text) + 1, err);
    memcpy(words, text, strlen(text));
    for (char *w = strtok_r(words, " ", &next); w; w = strtok_r(NULL, " ", &next)) {
        char         *value = strchr(w, '=');
        const mb_opt *o;

        if (value)
            *value++ = 0;
        o = mb_opt_find(algo->opts, w);
        if (!o || !value)
            MB_FAIL(err, MB_E_ARG, "%s has no option %s", algo->name, w);
        MB_TRY(mb_opt_set(o, value, opt, err));
    }
    return MB_OK;
}

static mb_status prepare(paper_world *w, const paper_case *c, paper_result *r, mb_err *err)
{
    const int      cvb = !strcmp(c->algo, "cvb");
    const mb_algo *algo = cvb ? &mb_algo_noncoop : mb_algo_find(c->algo);
    mb_net_facts   net = {
          .n = cvb ? 1 : w->N, .hops = cvb ? 0 : w->hops, .lambda2 = cvb ? 0 : w->lambda2[c->rule]};
    void *opt;

    if (!algo)
        MB_FAIL(err, MB_E_ARG, "\"%s\" is not an algorithm of this build", c->algo);
    opt = mb_alloc(w->u->a, 1, algo->opt_size + 1);
    if (!opt)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the options of %s", c->name);
    MB_TRY(mb_opt_defaults(algo->opts, opt, err));
    if (c->options)
        MB_TRY(set_options(w->u->a, algo, c->options, opt, err));
    if (algo->tune)
        MB_TRY(algo->tune(opt, &net, err));
    if (c->clip)
        MB_TRY(paper_clip(w->u->a, &w->model, &w->clipped, err));
    *r = (paper_result){.c = c, .bound = PAPER_NAN};
    r->problem = (mb_problem){.model = c->clip ? &w->clipped : &w->model,
                              .algo = algo,
                              .opt = opt,
                              .part = cvb ? &w->one : &w->part[c->rule],
                              .rows = cvb ? &w->all : w->rows,
                              .scale = cvb ? 1 : w->N,
                              .tp = cvb ? &w->none_one : &w->none[c->rule]};
    return MB_OK;
}

/* The first phi* of every node from the responsibilities of the start. */
static mb_status seed(const paper_world *w, paper_result *r, mb_err *err)
{
    const mb_problem *p = &r->problem;
    int64_t           row = 0;
    double           *scratch;

    MB_NEW(scratch, w->u->a, mb_local_scratch(p->model), err);
    MB_TRY(mb_state_new(w->u->a, p, &r->state, err));
    for (int32_t i = 0; i < p->part->n_local; i++) {
        MB_TRY(mb_seed_step(p->model, &p->rows[i], p->scale, w->resp + row * w->K,
                            r->state.phi_star + (size_t)i * r->state.ld, scratch, err));
        row += p->rows[i].n;
    }
    return MB_OK;
}

mb_status paper_put_kl(paper_unit *u, const char *name, int64_t t, const mb_stat *kl, mb_err *err)
{
    const int known = kl && !kl->outside;

    MB_TRY(paper_put(u, name, "kl_mean", (double)t, known ? kl->mean : PAPER_NAN, err));
    return paper_put(u, name, "kl_sd", (double)t, known ? kl->sd : PAPER_NAN, err);
}

/* Notes the cost in the rounds asked for. */
typedef struct note {
    paper_unit *u;
    const char *name;
    mb_metrics *m;
} note;

static mb_status see_cost(void *to, int64_t t, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const note *c = to;

    MB_TRY(mb_metrics_see(c->m, p, s, err));
    MB_TRY(paper_put_kl(c->u, c->name, t, &c->m->value[MB_M_KL_TRUTH], err));
    return paper_put(c->u, c->name, "bytes", (double)t,
                     c->m->value[MB_M_BYTES].mean / p->part->n_local, err);
}

static mb_status judges(const paper_world *w, const paper_truth *t, const paper_result *r,
                        unsigned on, mb_metrics *m, mb_err *err)
{
    *m = (mb_metrics){.on = on, .truth = t->phi, .label = t->label, .nclass = t->nclass};
    return mb_metrics_new(w->u->a, &r->problem, m, err);
}

/* Stops when the accuracy and the mutual information of the last six rounds stay, or spread no more
 * than a round ago: the first author's program looks at the truth to know when to stop. */
typedef struct still {
    mb_metrics m;
    int64_t    from;
    double     last[6][2], before[2];
} still;

static mb_status see_still(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    still *s = self;
    double sd[2];

    MB_TRY(mb_metrics_see(&s->m, p, st, err));
    s->last[st->t % 6][0] = s->m.value[MB_M_ACCURACY].mean;
    s->last[st->t % 6][1] = s->m.value[MB_M_NMI].mean;
    if (st->t <= s->from)
        return MB_OK;
    for (int q = 0; q < 2; q++) {
        double mean = 0, squares = 0;

        for (int k = 0; k < 6; k++)
            mean += s->last[k][q] / 6;
        for (int k = 0; k < 6; k++)
            squares += (s->last[k][q] - mean) * (s->last[k][q] - mean);
        sd[q] = sqrt(squares / 5);
    }
    const int rest = sd[0] < 1e-5 && sd[1] < 1e-5;
    const int same = fabs(sd[0] - s->before[0]) < 1e-8 && fabs(sd[1] - s->before[1]) < 1e-8;

    memcpy(s->before, sd, sizeof sd);
    return rest || same ? MB_STOP : MB_OK;
}

static mb_status watch_still(const paper_world *w, const paper_truth *t, const paper_result *r,
                             int64_t from, mb_observer *out, mb_err *err)
{
    still *s;

    MB_NEW(s, w->u->a, 1, err);
    s->from = from;
    MB_TRY(judges(w, t, r, 1u << MB_M_ACCURACY | 1u << MB_M_NMI, &s->m, err));
    *out = (mb_observer){.self = s, .every = 1, .see = see_still};
    return MB_OK;
}

/* What a run that ended, or broke off, is: failures are counted, never run again here. */
static mb_status finish(const paper_world *w, const paper_truth *t, paper_result *r, mb_err *err)
{
    const unsigned kl = t->phi ? 1u << MB_M_KL_TRUTH : 0;
    double         moved;

    for (int32_t i = 0; i < r->problem.part->n_local; i++) {
        r->left += r->state.projected[i] + r->state.frozen[i];
        r->frozen += r->state.frozen[i];
    }
    if (r->error)
        return MB_OK;
    MB_NEW(r->mean, w->u->a, w->model.layout.len, err);
    MB_TRY(judges(w, t, r,
                  kl | 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_BYTES |
                      1u << MB_M_DISAGREEMENT,
                  &r->end, err));
    MB_TRY(mb_metrics_see(&r->end, &r->problem, &r->state, err));
    MB_TRY(mb_mean_phi(&r->problem, &r->state, r->mean, err));
    mb_status st = mb_central_check(w->u->a, &r->problem, r->mean, &moved, &r->bound, err);

    r->bound = st == MB_E_DOMAIN ? PAPER_NAN : r->bound / (double)w->n;
    return st == MB_E_DOMAIN ? MB_OK : st;
}

mb_status paper_case_run(paper_world *w, const paper_truth *t, const paper_case *c,
                         const int64_t *at, int32_t count, paper_result *r, mb_err *err)
{
    const mb_run_opt opt = {
        .rounds = c->rounds, .timeout_ms = -1, .threads = 1, .on_domain = c->on_domain};
    mb_metrics  m;
    note        cost = {w->u, c->name, &m};
    mb_observer obs[3];
    int32_t     nobs = 0;

    MB_TRY(prepare(w, c, r, err));
    MB_TRY(seed(w, r, err));
    if (count) {
        MB_TRY(judges(w, t, r, 1u << MB_M_KL_TRUTH, &m, err));
        MB_TRY(mb_dump_new(w->u->a, at, count, see_cost, &cost, &obs[nobs++], err));
    }
    if (c->still)
        MB_TRY(watch_still(w, t, r, c->still, &obs[nobs++], err));
    if (c->tol > 0)
        MB_TRY(mb_stop_new(w->u->a, &r->problem, c->tol, NULL, &obs[nobs++], err));
    mb_status st = mb_run(&r->problem, &r->state, obs, nobs, &opt, err);

    r->error = st == MB_E_NUMERIC || st == MB_E_DOMAIN;
    if (!r->error)
        MB_TRY(st);
    for (int32_t k = 0; k < count;
         k++) /* settled: nothing changes any more; after an error, none */
        if (at[k] > r->state.t)
            MB_TRY(r->error ? paper_put_kl(w->u, c->name, at[k], NULL, err)
                            : see_cost(&cost, at[k], &r->problem, &r->state, err));
    return finish(w, t, r, err);
}
