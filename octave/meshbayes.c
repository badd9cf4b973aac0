/* meshbayes.c - fits for Octave and Matlab, over bind.h: json = meshbayes(x, 'name', value, ...). Numbers
 * stay where they are. Names are those of arrays ('y', 'sample_weight', 'group', 'node', ..), of texts
 * ('columns', 'kinds', ..), 'model', 'network', 'algorithm' and options; vbfit.m is how it is called. */
#include <meshbayes/bind.h>

#include "mex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(mb_bind *b, int code)
{
    const char *text;
    char        said[2000];
    int64_t     row;

    if (!code)
        return;
    mb_bind_error(b, &text, NULL, &row, NULL);
    snprintf(said, sizeof said,
             row < 0 ? "%s" : "%s (rows there count from 0: here it is row %lld)", text,
             (long long)row + 1);
    mb_bind_free(b);
    mexErrMsgIdAndTxt("meshbayes:error", "%s", said);
}

static void refuse(mb_bind *b, const char *name, const char *what)
{
    mb_bind_free(b);
    mexErrMsgIdAndTxt("meshbayes:error", "%s: expected %s", name, what);
}

/* 1: numbers that lie as they are to be read. */
static int is_array(const mxArray *x)
{
    return mxIsDouble(x) && !mxIsSparse(x) && !mxIsComplex(x) && mxGetNumberOfDimensions(x) == 2;
}

/* 1: one number of any type, or true or false. */
static int is_one(const mxArray *x)
{
    return (mxIsNumeric(x) || mxIsLogical(x)) && !mxIsSparse(x) && !mxIsComplex(x) &&
           mxGetNumberOfElements(x) == 1;
}

/* Names or kinds, of a cell array. */
static int texts(mb_bind *b, const char *name, const mxArray *x)
{
    const size_t n = mxGetNumberOfElements(x);
    const char **text = mxMalloc((n + 1) * sizeof *text);

    for (size_t k = 0; k < n; k++) {
        const mxArray *cell = mxGetCell(x, k);

        if (!cell || !mxIsChar(cell))
            refuse(b, name, "a cell array of texts");
        text[k] = mxArrayToString(cell);
    }
    return mb_bind_texts(b, name, (int64_t)n, text);
}

/* A matrix, or one number for each row, which may lie. */
static int array(mb_bind *b, const char *name, const mxArray *x)
{
    static const char *const each[] = {"y", "sample_weight", "group", "node", "labels"};
    const int64_t            n = (int64_t)mxGetM(x), d = (int64_t)mxGetN(x), size = sizeof(double);
    int                      lies = 0;

    for (size_t k = 0; k < sizeof each / sizeof *each; k++)
        lies |= n == 1 && !strcmp(name, each[k]);
    return mb_bind_array(b, name, MB_BIND_F8, lies || d == 1 ? 1 : 2, (int64_t[]){lies ? d : n, d},
                         (int64_t[]){size, size * n}, mxGetPr(x));
}

/* A text, true and false, or one number, which is a text of 17 digits. */
static int option(mb_bind *b, const char *name, const mxArray *value, uint64_t seed)
{
    char *text = mxIsChar(value) ? mxArrayToString(value) : NULL, number[32];

    if (!text && (!strcmp(name, "network") || !strcmp(name, "algorithm") || !strcmp(name, "model")))
        refuse(b, name, "a text");
    if (!text && mxIsLogical(value))
        text = (char *)(mxGetScalar(value) != 0 ? "on" : "off");
    if (!text)
        snprintf(number, sizeof number, "%.17g", mxGetScalar(value));
    if (!strcmp(name, "network"))
        return mb_bind_network(b, text, seed, 0, 0, NULL);
    if (!strcmp(name, "algorithm"))
        return mb_bind_algorithm(b, text, NULL, NULL, 0, NULL);
    return !strcmp(name, "model") ? 0 : mb_bind_set(b, name, text ? text : number);
}

/* An option, texts or an array, by what is given. */
static int value(mb_bind *b, const char *name, const mxArray *x, uint64_t seed)
{
    if (mxIsChar(x) || is_one(x))
        return option(b, name, x, seed);
    if (mxIsCell(x))
        return texts(b, name, x);
    if (!is_array(x))
        refuse(b, name, "a text, a number, a cell array of texts or a full matrix of doubles");
    return array(b, name, x);
}

/* The value with this name; NULL: there is none. Names are texts. */
static const mxArray *given(int n_in, const mxArray *in[], const char *name)
{
    for (int k = 1; k < n_in; k += 2) {
        if (!mxIsChar(in[k]))
            refuse(NULL, "names", "texts");
        if (!strcmp(mxArrayToString(in[k]), name))
            return in[k + 1];
    }
    return NULL;
}

void mexFunction(int n_out, mxArray *out[], int n_in, const mxArray *in[])
{
    const mxArray *model = n_in % 2 ? given(n_in, in, "model") : NULL,
                  *seed = n_in % 2 ? given(n_in, in, "seed") : NULL;
    const char *json;
    size_t      length;
    mb_bind    *b;

    (void)n_out;
    if (n_in % 2 == 0 || !is_array(in[0]))
        refuse(NULL, "x", "a full matrix of doubles, then names and values");
    if (model && !mxIsChar(model))
        refuse(NULL, "model", "a text");
    b = mb_bind_new(model ? mxArrayToString(model) : NULL);
    check(b, mb_bind_error(b, NULL, NULL, NULL, NULL));
    check(b, array(b, "x", in[0]));
    for (int k = 1; k < n_in; k += 2)
        check(b, value(b, mxArrayToString(in[k]), in[k + 1],
                       seed && is_one(seed) ? (uint64_t)mxGetScalar(seed) : 0));
    check(b, mb_bind_fit(b, NULL, NULL));
    check(b, mb_bind_json(b, -1, &json, &length));
    out[0] = mxCreateString(json);
    mb_bind_free(b);
}
