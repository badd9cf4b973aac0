/* meshbayes.c - the handles of bind.h as external pointers of R: options as texts, numbers where R has
 * them. A handle is freed with its pointer, so that an error of R, which jumps, frees everything. */
#include <meshbayes/bind.h>

#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <Rinternals.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void finalize(SEXP pointer)
{
    mb_bind_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static SEXP wrapped(mb_bind *b)
{
    SEXP pointer;

    if (!b)
        Rf_error("out of memory");
    pointer = PROTECT(R_MakeExternalPtr(b, Rf_install("meshbayes"), R_NilValue));
    R_RegisterCFinalizerEx(pointer, finalize, TRUE);
    UNPROTECT(1);
    return pointer;
}

static mb_bind *handle(SEXP pointer)
{
    mb_bind *b = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;

    if (!b)
        Rf_error("the fit is of another session of R; read it again from its JSON");
    return b;
}

static const char *text_of(SEXP x)
{
    return x == R_NilValue ? NULL : Rf_translateCharUTF8(STRING_ELT(x, 0));
}

static SEXP utf8(const char *text)
{
    return Rf_mkCharCE(text, CE_UTF8);
}

/* The error of the last call: text, option, row, column, from 0; NULL: it succeeded. */
static SEXP error_of(const mb_bind *b, int code)
{
    const char *text, *option;
    int64_t     row, column;
    SEXP        out;

    if (!code)
        return R_NilValue;
    mb_bind_error(b, &text, &option, &row, &column);
    out = PROTECT(Rf_allocVector(VECSXP, 4));
    SET_VECTOR_ELT(out, 0, Rf_ScalarString(utf8(text)));
    SET_VECTOR_ELT(out, 1, Rf_ScalarString(utf8(option)));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)row));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)column));
    UNPROTECT(1);
    return out;
}

static SEXP r_new(SEXP model)
{
    return wrapped(mb_bind_new(text_of(model)));
}

static SEXP r_read(SEXP json)
{
    const char *text = text_of(json);

    return wrapped(mb_bind_from_json(text, strlen(text)));
}

/* Of a handle that has just been made. */
static SEXP r_error(SEXP pointer)
{
    mb_bind *b = handle(pointer);

    return error_of(b, mb_bind_error(b, NULL, NULL, NULL, NULL));
}

static SEXP r_set(SEXP pointer, SEXP name, SEXP value)
{
    mb_bind *b = handle(pointer);

    return error_of(b, mb_bind_set(b, text_of(name), text_of(value)));
}

/* Integers and numbers stay where R has them; the pointer keeps them until r_forget. */
static SEXP r_array(SEXP pointer, SEXP name, SEXP x)
{
    mb_bind      *b = handle(pointer);
    const int     whole = TYPEOF(x) == INTSXP, matrix = Rf_isMatrix(x);
    const int64_t size = whole ? sizeof(int) : sizeof(double);
    const int64_t n = matrix ? Rf_nrows(x) : (int64_t)XLENGTH(x);
    const int64_t shape[] = {n, matrix ? Rf_ncols(x) : 1}, stride[] = {size, size * n};

    R_SetExternalPtrProtected(pointer, Rf_cons(x, R_ExternalPtrProtected(pointer)));
    return error_of(b, mb_bind_array(b, text_of(name), whole ? MB_BIND_I4 : MB_BIND_F8,
                                     matrix ? 2 : 1, shape, stride,
                                     whole ? (const void *)INTEGER(x) : (const void *)REAL(x)));
}

static SEXP r_forget(SEXP pointer)
{
    mb_bind_array(handle(pointer), NULL, MB_BIND_F8, 0, NULL, NULL, NULL);
    R_SetExternalPtrProtected(pointer, R_NilValue);
    return R_NilValue;
}

static SEXP r_texts(SEXP pointer, SEXP name, SEXP words)
{
    mb_bind       *b = handle(pointer);
    const R_xlen_t n = XLENGTH(words);
    const char   **text = (const char **)R_alloc((size_t)n + 1, sizeof *text);

    for (R_xlen_t k = 0; k < n; k++)
        text[k] = Rf_translateCharUTF8(STRING_ELT(words, k));
    return error_of(b, mb_bind_texts(b, text_of(name), n, text));
}

/* A description that the seed draws, or n nodes and links: an integer matrix of two rows, from 0. */
static SEXP r_network(SEXP pointer, SEXP spec, SEXP seed, SEXP n, SEXP links)
{
    mb_bind *b = handle(pointer);

    return error_of(b, mb_bind_network(b, text_of(spec), (uint64_t)Rf_asReal(seed),
                                       (int32_t)Rf_asInteger(n), Rf_ncols(links), INTEGER(links)));
}

