/* meshbayes.c - fits for Octave and Matlab, over bind.h: json = meshbayes(x, 'name', value, ...). Numbers
 * stay where they are. Names are those of arrays ('y', 'sample_weight', 'group', 'node', ..), 'model',
 * 'network', 'algorithm' and options; vbfit.m is how it is called. */
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

/* A matrix, or a vector, which may lie. */
static int array(mb_bind *b, const char *name, const mxArray *x)
{
    const int64_t n = (int64_t)mxGetM(x), d = (int64_t)mxGetN(x), size = sizeof(double);
    const int     lies = n == 1 && strcmp(name, "x") != 0;

    return mb_bind_array(b, name, MB_BIND_F8, lies || d == 1 ? 1 : 2, (int64_t[]){lies ? d : n, d},
                         (int64_t[]){size, size * n}, mxGetPr(x));
}

/* A text, or one number, which is a text of 17 digits. */
static int option(mb_bind *b, const char *name, const mxArray *value)
{
    char *text = mxIsChar(value) ? mxArrayToString(value) : NULL, number[32];

    if (!text)
        snprintf(number, sizeof number, "%.17g", mxGetScalar(value));
    if (!strcmp(name, "network"))
        return mb_bind_network(b, text, 0, 0, 0, NULL);
    if (!strcmp(name, "algorithm"))
        return mb_bind_algorithm(b, text, NULL, NULL, 0, NULL);
    return !strcmp(name, "model") ? 0 : mb_bind_set(b, name, text ? text : number);
}

void mexFunction(int n_out, mxArray *out[], int n_in, const mxArray *in[])
{
    const char *json, *model = NULL;
    size_t      length;
    mb_bind    *b;

    (void)n_out;
    if (n_in % 2 == 0 || !mxIsDouble(in[0]))
        mexErrMsgIdAndTxt("meshbayes:error", "expected a matrix of doubles, and names and values");
    for (int k = 1; k < n_in; k += 2)
        if (!strcmp(mxArrayToString(in[k]), "model"))
            model = mxArrayToString(in[k + 1]);
    b = mb_bind_new(model);
    check(b, mb_bind_error(b, NULL, NULL, NULL, NULL));
    check(b, array(b, "x", in[0]));
    for (int k = 1; k < n_in; k += 2) {
        const char    *name = mxArrayToString(in[k]);
        const mxArray *x = in[k + 1];

        check(b, mxIsDouble(x) && mxGetNumberOfElements(x) > 1 ? array(b, name, x)
                                                               : option(b, name, x));
    }
    check(b, mb_bind_fit(b, NULL, NULL));
    check(b, mb_bind_json(b, -1, &json, &length));
    out[0] = mxCreateString(json);
    mb_bind_free(b);
}
