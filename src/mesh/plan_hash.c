/* plan_hash.c - the hash of what all nodes have in common before there is a genesis. */
#include "algo/nodes.h"
#include "base/epochs.h"
#include "base/opt.h"
#include "mesh/fnv.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "model/choices.h"

static uint64_t option(uint64_t h, const mb_plan *plan, const mb_opt *o)
{
    const char       *at = (const char *)plan->kind_opt + o->at;
    const mb_numbers *x;
    mb_numbers        list[MB_NUMBERS_MAX];

    h = mb_fnv_text_(h, o->name);
    x = mb_plan_numbers_(plan, o, list);
    if (x)
        return mb_fnv_reals_(mb_fnv_integer_(h, x->n), x->x, x->n);
    if (mb_opt_is_text(o))
        return mb_fnv_text_(h, mb_plan_text_(plan, o));
    if (o->kind == MB_OPT_REAL || o->kind == MB_OPT_AUTO)
        return mb_fnv_reals_(h, (const double *)at, 1);
    if (o->kind == MB_OPT_INT)
        return mb_fnv_integer_(h, (uint64_t) * (const int64_t *)at);
    return mb_fnv_integer_(h, (uint64_t) * (const int32_t *)at);
}

const mb_numbers *mb_plan_numbers_(const mb_plan *plan, const mb_opt *o, mb_numbers *list)
{
    const mb_kind *kind = plan->kind;
    const int32_t  n = kind->numbers ? kind->numbers(plan->kind_opt, plan->columns, list) : 0;

    for (int32_t k = 0; k < n; k++)
        if (list[k].x && !strcmp(list[k].name, o->name))
            return &list[k];
    return NULL;
}

const char *mb_plan_text_(const mb_plan *plan, const mb_opt *o)
{
    const char *s = *(const char *const *)((const char *)plan->kind_opt + o->at);

    return s ? s : o->def ? o->def : "";
}

uint64_t mb_plan_hash_(const mb_plan *plan)
{
    uint64_t    h = MB_FNV_BEGIN_;
    const char *algo = mb_node_algo_named_(plan);
    char        chosen[MB_CHOICES_TEXT_];
    mb_sizes    s;

    mb_plan_sizes(plan, &s);
    h = mb_fnv_text_(h, plan->kind->name);
    h = mb_fnv_integer_(h, (uint64_t)s.K);
    h = mb_fnv_integer_(h, (uint64_t)plan->columns);
    for (int32_t d = 0; d < plan->columns; d++)
        h = mb_fnv_text_(h, plan->column[d]);
    for (const mb_opt *o = plan->kind->opts; o && o->name; o++)
        if (!mb_choices_asks_(plan->kind, o->name))
            h = option(h, plan, o);
    if (mb_choices_text_(plan->kind, &s, chosen)) /* a new choice changes no other plan's hash */
        h = mb_fnv_text_(h, chosen);
    if (s.columns)
        h = mb_fnv_text_(h, s.columns->text);
    h = mb_fnv_integer_(h, plan->seed);
    if (MB_EPOCHS_(plan->bounds != NULL)) {
        h = mb_fnv_reals_(h, plan->bounds->low, (size_t)plan->columns);
        h = mb_fnv_reals_(h, plan->bounds->high, (size_t)plan->columns);
    }
    if (MB_EPOCHS_(plan->privacy != NULL)) {
        h = mb_fnv_reals_(mb_fnv_text_(h, "privacy"), &plan->privacy->epsilon, 1);
        h = mb_fnv_reals_(h, &plan->privacy->delta, 1);
        h = mb_fnv_integer_(h, (uint64_t)plan->privacy->nodes);
        h = mb_fnv_integer_(h, (uint64_t)plan->privacy->colluders);
    }
    if (algo) /* that by default changes no hash */
        h = mb_fnv_text_(h, algo);
    if (MB_EPOCHS_(plan->mask > 0))
        h = mb_fnv_integer_(mb_fnv_text_(h, "mask"), plan->mask);
    return mb_fnv_integer_(h, (uint64_t)plan->from);
}
