/* promise.c - what a release promises, as JSON. */
#include "base/promise.h"

void promise_put(const mb_privacy *p, const mb_bounds *bounds, const char *mask, int simulated,
                 int32_t raised, mb_json_out *j)
{
    const int64_t d = bounds->d;

    mb_json_object(j, "privacy");
    mb_json_number(j, "epsilon", p->promise.epsilon);
    mb_json_number(j, "delta", p->promise.delta);
    mb_json_text(j, "neighbours", "one row replaced");
    if (p->promise.nodes > 1) {
        mb_json_integer(j, "nodes", p->promise.nodes);
        mb_json_integer(j, "colluders", p->promise.colluders);
        mb_json_text(j, "mask", mask);
    }
    mb_json_text(j, "noise", simulated ? "simulated" : "random");
    mb_json_number(j, "noise_sd", p->sd);
    mb_json_number(j, "sensitivity", p->sensitivity);
    if (raised >= 0)
        mb_json_integer(j, "raised", raised);
    mb_json_numbers(j, "low", 1, &d, bounds->low);
    mb_json_numbers(j, "high", 1, &d, bounds->high);
    mb_json_close(j);
}

mb_status promise_json(mb_arena *a, const mb_privacy *p, const mb_bounds *bounds, const char *mask,
                       int simulated, int32_t raised, const mb_json **out, mb_err *err)
{
    mb_json_out j;
    char       *text;
    size_t      n;

    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    promise_put(p, bounds, mask, simulated, raised, &j);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, &n));
    MB_TRY(mb_json_parse(a, "privacy", text, n, out, err));
    *out = mb_json_at(*out, "privacy");
    return MB_OK;
}
