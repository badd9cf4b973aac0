/* port.c - the number of a TCP port in a text. */
#include "base/app.h"

enum { DIGITS = 5 };

int app_port(const char *text, size_t n)
{
    int port = 0;

    if (!n || n > DIGITS)
        return 0;
    for (size_t k = 0; k < n; k++) {
        if (text[k] < '0' || text[k] > '9')
            return 0;
        port = 10 * port + (text[k] - '0');
    }
    return port <= APP_PORT_MOST ? port : 0;
}
