/* utf8.c - characters of texts. */
#include "base/text.h"

int mb_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int            n = *s < 0x80             ? 1
                             : (*s & 0xe0) == 0xc0 ? 2
                             : (*s & 0xf0) == 0xe0 ? 3
                             : (*s & 0xf8) == 0xf0 ? 4
                                                   : 0;
    const uint32_t       least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t             code = n ? *s & (n == 1 ? 0x7fU : 0xffU >> (n + 1)) : 0;

    for (int k = 1; k < n; k++) {
        if ((s[k] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[k] & 0x3fU);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    return n;
}
