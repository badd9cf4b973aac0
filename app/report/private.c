/* private.c - of a release with noise: what its answer promises of every row, and what it cost. */
#include "base/app.h"
#include "report/answer.h"

#include <string.h>

const mb_json *report_promise(const report *r)
{
    const mb_json *is = mb_json_at(r->summary, "privacy");

    return is->type == MB_JSON_OBJECT ? is : NULL;
}

static double number(const mb_json *o, const char *key)
{
    return mb_json_at(o, key)->number;
}

static void raised(FILE *out, const mb_json *is)
{
    const int64_t n = mb_json_at(is, "raised")->integer;

    if (n > 0)
        fprintf(out,
                "<p><span class=\"tag fair\">Warning</span> %lld eigenvalue%s of the noisy sums %s "
                "below the noise and raised to it: the rows hardly determine a coefficient or the "
                "residuals, and intervals are rather too wide.</p>\n",
                (long long)n, app_plural(n), n == 1 ? "was" : "were");
}

static void spent(FILE *out, const report *r)
{
    const mb_json *l = mb_json_at(r->summary, "ledger");
    const int64_t  n = mb_json_at(l, "releases")->integer;
    const char    *file = mb_json_at(l, "file")->text;

    if (!file)
        return;
    page_wrap(out, "<p>The ledger <code>", file, "</code>");
    fprintf(out,
            " has %lld release%s of these rows, which cost epsilon %.4g of %.4g together.</p>\n",
            (long long)n, app_plural(n), number(l, "epsilon"), number(l, "budget"));
}

void report_private_section(FILE *out, const report *r)
{
    const mb_json *is = report_promise(r);

    if (!is)
        return;
    fprintf(
        out,
        "<section id=\"privacy\"><h2>What it promises</h2>\n<p>The answer is of sums with noise "
        "of standard deviation %.4g, in columns scaled to &minus;1 to 1: with any row replaced by "
        "another each answer would be at most e<sup>%g</sup> times as likely, but for a chance "
        "of %g (epsilon %g, delta %g). Intervals know the noise. ",
        number(is, "noise_sd"), number(is, "epsilon"), number(is, "delta"), number(is, "epsilon"),
        number(is, "delta"));
    fprintf(out,
            "Each of %lld nodes drew a part of it; any %lld of them may tell each other what they "
            "know. This page has no rows and nothing computed from them but the answer and their "
            "numbers.</p>\n",
            (long long)mb_json_at(is, "nodes")->integer,
            (long long)mb_json_at(is, "colluders")->integer);
    raised(out, is);
    spent(out, r);
    fputs("</section>\n", out);
}

void report_private_revealed(FILE *out, const report *r)
{
    (void)r;
    fputs("<h3>What the network revealed</h3>\n<p>Units and prior follow from the stated bounds. "
          "Each "
          "node added its part of the noise to its sums, and masks to both: neighbours saw no "
          "statistics of a node, and every node has the total of all with its noise, once. No rows "
          "left their nodes.</p>\n",
          out);
}
