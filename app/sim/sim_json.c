/* sim_json.c - options as JSON. */
#include "sim/sim.h"

#include <string.h>

/* Texts whole, however long. */
void sim_option_add(json_t *to, const mb_opt *o, const void *obj)
{
    char        text[64] = "";
    const char *given = NULL;

    if (mb_opt_is_text(o))
        given = *(const char *const *)((const char *)obj + o->at);
    else
        mb_opt_text(o, obj, text, sizeof text);
    json_object_set_new(to, o->name, json_string(given ? given : text));
}

void sim_options_add(json_t *to, const mb_opt *table, const void *obj)
{
    for (; table && table->name; table++)
        sim_option_add(to, table, obj);
}

/* What is written where, and on how many threads, does not make another posterior. */
int sim_option_is_output(const char *name)
{
    static const char *const names[] = {"out",  "trace",     "metrics",    "dump-phi",  "dump-at",
                                        "json", "phi-order", "node",       "positions", "threads",
                                        "data", "seed",      "checkpoint", "every",     "resume"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k], name))
            return 1;
    return 0;
}

/* The default as mb_opt_text writes it. */
static void default_text(const mb_opt *o, char *text, size_t cap)
{
    mb_opt alone[2] = {*o, {.name = NULL}};
    union {
        double      real;
        int64_t     integer;
        int32_t     choice;
        const char *text;
    } value = {0};

    alone[0].at = 0;
    if (mb_opt_defaults(alone, &value, NULL) >= 0)
        mb_opt_text(alone, &value, text, cap);
}

int sim_option_given(const mb_opt *o, const void *obj)
{
    char        now[64] = "", before[64] = "";
    const char *text = now;

    if (mb_opt_is_text(o))
        text = *(const char *const *)((const char *)obj + o->at);
    else
        mb_opt_text(o, obj, now, sizeof now);
    default_text(o, before, sizeof before);
    return strcmp(text ? text : "", before) != 0;
}
