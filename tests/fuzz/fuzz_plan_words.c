/* A node's description of its plan, and the comparison of it with whatever a neighbour says of its
 * own. The first bytes make the names of the columns; the rest is the neighbour's text. */
#include "base/text.h"
#include "fuzz.h"

#include "mesh/frame.h"

#include <string.h>

enum { NAME = 24, COLUMNS = 3, ROOM = 400 };

/* One line of whole characters. */
static void check_text(const char *text)
{
    for (; *text; text++) {
        const int len = mb_utf8(text);

        if (!len || (unsigned char)*text < ' ' || *text == 127)
            abort();
        text += len - 1;
    }
}

static void describe(const mb_plan *plan, size_t room)
{
    char         out[ROOM + 1];
    const size_t n = mb_plan_words_(plan, out, room);

    if (n > room)
        abort();
    out[n] = 0;
    check_text(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        name[COLUMNS][NAME + 1] = {"", "", ""};
    const char *column[COLUMNS];
    mb_gmm_kind gmm = {0};
    mb_plan plan = {.kind = &mb_kind_gmm, .kind_opt = &gmm, .columns = COLUMNS, .column = column};
    char    own[ROOM];
    mb_err  err = {0};

    for (int d = 0; d < COLUMNS; d++) {
        const size_t n = size < NAME ? size : NAME;

        if (n)
            memcpy(name[d], data, n); /* up to a 0 */
        column[d] = name[d];
        data += n;
        size -= n;
    }
    if (mb_opt_defaults(mb_kind_gmm.opts, &gmm, &err) < 0)
        abort();
    for (size_t room = 0; room <= ROOM; room += 57)
        describe(&plan, room);
    describe(&plan, ROOM);
    if (mb_words_compare_(&plan, (const char *)data, size, &err) != MB_E_PEER)
        abort();
    fuzz_check(MB_E_PEER, &err);
    check_text(err.msg);
    /* What is said of the own description names no difference but one that does not fit. */
    (void)mb_words_compare_(&plan, own, mb_plan_words_(&plan, own, sizeof own), &err);
    if (!strstr(err.msg, "an option differs"))
        abort();
    return 0;
}
