/* plot.c - gnuplot as a child process: one script for all panels, run without a shell. */
#include "base/app.h"
#include "base/folder.h"
#include "base/text.h"
#include "data/file.h"
#include "report/numbers.h"
#include "report/page.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A relative folder gets "./": a leading ~ or | is special to gnuplot. */
mb_status page_plot_open(page_figures *r, mb_err *err)
{
    const char *script;
    char       *temp;
    const char *pattern = mb_text(r->a, err, "%s%s/.report-%ld-XXXXXX", *r->dir == '/' ? "" : "./",
                                  r->dir, (long)getpid());

    if (!pattern)
        return MB_E_NOMEM;
    MB_NEW(temp, r->a, strlen(pattern) + 1, err);
    strcpy(temp, pattern);
    if (!mkdtemp(temp))
        MB_FAIL(err, MB_E_IO, "%s: cannot create a folder for figures in it: %s", r->dir,
                strerror(errno));
    r->files = opendir(temp);
    if (!r->files) {
        rmdir(temp);
        MB_FAIL(err, MB_E_IO, "%s: %s", temp, strerror(errno));
    }
    r->temp = temp;
    script = mb_text(r->a, err, "%s/figures.gp", temp);
    if (!script)
        return MB_E_NOMEM;
    r->script = fopen(script, "w");
    if (!r->script)
        MB_FAIL(err, MB_E_IO, "%s: %s", script, strerror(errno));
    return MB_OK;
}

/* Between double quotes gnuplot expands escapes. Whatever may be special to it is written as one, so
 * that a quote, a backslash or a backtick (a command!) is the character and nothing else; digits,
 * too, which would otherwise extend the escape before them. */
static void put_plain(FILE *out, const char *bytes, int n)
{
    for (int k = 0; k < n; k++)
        if (isalpha((unsigned char)bytes[k]) || strchr(" /._-", bytes[k]) ||
            (unsigned char)bytes[k] >= 0x80)
            fputc(bytes[k], out);
        else
            fprintf(out, "\\%03o", (unsigned)(unsigned char)bytes[k]);
}

void page_plot_quote(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        int         n;
        const char *shown = app_visible(&text, &n);

        put_plain(out, shown, n);
    }
    fputc('"', out);
}

void page_plot_short(FILE *out, const char *text, int most)
{
    char short_one[256];
    int  n = 0, bytes = 0;

    while (text[bytes] && bytes < 248 && (n += ((unsigned char)text[bytes] & 0xC0) != 0x80) <= most)
        bytes++;
    snprintf(short_one, sizeof short_one, "%.*s%s", bytes, text, text[bytes] ? "…" : "");
    page_plot_quote(out, short_one);
}

void page_plot_labels(FILE *out, const char *x, const char *y)
{
    fputs("set xlabel ", out);
    page_plot_short(out, x, 36);
    fputs("\nset ylabel ", out);
    page_plot_short(out, y, 25);
    fputc('\n', out);
}

enum { KEY_ROOM = 50 /* characters of a line of the key */, KEY_SAMPLE = 7 /* beside a name */ };

void page_key_add(page_key *key, const char *name)
{
    int wide = 0;

    for (; *name; name++)
        wide += ((unsigned char)*name & 0xC0) != 0x80;
    key->names++;
    key->widest = wide > key->widest ? wide : key->widest;
}

int page_key_lines(const page_key *key)
{
    const int columns = KEY_ROOM / (KEY_SAMPLE + key->widest);

    if (!key->names)
        return 0;
    return columns > 1 ? (key->names + columns - 1) / columns : key->names;
}

/* gnuplot fills columns of `maxrows` lines, however wide they become. */
void page_plot_key(FILE *out, int lines)
{
    fprintf(out,
            "set key bmargin center vertical Left reverse maxrows %d width 0.5 height 0.6 samplen "
            "1.6\nset bmargin %g\n",
            lines, 3.9 + 1.15 * lines);
}

enum { TICKS = 8, ROOM = 36 /* characters below a panel */, LEFT = 8 /* margin, in characters */ };

void page_plot_ticks(FILE *out, double lo, double hi, int room)
{
    fprintf(out, "set format x '%%g'\nset xtics %.9g\n", page_tick_step(lo, hi, TICKS, room, NULL));
}

