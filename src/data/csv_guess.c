/* csv_guess.c - what separates the cells of a CSV file: told from its header line and first
 * rows. */
#include "data/parse.h"

#include <string.h>

enum { COMMA, SEMICOLON, TAB, KINDS, ROWS = 20 /* lines looked at, beside the header */ };
static const char kind[KINDS] = {',', ';', '\t'};

const char *mb_csv_separator_name_(char sep)
{
    return sep == ';' ? "semicolon" : sep == '\t' ? "tab" : "comma";
}

/* Counts each separator outside quotes, up to the end of the line, which it returns. */
static const char *count_line(const char *s, int64_t count[KINDS])
{
    int quoted = 0, first = 1; /* first: of a cell, where a quote opens it */

    memset(count, 0, KINDS * sizeof *count);
    for (; *s && (quoted || (*s != '\n' && *s != '\r')); s++) {
        const char *found = quoted ? NULL : memchr(kind, *s, KINDS);

        if (*s == '"' && (quoted || first))
            quoted = !quoted;
        if (found)
            count[found - kind]++;
        first = found || (first && *s == ' ');
    }
    return s;
}

/* The next line that is not empty; NULL: none that is known to the end. */
static const char *next_line(const mb_csv_text_ *t, const char *s, int64_t count[KINDS])
{
    s += strspn(s, "\r\n");
    if (!*s)
        return NULL;
    s = count_line(s, count);
    return *s || !t->more ? s : NULL;
}

char mb_csv_separator_(const mb_csv_text_ *t)
{
    int64_t     header[KINDS], row[KINDS];
    int32_t     same[KINDS] = {0}, any[KINDS] = {0}, rows = 0, best = COMMA, most = COMMA;
    const char *s = count_line(t->at, header);

    while (rows < ROWS && (s = next_line(t, s, row))) {
        rows++;
        for (int32_t k = 0; k < KINDS; k++) {
            same[k] += row[k] == header[k];
            any[k] |= row[k] > 0;
        }
    }
    for (int32_t k = 1; k < KINDS; k++) {
        const int32_t found = header[k] ? same[k] : 0, before = header[best] ? same[best] : 0;

        if (found > before || (found == before && found && header[k] > header[best]))
            best = k;
        if (header[k] > header[most])
            most = k;
    }
    if (!rows)
        return kind[most];
    if (header[best] && same[best])
        return kind[best];
    return header[COMMA] || !any[most] ? ',' : kind[most];
}

/* 1 when some cell of the line is a number. */
static int has_number(const char *s)
{
    for (;;) {
        const size_t n = strcspn(s, ",;\t\r\n");
        char         cell[64];
        double       x;

        if (n < sizeof cell) {
            memcpy(cell, s, n);
            cell[n] = 0;
            if (!mb_parse_double(cell, &x))
                return 1;
        }
        s += n;
        if (!*s || *s == '\r' || *s == '\n')
            return 0;
        s++;
    }
}

int mb_csv_is_comment_(const mb_csv_text_ *t)
{
    int64_t     own[KINDS], row[KINDS];
    const char *s = count_line(t->at, own), *next = s + strspn(s, "\r\n");
    int         same = 0;

    if (!*next)
        return 0;
    count_line(next, row);
    for (int32_t k = 0; k < KINDS; k++)
        same |= own[k] > 0 && own[k] == row[k] && (!t->sep || t->sep == kind[k]);
    return *next == '#' || !same ? 1 : has_number(next) ? 0 : -1;
}
