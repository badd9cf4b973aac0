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
static void refuse_mask(mb_json_in *j, const node_config *c, const char *expected)
{
    char text[240];

    snprintf(text, sizeof text, "%s%s", c->plan.privacy ? "" : "false, or ", expected);
    mb_json_refuse(j, "mask", "", text);
}

/* What is expected of another field with masks. */
static void refuse_field(mb_json_in *j, const node_config *c, const char *field,
                         const char *expected)
{
    char text[240];

    snprintf(text, sizeof text, "%s%s", expected, c->plan.privacy ? "" : "; or \"mask\": false");
    mb_json_refuse(j, field, "", text);
}

/* Who takes part, and with which rows, is said by the genesis. */
static void check_list(mb_json_in *j, const node_config *c, const mb_declared *d)
{
    char text[120];

    if (!d || !d->members)
        refuse_mask(j, c, "a \"genesis\" file that lists all members, each with key and rows");
    else if (d->members < FEWEST)
        refuse_mask(j, c,
                    "3 members or more, since of two each computes the sums of the "
                    "other");
    else if (d->at_most)
        refuse_mask(j, c, "rows of members that are declared exactly, not \"at most\"");
    for (int32_t k = 0; d && k < d->members; k++)
        if (!d->member[k].key || isnan(d->member[k].rows)) {
            snprintf(text, sizeof text, "key and rows of member %ld in the genesis",
                     (long)d->member[k].id);
            refuse_mask(j, c, text);
        }
}

/* Rows are those of the beginning: a total before a change less that after it is the row. Batches of
 * new ones come in one order, also after a restart, and a node remembers which are in the sums. */
static void check_rows(mb_json_in *j, const node_config *c, const mb_declared *d)
{
    const int64_t batch = d ? d->rows_batch : 0;

    if (c->follow && !batch)
        refuse_field(j, c, "follow",
                     "none with masks, as rows are those that the genesis declares, unless it "
                     "has \"rows_batch\"");
    if (batch && !c->state)
        mb_json_refuse(j, "state", "", "a folder, as the genesis has \"rows_batch\"");
    if (batch && c->weight_column && !(d->weight_max > 0))
        mb_json_refuse(j, "weight_column", "",
                       "none, or \"weight_max\" beside \"rows_batch\" in the genesis");
    if (c->window_rows || c->window_ms)
        refuse_field(j, c, "window",
                     "none with masks, as rows are those that the genesis declares");
    if (c->data && !strcmp(c->data, "-"))
        refuse_field(j, c, "data", "a file with masks, which is read once");
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
        refuse_mask(j, c, "\"algorithm\": \"sum\"");
    if (c->insecure)
        refuse_mask(j, c, "a \"key\" in place of \"insecure\"");
    check_list(j, c, d);
    check_rows(j, c, d);
    if (j->status >= 0)
        c->plan.mask = d->hash;
    return j->status;
}
