/* wrap.c - help pages: wrapped text, and tables of options. */
#include "base/app.h"
#include "base/opt.h"

#include <string.h>

/* Columns of a line: those of a narrower terminal. */
static int width(void)
{
    const int line = app_line();

    return line < APP_WIDTH ? line : APP_WIDTH;
}

/* app_wrap for the first `n` bytes of a text. */
static int wrap(FILE *out, int at, int indent, const char *text, int n)
{
    const int most = width();

    while (n > 0) {
        int len = (int)strcspn(text, " \n");

        len = len < n ? len : n;
        if (at > indent && at + 1 + len > most) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", len, text);
        at += len;
        text += len + 1;
        n -= len + 1;
    }
    return at;
}

int app_wrap(FILE *out, int at, int indent, const char *text)
{
    return wrap(out, at, indent, text, (int)strlen(text));
}

/* An indented line of n bytes: an example, or an entry "  NAME   its meaning". */
static void entry(FILE *out, const char *line, int n)
{
    int gap = 2; /* where two blanks follow a word */

    while (gap + 2 < n && strncmp(line + gap, "  ", 2) != 0)
        gap++;
    while (gap < n && line[gap] == ' ')
        gap++;
    if (n > width() && gap + 2 < n) {
        fprintf(out, "%.*s", gap, line);
        wrap(out, gap, gap, line + gap, n - gap);
        fputc('\n', out);
    } else
        fprintf(out, "%.*s\n", n, line);
}

void app_print_help(FILE *out, const char *text)
{
    int at = 0;

    while (*text) {
        const int n = (int)strcspn(text, "\n");

        if (n > 0 && strncmp(text, "  ", 2) != 0)
            at = wrap(out, at, 0, text, n);
        else {
            fputs(at ? "\n" : "", out);
            entry(out, text, n);
            at = 0;
        }
        text += n;
        text += *text == '\n';
    }
    fputs(at ? "\n" : "", out);
}

static const char WITHOUT[] = "; without it ";

/* Where the text of an option says what happens without it, which has no default; NULL: nowhere. */
static const char *without(const mb_opt *o)
{
    return o->def || o->kind == MB_OPT_FLAG ? NULL : strstr(o->help, WITHOUT);
}

/* Adds "name: value" to a line, where there is a value. */
static void add(char *line, size_t cap, const char *name, const char *value)
{
    const size_t n = strlen(line);

    if (value && *value)
        snprintf(line + n, cap - n, "%s%s: %s", n ? "; " : "", name, value);
}

/* The line of an option about its value. */
static void values(FILE *out, const mb_opt *o)
{
    const int   number = !o->choices || o->kind == MB_OPT_AUTO; /* with choices in its place */
    const char *end = without(o);
    char        accepted[160], line[512] = "";

    mb_opt_accepts(o, accepted, sizeof accepted);
    add(line, sizeof line, "default", end ? end + strlen(WITHOUT) : o->def);
    add(line, sizeof line, "accepted", number ? accepted : NULL);
    add(line, sizeof line, "unit", o->unit);
    add(line, sizeof line, "scikit-learn", o->sklearn);
    if (!*line)
        return;
    fputs("      ", out);
    app_wrap(out, 6, 6, line);
    fputc('\n', out);
}

/* How an option is typed; all words of a choice, also those that mean the same. */
static void usage(FILE *out, const mb_opt *o)
{
    const int   word = o->kind == MB_OPT_AUTO; /* choices: in place of a number */
    const char *at = o->choices && !word ? o->choices : "VALUE";

    fprintf(out, "  --%s", o->name);
    if (o->kind == MB_OPT_FLAG)
        return;
    for (fputc(' ', out); *at; at++)
        fputc(*at == '=' && o->kind == MB_OPT_CHOICE ? '|' : *at, out);
}

static void print_option(FILE *out, const mb_opt *o)
{
    const char *end = without(o);
    int         at;

    usage(out, o);
    fputs("\n      ", out);
    at = wrap(out, 6, 6, o->help, (int)(end ? (size_t)(end - o->help) : strlen(o->help)));
    if (o->eq && *o->eq) {
        char source[80];

        snprintf(source, sizeof source, "[%s]", o->eq);
        app_wrap(out, at, 6, source);
    }
    fputc('\n', out);
    if (o->kind != MB_OPT_FLAG)
        values(out, o);
}

void app_print_options(FILE *out, const char *heading, const mb_opt *table)
{
    if (heading)
        fprintf(out, "\n%s\n", heading);
    for (; table && table->name; table++)
        print_option(out, table);
}
