/* cmd_report.c - `meshbayes report`: writes the page of an output folder again. */
#include "app.h"
#include "base/folder.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void help(FILE *out)
{
    app_print_help(
        out,
        "\nReads the folder that `meshbayes sim --out DIR` wrote and writes DIR/report.html and\n"
        "DIR/figures/*.svg again. The page needs no network and no scripts: it can be mailed,\n"
        "printed, and looked at on a telephone.\n"
        "\nIt shows\n"
        "  in words what ran and where every algorithm ended, failures included;\n"
        "  the network, its nodes coloured by how far they are from consensus;\n"
        "  the distance to central VB and to the truth, the lower bound and the\n"
        "  disagreement, against rounds and against bytes (these need --metrics all);\n"
        "  the components of every node over the data; tables; every setting; a glossary.\n"
        "\nThe folder must hold what its summary.json lists, every file with its size and check\n"
        "sum: one with files of two runs is refused, and the first that differs is named.\n"
        "Figures are drawn by gnuplot (Debian: gnuplot-nox);\n"
        "without it the page is written without them, with a warning.\n"
        "\nExit status: 0 done (also when it warned), 1 failed, 2 wrong use.\n");
}

/* A folder that is none is left as it is, without a lock. */
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
    const app_group     group = {none, NULL};
    const char         *dir = NULL;
    int                 words = 0;
    mb_err              err = {0};

    if (app_parse(argc, argv, &group, 1, &dir, 1, &words, &err) < 0)
        return app_fail("report", &err, 1);
    if (words == 0 || !*dir) {
        fputs("meshbayes report: error: a folder is needed: meshbayes report DIR\n", stderr);
        return APP_WRONG_USE;
    }
    if (make(dir, &err) < 0)
        return app_fail("report", &err, 0);
    printf("report: %s/report.html\n", dir);
    return APP_DONE;
}

const app_command app_cmd_report = {
    .name = "report",
    .summary = "write report.html of an output folder again",
    .usage = "meshbayes report DIR",
    .run = run,
    .help = help,
};
