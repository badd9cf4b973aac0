/* utf8.c - texts that anybody wrote: the characters that pages and pictures can hold. */
#include "app.h"

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
    return "\xef\xbf\xbd"; /* the sign for what is no character */
}
