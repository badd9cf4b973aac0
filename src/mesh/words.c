/* words.c - what a node was told, as a hash and in words (the branch p15frame replaces this file). */
#include "mesh/frame.h"
#include "meshbayes/data.h"

#include <string.h>

uint64_t mb_plan_hash_(const mb_plan *plan)
{
    return mb_bytes_hash(plan->kind->name, strlen(plan->kind->name)) + plan->seed;
}

size_t mb_plan_words_(const mb_plan *plan, char *out, size_t room)
{
    const size_t n = strlen(plan->kind->name);

    memcpy(out, plan->kind->name, n < room ? n : room);
    return n < room ? n : room;
}

mb_status mb_words_compare_(const mb_plan *mine, const char *theirs, size_t n, mb_err *err)
{
    (void)mine;
    MB_FAIL(err, MB_E_PEER, "a neighbour runs %.*s", (int)n, theirs);
}
