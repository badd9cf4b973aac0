/* words.c - what a node runs, as a text for its neighbours' messages, and what distinguishes two of
 * them. "gmm, K = 3, columns x1 x2, genesis sample, seed 1, meshbayes 0.1.0, prior weak": items
 * after a comma and a blank, each a key and its value; options that are not the default last. */
#include "algo/nodes.h"
#include "base/epochs.h"
#include "base/format.h"
#include "base/opt.h"
#include "base/text.h"
#include "mesh/fnv.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"

#include <string.h>

enum { MOST = 400, COLUMNS = 160, VALUE = 48, NAME = 32, MESSAGE = 400, UNITS = 12 /* columns */ };

/* A text of limited size; `full` when something did not fit. */
typedef struct text {
    char  *at;
    size_t room, n;
    int    full;
} text;

/* A part of a text. */
typedef struct part {
    const char *at;
    size_t      n;
} part;

/* All of it or nothing. */
static void add(text *t, const char *s, size_t n)
{
    t->full |= n > t->room - t->n;
    if (t->full)
        return;
    memcpy(t->at + t->n, s, n);
    t->n += n;
}

/* The text up to room - 1 bytes and whole characters, with a final 0. Bytes that are no characters
 * become '?'; blanks, which separate, become `blank`. */
static void clean(const char *s, char blank, char *to, size_t room)
{
    size_t n = 0;

    for (; *s; s++) {
        const int len = mb_utf8(s);

        if (n + (len ? (size_t)len : 1) >= room)
            break;
        to[n++] = !len || (unsigned char)*s < ' ' || *s == 127 ? '?' : *s == ' ' ? blank : *s;
        for (int k = 1; k < len; k++)
            to[n++] = *++s;
    }
    to[n] = 0;
}

/* "columns x1 x2 and 38 more" */
static void add_columns(text *t, const mb_plan *plan)
{
    char    name[NAME], list[COLUMNS + NAME + 40];
    int     n = mb_format_(list, sizeof list, ", columns");
    int32_t d = 0;

    for (; d < plan->columns && n < COLUMNS; d++) {
        clean(plan->column[d], '_', name, sizeof name);
        n += mb_format_(list + n, sizeof list - (size_t)n, " %s", name);
    }
    if (d < plan->columns)
        n += mb_format_(list + n, sizeof list - (size_t)n, " and %d more", plan->columns - d);
    add(t, list, (size_t)n);
}

/* The value as text, at most VALUE bytes; returns 1 where it is the default. */
static int value_of(const mb_plan *plan, const mb_opt *o, char *to)
{
    mb_numbers        list[MB_NUMBERS_MAX];
    const mb_numbers *x = mb_plan_numbers_(plan, o, list);
    char              raw[2 * VALUE] = "";
    int               n = 0;

    if (x) {
        for (size_t k = 0; k < x->n && n < VALUE; k++)
            n += mb_format_(raw + n, sizeof raw - (size_t)n, "%s%.6g", k ? "," : "", x->x[k]);
    } else if (mb_opt_is_text(o)) {
        clean(mb_plan_text_(plan, o), '_', to, VALUE);
        return !strcmp(mb_plan_text_(plan, o), o->def ? o->def : "");
    } else {
        mb_opt_text(o, plan->kind_opt, raw, sizeof raw);
    }
    clean(raw, '_', to, VALUE);
    return o->def && !strcmp(raw, o->def);
}

static void add_options(text *t, const mb_plan *plan)
{
    char value[VALUE], item[VALUE + 64];

    for (const mb_opt *o = plan->kind->opts; o && o->name; o++)
        if (strcmp(o->name, "n-components") != 0 && !value_of(plan, o, value))
            add(t, item, (size_t)mb_format_(item, sizeof item, ", %.40s %s", o->name, value));
}

/* Of all ends. */
static uint64_t hash_of(const mb_bounds *b)
{
    const uint64_t low = mb_fnv_reals_(MB_FNV_BEGIN_, b->low, (size_t)b->d);

    return mb_fnv_reals_(low, b->high, (size_t)b->d);
}

