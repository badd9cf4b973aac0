/* config_mask.c - whether a node masks its sums, and what then cannot be. */
#include "algo/nodes.h"
#include "config_inside.h"
#include "meshbayes/extend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEWEST = 3 };

/* 1: true; -1: false; 0: not there. */
static int stated(mb_json_in *j, const mb_json *o)
{
    return node_flag_of(j, o, "mask") ? 1 : -(mb_json_at(o, "mask")->type == MB_JSON_FALSE);
}

static int sums(const node_config *c)
{
    return mb_node_algo_(&c->plan) == &mb_algo_sum;
}

/* 1: the genesis lists members, all with a key. */
static int has_keys(const mb_declared *d)
{
    for (int32_t k = 0; d && k < d->members; k++)
        if (!d->member[k].key)
            return 0;
    return d && d->members;
}

/* With privacy there are masks or there is no node, so nothing advises "mask": false. */
static void refuse(mb_json_in *j, const node_config *c, const char *field, const char *expected)
{
    static const char off[] = "false, or ";
    const int         must = c->plan.privacy != NULL;
    const char       *from =
        must && !strncmp(expected, off, strlen(off)) ? expected + strlen(off) : expected;
    const char *end = strstr(from, "; or \"mask\": false");
    char        text[240];

    snprintf(text, sizeof text, "%.*s", must && end ? (int)(end - from) : (int)strlen(from), from);
    mb_json_refuse(j, field, "", text);
}

/* Who takes part, and with which rows, is said by the genesis. */
static void check_list(mb_json_in *j, const node_config *c, const mb_declared *d)
{
    char text[120];

    if (!d || !d->members)
        refuse(j, c, "mask",
               "false, or a \"genesis\" file that lists all members, each with key and rows");
    else if (d->members < FEWEST)
        refuse(j, c, "mask",
               "false, or 3 members or more, since of two each computes the sums of the "
               "other");
    else if (d->at_most)
        refuse(j, c, "mask",
               "false, or rows of members that are declared exactly, not \"at most\"");
    for (int32_t k = 0; d && k < d->members; k++)
        if (!d->member[k].key || isnan(d->member[k].rows)) {
            snprintf(text, sizeof text, "false, or key and rows of member %ld in the genesis",
                     (long)d->member[k].id);
            refuse(j, c, "mask", text);
        }
}

/* Rows are those of the beginning: a total before a change less that after it is the row. Batches of
 * new ones come in one order, also after a restart, and a node remembers which are in the sums. */
static void check_rows(mb_json_in *j, const node_config *c, const mb_declared *d)
{
    const int64_t batch = d ? d->rows_batch : 0;

    if (c->follow && !batch)
        refuse(j, c, "follow",
               "none with masks, as rows are those that the genesis declares, unless it "
               "has \"rows_batch\"; or \"mask\": false");
    if (batch && !c->state)
        refuse(j, c, "state", "a folder, as the genesis has \"rows_batch\"");
    if (batch && c->weight_column && !(d->weight_max > 0))
        refuse(j, c, "weight_column",
               "none, or \"weight_max\" beside \"rows_batch\" in the genesis");
    if (c->window_rows || c->window_ms)
        refuse(j, c, "window",
               "none with masks, as rows are those that the genesis declares; or \"mask\": "
               "false");
    if (c->data && !strcmp(c->data, "-"))
        refuse(j, c, "data", "a file with masks, which is read once; or \"mask\": false");
}

mb_status node_mask_of(mb_json_in *j, const mb_json *o, const mb_genesis *given, node_config *c)
{
    const mb_declared *d = given->declared;
    const int          own = stated(j, o), agreed = d ? d->mask : 0;
    int                is = own ? own : agreed;

    if (own && agreed && own != agreed)
        mb_json_refuse(j, "mask", "", "that of the genesis, or none");
    if (!is)
        is = sums(c) && has_keys(d) && !c->insecure;
    if (is <= 0)
        return j->status;
    if (!sums(c))
        refuse(j, c, "mask", "false, or \"algorithm\": \"sum\"");
    if (c->insecure)
        refuse(j, c, "mask", "false, or a \"key\" in place of \"insecure\"");
    check_list(j, c, d);
    check_rows(j, c, d);
    if (j->status >= 0)
        c->plan.mask = d->hash;
    return j->status;
}
