/* listing.c - the library's small tables and JSON on standard output. */
#include "base/app.h"

#include <math.h>

static void cell(const mb_listed *c, const char *label, double x)
{
    if (c->form == 's')
        printf("%*.*s", c->width, c->digits, label);
    else if (isnan(x))
        printf("%*s", c->width, "-");
    else if (c->form == 'f')
        printf("%*.*f", c->width, c->digits, x);
    else
        printf("%*.*g", c->width, c->form == 'd' ? 17 : c->digits, x + 0.0); /* -0 + 0 is 0 */
}

void app_print_listing(const mb_listing *l, const char *lead)
{
    printf("%s", lead);
    for (int32_t c = 0; c < l->columns; c++)
        printf("%s%*.*s", c ? " " : "", l->column[c].width, c ? 24 : -1 /* whole */,
               l->column[c].name);
    puts(l->more ? " .." : "");
    for (int32_t r = 0; r < l->rows; r++) {
        printf("%s", lead);
        for (int32_t c = 0; c < l->columns; c++) {
            if (c)
                putchar(' ');
            cell(&l->column[c], l->label ? l->label[r] : "", l->x[r * l->columns + c]);
        }
        puts(l->more ? " .." : "");
    }
    if (l->note)
        puts(l->note);
}

mb_status app_print_json(mb_json_out *j)
{
    char *text;

    MB_TRY(mb_json_end(j, &text, NULL));
    fputs(text, stdout);
    return MB_OK;
}