static SEXP r_algorithm(SEXP pointer, SEXP name)
{
    mb_bind *b = handle(pointer);

    return error_of(b, mb_bind_algorithm(b, text_of(name), NULL, NULL, 0, NULL));
}

/* A fit or an update works in a thread of its own, which calls nothing of R's; R waits, and looks
 * for an interrupt ten times a second. */
typedef struct work {
    mb_bind        *b;
    double          forget; /* of an update; 0: a fit */
    int             code, done;
    pthread_mutex_t lock;
    pthread_cond_t  ends;
} work;

static void *run(void *self)
{
    work *w = self;
    int   code =
        w->forget > 0 ? mb_bind_update(w->b, w->forget, NULL, NULL) : mb_bind_fit(w->b, NULL, NULL);

    pthread_mutex_lock(&w->lock);
    w->code = code;
    w->done = 1;
    pthread_cond_signal(&w->ends);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int is_done(work *w)
{
    struct timespec until;
    int             done, waited = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    while (!w->done && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&w->ends, &w->lock, &until);
    done = w->done;
    pthread_mutex_unlock(&w->lock);
    return done;
}

static void look(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

/* TRUE: it was interrupted, after which the handle has what there was. */
static SEXP r_work(SEXP pointer, SEXP forget)
{
    work      w = {.b = handle(pointer), .forget = Rf_asReal(forget)};
    int       interrupted = 0;
    SEXP      said;
    pthread_t thread;

    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.ends, NULL);
    if (pthread_create(&thread, NULL, run, &w)) {
        run(&w);
    } else {
        while (!is_done(&w)) {
            interrupted = interrupted || !R_ToplevelExec(look, NULL);
            if (interrupted) /* again and again: it may only just begin */
                mb_bind_stop(w.b);
        }
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&w.ends);
    pthread_mutex_destroy(&w.lock);
    said = PROTECT(error_of(w.b, w.code));
    r_forget(pointer);
    UNPROTECT(1);
    return interrupted ? Rf_ScalarLogical(1) : said;
}

/* A matrix of texts, its rows those of the list. */
static SEXP r_list(SEXP pointer, SEXP what)
{
    mb_bind           *b = handle(pointer);
    const char *const *text;
    int64_t            rows, columns;
    const int          code = mb_bind_list(b, text_of(what), &text, &rows, &columns);
    SEXP               out;

    if (code)
        return error_of(b, code);
    out = PROTECT(Rf_allocMatrix(STRSXP, (int)rows, (int)columns));
    for (int64_t j = 0; j < rows; j++)
        for (int64_t k = 0; k < columns; k++)
            SET_STRING_ELT(out, k * rows + j, utf8(text[j * columns + k]));
    UNPROTECT(1);
    return out;
}

static SEXP r_warnings(SEXP pointer)
{
    const char *const *text;
    const int64_t      n = mb_bind_warnings(handle(pointer), &text);
    SEXP               out = PROTECT(Rf_allocVector(STRSXP, n));

    for (int64_t k = 0; k < n; k++)
        SET_STRING_ELT(out, k, utf8(text[k]));
    UNPROTECT(1);
    return out;
}

/* Numbers in the library's order, the last index the fastest, with the attribute shape; texts. */
static SEXP r_get(SEXP pointer, SEXP node, SEXP name)
{
    mb_bind    *b = handle(pointer);
    int         type, code;
    int32_t     ndim;
    int64_t     shape[3], n = 1;
    const void *x;
    SEXP        out, sizes;

    code = mb_bind_get(b, (int32_t)Rf_asInteger(node), text_of(name), &type, &ndim, shape, &x);
    if (code)
        return error_of(b, code);
    for (int32_t k = 0; k < ndim; k++)
        n *= shape[k];
    out = PROTECT(Rf_allocVector(type == MB_BIND_TEXT ? STRSXP : REALSXP, n));
    sizes = PROTECT(Rf_allocVector(INTSXP, ndim));
    for (int32_t k = 0; k < ndim; k++)
        INTEGER(sizes)[k] = (int)shape[k];
    for (int64_t j = 0; j < n; j++)
        if (type == MB_BIND_TEXT)
            SET_STRING_ELT(out, j, utf8(((const char *const *)x)[j]));
        else
            REAL(out)
            [j] = type == MB_BIND_I8 ? (double)((const int64_t *)x)[j] : ((const double *)x)[j];
    Rf_setAttrib(out, Rf_install("shape"), sizes);
    UNPROTECT(2);
    return out;
}

/* A matrix of R from rows of the library. */
static SEXP matrix_of(const double *x, const int64_t shape[2])
{
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)shape[0], (int)shape[1]));

    for (int64_t j = 0; j < shape[0]; j++)
        for (int64_t k = 0; k < shape[1]; k++)
            REAL(out)[k * shape[0] + j] = x[j * shape[1] + k];
    UNPROTECT(1);
    return out;
}

