/* The one word for how a run ended. */
#include "meshbayes/observe.h"

const char *mb_verdict_text(mb_verdict v)
{
    static const char *const text[] = {"settled", "elsewhere", "moving", "failed", "interrupted"};

    return v >= 0 && v < MB_VERDICTS ? text[v] : "unknown verdict";
}

mb_verdict mb_verdict_of(const mb_stand *stand, double disagreement, double moved, int32_t outside)
{
    if (outside)
        return MB_ENDED_FAILED;
    if (stand->settled && disagreement <= MB_SETTLED && moved <= MB_SETTLED)
        return MB_ENDED_SETTLED;
    return stand->still ? MB_ENDED_ELSEWHERE : MB_ENDED_MOVING;
}
