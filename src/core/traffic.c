/* traffic.c - what the nodes send. */
#include "core/turn.h"
#include "transport/transport.h"

/* Links of node i that carry messages. */
static int64_t links_of(const mb_part *part, const mb_state *s, int32_t i)
{
    const mb_graph *g = &part->g;
    const uint8_t  *used = s->mail.links;
    int64_t         links = 0;

    if (!used)
        return part->deg[i];
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        links += used[e] != 0;
    return links;
}

void mb_count_traffic_(const mb_part *part, mb_state *s)
{
    const mb_mail *mail = &s->mail;
    const int64_t  bytes = MB_FRAME_HEADER + (int64_t)(mail->len * sizeof(double));

    for (int32_t i = 0; i < part->n_local; i++) {
        const int64_t deg = links_of(part, s, i);
        mb_traffic    out = {mail->fanout == MB_BROADCAST ? 1 : deg, deg * bytes};

        if (!mail->sent[i])
            continue;
        if (mail->left)
            out = mail->left[i];
        s->by[i].frames += out.frames;
        s->by[i].bytes += out.bytes;
        s->sent.frames += out.frames;
        s->sent.bytes += out.bytes;
    }
}
