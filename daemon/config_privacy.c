/* config_privacy.c - what a node needs that releases its sums with noise: a folder that remembers them,
 * and a ledger of what they cost. */
#include "config_inside.h"

#include <math.h>

void node_no_privacy(mb_json_in *j, const mb_json *o)
{
    if (mb_json_at(o, "privacy")->type != MB_JSON_NONE)
        mb_json_refuse(j, "privacy", "",
                       "no such field: all nodes have the same, in the genesis file (meshbayes "
                       "genesis ranges --privacy)");
}

mb_status node_privacy_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char none[] = "none, as the genesis has no \"privacy\"";

    MB_TRY(node_path_of(a, j, o, "ledger", c, &c->ledger));
    c->budget = mb_json_get_real(j, o, "budget");
    if (c->budget <= 0)
        mb_json_refuse(j, "budget", "", "epsilon that releases may cost together, above 0");
    if (!c->plan.privacy) {
        if (c->ledger)
            mb_json_refuse(j, "ledger", "", none);
        if (!isnan(c->budget))
            mb_json_refuse(j, "budget", "", none);
        return j->status;
    }
    if (!c->plan.mask)
        mb_json_refuse(j, "mask", "",
                       "true with privacy, as no node may see sums before the noise of all is in "
                       "them");
    if (!c->data)
        mb_json_refuse(j, "data", "", "a file with privacy, whose releases a ledger can count");
    if (!c->state)
        mb_json_refuse(j, "state", "",
                       "a folder with privacy, which keeps what the node has released: a new life "
                       "without it would release once more");
    if (c->record)
        mb_json_refuse(j, "record", "", "none with privacy: it has all that the node was given");
    return j->status;
}
