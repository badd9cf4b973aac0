/* cli.c - the command line: running a command, matching option tables with argv, and lines for errors
 * and warnings. */
#include "base/app.h"
#include "base/opt.h"
#include "data/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef MB_PARTS /* the build says which optional parts there are */
#define MB_PARTS "built without a list of its parts"
#endif

/* A descriptor that the caller closed would be given to the first file that is opened, and text for
 * standard output would go into the user's data. /dev/null takes its number, opened the wrong way
 * round, so that reading and writing still fail. 0 on success. */
static int open_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return -1;
    return 0;
}

/* 1 when standard output is a pipe whose reading end is closed, as after `| head`. */
static int reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* The exit status, which is a failure if output could not be written (a full disk). A command that
 * failed has already printed its error. A reader that has read enough is no error: the status is that
 * of other programs, which SIGPIPE ends. */
static int printed(int status)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != APP_DONE)
        return status;
    if (reader_gone())
        return APP_SIGNAL + SIGPIPE;
    fprintf(stderr, "meshbayes: error: standard output cannot be written\n");
    return APP_FAILED;
}

int app_run(int argc, char **argv, int (*command)(int argc, char **argv))
{
    if (open_streams() < 0)
        return APP_FAILED; /* no stream for a message */
    app_json_begin();
    signal(SIGPIPE, SIG_IGN); /* writing fails instead: files are completed, or removed */
    signal(SIGXFSZ, SIG_IGN);
    return printed(command(argc, argv));
}

int app_version(void)
{
    puts("meshbayes " MB_VERSION "\n" MB_PARTS);
    return APP_DONE;
}

int app_alone(const char *cmd, int launched, int first)
{
    if (launched < 2)
        return 1;
    if (first)
        fprintf(stderr,
                "meshbayes %s: error: started as %d processes; expected one; `meshbayes sim`, fit, "
                "predict and score share their work over processes\n",
                cmd, launched);
    return 0;
}

int app_fail(const char *cmd, const mb_err *err, int use)
{
    if (err->code == MB_E_IO && strstr(err->msg, strerror(EPIPE)) && reader_gone())
        return APP_SIGNAL + SIGPIPE;
    fprintf(stderr, "meshbayes %s: error: %s\n", cmd, err->msg);
    return use && err->code == MB_E_ARG ? APP_WRONG_USE : APP_FAILED;
}

