/* wire_names.c - addresses of neighbours. ZeroMQ is given numbers only: it would look names up in the
 * thread that serves all connections. */
#include "wire_inside.h"

#include <stdio.h>
#include <string.h>

static void ask(wire *w, wire_side *s, int64_t now)
{
    s->question = names_ask(w->names, s->id, s->name);
    s->question_ms = now;
}

mb_status wire_address(wire *w, wire_side *s, const node_neighbour *n, int64_t now, mb_err *err)
{
    if (strlen(n->address) >= NAMES_ADDRESS)
        MB_FAIL(err, MB_E_ARG, "neighbour %s: got an address of %zu bytes; expected at most %d",
                n->name, strlen(n->address), NAMES_ADDRESS - 1);
    if (!names_is_number(n->address)) {
        snprintf(s->name, sizeof s->name, "%s", n->address);
        ask(w, s, now);
        return MB_OK;
    }
    snprintf(s->address[0], sizeof s->address[0], "%s", n->address);
    s->addresses = 1;
    return wire_dial(w, s, err);
}

void wire_resolve(wire *w, int32_t id, int64_t now)
{
    wire_side *s = wire_find(w, id);

    if (s && *s->name && !s->question)
        ask(w, s, now);
}

wire_trouble wire_look(wire *w, int32_t id, int64_t now, const char **why)
{
    const wire_side *s = wire_find(w, id);

    *why = "";
    if (s && wire_is_barred(w, s))
        return WIRE_BARRED;
    if (!s || !s->connects)
        return WIRE_NO_TROUBLE;
    if (s->question && now - s->question_ms > NAMES_LIMIT_MS) {
        *why = "no answer of the name server";
        return WIRE_NO_NAME;
    }
    if (*s->why)
        *why = s->why;
    return *s->why ? WIRE_NO_NAME : s->trouble;
}

/* The connection in use stays if its address is still one of the name, and it works or there is no other
 * one. */
static void take(wire *w, wire_side *s, const name_answer *is)
{
    char    used[NAMES_ADDRESS];
    int32_t at = 0;

    s->question = 0;
    memcpy(s->why, is->why, sizeof s->why);
    if (!is->n)
        return;
    memcpy(used, s->address[s->at], sizeof used);
    memcpy(s->address, is->address, sizeof s->address);
    s->addresses = is->n;
    s->turned = 0;
    while (at < is->n && strcmp(is->address[at], used) != 0)
        at++;
    s->at = at < is->n ? at : 0;
    if (s->dealer && at < is->n && (is->n == 1 || s->shaken))
        return;
    if (s->dealer && at < is->n)
        s->at = (at + 1) % is->n;
    wire_redial(w, s);
}

void wire_named(wire *w)
{
    name_answer is;

    while (names_next(w->names, &is)) {
        wire_side *s = wire_find(w, is.id);

        if (s && s->question == is.serial)
            take(w, s, &is);
    }
    for (int32_t k = 0; k < w->sides; k++) {
        wire_side *s = &w->side[k];

        if (s->id < 0 || !s->silent || s->turned + 1 >= s->addresses)
            continue;
        s->turned++;
        s->at = (s->at + 1) % s->addresses;
        wire_redial(w, s);
    }
}