void page_plot_frame(FILE *out, const double x[2], const double y[2])
{
    int          wide = 0;
    const double step = y ? page_tick_step(y[0], y[1], TICKS, 1000, &wide) : 0;

    fprintf(out, "set xrange [%.9g:%.9g]\nset format y '%%g'\n", x[0], x[1]);
    page_plot_ticks(out, x[0], x[1], ROOM - (wide + 4 > LEFT ? wide + 4 - LEFT : 0));
    if (y)
        fprintf(out, "set yrange [%.9g:%.9g]\nset ytics %.9g\n", y[0], y[1], step);
    else
        fputs("set yrange [0:*]\n", out);
    fprintf(out, "set lmargin %d\n", wide + 4 > LEFT ? wide + 4 : LEFT);
}

/* The panel's file in the folder of the scripts, byte by byte. */
static void set_output(const page_figures *r, const page_panel *p, const char *type)
{
    fputs("set output \"", r->script);
    put_plain(r->script, r->temp, (int)strlen(r->temp));
    fprintf(r->script, "/%s.%s\"\n", p->name, type);
}

/* Plots the panel again, as PNG: gnuplot remembers its last plot command. */
static void finish_panel(page_figures *r)
{
    if (r->last && r->png) {
        fprintf(r->script,
                "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
                "set terminal pngcairo size %d,%d enhanced font 'sans-serif,20' linewidth 2 butt "
                "pointscale 2 background '#ffffff'\n",
                2 * PAGE_WIDTH, 2 * r->last->height);
        set_output(r, r->last, "png");
        fputs("replot\n}\nset output\n", r->script);
    }
    r->last = NULL;
}

mb_status page_plot_panel(page_figures *r, page_figure *f, const char *name, const char *title,
                          int height, mb_err *err)
{
    if (!name || !title)
        return MB_E_NOMEM;
    if (f->npanel >= PAGE_PANELS)
        MB_FAIL(err, MB_E_ARG, "figure %s: more than %d panels", f->id, PAGE_PANELS);
    finish_panel(r);
    r->last = &f->panel[f->npanel++];
    *r->last = (page_panel){.name = name, .title = title, .height = height};
    fprintf(r->script,
            "reset\nset encoding utf8\nset terminal svg size %d,%d dynamic enhanced "
            "font 'sans-serif,13.5' linewidth 1 butt background '#ffffff'\n",
            PAGE_WIDTH, height);
    set_output(r, r->last, "svg");
    fputs("set border 3 lc '#777777' lw 1\n"
          "set tics nomirror out scale 0.6 textcolor '#333333'\nset xtics offset 0,0.35\n"
          "set grid lc '#e6e6e6' lt 1 lw 0.8, lc '#f3f3f3' lt 1 lw 0.6\n"
          "set key noenhanced textcolor '#222222'\nset xlabel noenhanced offset 0,0.7\n"
          "set ylabel noenhanced offset 0.8,0\nset samples 2\n",
          r->script);
    return MB_OK;
}

/* The first line of an error message of gnuplot. */
static const char *complaint(const page_figures *r, const char *messages)
{
    char  *text, *word;
    size_t n;

    if (mb_file_read(r->a, messages, &text, &n, NULL) < 0)
        return "no message";
    word = strstr(text, "line ");
    if (!word)
        word = text + strspn(text, " \t\r\n^");
    word[strcspn(word, "\r\n")] = 0;
    return *word ? word : "no message";
}

/* Its standard streams; a group of its own, so that a key that interrupts us does not reach it; the
 * usual effect of the signals that we ignore. */