static void line(const char *cmd, const char *what, const char *fmt, va_list ap) MB_PRINTF(3, 0);
static void line(const char *cmd, const char *what, const char *fmt, va_list ap)
{
    fprintf(stderr, "meshbayes %s: %s: ", cmd, what);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

void app_warn(const char *cmd, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    line(cmd, "warning", fmt, ap);
    va_end(ap);
}

void app_note(const char *cmd, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    line(cmd, "note", fmt, ap);
    va_end(ap);
}

const char *app_visible(const char **text, int *n)
{
    const char *at = *text;

    *n = mb_xml_char(at);
    *text += *n ? *n : 1;
    if ((unsigned char)*at < ' ') {
        *n = 1;
        return " ";
    }
    if (*n)
        return at;
    *n = 3;
    return "\xef\xbf\xbd"; /* U+FFFD */
}

void app_print_visible(const char *text)
{
    int n;

    while (*text) {
        const char *shown = app_visible(&text, &n);

        fwrite(shown, 1, (size_t)n, stdout);
    }
}

int app_any(const double *x, int64_t n)
{
    for (int64_t k = 0; x && k < n; k++)
        if (!isnan(x[k]))
            return 1;
    return 0;
}

double app_rounding(double best)
{
    return 1e-12 * (isfinite(best) ? fmax(1, fabs(best)) : 1);
}

double app_divergence(double x, double best)
{
    return fabs(x) < app_rounding(best) ? 0 : x;
}

/* Levenshtein distance, for "did you mean"; words longer than the row have a large distance. */
static int distance(const char *a, const char *b)
{
    int    row[64];
    size_t m = strlen(b);

    if (m >= 63)
        return 1000;
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 0; a[i]; i++) {
        int diagonal = row[0];

        row[0] = (int)i + 1;
        for (size_t j = 0; j < m; j++) {
            int best = diagonal + (a[i] != b[j]);

            diagonal = row[j + 1];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[m];
}

/* What other programs call an option: "name" of a table here. */
static const struct {
    const char *other, *name;
} peers[] = {{"k", "n-components"},
             {"clusters", "n-components"},
             {"n-clusters", "n-components"},
             {"classes", "n-components"},
             {"link", "glm.link"},
             {"response", "target-column"},
             {"target", "target-column"},
             {"label", "label-column"},
             {"iterations", "rounds"},
             {"iter", "rounds"},
             {"max-iter", "rounds"},
             {"epochs", "rounds"},
             {"restarts", "n-init"},
             {"starts", "n-init"},
             {"random-state", "seed"},
             {"input", "data"},
             {"file", "data"},
             {"output", "out"},
             {"features", "columns"},
             {"inputs", "columns"},
             {"exclude", "drop"},
             {"weight", "weight-column"},
             {"sample-weight", "weight-column"},
             {"sep", "separator"},
             {"delimiter", "separator"},
             {"cores", "threads"},
             {"jobs", "threads"},
             {"n-jobs", "threads"},
             {"graph", "network"}};

/* 1 when an option is called so elsewhere; scikit-learn's names have underscores. */
static int is_peer(const char *name, const mb_opt *o)
{
    for (size_t k = 0; k < sizeof peers / sizeof *peers; k++)
        if (!strcmp(peers[k].other, name) && !strcmp(peers[k].name, o->name))
            return 1;
    return o->sklearn && !strcmp(o->sklearn, name);
}

/* How far an option is from a word that is none: what other programs call it, then its beginning,
 * then its end, the shortest first, and at last the distance of the spellings. */
static int from_word(const char *name, const mb_opt *o)
{
    enum { BEGINS = 1, ENDS = 100, SPELT = 200, LEAST = 2 /* letters of a part */ };
    const size_t n = strlen(name), len = strlen(o->name);

    if (is_peer(name, o))
        return 0;
    if (n >= LEAST && len > n && !strncmp(o->name, name, n))
        return BEGINS + (int)(len - n);
    if (n > LEAST && len > n && !strcmp(o->name + len - n, name) &&
        strchr("-.", o->name[len - n - 1]))
        return ENDS + (int)(len - n);
    return SPELT + distance(name, o->name);
}

static mb_status unknown(const char *name, const app_group *group, int ngroup, mb_err *err)
{
    const char *nearest = "help";
    char        word[64];
    int         best = 2000;

    snprintf(word, sizeof word, "%s", name);
    for (char *at = word; (at = strchr(at, '_'));)
        *at = '-';
    for (int g = 0; g < ngroup; g++)
        for (const mb_opt *o = group[g].table; o->name; o++) {
            const int plain = from_word(name, o), dashes = from_word(word, o);
            const int d = dashes < plain ? dashes : plain;

            if (d < best) {
                best = d;
                nearest = o->name;
            }
        }
    MB_FAIL(err, MB_E_ARG, "--%s is not an option here; the nearest is --%s", name, nearest);
}

/* The first option of that name. */
static const mb_opt *lookup(const char *name, const app_group *group, int ngroup)
{
    const mb_opt *o = NULL;

    for (int g = 0; g < ngroup && !o; g++)
        o = mb_opt_find(group[g].table, name);
    return o;
}

/* Sets it in the groups that have it; fails when one refuses it that must not, or all do. */
static mb_status set_all(const char *name, const char *value, const app_group *group, int ngroup,
                         mb_err *err)
{
    mb_status st = MB_OK;
    int       accepted = 0;

    for (int g = 0; g < ngroup; g++) {
        const mb_opt *o = mb_opt_find(group[g].table, name);

        if (!o)
            continue;
        st = mb_opt_set(o, value, group[g].obj, err);
        if (st < 0 && !group[g].other)
            return st;
        accepted += st >= 0;
        if (group[g].alone)
            break;
    }
    return accepted ? MB_OK : st;
}

/* argv[*i] starts with two dashes: sets the option and leaves *i at its last word. */
static mb_status one_option(int argc, char **argv, int *i, const app_group *group, int ngroup,
                            mb_err *err)
{
    char          name[64];
    char         *word = argv[*i] + 2;
    char         *value = strchr(word, '=');
    size_t        len = value ? (size_t)(value - word) : strlen(word);
    const mb_opt *o;

    snprintf(name, sizeof name, "%.*s", (int)(len > 60 ? 60 : len), word);
    o = lookup(name, group, ngroup);
    if (!o)
        return unknown(name, group, ngroup, err);
    if (o->kind == MB_OPT_FLAG && value)
        MB_FAIL(err, MB_E_ARG, "--%s takes no value, got \"%s\"", name, value + 1);
    if (o->kind == MB_OPT_FLAG)
        return set_all(name, "1", group, ngroup, err);
    if (!value && *i + 1 >= argc) {
        char accepted[128];

        mb_opt_accepts(o, accepted, sizeof accepted);
        MB_FAIL(err, MB_E_ARG, "--%s needs a value; expected %s", name, accepted);
    }
    return set_all(name, value ? value + 1 : argv[++*i], group, ngroup, err);
}

/* 1 when a word without dashes is a file: that of --data, which is not given. */
static int is_data(int argc, char **argv, const char *word, const app_group *group, int ngroup)
{
    return lookup("data", group, ngroup) && !app_option_value(argc, argv, "data") &&
           access(word, F_OK) == 0;
}

mb_status app_parse(int argc, char **argv, const app_group *group, int ngroup, const char **words,
                    int max_words, int *nwords, mb_err *err)
{
    int count = 0, lone = 0;

    for (int g = 0; g < ngroup; g++)
        MB_TRY(mb_opt_defaults(group[g].table, group[g].obj, err));
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--", 2) && argv[i][2]) {
            MB_TRY(one_option(argc, argv, &i, group, ngroup, err));
            continue;
        }
        if (!max_words && !lone++ && is_data(argc, argv, argv[i], group, ngroup)) {
            MB_TRY(set_all("data", argv[i], group, ngroup, err));
            continue;
        }
        if (count >= max_words)
            MB_FAIL(err, MB_E_ARG, "\"%s\" is not expected here; options start with two dashes",
                    argv[i]);
        words[count++] = argv[i];
    }
    if (nwords)
        *nwords = count;
    return app_check_overwrites(group, ngroup, words, count, err);
}

