/* run_check.c - what a run must have before its first round. */
#include "base/rows.h"
#include "core/turn.h"
#include "model/model.h"

mb_status mb_run_check_(const mb_problem *p, const mb_transport *tp, const mb_observer *obs,
                        int32_t nobs, const mb_run_opt *opt, mb_err *err)
{
    if (tp->lossy && p->algo->needs & MB_NEEDS_EVERY_MSG)
        MB_FAIL(err, MB_E_NOSUP,
                "%s needs every message: a lost or late one breaks the zero sum of its duals for "
                "good, and the nodes then agree on a wrong answer; use edge on this network",
                p->algo->name);
    if (p->algo->needs & MB_NEEDS_RING && !p->part->turn)
        MB_FAIL(err, MB_E_NOSUP,
                "%s needs a ring: a cyclic path through all nodes; use edge on this network",
                p->algo->name);
    if (p->algo->needs & MB_NEEDS_TREE && !p->part->tree && p->part->n_global > 1)
        MB_FAIL(err, MB_E_NOSUP,
                "%s needs a spanning tree (mb_part::tree, made by mb_agree_tree); use edge on this "
                "network",
                p->algo->name);
    if (p->algo->ready && (p->algo->cycle || p->algo->needs & MB_NEEDS_NO_MSG))
        MB_FAIL(err, MB_E_ARG,
                "%s: its local steps wait for messages; expected no cycle, and nodes that send",
                p->algo->name);
    for (int32_t i = 0; p->model->ops->group_scratch && i < p->part->n_local; i++)
        if (mb_group_scratch_(p->model, mb_rows_longest(&p->rows[i])) > p->model->scratch)
            MB_FAIL(err, MB_E_ARG,
                    "scratch of the model: got %zu numbers; expected those of a group of %lld rows "
                    "(mb_model_ops::group_scratch)",
                    p->model->scratch, (long long)mb_rows_longest(&p->rows[i]));
    if (opt->rounds < 0)
        MB_FAIL(err, MB_E_ARG, "rounds: got %lld; expected 0 or more", (long long)opt->rounds);
    for (int32_t k = 0; k < nobs; k++)
        if (obs[k].every < 1)
            MB_FAIL(err, MB_E_ARG,
                    "observer %d: got an interval of %lld rounds; expected 1 or more", k,
                    (long long)obs[k].every);
    return MB_OK;
}
