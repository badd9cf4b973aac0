/* cmd_report.c - `meshbayes report`: rewrites the page of an output folder. */
#include "base/app.h"
#include "base/folder.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static mb_status make(const char *dir, mb_err *err)
{
    struct stat about;
    const int   reason = stat(dir, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? 0 : ENOTDIR;

    if (reason)
        MB_FAIL(err, MB_E_IO, "%s: %s; expected a folder written by meshbayes sim --out", dir,
                strerror(reason));
    MB_TRY(folder_lock(dir, "report", FOLDER_OLD, err));
    folder_sweep(dir);
    MB_TRY(folder_check(dir, err));
    return report_build(dir, err);
}

static int run(int argc, char **argv)
{
    static const mb_opt none[] = {{.name = NULL}};
    const app_group     group = {.table = none};
    const char         *dir = NULL;
    int                 words = 0;
    mb_err              err = {0};

    if (app_parse(argc, argv, &group, 1, &dir, 1, &words, &err) < 0)
        return app_fail("report", &err, 1);
    if (words == 0 || !*dir) {
        fputs("meshbayes report: error: got no folder; expected: meshbayes report DIR\n", stderr);
        return APP_WRONG_USE;
    }
    if (make(dir, &err) < 0)
        return app_fail("report", &err, 0);
    printf("report: %s/report.html\n", dir);
    return APP_DONE;
}

const app_command app_cmd_report = {
    .name = "report",
    .summary = "rewrite report.html of an output folder",
    .usage = "meshbayes report DIR",
    .run = run,
    .text =
        "\nReads the folder that `meshbayes sim --out DIR` or `fit` wrote and writes "
        "DIR/report.html and DIR/figures/*.svg again. The page works offline and has no scripts: "
        "it can be mailed, printed and read on a phone.\n"
        "\nIt shows, in this order\n"
        "  the answer: components with weight, rows, mean and standard deviation of each\n"
        "  column and what sets them apart, over the data and against true classes, or\n"
        "  coefficients with their intervals, levels predicted and observed, calibration of two\n"
        "  levels; the initialisations that agree;\n"
        "  how sure it is: the verdict on every algorithm, and what the network revealed;\n"
        "  how the network got there: curves against rounds and bytes, the network,\n"
        "  the components of every node (curves need --metrics);\n"
        "  what it cost, against moving all rows to one node; tables, settings, a glossary.\n"
        "The report of a fit on one machine has no sections on networks.\n"
        "\nThe folder must hold the files that its summary.json lists, with these sizes and "
        "checksums. A folder with files of two runs is refused, and the first file that differs is "
        "named. Figures are made by gnuplot (Debian: gnuplot-nox); without it the page has no "
        "figures, and a warning is printed.\n"
        "\nExit status: 0 success (also with warnings), 1 failure, 2 wrong usage.\n",
};
