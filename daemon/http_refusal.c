/* http_refusal.c - what was refused: counted by cause, with the code and the message of the answer. */
#include "http_inside.h"

#include <stdarg.h>
#include <stdio.h>

const char *http_refusal_text(http_refusal why)
{
    static const char *const text[HTTP_REFUSALS] = {
        "slow",      "empty",    "host",      "certificate", "token",      "not_found",  "method",
        "forbidden", "bad_rows", "too_large", "too_many",    "not_stored", "bad_command"};

    return text[why];
}

mb_status http_refuse(http_request *r, int code, http_refusal why, mb_err *err, const char *fmt,
                      ...)
{
    va_list ap;
    char    text[400];

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    r->code = code;
    r->h->refused[why]++;
    MB_FAIL(err, MB_E_ARG, "%s", text);
}
