/* config_sound.c - fields of a configuration that do not go together, and those that have changed. */
#define _XOPEN_SOURCE 700
#include "config_inside.h"
#include "names.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* 1: an address in numbers, every one, or an interface of this machine: what can be bound. */
static int is_own(const char *host)
{
    struct in6_addr six;
    struct in_addr  four;

    return !strcmp(host, "*") || inet_pton(AF_INET, host, &four) == 1 ||
           inet_pton(AF_INET6, host, &six) == 1 || strchr(host, '%') || if_nametoindex(host);
}

/* 1: who listens at this host has the port of the loopback addresses, too. */
static int has_loopback(const char *host)
{
    return !strcmp(host, "*") || !strcmp(host, "0.0.0.0") || !strcmp(host, "::") ||
           !strcmp(host, "::1") || !strncmp(host, "127.", 4) || !strcmp(host, "lo");
}

static void check_listen(mb_json_in *j, const node_config *c)
{
    const char *status = c->status && strncmp(c->status, "unix:", 5) != 0 ? c->status : "";
    char        host[NAMES_ADDRESS], port[8];

    if (!names_split(c->listen, host, port) || !is_own(host))
        mb_json_refuse(j, "listen", "",
                       "tcp://HOST:PORT with an address of this machine in numbers, 0.0.0.0 for "
                       "every one: the name of a host cannot be listened at");
    else if (strrchr(status, ':') && !strcmp(strrchr(status, ':') + 1, port) &&
             (has_loopback(host) || c->status_token || c->status_ca))
        mb_json_refuse(j, "status", "", "another port than that of listen");
}

/* Neighbours k and i < k cannot both be what the file says. */
static void check_pair(mb_json_in *j, const node_config *c, int32_t i, int32_t k)
{
    const node_neighbour *a = &c->neighbour[i], *b = &c->neighbour[k];
    char                  where[60];

    snprintf(where, sizeof where, " of %ld and %ld", (long)a->id, (long)b->id);
    for (int32_t x = 0; x < NODE_KEYS * NODE_KEYS; x++) {
        const char *one = a->key[x % NODE_KEYS], *other = b->key[x / NODE_KEYS];

        if (one && other && !strcmp(one, other))
            mb_json_refuse(j, "neighbours: public_key", where, "a key of its own for each");
    }
    if (a->address && b->address && a->id < c->id && !strcmp(a->address, b->address))
        mb_json_refuse(j, "neighbours: address", where, "an address of its own for each");
}

mb_status node_config_sound(mb_json_in *j, const node_config *c)
{
    check_listen(j, c);
    for (int32_t k = 0; k < c->neighbours; k++)
        for (int32_t i = 0; i < k; i++)
            check_pair(j, c, i, k);
    for (int32_t k = 0; k < c->neighbours; k++) {
        const node_neighbour *n = &c->neighbour[k];

        if (n->key[0] && n->key[1] && !strcmp(n->key[0], n->key[1]))
            mb_json_refuse(j, "neighbours: next_public_key", "", "another one than public_key");
    }
    for (int32_t k = 0; k < c->neighbours; k++)
        if (c->neighbour[k].id < c->id && !strcmp(c->neighbour[k].address, c->listen))
            mb_json_refuse(j, "neighbours: address", "", "another one than listen");
    return j->status;
}

static int same(const mb_json *a, const mb_json *b)
{
    if (a->type != b->type || a->n != b->n || a->integer != b->integer ||
        memcmp(&a->number, &b->number, sizeof a->number) != 0 || !a->text != !b->text ||
        (a->text && strcmp(a->text, b->text) != 0))
        return 0;
    for (size_t k = 0; k < a->n; k++)
        if (!same(&a->item[k],
                  a->type == MB_JSON_OBJECT ? mb_json_at(b, a->item[k].key) : &b->item[k]))
            return 0;
    return 1;
}

static void add(char *text, size_t room, const char *key)
{
    const size_t n = strlen(text);

    snprintf(text + n, room - n, "%s%s", n ? ", " : "", key);
}

/* 1: SIGHUP reads it again. */
static int is_reread(const char *key)
{
    static const char *const reread[] = {"neighbours",    "revoked",          "key",
                                         "tick_least_ms", "bytes_per_second", "log_level"};

    for (size_t k = 0; k < sizeof reread / sizeof *reread; k++)
        if (!strcmp(key, reread[k]))
            return 1;
    return 0;
}

void node_config_changed(const node_config *a, const node_config *b, char *text, size_t room)
{
    *text = 0;
    for (size_t k = 0; k < a->fields->n; k++) {
        const mb_json *one = &a->fields->item[k];

        if (!is_reread(one->key) && !same(one, mb_json_at(b->fields, one->key)))
            add(text, room, one->key);
    }
    for (size_t k = 0; k < b->fields->n; k++)
        if (!is_reread(b->fields->item[k].key) &&
            mb_json_at(a->fields, b->fields->item[k].key)->type == MB_JSON_NONE)
            add(text, room, b->fields->item[k].key);
}
