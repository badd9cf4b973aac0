/* config_field.c - fields of a configuration: whole numbers, numbers, flags, paths. */
#include "base/text.h"
#include "config_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t node_count_of(mb_json_in *j, const mb_json *o, const char *key, int64_t least, int64_t most,
                      int64_t def)
{
    const int64_t n = mb_json_get_count(j, o, key);
    char          accepted[80];

    if (mb_json_at(o, key)->type == MB_JSON_NONE)
        return def;
    snprintf(accepted, sizeof accepted, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    if (n < least || n > most)
        mb_json_refuse(j, key, "", accepted);
    return n;
}

double node_real_of(mb_json_in *j, const mb_json *o, const char *key, double least, double most,
                    double def)
{
    const double x = mb_json_get_real(j, o, key);
    char         accepted[80];

    if (isnan(x))
        return def;
    snprintf(accepted, sizeof accepted, "a number from %g to %g", least, most);
    if (!(x >= least && x <= most))
        mb_json_refuse(j, key, "", accepted);
    return x;
}

int32_t node_flag_of(mb_json_in *j, const mb_json *o, const char *key)
{
    const mb_json *is = mb_json_at(o, key);

    if (is->type != MB_JSON_NONE && is->type != MB_JSON_TRUE && is->type != MB_JSON_FALSE)
        mb_json_refuse(j, key, "", "true or false");
    return is->type == MB_JSON_TRUE;
}

const char *node_path(mb_arena *a, const node_config *c, const char *name, mb_err *err)
{
    return *name == '/' || !*c->dir ? mb_text(a, err, "%s", name)
                                    : mb_text(a, err, "%s/%s", c->dir, name);
}

mb_status node_path_of(mb_arena *a, mb_json_in *j, const mb_json *o, const char *key,
                       const node_config *c, const char **out)
{
    const char *name = mb_json_get_text(j, o, key);

    MB_TRY(j->status);
    *out = name && strcmp(name, "-") != 0 ? node_path(a, c, name, j->err) : name;
    return name && !*out ? MB_E_NOMEM : MB_OK;
}
