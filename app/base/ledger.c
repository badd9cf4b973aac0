/* ledger.c - releases are booked in a file that is locked, replaced whole and synced. Files are known
 * by a keyed hash of their bytes: whoever sees the ledger without its key learns nothing of them. */
#include "base/ledger.h"
#include "base/text.h"
#include "data/data.h"
#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format[] = "meshbayes privacy ledger";

typedef struct ledger {
    mb_arena      *a;
    const char    *file;
    int            fd;
    const mb_json *old;  /* NULL: the ledger is new */
    int            made; /* 1: the file is empty, and goes if nothing is booked */
    uint64_t       key[2];
    char           hash[17];
} ledger;

static mb_status refuse(const ledger *l, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: the ledger cannot be written: %s", l->file, strerror(errno));
}

static mb_status check_file(const ledger *l, const struct stat *is, mb_err *err)
{
    if (!S_ISREG(is->st_mode))
        MB_FAIL(err, MB_E_ARG,
                "%s: got a device or pipe, which forgets; expected a file for the ledger", l->file);
    return MB_OK;
}

/* Another process may have replaced the file while this one waited for the lock. */
static mb_status lock(ledger *l, mb_err *err)
{
    for (;;) {
        struct stat mine, there;

        l->fd = open(l->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (l->fd < 0 || flock(l->fd, LOCK_EX) || fstat(l->fd, &mine))
            return refuse(l, err);
        MB_TRY(check_file(l, &mine, err));
        if (!stat(l->file, &there) && there.st_ino == mine.st_ino && there.st_dev == mine.st_dev) {
            l->made = !mine.st_size;
            return MB_OK;
        }
        close(l->fd);
    }
}

static mb_status read_key(ledger *l, mb_json_in *in)
{
    const char *text = mb_json_get_text(in, l->old, "key");
    uint64_t   *key = l->key;

    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        mb_json_refuse(in, "key", "", "32 hexadecimal digits");
    else if (sscanf(text, "%16" SCNx64 "%16" SCNx64, &key[0], &key[1]) != 2)
        mb_json_refuse(in, "key", "", "32 hexadecimal digits");
    return in->status;
}

/* An entry that cannot be read would be one that has cost nothing. */
static void check_entries(const ledger *l, mb_json_in *in)
{
    const mb_json *all = mb_json_get(in, l->old, "data", MB_JSON_LIST);

    in->where = "data[].";
    for (size_t k = 0; k < all->n; k++) {
        const char *text = mb_json_get_text(in, &all->item[k], "hash");

        if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
            mb_json_refuse(in, "hash", "", "16 hexadecimal digits");
        (void)mb_json_get(in, &all->item[k], "releases", MB_JSON_LIST);
    }
    in->where = "";
}

static mb_status read_old(ledger *l, const mb_entropy *from, mb_err *err)
{
    mb_json_in  in = {.file = l->file, .where = "", .err = err};
    const char *stated;
    char       *bytes;
    size_t      n;

    if (l->made)
        return from->fill(from->self, l->key, sizeof l->key, err);
    MB_TRY(mb_file_read(l->a, l->file, &bytes, &n, err));
    MB_TRY(mb_json_parse(l->a, l->file, bytes, n, &l->old, err));
    stated = mb_json_get_text(&in, l->old, "format");
    if (!stated || strcmp(stated, format) != 0)
        mb_json_refuse(&in, "format", "", format);
    if (mb_json_get_count(&in, l->old, "version") != 1)
        mb_json_refuse(&in, "version", "", "1, that of this program");
    check_entries(l, &in);
    return read_key(l, &in);
}

/* The files of rows, those of arrays as well. */
static mb_status find_files(mb_arena *a, const char *data, mb_file_list *out, mb_err *err)
{
    const char *member;

    MB_TRY(mb_data_files(a, data, out, err));
    for (int32_t k = 0; k < out->n; k++)
        MB_TRY(mb_data_member(a, out->file[k], &out->file[k], &member, err));
    return MB_OK;
}

mb_status ledger_default(mb_arena *a, const char *data, const char **out, mb_err *err)
{
    mb_file_list files;
    int32_t      first = 0;

    MB_TRY(find_files(a, data, &files, err));
    for (int32_t k = 1; k < files.n; k++)
        if (strcmp(files.name[k], files.name[first]) < 0)
            first = k;
    *out = mb_text(a, err, "%s" LEDGER_SUFFIX, files.file[first]);
    return *out ? MB_OK : MB_E_NOMEM;
}

/* A sum, so that their order changes nothing. */
static mb_status hash(ledger *l, const char *data, mb_err *err)
{
    mb_file_list files;
    uint64_t     x, sum = 0;

    MB_TRY(find_files(l->a, data, &files, err));
    for (int32_t k = 0; k < files.n; k++) {
        MB_TRY(mb_file_keyed_hash(files.file[k], l->key, &x, err));
        sum += x;
    }
    snprintf(l->hash, sizeof l->hash, "%016" PRIx64, sum);
    return MB_OK;
}

/* The entry of these files; one of type MB_JSON_NONE: there is none. */
static const mb_json *entry(const ledger *l)
{
    const mb_json *all = mb_json_at(l->old, "data");

    for (size_t k = 0; k < all->n; k++) {
        const char *text = mb_json_at(&all->item[k], "hash")->text;

        if (text && !strcmp(text, l->hash))
            return &all->item[k];
    }
    return mb_json_at(NULL, "");
}

/* What these files have cost, with this release, against the budget. */
static mb_status add_up(const ledger *l, double budget, const ledger_release *r, ledger_sum *out,
                        mb_err *err)
{
    const mb_json *own = entry(l), *list = mb_json_at(own, "releases");
    mb_json_in     in = {.file = l->file, .where = "data[].", .err = err};
    double         mu2 = 0;

    *out = (ledger_sum){1, 0, r->delta, isnan(budget) ? r->epsilon : budget};
    if (own->type == MB_JSON_OBJECT && isnan(budget)) {
        out->budget = mb_json_get_real(&in, own, "epsilon");
        out->delta = mb_json_get_real(&in, own, "delta");
        if (!(out->budget > 0 && out->delta > 0 && out->delta < 1))
            mb_json_refuse(&in, "epsilon", "", "a budget above 0");
    }
    for (size_t k = 0; k < list->n; k++) {
        const double mu = mb_json_get_real(&in, &list->item[k], "mu");

        if (!(mu > 0))
            mb_json_refuse(&in, "mu", "", "a number above 0");
        mu2 += mu * mu;
    }
    MB_TRY(in.status);
    out->epsilon = mb_privacy_epsilon_(sqrt(mu2 + r->mu * r->mu), out->delta);
    out->releases += (int64_t)list->n;
    if (out->epsilon > out->budget * (1 + 1e-9))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: %s: with this one %" PRId64 " release%s would cost epsilon %.4g; "
                "expected at most the budget, %.4g at delta %g (--privacy.budget, \"budget\" of a "
                "node)",
                l->file, out->releases, app_plural(out->releases), out->epsilon, out->budget,
                out->delta);
    return MB_OK;
}

