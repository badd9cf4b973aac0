/* JSON that was read: every member knows where its key is in the file; and lines of what is written. */
#include "data/json.h"
#include "scratch.h"
#include "test.h"

static void assert_place(const mb_json *o, const char *key, int32_t line, int32_t column)
{
    const mb_json *v = mb_json_at(o, key);

    assert_true(v->type != MB_JSON_NONE);
    assert_int_equal(v->line, line);
    assert_int_equal(v->column, column);
}

TEST(keys_know_their_line_and_column)
{
    static const char text[] = "{\"a\": \"b: {\",\n"
                               "  \"c \\\" d\" : [{\"e\":1}, \"f\", {\n"
                               "\t\"e\" \n : {\"g\": []}}],\n"
                               "\"\xc3\xa9\": null, \"a:\\\\\": true}";
    scratch          *s = *state;
    const mb_json    *o, *list;

    must(mb_json_read(s->a, scratch_text(s, "a.json", text), &o, &s->err));
    assert_int_equal(o->n, 4);
    assert_place(o, "a", 1, 2);
    assert_place(o, "c \" d", 2, 3);
    assert_place(o, "\xc3\xa9", 5, 1);
    assert_place(o, "a:\\", 5, 13);
    list = mb_json_at(o, "c \" d");
    assert_place(&list->item[0], "e", 2, 16);
    assert_place(&list->item[2], "e", 3, 2);
    assert_place(mb_json_at(&list->item[2], "e"), "g", 4, 5);
    assert_int_equal(list->item[1].line, 0);
}

TEST(a_member_is_refused_with_its_place)
{
    scratch       *s = *state;
    const mb_json *o;
    mb_json_in     j = {.file = "a.json", .where = "x.", .err = &s->err};

    must(mb_json_read(s->a, scratch_text(s, "a.json", "{\n \"b\": 1}"), &o, &s->err));
    mb_json_refuse_member(&j, &o->item[0], "none");
    scratch_expect(s, j.status, MB_E_FORMAT, "a.json:2:2: got field \"x.b\"; expected none");
}

TEST(bytes_are_read_without_an_end_mark)
{
    static const char text[] = "{\"rows\": [1, 2]} and what follows";
    scratch          *s = *state;
    const mb_json    *o;

    must(mb_json_parse(s->a, "POST /rows", text, 16, &o, &s->err));
    assert_int_equal(mb_json_at(o, "rows")->n, 2);
    scratch_expect(s, mb_json_parse(s->a, "POST /rows", text, 15, &o, &s->err), MB_E_FORMAT,
                   "POST /rows:1: not JSON");
    scratch_expect(s, mb_json_parse(s->a, "POST /rows", "[1]", 3, &o, &s->err), MB_E_FORMAT,
                   "POST /rows:1: not a JSON object");
}

TEST(a_long_list_of_numbers_is_written_on_one_line)
{
    const int64_t shape[2] = {1, 17}, few = 16;
    double        x[17] = {0};
    scratch      *s = *state;
    mb_json_out   j;
    char         *text;
    size_t        n;

    mb_json_begin(&j, s->a, &s->err);
    mb_json_list(&j, NULL);
    mb_json_numbers(&j, NULL, 2, shape, x);
    mb_json_numbers(&j, NULL, 1, &few, x);
    mb_json_close(&j);
    must(mb_json_end(&j, &text, &n));
    assert_non_null(strstr(text, "[\n  [\n    [0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,"
                                 "0.0,0.0,0.0,0.0]\n  ],\n  [\n    0.0,\n    0.0,\n"));
}

RUN_EACH_TEST(scratch_begin, scratch_end)
