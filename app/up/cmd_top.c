/* cmd_top.c - `meshbayes top`: a table of the nodes' status that is drawn again each second. */
#define _XOPEN_SOURCE 700
#include "base/app.h"
#include "up/top.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

typedef struct top_opt {
    int32_t     once, json;
    const char *token; /* file */
    const char *where[TOP_WORDS + 1];
} top_opt;

static const mb_opt options[] = {
    {"token-file", MB_OPT_TEXT, offsetof(top_opt, token), .choices = "FILE",
     .help = TOP_TOKEN_HELP "that of the node's node.json"},
    {"once", MB_OPT_FLAG, offsetof(top_opt, once), NULL, 0, 0, NULL, "", "", "",
     "print the table once"},
    {"json", MB_OPT_FLAG, offsetof(top_opt, json), NULL, 0, 0, NULL, "", "", "",
     "with --once: a list of objects instead of the table"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

enum { EVERY_MS = 1000, LINES = 24 /* of a terminal that does not say */ };

/* A signal handler reaches only static variables. */
static volatile sig_atomic_t ended;

static void note(int number)
{
    ended = number;
}

static int lines(void)
{
    struct winsize is = {.ws_row = 0};

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &is) || is.ws_row < 4 ? LINES : is.ws_row;
}

/* Waits a second; 1: a key or a signal says that it is over. */
static int over(void)
{
    struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
    char          c = 0;
    const int     keys = isatty(STDIN_FILENO);

    if (poll(&key, keys ? 1 : 0, EVERY_MS) > 0 && read(STDIN_FILENO, &c, 1) <= 0)
        return 1;
    return c == 'q' || c == 'Q' || ended;
}

static mb_status draw(top *t, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_status st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the status of nodes");
    st = top_look(a, t, err);
    if (st >= 0) {
        fputs("\033[H", stdout);
        top_print(t, lines() - 1, "\033[K\n");
        fputs("q ends\033[K\033[J", stdout);
        fflush(stdout);
    }
    mb_arena_free(a);
    return st;
}

static mb_status watch(top *t, mb_err *err)
{
    struct sigaction act = {.sa_handler = note};
    struct termios   before, raw;
    const int        set = tcgetattr(STDIN_FILENO, &before) == 0;
    mb_status        st = MB_OK;

    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    if (set) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    fputs("\033[?25l\033[2J", stdout); /* without cursor, blank */
    do
        st = draw(t, err);
    while (st >= 0 && !over());
    fputs("\033[?25h\n", stdout);
    fflush(stdout);
    if (set)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return st;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const top_opt *o = opt;
    const char    *token = NULL;
    top            t;
    mb_json_out    j;

    if (o->json && !o->once)
        MB_FAIL(err, MB_E_ARG, "--json: got it alone; expected --once with it");
    app_json_begin();
    MB_TRY(top_find(a, o->where, &t, err));
    if (o->token)
        MB_TRY(ask_token(a, o->token, &token, err));
    for (int32_t i = 0; token && i < t.n; i++)
        t.node[i].token = token;
    if (!o->once && isatty(STDOUT_FILENO))
        return watch(&t, err);
    MB_TRY(top_look(a, &t, err));
    if (!o->json) {
        top_print(&t, INT_MAX, "\n");
        return MB_OK;
    }
    mb_json_begin(&j, a, err);
    top_json(&t, &j);
    return app_print_json(&j);
}

const app_command app_cmd_top = {
    .name = "top",
    .summary = "watch the nodes of a mesh in the terminal",
    .usage = "meshbayes top [DIR|unix:PATH|http://ADDRESS:PORT ..] [--token-file FILE] [--once] "
             "[--json]",
    .text =
        "\nShows the status of nodes as a table, again each second; q or Ctrl-C ends it. DIR is "
        "a folder of meshbayes up, whose nodes are in DIR/nodes, or the folder of one node; "
        "default: this one. A node that does not answer is down. ADDRESS is in numbers; TLS is not "
        "spoken, but a proxy may (docs/howto/status.md).\n\nExample\n"
        "  meshbayes up --data rows.csv --node-column site --network links.csv --until 1h "
        "--out net &\n"
        "  meshbayes top net\n"
        "\nTick counts the rounds of the node, N is the number of nodes as it knows it, disagree "
        "how far it is from its target in posterior standard deviations, links its live "
        "neighbours and all, oldest the longest time since one was heard, loss the largest share "
        "of frames that did not arrive from one. Below it are members that fail audits, "
        "and reasons: of nodes that wait, have failed or are down, and of neighbours that are not "
        "live; three lines at most. With --once in a script the "
        "bytes a second are "
        "not known.\n",
    .options = options,
    .size = sizeof(top_opt),
    .most_words = TOP_WORDS,
    .words_at = offsetof(top_opt, where),
    .work = work};
