/* checkpoint.c - checkpoints of a node: when, and what an earlier life has left. */
#include "mesh/fnv.h"
#include "node.h"

#include <string.h>

enum { LONGEST_MS = 60000 /* between two checkpoints, although few ticks were made */ };

/* Says what is new about checkpoints; the log of posted rows is cut when one was written. */
static void complain(node *n)
{
    char          text[sizeof n->trouble], quoted[sizeof n->trouble];
    const int64_t written = disk_state(n->d, text, sizeof text);

    if (written > n->written)
        posted_cut(n->f.posted);
    n->written = written;
    if (!strcmp(text, n->trouble))
        return;
    memcpy(n->trouble, text, sizeof text);
    if (*text)
        node_say_at(&n->log, LOG_WARNING, LOG_CHECKPOINT, "written=no reason=\"%s\"",
                    log_value(text, quoted, sizeof quoted));
    else
        node_say(&n->log, LOG_CHECKPOINT, "written=yes");
}

/* What the first rows of the data are known by: the file, or, where it may have grown since, as new rows
 * come in batches, their numbers and groups. */
static uint64_t data_of(const node *n, int64_t rows)
{
    const mb_data *all = n->f.all;
    uint64_t       h = MB_FNV_BEGIN_;

    if (!all || !n->c.plan.mask || !n->given.declared->rows_batch || rows < 0 || rows > all->n)
        return n->f.data;
    h = mb_fnv_reals_(h, all->x, (size_t)(rows * all->d));
    if (all->w)
        h = mb_fnv_reals_(h, all->w, (size_t)rows);
    for (int32_t g = 0; all->group && g < all->ngroup && all->group[g] < rows; g++)
        h = mb_fnv_integer_(h, (uint64_t)all->group[g]);
    return h;
}

int node_checkpoint(node *n, int64_t now, int wait)
{
    mb_peer_status is;
    disk_head      head;
    int64_t        before;
    void          *room;
    mb_err         why = {.msg = ""};

    if (!n->d)
        return 0;
    mb_peer_look(n->peer, now, &is);
    if (!wait && is.tick - n->checkpoint_tick < n->c.checkpoint_ticks &&
        now - n->checkpoint_ms < LONGEST_MS)
        return 0;
    room = disk_room(n->d, wait);
    complain(n);
    before = n->written;
    if (!room || mb_peer_save(n->peer, room, mb_peer_saved(n->peer), &why) < 0)
        return 0;
    node_record(n, (mb_called){.call = MB_CALL_SAVE,
                               .now = now,
                               .id = -1,
                               .bytes = room,
                               .n = mb_peer_saved(n->peer)});
    head = (disk_head){.rows = n->f.rows, .at = n->f.tail.at, .data = data_of(n, n->f.rows)};
    if (posted_mark(n->f.posted, disk_seal(n->d, &head), &why) >= 0)
        disk_write(n->d, wait);
    else
        disk_refuse(n->d, &why);
    n->checkpoint_tick = is.tick;
    n->checkpoint_ms = now;
    if (wait)
        complain(n);
    return wait && n->written > before;
}

/* Why a checkpoint is not used, in words. */
static mb_status refuse(node *n, const char *why)
{
    char quoted[400];

    node_say_at(&n->log, LOG_WARNING, LOG_CHECKPOINT, "read=no reason=\"%s\"",
                log_value(why, quoted, sizeof quoted));
    return MB_OK;
}

static mb_status take_posted(void *self, const mb_rows *rows, mb_err *err)
{
    node *n = self;

    return feed_rows(&n->f, node_now(n), rows, err);
}

mb_status node_recall_posted(node *n, mb_err *err)
{
    const int64_t      now = node_now(n);
    const posted_taker to = {.take = take_posted, .self = n};
    int64_t            rows;

    if (!n->f.posted)
        return MB_OK;
    MB_TRY(posted_replay(n->f.posted, n->stored, n->c.window_ms ? now - n->c.window_ms : INT64_MIN,
                         &to, &rows, err));
    if (rows)
        node_say(&n->log, LOG_ROWS, "posted=%lld life=earlier", (long long)rows);
    return MB_OK;
}

mb_status node_recall(node *n, mb_err *err)
{
    disk_head   head;
    const void *bytes = NULL;
    mb_err      why = {.msg = ""};
    mb_status   st;
    int         others;

    if (!n->d)
        return MB_OK;
    st = disk_read(n->a, n->c.state, &head, &bytes, &why);
    if (st == MB_E_NOMEM)
        MB_FAIL(err, st, "%s", why.msg);
    if (st < 0)
        return refuse(n, why.msg);
    if (!bytes)
        return MB_OK;
    others = head.data != data_of(n, head.rows);
    if (others && n->c.plan.mask)
        MB_FAIL(
            err, MB_E_ARG,
            "%s: the rows are others than when the checkpoint in %s was written; with masks they "
            "are fixed: expected the same file%s, or %s",
            n->c.data ? n->c.data : n->c.file, n->c.state,
            n->given.declared->rows_batch ? ", which may have more rows at its end" : "",
            n->c.plan.privacy ? "another genesis (--seed)" : "\"mask\": false at all nodes");
    if (others)
        return refuse(n, "the data file is another one: the node begins blank");
    st = mb_peer_load(n->peer, bytes, head.bytes, &why);
    node_record(
        n,
        (mb_called){.call = MB_CALL_LOAD, .id = -1, .bytes = bytes, .n = head.bytes, .answer = st});
    if (st < 0)
        return refuse(n, why.msg);
    n->stored = head.hash;
    n->f.rows = head.rows;
    n->f.tail.at = head.at;
    n->resumed = 1;
    return MB_OK;
}