size_t mb_plan_words_(const mb_plan *plan, char *out, size_t room)
{
    static const char rest[] = ", and more";
    const char       *algo = mb_node_algo_named_(plan);
    text              t = {out, room < sizeof rest ? 0 : room - (sizeof rest - 1), 0, 0};
    char              item[96];
    mb_sizes          s;

    mb_plan_sizes(plan, &s);
    add(&t, plan->kind->name, strlen(plan->kind->name));
    if (s.K)
        add(&t, item, (size_t)mb_format_(item, sizeof item, ", K = %d", s.K));
    add_columns(&t, plan);
    add(&t, item,
        (size_t)mb_format_(item, sizeof item, ", genesis %s, seed %llu, meshbayes %s",
                           mb_genesis_from_text_(plan->from), (unsigned long long)plan->seed,
                           MB_VERSION));
    if (algo)
        add(&t, item, (size_t)mb_format_(item, sizeof item, ", algorithm %.40s", algo));
    if (MB_EPOCHS_(plan->bounds != NULL))
        add(&t, item,
            (size_t)mb_format_(item, sizeof item, ", bounds %016llx",
                               (unsigned long long)hash_of(plan->bounds)));
    if (plan->mask)
        add(&t, item,
            (size_t)mb_format_(item, sizeof item, ", mask of members %016llx",
                               (unsigned long long)plan->mask));
    add_options(&t, plan);
    if (t.full && t.n) {
        memcpy(out + t.n, rest, sizeof rest - 1);
        t.n += sizeof rest - 1;
    }
    return t.n;
}

/* The next item of a list, and what is after it. */
static part next(part *list, const char *separator)
{
    const size_t width = strlen(separator);
    part         item = {list->at, 0};

    while (item.n < list->n &&
           (list->n - item.n < width || memcmp(list->at + item.n, separator, width) != 0))
        item.n++;
    list->at += item.n;
    list->n -= item.n;
    if (list->n) {
        list->at += width;
        list->n -= width;
    }
    return item;
}

/* "K = 3", "seed 1" -> key and value. */
static part key_of(part item, part *value)
{
    const part key = next(&item, " ");

    *value = item;
    if (value->n > 2 && !memcmp(value->at, "= ", 2))
        *value = (part){value->at + 2, value->n - 2};
    return key;
}

static int same(part a, part b)
{
    return a.n == b.n && !memcmp(a.at, b.at, a.n);
}

/* The value under a key; n is 0 when there is none. */
static part find(part list, part key)
{
    part value;

    next(&list, ", "); /* the model */
    while (list.n)
        if (same(key_of(next(&list, ", "), &value), key))
            return value;
    return (part){"", 0};
}

static part of(const char *s)
{
    return (part){s, strlen(s)};
}

/* At most this number of bytes, whole characters. */
static part cut(part p, size_t most)
{
    if (p.n > most)
        for (p.n = most; p.n && (p.at[p.n] & 0xc0) == 0x80; p.n--)
            ;
    return p;
}

/* "K is 3 here and 4 there" after what was found before. */
static void say(text *t, part what, part here, part there)
{
    const part absent = of("not given");
    char       item[4 * VALUE];

    if (same(here, there))
        return;
    what = cut(what, 40);
    here = here.n ? cut(here, VALUE) : absent;
    there = there.n ? cut(there, VALUE) : absent;
    add(t, item,
        (size_t)mb_format_(item, sizeof item, "%s%.*s is %.*s here and %.*s there",
                           t->n ? "; " : "", (int)what.n, what.at, (int)here.n, here.at,
                           (int)there.n, there.at));
}

/* Columns of a list: those listed and those that are counted at its end. */
static int32_t count(part list)
{
    int32_t n = 0, more = 0;
    part    one = {"", 0}, before;

    while (list.n) {
        before = one;
        one = next(&list, " ");
        n++;
        if (same(one, of("more")) && !list.n && n > 2) {
            for (size_t k = 0; k < before.n && more < 100000000; k++)
                more = before.at[k] >= '0' && before.at[k] <= '9' ? 10 * more + before.at[k] - '0'
                                                                  : more;
            n += more - 3;
        }
    }
    return n;
}

static void say_columns(text *t, part here, part there)
{
    char a[16], b[16], what[32];

    mb_format_(a, sizeof a, "%d", count(here));
    mb_format_(b, sizeof b, "%d", count(there));
    say(t, of("the number of columns"), of(a), of(b));
    if (strcmp(a, b) != 0)
        return;
    for (int d = 1; here.n && there.n; d++) {
        mb_format_(what, sizeof what, "column %d", d);
        say(t, of(what), next(&here, " "), next(&there, " "));
    }
}