static SEXP r_predict(SEXP pointer, SEXP node, SEXP what, SEXP level, SEXP ahead)
{
    mb_bind      *b = handle(pointer);
    const int32_t i = (int32_t)Rf_asInteger(node), steps = (int32_t)Rf_asInteger(ahead);
    const char   *name = text_of(what);
    int64_t       shape[2];
    double       *x;
    int           code = mb_bind_predict(b, i, name, Rf_asReal(level), steps, NULL, shape);

    if (code)
        return error_of(b, code);
    x = (double *)R_alloc((size_t)(shape[0] * shape[1]) + 1, sizeof *x);
    code = mb_bind_predict(b, i, name, Rf_asReal(level), steps, x, shape);
    return code ? error_of(b, code) : matrix_of(x, shape);
}

/* Mean log density, the weight of the rows, and the density of each of n. */
static SEXP r_score(SEXP pointer, SEXP node, SEXP expected, SEXP n)
{
    mb_bind  *b = handle(pointer);
    SEXP      each = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)Rf_asReal(n))), out;
    double    mean, weight;
    const int code = mb_bind_score(b, (int32_t)Rf_asInteger(node), Rf_asLogical(expected), &mean,
                                   &weight, REAL(each));

    if (code) {
        UNPROTECT(1);
        return error_of(b, code);
    }
    out = PROTECT(Rf_allocVector(REALSXP, XLENGTH(each) + 2));
    REAL(out)[0] = mean;
    REAL(out)[1] = weight;
    memcpy(REAL(out) + 2, REAL(each), (size_t)XLENGTH(each) * sizeof(double));
    UNPROTECT(2);
    return out;
}

/* Rows, or draws of the parameters, with the attribute component of rows. */
static SEXP r_sample(SEXP pointer, SEXP node, SEXP parameters, SEXP seed, SEXP n)
{
    mb_bind      *b = handle(pointer);
    const int32_t i = (int32_t)Rf_asInteger(node);
    const int     draws = Rf_asLogical(parameters);
    const int64_t many = (int64_t)Rf_asReal(n);
    int64_t       shape[2], *component;
    double       *x;
    SEXP          out, from;
    int code = mb_bind_sample(b, i, draws, (uint64_t)Rf_asReal(seed), 0, many, NULL, NULL, shape);

    if (code)
        return error_of(b, code);
    x = (double *)R_alloc((size_t)(shape[0] * shape[1]) + 1, sizeof *x);
    component = (int64_t *)R_alloc((size_t)many + 1, sizeof *component);
    for (int64_t j = 0; j < many; j++)
        component[j] = 0;
    code = mb_bind_sample(b, i, draws, (uint64_t)Rf_asReal(seed), 0, many, x, component, shape);
    if (code)
        return error_of(b, code);
    out = PROTECT(matrix_of(x, shape));
    from = PROTECT(Rf_allocVector(INTSXP, many));
    for (int64_t j = 0; j < many; j++)
        INTEGER(from)[j] = (int)component[j] + 1;
    Rf_setAttrib(out, Rf_install("component"), from);
    UNPROTECT(2);
    return out;
}

static SEXP r_json(SEXP pointer, SEXP node)
{
    mb_bind    *b = handle(pointer);
    const char *text;
    size_t      n;
    const int   code = mb_bind_json(b, (int32_t)Rf_asInteger(node), &text, &n);

    return code ? error_of(b, code) : Rf_ScalarString(utf8(text));
}

static SEXP r_version(void)
{
    return Rf_mkString(mb_bind_version());
}

#define CALL(name, n)                                                                              \
    {                                                                                              \
#name, (DL_FUNC)(void (*)(void))name, n                                                    \
    }
static const R_CallMethodDef calls[] = {
    CALL(r_new, 1),       CALL(r_read, 1),    CALL(r_error, 1), CALL(r_set, 3),
    CALL(r_array, 3),     CALL(r_forget, 1),  CALL(r_texts, 3), CALL(r_network, 5),
    CALL(r_algorithm, 2), CALL(r_work, 2),    CALL(r_list, 2),  CALL(r_warnings, 1),
    CALL(r_get, 3),       CALL(r_predict, 5), CALL(r_score, 4), CALL(r_sample, 5),
    CALL(r_json, 2),      CALL(r_version, 0), {NULL, NULL, 0},
};

void attribute_visible R_init_meshbayes(DllInfo *dll);
void                   R_init_meshbayes(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
}
