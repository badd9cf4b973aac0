/* plan_hash.c - the hash of what all nodes have in common before there is a genesis. */
#include "algo/nodes.h"
#include "base/opt.h"
#include "mesh/bytes.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "model/choices.h"

#include <math.h>

#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)

/* FNV-1a, 64 bits. */
static uint64_t more(uint64_t h, const void *from, size_t n)
{
    const unsigned char *b = from;

    for (size_t k = 0; k < n; k++)
        h = (h ^ b[k]) * UINT64_C(1099511628211);
    return h;
}

/* With the final 0, so that "ab" and "c" are not "a" and "bc". */
static uint64_t text(uint64_t h, const char *s)
{
    return more(h, s, strlen(s) + 1);
}

static uint64_t integer(uint64_t h, uint64_t x)
{
    unsigned char b[8];

    mb_put_u64_(b, x);
    return more(h, b, sizeof b);
}

/* Bits, not digits, which a build without stdio rounds otherwise. */
static uint64_t reals(uint64_t h, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double y = x[k] + 0.0; /* -0 is 0 */
        uint64_t     bits;

        memcpy(&bits, &y, sizeof bits);
        h = integer(h, isnan(y) ? CANONICAL_NAN : bits);
    }
    return h;
}

static uint64_t option(uint64_t h, const mb_plan *plan, const mb_opt *o)
{
    const char       *at = (const char *)plan->kind_opt + o->at;
    const mb_numbers *x;
    mb_numbers        list[MB_NUMBERS_MAX];

    h = text(h, o->name);
    x = mb_plan_numbers_(plan, o, list);
    if (x)
        return reals(integer(h, x->n), x->x, x->n);
    if (mb_opt_is_text(o))
        return text(h, mb_plan_text_(plan, o));
    if (o->kind == MB_OPT_REAL || o->kind == MB_OPT_AUTO)
        return reals(h, (const double *)at, 1);
    if (o->kind == MB_OPT_INT)
        return integer(h, (uint64_t) * (const int64_t *)at);
    return integer(h, (uint64_t) * (const int32_t *)at);
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
    uint64_t    h = UINT64_C(14695981039346656037);
    const char *algo = mb_node_algo_named_(plan);
    char        chosen[MB_CHOICES_TEXT_];
    mb_sizes    s;

    mb_plan_sizes(plan, &s);
    h = text(h, plan->kind->name);
    h = integer(h, (uint64_t)s.K);
    h = integer(h, (uint64_t)plan->columns);
    for (int32_t d = 0; d < plan->columns; d++)
        h = text(h, plan->column[d]);
    for (const mb_opt *o = plan->kind->opts; o && o->name; o++)
        if (!mb_choices_asks_(plan->kind, o->name))
            h = option(h, plan, o);
    if (mb_choices_text_(plan->kind, &s, chosen)) /* a new choice changes no other plan's hash */
        h = text(h, chosen);
    if (s.columns)
        h = text(h, s.columns->text);
    h = integer(h, plan->seed);
    if (algo) /* that by default changes no hash */
        h = text(h, algo);
    return integer(h, (uint64_t)plan->from);
}
