/* json_memory.c - whether memory sufficed for JSON values, and JSON on standard output. */
#include "base/json_file.h"

#include <stdio.h>
#include <stdlib.h>

/* jansson ignores some failures and reads on with a part of the text missing. After the first one
 * its allocator therefore always fails, so that the value as a whole cannot be read. */
static int short_of_memory;

static void *take(size_t n)
{
    void *p = short_of_memory ? NULL : malloc(n);

    short_of_memory = !p;
    return p;
}

void app_json_begin(void)
{
    json_set_alloc_funcs(take, free);
}

mb_status app_json_whole(mb_err *err)
{
    if (short_of_memory)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for JSON");
    return MB_OK;
}

mb_status app_json_print(const json_t *value, mb_err *err)
{
    MB_TRY(app_json_whole(err));
    if (json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) < 0 && !ferror(stdout))
        MB_FAIL(err, MB_E_FORMAT, "a text that is not UTF-8 cannot be written as JSON");
    putchar('\n');
    return MB_OK;
}
