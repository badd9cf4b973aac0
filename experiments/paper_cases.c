/* paper_cases.c - the algorithms of an experiment as its protocols run them. */
#include "paper_run.h"

#include <string.h>

/* What the first author's program does otherwise than the text. */
static void publish(paper_case *c)
{
    const int swept = c->option[0] != NULL;

    if (c->algo == &mb_algo_dsvb)
        c->option[swept] = "dsvb.d0=2";
    else if (!swept)
        c->rule = MB_METROPOLIS;
    if (c->algo == &mb_algo_admm)
        c->on_domain = MB_HALT;
}

static mb_status make(paper_unit *u, const char *name, paper_case *c, mb_err *err)
{
    const int   word = (int)strcspn(name, " ");
    const char *algo = mb_text(u->a, err, "%.*s", word, name);

    *c = (paper_case){.name = name,
                      .algo = algo ? mb_algo_find(algo) : NULL,
                      .rule = MB_METROPOLIS,
                      .on_domain = MB_FREEZE,
                      .rounds = paper_rounds_of(u),
                      .tol = 1e-9};
    if (algo && name[word])
        c->option[0] = mb_text(u->a, err, "%s.%s", algo, name + word + 1);
    if (!algo || (name[word] && !c->option[0]))
        return MB_E_NOMEM;
    if (!c->algo)
        MB_FAIL(err, MB_E_ARG, "\"%s\" is not an algorithm of this build", algo);
    if (u->protocol == PAPER_OURS)
        return MB_OK;
    c->rule = MB_NEAREST;
    c->on_domain = MB_PROJECT;
    c->tol = 0;
    if (u->protocol == PAPER_PUBLISHED)
        publish(c);
    return MB_OK;
}

mb_status paper_cases(paper_world *w, const paper_plan *plan, mb_err *err)
{
    const char *const *name = w->u->protocol == PAPER_OURS ? plan->ours : plan->theirs;
    int32_t            n = 0;

    while (name[n])
        n++;
    MB_NEW(w->result, w->u->a, n + 1, err);
    w->count = n + 1;
    w->result[0].c = (paper_case){
        .name = "cvb", .on_domain = MB_FREEZE, .rounds = paper_rounds_of(w->u), .tol = 1e-12};
    for (int32_t k = 0; k < n; k++)
        MB_TRY(make(w->u, name[k], &w->result[k + 1].c, err));
    return MB_OK;
}
