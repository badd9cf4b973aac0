/* utf8.c - the characters that XML can hold. */
#include "meshbayes/json.h"
#include "meshbayes/table.h"

#include <string.h>

int mb_xml_char(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int            n = mb_utf8(text);

    if (n == 1)
        return *s >= 0x20 || strchr("\t\n\r", *s);
    return n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : n;
}