static int prepare(posix_spawn_file_actions_t *io, posix_spawnattr_t *how, const char *messages)
{
    sigset_t usual;
    int      bad = posix_spawn_file_actions_addopen(io, 0, "/dev/null", O_RDONLY, 0);

    if (!bad)
        bad = posix_spawn_file_actions_addopen(io, 1, "/dev/null", O_WRONLY, 0);
    if (!bad)
        bad = posix_spawn_file_actions_addopen(io, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    if (!bad)
        bad = posix_spawnattr_setsigdefault(how, &usual);
    return bad ? bad : posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
}

/* Runs a program found on PATH, its standard error in the file `said`, and waits for it. Returns an
 * errno if it cannot be started, else 0 and its wait status. */
static int run_program(const char *const *argv, const char *messages, int *status)
{
    posix_spawnattr_t          how;
    posix_spawn_file_actions_t io;
    pid_t                      pid;
    int                        bad = posix_spawn_file_actions_init(&io);

    if (bad)
        return bad;
    bad = posix_spawnattr_init(&how);
    if (!bad) {
        bad = prepare(&io, &how, messages);
        if (!bad) /* it changes no text, and its type is older than const */
            bad = posix_spawnp(&pid, argv[0], &io, &how, (char *const *)(uintptr_t)argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&io);
    while (!bad && waitpid(pid, status, 0) < 0)
        bad = errno == EINTR ? 0 : errno;
    return bad;
}

/* The exit status of the loader if the program exists, but its libraries, or memory for them, do
 * not. */
enum { NOT_STARTED = 127 };

/* Runs gnuplot; r->no_figures is the reason if it failed. */
static mb_status run(page_figures *r, mb_err *err)
{
    const char *script = mb_text(r->a, err, "%s/figures.gp", r->temp);
    const char *messages = mb_text(r->a, err, "%s/stderr.txt", r->temp);
    const char *words[] = {"gnuplot", "-d", script, NULL}; /* -d: no settings of the user */
    int         status, bad;

    if (!script || !messages)
        return MB_E_NOMEM;
    bad = run_program(words, messages, &status);
    if (bad == ENOENT)
        r->no_figures = "the program gnuplot was not found; install it (Debian: gnuplot-nox) and "
                        "run meshbayes report on this folder";
    else if (bad == ENOMEM)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to start gnuplot");
    else if (bad)
        r->no_figures = mb_text(r->a, err, "gnuplot could not be started: %s", strerror(bad));
    else if (WIFSIGNALED(status))
        r->no_figures = mb_text(r->a, err, "gnuplot was terminated by signal %d: %s",
                                WTERMSIG(status), complaint(r, messages));
    else if (status)
        r->no_figures =
            mb_text(r->a, err, "gnuplot %s: %s",
                    WEXITSTATUS(status) == NOT_STARTED ? "could not be started" : "stopped",
                    complaint(r, messages));
    else
        return MB_OK;
    if (!r->no_figures)
        return MB_E_NOMEM;
    app_warn("report", "no figures: %s", r->no_figures);
    return MB_OK;
}

static void write_alone(FILE *out, const void *panel)
{
    page_svg_write(out, panel, 1);
}

/* Moves the pictures of a panel to their folder. A gnuplot without cairo makes no PNG. */
static mb_status keep(page_figures *r, page_panel *p, mb_err *err)
{
    const char *from = mb_text(r->a, err, "%s/%s.svg", r->temp, p->name);
    const char *to = mb_text(r->a, err, "%s/figures/%s.svg", r->dir, p->name);
    const char *png = mb_text(r->a, err, "%s/%s.png", r->temp, p->name);
    const char *png_to = mb_text(r->a, err, "%s/figures/%s.png", r->dir, p->name);
    char       *svg, *end;
    size_t      n;

    if (!from || !to || !png || !png_to)
        return MB_E_NOMEM;
    MB_TRY(mb_file_read(r->a, from, &svg, &n, err));
    svg = strstr(svg, "</desc>"); /* gnuplot's description */
    end = svg ? strstr(svg, "</svg>") : NULL;
    if (!end)
        MB_FAIL(err, MB_E_FORMAT, "figure %s: gnuplot did not finish it", p->name);
    *end = 0;
    p->body = svg + strlen("</desc>");
    if (r->png && rename(png, png_to) != 0 && errno != ENOENT)
        MB_FAIL(err, MB_E_IO, "%s: %s", png_to, strerror(errno));
    return page_write(r->a, to, write_alone, p, err);
}

mb_status page_plot_run(page_figures *r, mb_err *err)
{
    const char *folder = mb_text(r->a, err, "%s/figures", r->dir);

    finish_panel(r);
    const int bad = ferror(r->script), closed = fclose(r->script);

    r->script = NULL;
    if (!folder)
        return MB_E_NOMEM;
    if (bad || closed)
        MB_FAIL(err, MB_E_IO, "%s: cannot write the script of the figures: %s", r->temp,
                strerror(errno));
    MB_TRY(run(r, err));
    if (r->no_figures)
        return MB_OK;
    MB_TRY(mb_dir_make(folder, err));
    for (int k = 0; k < r->nfigure; k++)
        for (int p = 0; p < r->figure[k].npanel; p++)
            MB_TRY(keep(r, &r->figure[k].panel[p], err));
    return MB_OK;
}

void page_plot_close(page_figures *r)
{
    if (r->script)
        fclose(r->script);
    r->script = NULL;
    if (r->files)
        folder_remove(r->files, AT_FDCWD, r->temp);
    r->files = NULL;
}
