/* watch.c - calls of those who watch a run: events, calls of nodes, the time. */
#include "virtual/inside.h"

/* A watcher's answer: MB_STOP is remembered. */
static mb_status heed(mb_virtual *v, mb_status st)
{
    v->stop |= st == MB_STOP;
    return st < 0 ? st : MB_OK;
}

mb_status mb_virtual_watch(mb_virtual *v, const mb_virtual_watcher *w, mb_err *err)
{
    if (v->watchers == MB_WATCHERS_)
        MB_FAIL(err, MB_E_ARG, "got one more watcher; expected at most %d", MB_WATCHERS_);
    if (v->begun)
        MB_FAIL(err, MB_E_ARG, "got a watcher of a run that has begun; expected it before");
    if (w->look && w->every_us < 1)
        MB_FAIL(err, MB_E_ARG, "every_us: got %lld; expected 1 or more", (long long)w->every_us);
    v->watcher[v->watchers++] = *w;
    v->recorders += w->call != NULL;
    return MB_OK;
}

mb_status mb_tell_event_(mb_virtual *v, const mb_event *e, const char *note, mb_err *err)
{
    for (int32_t k = 0; k < v->watchers; k++)
        if (v->watcher[k].event)
            MB_TRY(heed(v, v->watcher[k].event(v->watcher[k].self, v, e, note, err)));
    return MB_OK;
}

mb_status mb_tell_call_(mb_virtual *v, int32_t i, mb_called c, mb_err *err)
{
    if (!v->recorders)
        return MB_OK;
    c.node = i;
    c.at_us = v->now;
    c.now = mb_node_clock_(&v->node[i], v->now);
    c.peer = v->node[i].peer;
    for (int32_t k = 0; k < v->watchers; k++)
        if (v->watcher[k].call)
            MB_TRY(heed(v, v->watcher[k].call(v->watcher[k].self, v, &c, err)));
    return MB_OK;
}

mb_status mb_tell_look_(mb_virtual *v, int64_t watcher, mb_err *err)
{
    const mb_virtual_watcher *w = &v->watcher[watcher];

    MB_TRY(mb_plan_item_(v, v->now + w->every_us, MB_ITEM_LOOK_, watcher, 0, NULL, err));
    return heed(v, w->look(w->self, v, v->now, err));
}
