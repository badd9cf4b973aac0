/* 09_bind.c - what a binding does, in C: bind.h alone, options as texts, arrays where they are. */
#include <meshbayes/bind.h>

#include <stdio.h>

/* Twelve days in two columns, one after the other, in single precision. */
static const float day[2][12] = {
    {12.1F, 11.8F, 12.6F, 11.9F, 12.3F, 12.0F, 23.5F, 24.1F, 23.9F, 24.4F, 23.7F, 24.0F},
    {60.2F, 61.0F, 59.1F, 60.5F, 59.8F, 60.4F, 48.3F, 47.7F, 49.0F, 48.1F, 48.8F, 47.9F}};
static const char *const column[] = {"temperature", "humidity"};

/* The first item, the sizes, and the bytes from row to row and from column to column. */
static int give_days(mb_bind *b)
{
    return mb_bind_array(b, "x", MB_BIND_F4, 2, (int64_t[]){12, 2},
                         (int64_t[]){sizeof(float), sizeof day[0]}, day);
}

/* Once a round: 0 continues, 1 stops with what there is. */
static int tick(void *rounds, int32_t attempt, int64_t t, double bound)
{
    (void)attempt, (void)t, (void)bound;
    ++*(int *)rounds;
    return 0;
}

static int show(mb_bind *b, const char *title)
{
    const void *means, *verdict;
    int64_t     shape[3];
    int32_t     ndim;
    int         type, st = mb_bind_get(b, -1, "verdict", &type, &ndim, shape, &verdict);

    st = st ? st : mb_bind_get(b, -1, "means", &type, &ndim, shape, &means);
    if (st)
        return st;
    printf("%s: %s\n", title, *(const char *const *)verdict);
    for (int64_t k = 0; k < shape[0]; k++)
        printf(" mean %.4f, %.4f\n", ((const double *)means)[k * shape[1]],
               ((const double *)means)[k * shape[1] + 1]);
    return 0;
}

static int fits(mb_bind *b, int *rounds)
{
    int st = mb_bind_set(b, "n_components", "2");

    st = st ? st : mb_bind_texts(b, "columns", 2, column);
    st = st ? st : give_days(b);
    st = st ? st : mb_bind_fit(b, tick, rounds);
    st = st ? st : show(b, "one machine");
    st = st ? st : give_days(b); /* arrays are the caller's again after each fit */
    st = st ? st : mb_bind_network(b, "ring:n=4", 0, 0, 0, NULL);
    st = st ? st : mb_bind_algorithm(b, "edge", NULL, NULL, 0, NULL);
    st = st ? st : mb_bind_fit(b, NULL, NULL);
    return st ? st : show(b, "four machines");
}

int main(void)
{
    int         rounds = 0;
    mb_bind    *b = mb_bind_new("gmm");
    const int   st = b ? fits(b, &rounds) : -1;
    const char *text = "no memory";

    if (b)
        mb_bind_error(b, &text, NULL, NULL, NULL);
    if (st)
        fprintf(stderr, "%s\n", text);
    printf("the tick was called: %s\n", rounds > 0 ? "yes" : "no");
    mb_bind_free(b);
    return st != 0;
}
