/* words.c - what each quantity of the report means. */
#include "report/parts.h"

static const struct {
    const char *word, *meaning;
} entry[] = {
    {"posterior", "What the data say about the parameters of the model, such as the weights, means "
                  "and covariances of a mixture: a distribution, not a single value."},
    {"variational Bayes (VB)",
     "A method that finds the distribution of a simple form that is closest "
     "to the posterior, by raising a lower bound step by step."},
    {"central VB", "VB on one machine that holds all rows. The network is to reach the same "
                   "answer without moving rows."},
    {"lower bound",
     "The quantity that VB raises, in nats: a lower bound on the log probability of the data "
     "under the model. Higher is better. In the table it is taken at the "
     "network's mean answer, over all rows."},
    {"nat", "The unit of a natural logarithm of a probability; 1 nat is a factor of 2.72."},
    {"KL", "Kullback-Leibler divergence from one distribution to another, in nats: 0 when they "
           "are equal. Components are matched in the order that makes it smallest."},
    {"KL to truth", "The KL to the posterior that would follow if every row's true class were "
                    "known. Used to judge, never to fit."},
    {"disagreement", "The largest distance of a node's parameters from the network's mean, "
                     "relative to the size of that mean."},
    {"moved by a central step", "How far one step of central VB, started from the network's "
                                "mean, changes any parameter (relative to the parameter where "
                                "it is larger than 1). Near 0: central VB itself would stay "
                                "there."},
    {"verdict", "How a run ended. Settled: no node moves, every node has been heard since, and no "
                "node's distance from the others and no change by one step of central VB is more "
                "than 1e-6. Elsewhere: it stands still, but not there. Moving: the limit of rounds "
                "was reached first. Failed: a node is outside the domain. Interrupted: by a "
                "signal."},
    {"accuracy", "Share of rows in the right class, with one matching of components to classes "
                 "for the whole network."},
    {"NMI, ARI", "Normalised mutual information and adjusted Rand index: agreement of components "
                 "and true classes that needs no matching; 1 is perfect, about 0 is chance."},
    {"outside the domain",
     "Parameters that describe no distribution, for example a covariance "
     "that is not positive. Algorithms that subtract messages can end there."},
    {"freeze", "A node outside the domain uses its last valid local result for the round and "
               "continues to send messages."},
    {"projection", "A node outside the domain is moved to the nearest valid parameters (only "
                   "with --on-domain project)."},
    {"round", "Every node sends once, listens, and takes one local step."},
    {"messages, bytes", "All messages over all links after initialisation, headers included."},
};

void report_glossary(FILE *out)
{
    fputs("<section id=\"words\"><h2>What the words mean</h2>\n<dl>\n", out);
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++) {
        page_wrap(out, "<dt>", entry[k].word, "</dt>");
        page_wrap(out, "<dd>", entry[k].meaning, "</dd>\n");
    }
    fputs("</dl></section>\n", out);
}
