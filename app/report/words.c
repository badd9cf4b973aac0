/* words.c - what each quantity of the report means. */
#include "report/parts.h"

static const struct {
    const char *word, *meaning;
    int         network; /* 1: of networks only                          */
    int         latent;  /* 1: of models with components only            */
    const char *alone;   /* the meaning without a network; NULL: the same */
} entry[] = {
    {.word = "posterior",
     .meaning = "What the data say about the parameters of the model, such as means or "
                "coefficients: a distribution, not a single value."},
    {.word = "variational Bayes (VB)",
     .meaning = "A method that finds the distribution of a simple form that is closest "
                "to the posterior, by raising a lower bound step by step."},
    {.word = "central VB",
     .meaning = "VB on one machine that holds all rows. The network is to reach the same "
                "answer without moving rows.",
     .network = 1},
    {.word = "lower bound",
     .meaning =
         "The quantity that VB raises, in nats: a lower bound on the log probability of the data "
         "under the model. Higher is better. In the table it is taken at the network's mean "
         "answer, over all rows.",
     .alone =
         "The quantity that VB raises, in nats: a lower bound on the log probability of the data "
         "under the model. Higher is better."},
    {.word = "nat",
     .meaning = "The unit of a natural logarithm of a probability; 1 nat is a factor of 2.72."},
    {.word = "KL",
     .meaning =
         "Kullback-Leibler divergence from one distribution to another, in nats: 0 when they "
         "are equal. Components are matched in the order that makes it smallest.",
     .network = 1},
    {.word = "KL to truth",
     .meaning = "The KL to the posterior that would follow if every row's true class were "
                "known. Used to judge, never to fit.",
     .network = 1,
     .latent = 1},
    {.word = "disagreement",
     .meaning = "The largest distance of a node's parameters from the network's mean, "
                "relative to the size of that mean.",
     .network = 1},
    {.word = "moved by a central step",
     .meaning = "How far one step of central VB, started from the network's "
                "mean, changes any parameter (relative to the parameter where it is larger than "
                "1). Near 0: central VB itself would stay there.",
     .network = 1},
    {.word = "verdict",
     .meaning = "How a run ended. Settled: no node moves, every node has been heard since, and no "
                "node's distance from the others and no change by one step of central VB is more "
                "than 10⁻⁶. Elsewhere: stationary, but not at the centralised solution. Moving: "
                "the limit of rounds "
                "was reached first. Failed: a node is outside the domain. Interrupted: by a "
                "signal.",
     .alone =
         "How a run ended. Settled: more rounds change nothing. Moving: the limit of rounds was "
         "reached first. Failed: the parameters describe no distribution. Interrupted: by a "
         "signal."},
    {.word = "accuracy",
     .latent = 1,
     .meaning = "Share of rows in the right class, with one matching of components to classes "
                "for the whole network.",
     .alone = "Share of rows in the right class, with one matching of components to classes."},
    {.word = "NMI, ARI",
     .latent = 1,
     .meaning = "Normalised mutual information and adjusted Rand index: agreement of components "
                "and true classes that needs no matching; 1 is perfect, about 0 is chance."},
    {.word = "outside the domain",
     .meaning = "Parameters that describe no distribution, for example a covariance "
                "that is not positive. Algorithms that subtract messages can end there.",
     .network = 1},
    {.word = "freeze",
     .meaning = "A node outside the domain uses its last valid local result for the round and "
                "continues to send messages.",
     .network = 1},
    {.word = "projection",
     .meaning = "A node outside the domain is moved to the nearest valid parameters (only "
                "with --on-domain project).",
     .network = 1},
    {.word = "round",
     .meaning = "Every node sends once, listens, and takes one local step.",
     .alone = "One E-step and one M-step on all rows."},
    {.word = "messages, bytes",
     .meaning = "All messages over all links after initialisation, headers included.",
     .network = 1},
};

void report_glossary(FILE *out, const report *r)
{
    fputs("<section id=\"words\"><h2>What the words mean</h2>\n<dl>\n", out);
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++) {
        if ((r->alone && entry[k].network) || (entry[k].latent && !report_latent(r)))
            continue;
        page_wrap(out, "<dt>", entry[k].word, "</dt>");
        page_wrap(out, "<dd>", r->alone && entry[k].alone ? entry[k].alone : entry[k].meaning,
                  "</dd>\n");
    }
    fputs("</dl></section>\n", out);
}
