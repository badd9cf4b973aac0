/* line.c - the width of the terminal. */
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
