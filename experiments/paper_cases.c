/* paper_cases.c - the algorithms of an experiment as its protocols run them. */
#include "paper_run.h"

#include <string.h>

/* What the first author's program does otherwise than the text. */
static mb_status publish(mb_arena *a, paper_case *c, mb_err *err)
{
    const int swept = c->options != NULL;

    if (!strcmp(c->algo, "dsvb"))
        c->options = mb_text(a, err, "%s dsvb.d0=2", swept ? c->options : "");
    else if (!swept)
        c->rule = MB_METROPOLIS;
    if (!strcmp(c->algo, "admm"))
        c->on_domain = MB_HALT;
    return !strcmp(c->algo, "dsvb") && !c->options ? MB_E_NOMEM : MB_OK;
}

static mb_status make(paper_unit *u, const char *name, paper_case *c, mb_err *err)
{
    const size_t word = strcspn(name, " ");

    *c = (paper_case){.name = name,
                      .algo = mb_text(u->a, err, "%.*s", (int)word, name),
                      .rule = MB_METROPOLIS,
                      .on_domain = MB_FREEZE,
                      .rounds = paper_rounds_of(u),
                      .tol = 1e-9};
    if (c->algo && name[word])
        c->options = mb_text(u->a, err, "%s.%s", c->algo, name + word + 1);
    if (!c->algo || (name[word] && !c->options))
        return MB_E_NOMEM;
    if (u->protocol == PAPER_OURS)
        return MB_OK;
    c->rule = MB_NEAREST;
    c->on_domain = MB_PROJECT;
    c->tol = 0;
    return u->protocol == PAPER_PUBLISHED ? publish(u->a, c, err) : MB_OK;
}

mb_status paper_cases(paper_unit *u, const paper_plan *plan, paper_case **out, int32_t *count,
                      mb_err *err)
{
    const char *const *name = u->protocol == PAPER_OURS ? plan->ours : plan->theirs;
    int32_t            n = 0;

    while (name[n])
        n++;
    MB_NEW(*out, u->a, n + 1, err);
    **out =
        (paper_case){"cvb", "cvb", NULL, MB_METROPOLIS, MB_FREEZE, paper_rounds_of(u), 1e-12, 0, 0};
    for (int32_t k = 0; k < n; k++)
        MB_TRY(make(u, name[k], *out + 1 + k, err));
    *count = n + 1;
    return MB_OK;
}
