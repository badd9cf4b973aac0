/* Genesis files: what is written reads back to the bit, what is wrong is refused and named. */
#include "genesis_world.h"
#include "mesh/genesis.h"
#include "scratch.h"
#include "test.h"

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
    refused("\"gmm\"", "\"gmn\"",
            "field \"model\" is wrong or missing; expected gmm, linreg, tmm, lca or glm");
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

RUN_TESTS(up, scratch_end)
