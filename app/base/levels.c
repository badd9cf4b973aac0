/* levels.c - how well the levels of a target are predicted, on standard output. */
#include "base/app.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 /* levels of a table */, NAME = 16 /* characters of a level */, LEAST = 9 };

static const char *const flag[] = {"0", "1"};

/* The predicted level of each observed one. */
static void table(const mb_classification *c, const char *const *level)
{
    int wide = LEAST;

    for (int32_t k = 0; k < c->levels; k++)
        wide = (int)strlen(level[k]) > wide ? (int)strlen(level[k]) : wide;
    wide = wide < NAME ? wide : NAME;
    printf("%-*s", NAME + 4, "observed \\ predicted");
    for (int32_t k = 0; k < c->levels; k++)
        printf(" %*.*s", wide, wide, level[k]);
    putchar('\n');
    for (int32_t l = 0; l < c->levels; l++) {
        printf("  %-*.*s", NAME + 2, NAME, level[l]);
        for (int32_t k = 0; k < c->levels; k++)
            printf(" %*.6g", wide, c->table[l * c->levels + k]);
        putchar('\n');
    }
}

void app_print_levels(const mb_classification *c, const mb_column *known)
{
    if (!(c->weight > 0))
        return;
    printf("accuracy %.1f %%, log loss %.4f nats a row\n", 100 * mb_classification_accuracy(c),
           mb_shown_(mb_classification_loss(c), 4));
    if (c->levels <= MOST)
        table(c, known ? known->level : flag);
}
