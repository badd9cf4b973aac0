/* choices.c - the choices of a kind, and as a text. */
#include "model/choices.h"
#include "base/format.h"

#include <string.h>

int32_t mb_kind_choices(const mb_kind *kind)
{
    int32_t n = 0;

    while (kind->choices && kind->choices[n].name)
        n++;
    return n;
}

const char *mb_kind_word(const mb_kind *kind, const mb_sizes *s, int32_t c)
{
    return kind->choices[c].word[s->choice[c]];
}

int32_t mb_kind_differs(const mb_kind *kind, const mb_sizes *s, const mb_sizes *t)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (s->choice[c] != t->choice[c])
            return c;
    return -1;
}

size_t mb_choices_text_(const mb_kind *kind, const mb_sizes *s, char *out)
{
    size_t n = 0;

    out[0] = '\0';
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (s->choice[c])
            n += (size_t)mb_format_(out + n, MB_CHOICES_TEXT_ - n, "%s%.30s=%.30s", n ? "," : "",
                                    kind->choices[c].name, mb_kind_word(kind, s, c));
    return n;
}

/* 1 when the n bytes are this item of a text. */
static int is_item(const char *text, size_t n, const mb_choice *choice, int32_t word)
{
    const size_t name = strlen(choice->name);

    return n == name + 1 + strlen(choice->word[word]) && !memcmp(text, choice->name, name) &&
           text[name] == '=' && !memcmp(text + name + 1, choice->word[word], n - name - 1);
}

mb_status mb_choices_read_(const mb_kind *kind, const char *text, size_t n, mb_sizes *s,
                           mb_err *err)
{
    for (size_t at = 0, len; at < n; at += len + 1) {
        int found = 0;

        for (len = 0; at + len < n && text[at + len] != ',';)
            len++;
        for (int32_t c = 0; c < mb_kind_choices(kind); c++)
            for (int32_t w = 1; kind->choices[c].word[w]; w++)
                if (is_item(text + at, len, &kind->choices[c], w)) {
                    s->choice[c] = w;
                    found = 1;
                }
        if (!found)
            MB_FAIL(err, MB_E_FORMAT, "genesis block: choices: got \"%.*s\"; expected those of %s",
                    (int)len, text + at, kind->name);
    }
    return MB_OK;
}

int mb_choices_asks_(const mb_kind *kind, const char *option)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (!strcmp(kind->choices[c].option, option))
            return 1;
    return 0;
}
