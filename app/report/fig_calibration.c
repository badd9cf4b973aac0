/* fig_calibration.c - of a target with two levels: how often the second is observed where it has which
 * probability. */
#include "base/text.h"
#include "report/answer.h"

enum { HEIGHT = 340, WIDE = 5 /* numbers of a bin */ };

/* How many rows each bin has. */
static mb_status rows(report *r, page_figure *fig, const char *label, mb_err *err)
{
    const report_answer *a = r->answer;
    FILE                *out = r->page.script;

    MB_TRY(page_plot_panel(&r->page, fig, "calibration-rows", "rows by predicted probability",
                           HEIGHT, err));
    page_plot_labels(out, label, "rows");
    page_plot_frame(out, (const double[]){0, 1}, NULL);
    fputs("set rmargin 3\nunset key\nset boxwidth 0.09\nset style fill solid 0.6 noborder\n"
          "$n << EOD\n",
          out);
    for (int64_t k = 0; k < a->bins; k++)
        fprintf(out, "%.4g %.6g\n", ((double)k + 0.5) / (double)a->bins, a->bin[WIDE * k + 4]);
    fputs("EOD\nplot $n using 1:2 with boxes lc '#0072b2' notitle\n", out);
    return MB_OK;
}

mb_status report_fig_calibration(report *r, mb_err *err)
{
    const report_answer *a = r->answer;
    FILE                *out = r->page.script;
    page_figure         *fig;
    const char          *share, *label;

    if (!a->bins)
        return MB_OK;
    fig = page_figure_new(&r->page, "calibration", "Calibration");
    fig->within = fig->wide = 1;
    fig->caption =
        "Points: rows whose predicted probability is in one tenth of the scale, at their "
        "mean; how often the level was observed among them, with the 95 % interval of "
        "such a share (Wilson's). On the dashed line both are equal. The rows are those "
        "that were fitted.";
    share = mb_text(r->page.a, err, "observed share of %s", report_level(a, 1));
    label = mb_text(r->page.a, err, "predicted probability of %s", report_level(a, 1));
    if (!share || !label)
        return MB_E_NOMEM;
    MB_TRY(page_plot_panel(&r->page, fig, "calibration", "observed share by predicted probability",
                           HEIGHT, err));
    page_plot_labels(out, label, share);
    page_plot_frame(out, (const double[]){0, 1}, (const double[]){-0.03, 1.03});
    fputs("set rmargin 3\nunset key\n$c << EOD\n", out);
    for (int64_t k = 0; k < a->bins; k++) {
        const double *bin = a->bin + WIDE * k;

        if (bin[4] > 0)
            fprintf(out, "%.5g %.5g %.5g %.5g\n", bin[0], bin[1], bin[2], bin[3]);
    }
    fputs("EOD\nplot x with lines lw 1.4 dt 2 lc '#222222' notitle, $c using 1:2:3:4 with "
          "yerrorbars pt 7 ps 0.6 lw 1.6 lc '#0072b2' notitle\n",
          out);
    return rows(r, fig, label, err);
}
