/* words.c - names of events, counts and lives. */
#include "virtual/virtual.h"

#define MB_X(name, text, does) [name] = text,
static const char *const event_text[] = {MB_EVENT_LIST(MB_X)};
#undef MB_X
#define MB_X(name, text, does) [name] = does,
static const char *const event_help[] = {MB_EVENT_LIST(MB_X)};
#undef MB_X

const char *mb_event_text(mb_event_kind kind)
{
    return event_text[kind];
}

const char *mb_event_help(mb_event_kind kind)
{
    return event_help[kind];
}

#define MB_X(name, text, means) [name] = text,
static const char *const tally_text[] = {MB_TALLY_LIST(MB_X)};
#undef MB_X
#define MB_X(name, text, means) [name] = means,
static const char *const tally_help[] = {MB_TALLY_LIST(MB_X)};
#undef MB_X

const char *mb_tally_text(mb_tally what)
{
    return tally_text[what];
}

const char *mb_tally_help(mb_tally what)
{
    return tally_help[what];
}

const char *mb_life_text(mb_life life)
{
    static const char *const text[MB_LIVES] = {"absent", "live", "paused",
                                               "dead",   "left", "failed"};

    return text[life];
}
