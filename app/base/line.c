/* line.c - lines of the terminal: their width, and words in them. */
#include "base/app.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int app_line(void)
{
    enum { USUAL = 80, LEAST = 40 };
    struct winsize size = {0};

    if (!isatty(STDOUT_FILENO))
        return APP_LINE;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
        return USUAL;
    return size.ws_col > LEAST ? size.ws_col : LEAST;
}

const char *app_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *app_verdict(mb_verdict v)
{
    return v == MB_ENDED_ELSEWHERE ? "stationary, but not at the centralised solution"
                                   : mb_verdict_text(v);
}

void app_print_elsewhere(const char *lead)
{
    printf("%s%s: %s", lead, mb_verdict_text(MB_ENDED_ELSEWHERE), app_verdict(MB_ENDED_ELSEWHERE));
}
