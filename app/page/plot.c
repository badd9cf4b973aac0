/* plot.c - gnuplot as a child process: one script for all panels, run without a shell. */
#include "app.h"
#include "page/page.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *in_temp(page_figures *r, const char *name, mb_err *err)
{
    return mb_text(r->a, err, "%s/%s", r->temp, name);
}

/* A relative folder gets "./": gnuplot gives a leading ~ or | a meaning. */
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
        MB_FAIL(err, MB_E_IO, "%s: can not make a folder for figures in it: %s", r->dir,
                strerror(errno));
    r->temp = temp;
    script = in_temp(r, "figures.gp", err);
    if (!script)
        return MB_E_NOMEM;
    r->script = fopen(script, "w");
    if (!r->script)
        MB_FAIL(err, MB_E_IO, "%s: %s", script, strerror(errno));
    return MB_OK;
}

/* Between double quotes gnuplot knows escapes; whatever may mean something to it is written as one,
 * so that a quote, a backslash or a backtick (a command!) is the character and nothing else. Digits,
 * too: they would be read as more of the escape before them. */
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

/* A name of a file byte by byte, whatever they are. */
static void set_output(FILE *out, const char *path)
{
    fputs("set output \"", out);
    put_plain(out, path, (int)strlen(path));
    fputs("\"\n", out);
}

/* The picture just described once more, as PNG: gnuplot keeps its last plot command. */
static void as_png(page_figures *r, const page_panel *p)
{
    const char *file = mb_text(r->a, NULL, "%s/%s.png", r->temp, p->name);

    if (!r->png || !file)
        return;
    fprintf(r->script,
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
            "set terminal pngcairo size %d,%d enhanced font 'sans-serif,20' linewidth 2 butt "
            "pointscale 2 background '#ffffff'\n",
            2 * PAGE_WIDTH, 2 * p->height);
    set_output(r->script, file);
    fputs("replot\n}\nset output\n", r->script);
}

static void finish_panel(page_figures *r)
{
    if (r->last)
        as_png(r, r->last);
    r->last = NULL;
}

mb_status page_plot_panel(page_figures *r, page_figure *f, const char *name, const char *title,
                          int height, mb_err *err)
{
    const char *file;

    if (f->npanel >= PAGE_PANELS)
        MB_FAIL(err, MB_E_ARG, "figure %s: more than %d panels", f->id, PAGE_PANELS);
    finish_panel(r);
    f->panel[f->npanel++] = (page_panel){.name = name, .title = title, .height = height};
    r->last = &f->panel[f->npanel - 1];
    file = mb_text(r->a, err, "%s/%s.svg", r->temp, name);
    if (!file || !name || !title)
        return MB_E_NOMEM;
    fprintf(r->script,
            "reset\nset encoding utf8\nset terminal svg size %d,%d dynamic enhanced "
            "font 'sans-serif,13.5' linewidth 1 butt background '#ffffff'\n",
            PAGE_WIDTH, height);
    set_output(r->script, file);
    fputs("set border 3 lc '#777777' lw 1\n"
          "set tics nomirror out scale 0.6 textcolor '#333333'\nset xtics offset 0,0.35\n"
          "set grid lc '#e6e6e6' lt 1 lw 0.8, lc '#f3f3f3' lt 1 lw 0.6\n"
          "set key noenhanced textcolor '#222222'\nset xlabel noenhanced offset 0,0.7\n"
          "set ylabel noenhanced offset 0.8,0\nset samples 2\n",
          r->script);
    return MB_OK;
}

/* The first line gnuplot wrote on stderr that says what went wrong. */
static const char *complaint(page_figures *r)
{
    char       *text, *word;
    size_t      n;
    const char *path = in_temp(r, "stderr.txt", NULL);

    if (!path || mb_file_read(r->a, path, &text, &n, NULL) < 0)
        return "no message";
    word = strstr(text, "line ");
    if (!word)
        word = text + strspn(text, " \t\r\n^");
    word[strcspn(word, "\r\n")] = 0;
    return *word ? word : "no message";
}

