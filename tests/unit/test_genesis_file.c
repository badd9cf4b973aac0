/* Genesis files: what is written reads back to the bit, what is wrong is refused and named. */
#include "genesis_world.h"
#include "mesh/file_plan.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "network/graph.h"
#include "scratch.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const char *path;

static int up(void **state)
{
    if (scratch_begin(state))
        return 1;
    arena = ((scratch *)*state)->a;
    path = scratch_path(*state, "genesis.json");
    return 0;
}

TEST(a_file_read_back_has_the_same_bits)
{
    mb_genesis g, back;
    world      w;

    for (int32_t which = 0; which < 5; which++) {
        if (which < 2)
            linreg_world(&w, which, 3);
        else
            gmm_world(&w, which - 1, 4);
        g = of_sample(&w, 64);
        OK(mb_genesis_write(arena, &g, path, &err));
        OK(mb_genesis_read(arena, path, NULL, &back, &err));
        OK(mb_genesis_same(&g, &back, &err));
        assert_true(g.hash == back.hash);
        assert_true(g.run.log_jacobian == back.run.log_jacobian);
    }
}

/* Writes the block of a mixture with `from`, which is there, replaced by `to`. */
static void write_with(const char *from, const char *to)
{
    static char text[20000], changed[20000];
    mb_genesis  g;
    world       w;
    FILE       *f;
    char       *at;
    size_t      n;

    gmm_world(&w, 2, 2);
    g = of_sample(&w, 64);
    g.maker = 3;
    OK(mb_genesis_write(arena, &g, path, &err));
    f = fopen(path, "r");
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    f = fopen(path, "w");
    fputs(changed, f);
    fclose(f);
}

static void refused(const char *from, const char *to, const char *why)
{
    mb_genesis g;

    write_with(from, to);
    assert_int_equal(mb_genesis_read(arena, path, NULL, &g, &err), MB_E_FORMAT);
    if (!strstr(err.msg, why) || !strstr(err.msg, "genesis.json"))
        fail_msg("got \"%s\", expected \"%s\"", err.msg, why);
}

TEST(what_is_wrong_is_refused_by_name)
{
    refused("meshbayes genesis", "meshbayes posterior", "field \"format\"");
    refused("\"version\": 1", "\"version\": 2", "field \"version\"");
    refused(
        "\"gmm\"", "\"gmn\"",
        "field \"model\" is wrong or missing; expected gmm, linreg, tmm, lca, glm, mixed, mixreg, "
        "hmm, structural, fa or lda");
    refused("\"maker\": 3", "\"maker\": 4294967296", "field \"maker\"");
    refused("\"maker\": 3", "\"maker\": 4", "field \"hash\"");
    refused("\"maker\"", "\"marker\"",
            ".json:6:3: got field \"marker\"; expected no field of this");
    refused("\"means\"", "\"mean\"", "field \"prior.mean");
    refused("\"scale\": [", "\"scale\": [ 1, ", "field \"scale");
    refused("\"start\"", "\"stars\"", "field \"stars\"");
    refused("\"n_components\": 2", "\"n_components\": 3", "field \"prior.w_inverse\"");
    refused("\"features\": [", "\"features\": [\"a long name\", ", "a name that is there once");
    refused("{", "{ {", "");
}

/* A rounded number is another block, so the hash no longer fits. */
TEST(a_changed_number_is_found_by_the_hash)
{
    refused("\"start\": [\n    [\n      ", "\"start\": [\n    [\n      1", "field \"hash\"");
}

/* Units and parameters are all that a person need write. */
TEST(a_file_made_by_hand_gets_its_natural_prior)
{
    static const char text[] =
        "{\"format\": \"meshbayes genesis\", \"version\": 1, \"model\": \"gmm\", \"n_components\": "
        "2, \"features\": [\"x\"], \"origin\": [10], \"scale\": [4], \"prior\": "
        "{\"weight_concentration\": [1, 1], \"mean_precision\": [2, 2], \"degrees_of_freedom\": "
        "[3, 3], \"means\": [[12], [12]], \"w_inverse\": [[[32]], [[32]]]}, \"start\": [[9], "
        "[13]]}";
    /* m = 1/2, W^-1 = 2 in units of 4 from 10: [(nu - 1)/2, -M/2], M = [2, 1; 1, 2.5]. */
    static const double want[] = {
        0, 0, 1, -1, -0.70710678118654757, -1.25, 1, -1, -0.70710678118654757, -1.25};
    mb_genesis g;
    FILE      *f = fopen(path, "w");

    fputs(text, f);
    fclose(f);
    OK(mb_genesis_read(arena, path, NULL, &g, &err));
    assert_int_equal(g.len, 10);
    for (int l = 0; l < 10; l++)
        assert_true(fabs(g.prior[l] - want[l]) < 1e-15);
    assert_true(g.start[0] == 9 && g.start[1] == 13 && g.maker == 0);
}