/* Options that one of the two names, each once. */
static void say_options(text *t, part here, part there)
{
    static const char *const known[] = {"K", "columns", "genesis", "seed", "meshbayes", "and"};
    part                     lists[2] = {here, there}, key, value;

    for (int side = 0; side < 2; side++) {
        part left = lists[side];

        next(&left, ", "); /* the model */
        while (left.n) {
            int skip;

            key = key_of(next(&left, ", "), &value);
            skip = side && find(here, key).n;
            for (size_t k = 0; k < sizeof known / sizeof *known; k++)
                skip |= same(key, of(known[k]));
            if (!skip)
                say(t, key, find(here, key), find(there, key));
        }
    }
}

static void say_all(text *t, part here, part there)
{
    part      a = here, b = there, mine = next(&a, ", "), theirs = next(&b, ", ");
    const int other = !same(mine, theirs);

    say(t, of("the model"), mine, theirs);
    if (!other)
        say(t, of("K"), find(here, of("K")), find(there, of("K")));
    say_columns(t, find(here, of("columns")), find(there, of("columns")));
    say(t, of("the genesis"), find(here, of("genesis")), find(there, of("genesis")));
    say(t, of("the seed"), find(here, of("seed")), find(there, of("seed")));
    if (!other)
        say_options(t, here, there);
    if (!t->n)
        say(t, of("the version of meshbayes"), find(here, of("meshbayes")),
            find(there, of("meshbayes")));
}

/* Words that are not trusted, as a text of at most MOST bytes. */
static part received(const char *theirs, size_t n, char *other)
{
    char   raw[MOST + 1];
    size_t len = n < MOST ? n : MOST;

    memcpy(raw, theirs, len);
    for (size_t k = 0; k < len; k++)
        raw[k] = raw[k] ? raw[k] : '?';
    raw[len] = 0;
    clean(raw, ' ', other, MOST + 1);
    return of(other);
}

mb_status mb_words_compare_(const mb_plan *mine, const char *theirs, size_t n, mb_err *err)
{
    char own[MOST], other[MOST + 1], found[MESSAGE + 1];
    text t = {found, MESSAGE, 0, 0};

    say_all(&t, (part){own, mb_plan_words_(mine, own, sizeof own)}, received(theirs, n, other));
    found[t.n] = 0;
    if (!t.n)
        MB_FAIL(err, MB_E_PEER,
                "a neighbour has another plan: an option differs that is too long for a message");
    MB_FAIL(err, MB_E_PEER, "a neighbour has another plan: %s", found);
}

/* ", origin 0.5 20" */
static void add_units(text *t, const char *what, const double *x, int32_t columns)
{
    char item[24 * UNITS + 16];
    int  n = mb_format_(item, sizeof item, ", %s", what);

    for (int32_t d = 0; d < columns && d < UNITS; d++)
        n += mb_format_(item + n, sizeof item - (size_t)n, " %.6g", x[d]);
    add(t, item, (size_t)n);
}

size_t mb_units_words_(const mb_genesis *g, char *out, size_t room)
{
    text t = {out, room, 0, 0};

    add(&t, "units", 5);
    add_units(&t, "origin", g->run.origin, g->columns);
    add_units(&t, "scale", g->run.scale, g->columns);
    return t.n;
}

int mb_words_are_units_(const char *words, size_t n)
{
    return n >= 6 && !memcmp(words, "units,", 6);
}

/* Column by column; what is not said there is none of the first columns. */
static void say_units(text *t, const mb_genesis *g, const char *what, part here, part there)
{
    char of_column[NAME + 32], name[NAME];

    here = find(here, of(what));
    there = find(there, of(what));
    for (int32_t d = 0; here.n && there.n; d++) {
        clean(g->column[d], '_', name, sizeof name);
        mb_format_(of_column, sizeof of_column, "the %s of %s", what, name);
        say(t, of(of_column), next(&here, " "), next(&there, " "));
    }
}

mb_status mb_units_compare_(const mb_genesis *mine, const char *theirs, size_t n, mb_err *err)
{
    char       own[MOST], other[MOST + 1], found[MESSAGE + 1];
    text       t = {found, MESSAGE, 0, 0};
    const part here = {own, mb_units_words_(mine, own, sizeof own)};
    const part there = received(theirs, n, other);

    say_units(&t, mine, "origin", here, there);
    say_units(&t, mine, "scale", here, there);
    found[t.n] = 0;
    if (!t.n)
        MB_FAIL(err, MB_E_PEER, "another genesis block: prior or start differ, and units do not%s",
                mine->columns > UNITS ? " in the first columns" : "");
    MB_FAIL(err, MB_E_PEER, "units differ: %s", found);
}
