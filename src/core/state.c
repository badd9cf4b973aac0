/* state.c - the planes of many nodes, structure of arrays. */
#include "base/straighten.h"
#include "core/run.h"
#include "expfam/expfam.h"
#include "transport/mail.h"

#include <string.h>

/* n rows of stride ld; none when n is 0, so methods without such state pay nothing. */
static mb_status plane(mb_arena *a, size_t n, size_t ld, double **out, mb_err *err)
{
    *out = NULL;
    if (n)
        MB_NEW(*out, a, n * ld, err);
    return MB_OK;
}

/* What leaves of each message, which emit says. */
static mb_status make_words(mb_arena *a, const mb_part *part, mb_mail *out, mb_err *err)
{
    const size_t rows = mb_mail_rows(part, out->fanout);

    MB_NEW(out->words, a, rows + 1, err);
    MB_NEW(out->left, a, part->n_local, err);
    MB_NEW(out->leaves, a, rows + mb_mail_ghosts_(part, out->fanout) + 1, err);
    return MB_OK;
}

/* For messages of vectors of len numbers. */
static mb_status make_mail(mb_arena *a, const mb_problem *p, size_t len, mb_mail *out, mb_err *err)
{
    const mb_algo *algo = p->algo;
    const int32_t  vectors = algo->vectors ? algo->vectors(p->opt) : 1;

    if (vectors < 1)
        MB_FAIL(err, MB_E_ARG, "%s: got messages of %d vectors; expected 1 or more", algo->name,
                vectors);
    MB_TRY(mb_mail_new(a, p->part, algo->fanout, (size_t)vectors * len, out, err));
    out->coding = algo->coding;
    if (algo->needs & MB_NEEDS_TREE)
        out->links = p->part->tree;
    return algo->needs & MB_WANTS_WORDS ? make_words(a, p->part, out, err) : MB_OK;
}

mb_status mb_state_new(mb_arena *a, const mb_problem *p, mb_state *out, mb_err *err)
{
    const mb_layout *layout = &p->model->layout;
    const mb_algo   *algo = p->algo;
    const size_t     n = (size_t)p->part->n_local, len = layout->len + (size_t)algo->extra;
    const size_t     edges = (size_t)p->part->g.ptr[p->part->n_local];
    double          *scratch = NULL;

    *out = (mb_state){.ld = mb_stride_(len),
                      .len = len,
                      .naux = algo->naux ? algo->naux(p->opt) : 0,
                      .nedge = algo->nedge ? algo->nedge(p->opt) : 0,
                      .nmemo = algo->memo};
    MB_TRY(make_mail(a, p, len, &out->mail, err));
    MB_TRY(plane(a, n, out->ld, &out->phi, err));
    MB_TRY(plane(a, n, out->ld, &out->phi_star, err));
    MB_TRY(plane(a, n * (size_t)out->naux, out->ld, &out->aux, err));
    MB_TRY(plane(a, edges * (size_t)out->nedge, out->ld, &out->edge, err));
    MB_TRY(plane(a, n, (size_t)out->nmemo, &out->memo, err));
    MB_TRY(plane(a, algo->needs & MB_WANTS_MU ? n : 0, out->ld, &out->mu, err));
    MB_TRY(plane(a, MB_STRAIGHTEN_(out->mu && p->model->ops->straighten) ? n : 0, out->ld, &out->at,
                 err));
    MB_NEW(out->bound, a, n, err);
    MB_NEW(out->outside, a, n, err);
    MB_NEW(out->frozen, a, n, err);
    MB_NEW(out->projected, a, n, err);
    MB_NEW(out->by, a, n, err);
    if (out->mu)
        MB_NEW(scratch, a, layout->scratch, err);
    for (size_t i = 0; i < n; i++) {
        memcpy(out->phi + i * out->ld, p->model->prior, layout->len * sizeof *out->phi);
        if (out->at)
            memcpy(out->at + i * out->ld, p->model->prior, layout->len * sizeof *out->at);
        if (out->mu)
            MB_TRY(mb_prior_moments(layout, p->model->prior, out->mu + i * out->ld, NULL, scratch,
                                    err));
    }
    return MB_OK;
}
