/* utf8.c - the characters that XML can hold. */
#include "meshbayes/table.h"

#include <string.h>

/* Bytes of the UTF-8 character at `s`, 0 when it is none. */
static int utf8(const unsigned char *s)
{
    const int      n = *s < 0x80             ? 1
                       : (*s & 0xe0) == 0xc0 ? 2
                       : (*s & 0xf0) == 0xe0 ? 3
                       : (*s & 0xf8) == 0xf0 ? 4
                                             : 0;
    const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t       code = n ? *s & (n == 1 ? 0x7fU : 0xffU >> (n + 1)) : 0;

    for (int k = 1; k < n; k++) {
        if ((s[k] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[k] & 0x3fU);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return n;
}

int mb_xml_char(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int            n = utf8(s);

    if (n == 1)
        return *s >= 0x20 || strchr("\t\n\r", *s);
    return n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : n;
}
