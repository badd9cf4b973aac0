/* words_time.c - sentences on a run in time: faults, and what the network revealed. */
#include "report/time.h"

#include <string.h>

static double tally(const report *r, const char *what)
{
    const mb_json *all = mb_json_at(r->time->about, "tally");

    return mb_json_at(all, what)->number;
}

void report_time_faults(FILE *out, const report *r)
{
    static const struct {
        const char *key, *words;
    } kind[] = {{"lost", "lost"},
                {"cut", "lost on links that were cut"},
                {"gone", "sent to nodes that were not there"},
                {"duplicated", "repeated"},
                {"reordered", "held back"},
                {"corrupted", "damaged"}};
    const double frames = tally(r, "frames");
    int          count = 0;

    if (r->time->processes) {
        fprintf(out,
                " Each node was a process of its own, and none was given the number of nodes. They "
                "sent %.0f frames.",
                frames);
        if (tally(r, "restarts") > 0)
            fprintf(out, " Processes that had died were started again %.0f time%s.",
                    tally(r, "restarts"), tally(r, "restarts") > 1 ? "s" : "");
        return;
    }
    fprintf(out, " No node was given the number of nodes. Of %.0f frames", frames);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        if (tally(r, kind[k].key) > 0)
            fprintf(out, "%s %.0f %s %s", count++ ? "," : "", tally(r, kind[k].key),
                    tally(r, kind[k].key) > 1 ? "were" : "was", kind[k].words);
    fputs(count ? "." : " every one arrived.", out);
}

void report_time_revealed(FILE *out, const report *r)
{
    const char *genesis = mb_json_at(r->time->about, "genesis")->text;

    fputs("<h3>What the network revealed</h3>\n<p>", out);
    if (genesis && !strcmp(genesis, "sample"))
        fputs("The network drew a sample of at most 64 rows of the data, from which units, prior "
              "and initialisation were made: every node knows these rows. Rows that gave way to "
              "others while it was drawn had left their nodes too. ",
              out);
    else if (genesis && !strcmp(genesis, "sums"))
        fputs("Units and prior were made from the smallest and largest value of each column and "
              "from sums over the network, and a row for each component was drawn as its centre: "
              "every node knows these values, sums and rows. Rows that gave way to others while "
              "they were drawn had left their nodes too. ",
              out);
    else if (genesis && !strcmp(genesis, "init"))
        fputs("Units, prior and initialisation were made from all rows beforehand. ", out);
    else
        fputs("Units, prior and initialisation came from a file that every node was given. ", out);
    fputs("Neighbours saw each other's statistics, which are sums over rows and are not "
          "protected. No other rows left their nodes.</p>\n",
          out);
}

const char *report_time_axis(const report *r)
{
    return r->time->processes ? "time (s)" : "virtual time (s)";
}