#define KEY_0 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_1 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SIGNS "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
/* Members in no order, links at one end or at both. */
#define DECLARED                                                                                   \
    "\"nodes_max\": 50, \"weight_max\": 2.5, \"algorithm\": \"sum\", "                             \
    "\"gaps\": true, \"rows_are\": \"at most\", "                                                  \
    "\"range\": [[-5, 2000], [0, 3000.5]], \"members\": ["                                         \
    "{\"id\": 7, \"key\": \"" KEY_1 "\", \"rows\": 20.5, \"links\": [3]},"                         \
    "{\"id\": 3, \"key\": \"" KEY_0 "\", \"signing_key\": \"" SIGNS                                \
    "\", \"rows\": 30, \"links\": [7, 9]}, {\"id\": 9, \"rows\": 1, \"links\": []}]"

static void check_declared(const mb_declared *d)
{
    assert_true(d->rows == 51.5 && d->gaps && d->at_most && d->members == 3 && d->columns == 2);
    assert_true(d->range[0] == -5 && d->range[3] == 3000.5);
    for (int32_t k = 0; k < 3; k++)
        assert_int_equal(mb_declared_find(d, (const int32_t[]){3, 7, 9}[k]), k);
    assert_int_equal(mb_declared_find(d, 4), -1);
    assert_true(d->nodes_max == 50 && d->weight_max == 2.5);
    assert_string_equal(d->member[1].key, KEY_1);
    assert_string_equal(d->algorithm, "sum");
    assert_true(!d->member[1].signing_key && d->member[0].signing_key[31] == 0xff);
    assert_true(d->links.ptr[1] == 2 && d->links.ptr[3] == 4 && d->links.adj[3] == 0);
}

/* Nor does it change the hash of the block. */
TEST(what_is_declared_reads_back_the_same)
{
    mb_genesis without, with, back;

    write_with("\"maker\": 3", "\"maker\": 3");
    OK(mb_genesis_read(arena, path, NULL, &without, &err));
    assert_null(without.declared);
    write_with("\"maker\": 3", "\"maker\": 3, " DECLARED);
    OK(mb_genesis_read(arena, path, NULL, &with, &err));
    check_declared(with.declared);
    OK(mb_genesis_write(arena, &with, path, &err));
    OK(mb_genesis_read(arena, path, NULL, &back, &err));
    check_declared(back.declared);
    assert_true(back.declared->hash == with.declared->hash && with.hash == without.hash);
}

/* DECLARED with `from` replaced by `to`. */
static void declares_wrong(const char *from, const char *to, const char *why)
{
    const char *at = strstr(DECLARED, from);
    char        text[2000];

    assert_non_null(at);
    snprintf(text, sizeof text, "\"maker\": 3, %.*s%s%s", (int)(at - DECLARED), DECLARED, to,
             at + strlen(from));
    refused("\"maker\": 3", text, why);
}

TEST(what_is_declared_wrong_is_refused_by_name)
{
    declares_wrong("at most", "at least", "field \"rows_are\"");
    declares_wrong("true", "1", "field \"gaps\"");
    declares_wrong("50,", "0,", "field \"nodes_max\"");
    declares_wrong("2.5", "-2.5", "field \"weight_max\"");
    declares_wrong("\"sum\"", "1", "field \"algorithm\"");
    declares_wrong("-5, 2000", "5, -2000", "field \"range[0]\"");
    declares_wrong("3000.5]]", "3000.5], [0, 1]]", "field \"range");
    declares_wrong("\"id\": 7", "\"id\": 9", "members: id of 9 and 9");
    declares_wrong(KEY_1, KEY_0, "members: key of 3 and 7");
    declares_wrong(KEY_1, "b", "field \"members[0].key\"");
    declares_wrong(SIGNS, "00FF", "field \"members[1].signing_key\"");
    declares_wrong("20.5", "-1", "field \"members[0].rows\"");
    declares_wrong("[3]", "[4]", "field \"members[0].links[0]\"");
    declares_wrong("[7, 9]", "[7, 3]", "field \"members[1].links[1]\"");
    declares_wrong("\"links\": []", "\"limits\": []", "field \"members[2].limits\"");
    declares_wrong("\"rows_are\"", "\"rows\": 52, \"rows_are\"", "field \"rows\"");
}