/* What the loader exits with: the program is there, its libraries or the memory for them are not. */
enum { NOT_STARTED = 127 };

/* 0 when gnuplot drew everything; else why not is in r->no_figures. */
static mb_status run(page_figures *r, mb_err *err)
{
    const char *script = in_temp(r, "figures.gp", err), *said = in_temp(r, "stderr.txt", err);
    const char *words[] = {"gnuplot", "-d", script, NULL}; /* -d: no settings of the user */
    int         status, bad;

    if (!script || !said)
        return MB_E_NOMEM;
    bad = page_program(words, said, &status);
    if (bad == ENOENT)
        r->no_figures = "the program gnuplot was not found; install it (Debian: gnuplot-nox) and "
                        "run meshbayes report on this folder";
    else if (bad == ENOMEM)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to start gnuplot");
    else if (bad)
        r->no_figures = mb_text(r->a, err, "gnuplot could not be started: %s", strerror(bad));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        r->no_figures = mb_text(r->a, err, "gnuplot could not be started: %s", complaint(r));
    else if (WIFSIGNALED(status))
        r->no_figures = mb_text(r->a, err, "gnuplot was ended by signal %d: %s", WTERMSIG(status),
                                complaint(r));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        r->no_figures = mb_text(r->a, err, "gnuplot stopped: %s", complaint(r));
    else
        return MB_OK;
    if (!r->no_figures)
        return MB_E_NOMEM;
    app_warn("report", "no figures: %s", r->no_figures);
    return MB_OK;
}

/* Beside the SVG; a gnuplot without cairo makes none. */
static mb_status keep_png(page_figures *r, const page_panel *p, mb_err *err)
{
    const char *from = mb_text(r->a, err, "%s/%s.png", r->temp, p->name);
    const char *to = mb_text(r->a, err, "%s/figures/%s.png", r->dir, p->name);
    mb_file     f = {0};
    char       *bytes;
    size_t      n;

    if (!from || !to)
        return MB_E_NOMEM;
    if (!r->png || access(from, R_OK))
        return MB_OK;
    MB_TRY(mb_file_read(r->a, from, &bytes, &n, err));
    MB_TRY(mb_file_open(r->a, to, &f, err));
    mb_status st = mb_file_write(&f, bytes, n, err);

    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

static mb_status keep(page_figures *r, page_panel *p, mb_err *err)
{
    const char *from = mb_text(r->a, err, "%s/%s.svg", r->temp, p->name);
    const char *to = mb_text(r->a, err, "%s/figures/%s.svg", r->dir, p->name);
    char       *svg, *text = NULL;
    size_t      n, len = 0;

    if (!from || !to)
        return MB_E_NOMEM;
    MB_TRY(mb_file_read(r->a, from, &svg, &n, err));
    MB_TRY(page_svg_body(r, p, svg, err));
    MB_TRY(keep_png(r, p, err));
    FILE *out = open_memstream(&text, &len);

    if (out)
        page_svg_write(out, p, 1);
    return page_save(r->a, to, out, &text, &len, err);
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
        MB_FAIL(err, MB_E_IO, "%s: the figures' script could not be written: %s", r->temp,
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

static void discard(page_figures *r, const char *name)
{
    const char *path = in_temp(r, name, NULL);

    if (path)
        unlink(path);
}

void page_plot_close(page_figures *r)
{
    if (r->script)
        fclose(r->script);
    r->script = NULL;
    if (!r->temp)
        return;
    discard(r, "figures.gp");
    discard(r, "stderr.txt");
    for (int k = 0; k < r->nfigure; k++)
        for (int p = 0; p < r->figure[k].npanel; p++) {
            const char *svg = mb_text(r->a, NULL, "%s.svg", r->figure[k].panel[p].name);
            const char *png = mb_text(r->a, NULL, "%s.png", r->figure[k].panel[p].name);

            if (svg)
                discard(r, svg);
            if (png)
                discard(r, png);
        }
    rmdir(r->temp);
    r->temp = NULL;
}
