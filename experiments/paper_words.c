/* paper_words.c - names of protocols and quantities, for people. */
#include "base/text.h"
#include "paper.h"

#include <stdarg.h>
#include <string.h>

const char *const paper_protocol_name[PAPER_PROTOCOLS] = {"paper", "published", "ours"};

const char *paper_networks_words(const paper_set *set)
{
    return set->networks ? " On a network of --networks where there is one of this size (except "
                           "Fig. network)."
                         : "";
}

const char *paper_protocol_words(paper_protocol p)
{
    static const char *const words[PAPER_PROTOCOLS] = {
        "the paper's text: its weights 1/(degree + 1), step, penalty, prior and projection, in the "
        "data's own units. Only the initialisation differs: with every component at the prior VB "
        "does not move, so all algorithms start from the same centres, which the network samples "
        "by itself.",
        "what the first author's program does beyond the text, to explain the printed numbers "
        "only. It uses the truth: ADMM's components are sorted by the true classes before the "
        "first round, labels are matched to the classes at every node before they are scored, and "
        "runs that leave the domain are restarted.",
        "EDGE and FLOW with the program's defaults: doubly stochastic weights, a common origin and "
        "scale, a weak prior, centres sampled by the network itself; nodes that leave the domain "
        "wait (freeze)."};

    return words[p];
}

const char *paper_quantity_words(const char *quantity)
{
    static const char *const words[][2] = {
        {"kl_mean", "cost (46), mean over nodes, nats"},
        {"kl_sd", "cost (46), deviation over nodes, nats"},
        {"ratio", "cost / cVB's on the same draw"},
        {"rounds", "rounds"},
        {"bytes", "bytes sent a node"},
        {"disagreement", "largest disagreement"},
        {"accuracy", "accuracy, one map of labels"},
        {"accuracy_node_map", "accuracy, a map of labels at every node"},
        {"misclassified", "rows misclassified"},
        {"nmi", "normalised mutual information"},
        {"left_domain", "runs that left the domain"},
        {"froze", "runs with frozen nodes"},
        {"worse_optimum", "runs in a worse optimum"},
        {"rounds_to_5", "rounds to within 5 % of cVB"},
        {"restarts", "restarts"},
        {"edges", "edges"},
        {"degree", "mean degree"},
        {"connectivity", "algebraic connectivity"},
        {"hops", "diameter, hops"},
    };

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(words[k][0], quantity))
            return words[k][1];
    return quantity;
}

const char *paper_holds(const paper_claim *c, const char *open, const char *yes, const char *no)
{
    return c->holds < 0 ? open : c->holds ? yes : no;
}

void paper_judge(paper_claims *c, int holds, const char *says, const char *fmt, ...)
{
    va_list ap;
    char    text[1024];

    if (c->count == PAPER_CLAIMS)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->claim[c->count++] = (paper_claim){says, mb_text(c->a, NULL, "%s", text), holds};
}

void paper_needs(const paper_table *t, paper_claims *c, paper_protocol p, const char *algorithm)
{
    paper_claim *last = c->count ? &c->claim[c->count - 1] : NULL;
    int64_t      runs = 0, failed = 0;

    for (const paper_group *g = t->group; g < t->group + t->count; g++)
        if (g->protocol == p && !strcmp(g->key.algorithm, algorithm) &&
            !strcmp(g->key.quantity, "failed")) {
            runs += g->stat.runs;
            failed += g->stat.failed;
        }
    if (!last || last->holds < 0 || failed < runs || (runs && !last->holds))
        return;
    last->holds = -1;
    last->measured = runs ? mb_text(c->a, NULL, "%s Not decided: every run of %s failed.",
                                    last->measured ? last->measured : "", algorithm)
                          : mb_text(c->a, NULL, "Not decided: no run of %s under protocol %s.",
                                    algorithm, paper_protocol_name[p]);
}