const char *app_option_value(int argc, char **argv, const char *name)
{
    const size_t len = strlen(name);
    const char  *value = NULL;

    for (int i = 1; i < argc; i++) {
        const char *word = strncmp(argv[i], "--", 2) ? "" : argv[i] + 2;

        if (!strncmp(word, name, len) && word[len] == '=')
            value = word + len + 1;
        else if (!strcmp(word, name) && i + 1 < argc)
            value = argv[++i];
    }
    return value;
}

/* Allocates memory, parses options and does the work. */
static mb_status perform(const app_command *c, int argc, char **argv, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 20);
    void     *opt = a ? mb_alloc(a, c->size, 1) : NULL;
    app_group group = {.table = c->options, .obj = opt};
    mb_status st;

    if (!opt)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory");
    else
        st = app_parse(argc, argv, &group, 1, (const char **)((char *)opt + c->words_at),
                       c->most_words, NULL, err);
    if (st >= 0)
        st = c->work(a, opt, err);
    mb_arena_free(a);
    return st;
}

/* The verb that the first word names, or NULL with the error printed. */
static const app_command *verb_of(const app_command *c, int argc, char **argv)
{
    const app_command *const *v = c->verbs;

    while (argc > 1 && *v && strcmp((*v)->name, argv[1]) != 0)
        v++;
    if (argc > 1 && *v)
        return *v;
    fprintf(stderr, "meshbayes %s: error: ", c->name);
    if (argc > 1)
        fprintf(stderr, "\"%s\" is not a verb of %s", argv[1], c->name);
    else
        fputs("a verb is missing", stderr);
    for (v = c->verbs; *v; v++)
        fprintf(stderr, "%s%s", v == c->verbs ? "; expected " : ", ", (*v)->name);
    fputc('\n', stderr);
    return NULL;
}

int app_command_run(const app_command *c, int argc, char **argv)
{
    const int          skip = c->verbs != NULL;
    const app_command *verb = skip ? verb_of(c, argc, argv) : c;
    mb_err             err = {0};

    if (!verb)
        return APP_WRONG_USE;
    if (verb->run)
        return verb->run(argc - skip, argv + skip);
    if (perform(verb, argc - skip, argv + skip, &err) < 0)
        return app_fail(c->name, &err, 1);
    return APP_DONE;
}

int app_command_help(const app_command *c, const char *part, FILE *out)
{
    if (c->text && (!part || !strcmp(part, "all")))
        app_print_help(out, c->text);
    if (c->help)
        return c->help(out, part);
    if (part && strcmp(part, "all") != 0)
        return 0;
    if (c->options)
        app_print_options(out, "Options", c->options);
    for (const app_command *const *v = c->verbs; v && *v; v++) {
        fprintf(out, "\nmeshbayes %s %s: %s\n", c->name, (*v)->name, (*v)->summary);
        app_print_help(out, (*v)->text ? (*v)->text : "");
        app_print_options(out, NULL, (*v)->options);
    }
    return 1;
}
