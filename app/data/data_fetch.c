/* data_fetch.c - `meshbayes data fetch`: public data sets that do not come with meshbayes. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "data/data_cmd.h"
#include "data/fetch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fetch_opt {
    const char *out, *from;
} fetch_opt;

static const fetch_set *const sets[] = {&fetch_coil20, &fetch_beijing, NULL};

static const mb_opt options[] = {{"out", MB_OPT_OUTPUT, offsetof(fetch_opt, out), "meshbayes-data",
                                  0, 0, "DIR", "", "", "",
                                  "where the folder of the data set is made"},
                                 {"from", MB_OPT_TEXT, offsetof(fetch_opt, from), NULL, 0, 0, "DIR",
                                  "", "", "", "take the files from here and download nothing"},
                                 {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* The folder is ours and flat. */
static void remove_folder(mb_arena *a, const char *path)
{
    DIR           *dir = opendir(path);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        const char *file = fetch_say(a, NULL, "%s/%s", path, e->d_name);

        if (file && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(file);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static mb_status choose(const char *name, const fetch_set **out, mb_err *err)
{
    for (int k = 0; name && sets[k]; k++)
        if (!strcmp(sets[k]->name, name)) {
            *out = sets[k];
            return MB_OK;
        }
    MB_FAIL(err, MB_E_ARG, "fetch: \"%s\" is not a data set, accepted: coil20, beijing-air",
            name ? name : "");
}

/* Memory and a folder of their own, for all that is thrown away afterwards. */
static mb_status in_workshop(const fetch_set *set, fetch_job *job, mb_err *err)
{
    char     *temp;
    mb_status st;

    temp = fetch_say(job->a, err, "%s/.fetch-XXXXXX", job->out);
    if (!temp)
        return MB_E_NOMEM;
    if (!mkdtemp(temp))
        MB_FAIL(err, MB_E_IO, "%s: cannot make a folder in it: %s", job->out, strerror(errno));
    job->temp = temp;
    st = set->run(job, err);
    remove_folder(job->a, temp);
    return st;
}

static mb_status run(mb_arena *a, int argc, char **argv, mb_err *err)
{
    fetch_opt        o = {0};
    const app_group  group = {options, &o};
    const fetch_set *set = NULL;
    const char      *name = NULL;
    fetch_job        job = {.a = a};
    int              words = 0;
    int              made, made_out;
    mb_status        st;

    MB_TRY(app_parse(argc, argv, &group, 1, &name, 1, &words, err));
    MB_TRY(choose(name, &set, err));
    job.from = o.from;
    job.out = fetch_say(a, err, "%s/%s", o.out, set->name);
    if (!job.out)
        return MB_E_NOMEM;
    made_out = access(o.out, F_OK) != 0;
    made = access(job.out, F_OK) != 0;
    MB_TRY(mb_dir_make(job.out, err));
    st = in_workshop(set, &job, err);
    if (st < 0 && made)
        rmdir(job.out); /* when it is empty */
    if (st < 0 && made_out)
        rmdir(o.out);
    return st;
}

const data_verb data_fetch = {
    .name = "fetch",
    .summary = "public data sets that do not come with meshbayes",
    .options = options,
    .run = run,
    .text =
        "Downloads with curl or wget, converts the files, and checks size and SHA-256 where they "
        "are known (coil20); otherwise prints them. Files are written into ./meshbayes-data, or "
        "into the folder given by --out:\n"
        "  coil20       coil20/coil20.npy (1440 x 1024, uint8), coil20/coil20_labels.csv: images "
        "of "
        "20 objects, 32 x 32 pixels, from Deng Cai's COIL20.mat; for research use\n"
        "  beijing-air  beijing-air/daily.csv: daily means of six pollutants and the weather at 12 "
        "stations, 2013-03 to 2017-02, from the UCI repository (CC BY 4.0)\n"
        "With --from DIR nothing is downloaded: DIR holds COIL20.mat, or the zip archive of the "
        "UCI "
        "repository or its 12 files PRSA_Data_*.csv, or files that fetch wrote.\n"
        "  meshbayes data fetch coil20\n"
        "  meshbayes data fetch beijing-air --from ~/Downloads --out data\n"};