/* Of a file without a block: model and bounds, and who takes part. */
static mb_status read_plan(mb_plan *plan, const mb_declared **d)
{
    int lacks = 0;

    MB_TRY(mb_plan_read_(arena, path, plan, d, &lacks, &err));
    assert_int_equal(lacks, 1);
    return MB_OK;
}

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Four components of two columns inside bounds. */
static mb_plan plan_within(const mb_bounds *bounds)
{
    static const char *const column[] = {"a", "b"};
    void                    *opt = mb_alloc(arena, 1, mb_kind_gmm.opt_size);

    OK(mb_opt_defaults(mb_kind_gmm.opts, opt, &err));
    OK(mb_opt_assign(mb_kind_gmm.opts, opt, "n-components=4", &err));
    return (mb_plan){.kind = &mb_kind_gmm,
                     .kind_opt = opt,
                     .columns = 2,
                     .column = column,
                     .seed = 9,
                     .from = MB_GENESIS_RANGES,
                     .algo = &mb_algo_sum,
                     .bounds = bounds};
}

TEST(a_file_without_a_block_comes_back_with_its_hash)
{
    static const double low[] = {-1, .1}, high[] = {2, 1e9};
    const mb_bounds     bounds = {2, low, high};
    const mb_member     member[] = {{.id = 3, .rows = 5, .name = "kiel"}, {.id = 7, .rows = 6}};
    int32_t             edge[] = {0, 1};
    mb_declared         d = {.rows = 11,
                             .columns = 2,
                             .members = 2,
                             .member = member,
                             .mask = 1,
                             .algorithm = "sum",
                             .rows_batch = 20,
                             .weight_max = (double)NAN};
    mb_plan             plan = plan_within(&bounds), back;
    const mb_declared  *is;

    OK(mb_graph_from_edges(arena, 2, 1, edge, &d.links, &err));
    d.hash = mb_declared_hash_(&d);
    plan.mask = d.hash;
    OK(mb_plan_write_(arena, &plan, &d, path, &err));
    OK(read_plan(&back, &is));
    back.mask = is->hash;
    assert_true(is->hash == d.hash);
    assert_true(mb_plan_hash_(&back) == mb_plan_hash_(&plan));
    assert_string_equal(is->member[0].name, "kiel");
    assert_true(is->rows_batch == 20);
    assert_int_equal(mb_genesis_read(arena, path, NULL, &(mb_genesis){.maker = 0}, &err),
                     MB_E_FORMAT);
    d.rows_batch = 21;
    assert_true(mb_declared_hash_(&d) != is->hash);
}

TEST(a_file_without_a_block_has_to_have_all_else)
{
    static const char *const wrong[][2] = {
        {"{\"name\": \"gmm\", \"columns\": [\"a\"], \"genesis\": \"ranges\"}", "bounds"},
        {"{\"name\": \"gmm\", \"genesis\": \"ranges\", \"bounds\": [[0, 1]]}", "columns"},
        {"{\"name\": \"gmm\", \"columns\": [\"a\"], \"bounds\": [[0, 1]]}", "genesis"},
        {"{\"columns\": [\"a\"], \"genesis\": \"ranges\", \"bounds\": [[1, 1]]}",
         "from 1 to 1 of column"},
        {"{\"columns\": [\"a\"], \"genesis\": \"ranges\", \"bounds\": [[1, 2]], \"odd\": 1}",
         "odd"}};
    const mb_declared *is;
    mb_plan            plan;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[300];

        snprintf(text, sizeof text,
                 "{\"format\": \"meshbayes genesis\", \"version\": 1, \"model\": %s}", wrong[k][0]);
        write_text(text);
        assert_true(read_plan(&plan, &is) < 0);
        if (!strstr(err.msg, wrong[k][1]))
            fail_msg("%s: %s", wrong[k][1], err.msg);
    }
}

RUN_TESTS(up, scratch_end)
