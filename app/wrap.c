/* wrap.c - help pages: wrapped text, and tables of options. */
#include "app.h"

#include <string.h>

/* app_wrap for the first `n` bytes of a text. */
static int wrap(FILE *out, int at, int indent, const char *text, int n)
{
    while (n > 0) {
        int len = (int)strcspn(text, " \n");

        len = len < n ? len : n;
        if (at > indent && at + 1 + len > APP_WIDTH) {
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
    if (n > APP_WIDTH && gap + 2 < n) {
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

void app_print_options(FILE *out, const char *heading, const mb_opt *table)
{
    if (heading)
        fprintf(out, "\n%s\n", heading);
    for (const mb_opt *o = table; o && o->name; o++) {
        const int word = o->kind == MB_OPT_AUTO; /* choices: in place of a number */
        char      accepted[160];
        int       at;

        mb_opt_accepts(o, accepted, sizeof accepted);
        fprintf(out, "  --%s", o->name);
        if (o->kind != MB_OPT_FLAG)
            fprintf(out, " %s", o->choices && !word ? o->choices : "VALUE");
        fputs("\n      ", out);
        at = app_wrap(out, 6, 6, o->help);
        if (o->eq && *o->eq) {
            char source[80];

            snprintf(source, sizeof source, "[%s]", o->eq);
            app_wrap(out, at, 6, source);
        }
        if (o->kind == MB_OPT_FLAG) {
            fputc('\n', out);
            continue;
        }
        fprintf(out, "\n      default: %s", o->def ? o->def : "none");
        if (!o->choices || word)
            fprintf(out, "; accepted: %s", accepted);
        if (o->unit && *o->unit)
            fprintf(out, "; unit: %s", o->unit);
        if (o->sklearn && *o->sklearn)
            fprintf(out, "; scikit-learn: %s", o->sklearn);
        fputc('\n', out);
    }
}