static void write_release(mb_json_out *j, const ledger_release *r)
{
    mb_json_object(j, NULL);
    mb_json_text(j, "model", r->model);
    mb_json_integer(j, "rows", r->rows);
    mb_json_number(j, "epsilon", r->epsilon);
    mb_json_number(j, "delta", r->delta);
    mb_json_number(j, "mu", r->mu);
    mb_json_text(j, "noise", r->simulated ? "simulated" : "random");
    mb_json_close(j);
}

static void copy_items(mb_json_out *j, const mb_json *list, const mb_json *without)
{
    for (size_t k = 0; k < list->n; k++)
        if (&list->item[k] != without)
            mb_json_copy(j, &list->item[k]);
}

static mb_status write_new(const ledger *l, const ledger_sum *sum, const ledger_release *r,
                           mb_err *err)
{
    const mb_json *own = entry(l);
    char           key[33];
    mb_json_out    j;

    snprintf(key, sizeof key, "%016" PRIx64 "%016" PRIx64, l->key[0], l->key[1]);
    mb_json_begin(&j, l->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "format", format);
    mb_json_integer(&j, "version", 1);
    mb_json_text(&j, "key", key);
    mb_json_list(&j, "data");
    copy_items(&j, mb_json_at(l->old, "data"), own);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "hash", l->hash);
    mb_json_number(&j, "epsilon", sum->budget);
    mb_json_number(&j, "delta", sum->delta);
    mb_json_list(&j, "releases");
    copy_items(&j, mb_json_at(own, "releases"), NULL);
    write_release(&j, r);
    mb_json_close(&j);
    mb_json_close(&j);
    mb_json_close(&j);
    mb_json_close(&j);
    return mb_json_write(&j, l->file);
}

/* The new name of the file is on the disk, too, before anything is shown. */
static mb_status sync_folder(const ledger *l, mb_err *err)
{
    char *path = (char *)(uintptr_t)mb_text(l->a, err, "%s", l->file);
    int   fd, failed;

    if (!path)
        return MB_E_NOMEM;
    fd = open(dirname(path), O_RDONLY | O_CLOEXEC);
    failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    if (fd >= 0)
        close(fd);
    return failed ? refuse(l, err) : MB_OK;
}

mb_status ledger_ask(mb_arena *a, const char *file, const char *data, double budget,
                     const ledger_release *release, ledger_sum *out, mb_err *err)
{
    ledger      l = {.a = a, .file = file};
    struct stat is;

    if (!stat(file, &is)) {
        MB_TRY(check_file(&l, &is, err));
        if (!is.st_size) /* new, as it is for booking */
            return add_up(&l, budget, release, out, err);
        MB_TRY(read_old(&l, NULL, err));
        MB_TRY(hash(&l, data, err));
    }
    return add_up(&l, budget, release, out, err);
}

mb_status ledger_book(mb_arena *a, const char *file, const char *data, double budget,
                      const ledger_release *release, const mb_entropy *from, ledger_sum *out,
                      mb_err *err)
{
    ledger    l = {.a = a, .file = file};
    mode_t    before;
    mb_status st = lock(&l, err);

    if (st >= 0)
        st = read_old(&l, from, err);
    if (st >= 0)
        st = hash(&l, data, err);
    if (st >= 0)
        st = add_up(&l, budget, release, out, err);
    before = umask(077);
    if (st >= 0)
        st = write_new(&l, out, release, err);
    umask(before);
    if (st < 0 && l.made)
        unlink(file);
    if (st >= 0)
        st = sync_folder(&l, err);
    if (l.fd >= 0)
        close(l.fd);
    return st;
}
