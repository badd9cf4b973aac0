/* help.c - `meshbayes help`: the list of commands and the pages about them. */
#include "base/app.h"
#include "base/place.h"
#include "meshbayes/extend.h"

#include <string.h>

static const app_command *const commands[] = {&app_cmd_sim,     &app_cmd_fit,     &app_cmd_predict,
                                              &app_cmd_score,   &app_cmd_compare, &app_cmd_export,
                                              &app_cmd_sample,  &app_cmd_plan,    &app_cmd_up,
                                              &app_cmd_top,     &app_cmd_fleet,   &app_cmd_replay,
                                              &app_cmd_genesis, &app_cmd_graph,   &app_cmd_data,
                                              &app_cmd_report,  &app_cmd_help,    NULL};

const app_command *app_command_find(const char *name)
{
    const app_command *const *c = commands;

    while (*c && strcmp((*c)->name, name) != 0)
        c++;
    return *c;
}

/* The programs beside this one whose names are not those of commands. */
static void others(place_programs *out)
{
    int count = 0;

    place_programs_find(out);
    for (int k = 0; k < out->count; k++)
        if (!app_command_find(out->name[k]))
            memmove(out->name[count++], out->name[k], PLACE_NAME);
    out->count = count;
}

void app_print_commands(FILE *out)
{
    place_programs more;

    others(&more);
    for (const app_command *const *c = commands; *c; c++)
        fprintf(out, "%s%s", (*c)->name, c[1] ? ", " : "");
    for (int k = 0; k < more.count; k++)
        fprintf(out, ", %s", more.name[k]);
}

static void overview(FILE *out)
{
    place_programs more;

    others(&more);
    fputs("meshbayes " MB_VERSION
          ": a network of machines agrees on the Bayesian posterior that one machine\n"
          "holding all the data would have found. Each talks only to its neighbours; rows of data\n"
          "stay where they are, but a node with few rows (at most the number of columns) shows\n"
          "its neighbours, in effect, the rows; sum with masks prevents it (see up --mask).\n"
          "\nCommands\n",
          out);
    for (const app_command *const *c = commands; *c; c++)
        fprintf(out, "  %-8s %s\n", (*c)->name, (*c)->summary);
    for (int k = 0; k < more.count; k++)
        fprintf(out, "  %-8s a program of its own: meshbayes help %s\n", more.name[k],
                more.name[k]);
    fputs("\nFirst steps\n"
          "  meshbayes data synthetic --out rows.csv\n"
          "      50 nodes with 100 rows each of the paper's mixture of three Gaussians\n"
          "  meshbayes sim --data rows.csv --node-column node --label-column label \\\n"
          "      --topology geometric:n=50,side=3.5,radius=0.8 --n-components 3 \\\n"
          "      --algorithm cvb,dsvb,admm,edge --metrics all --out result\n"
          "      every algorithm on the same data and initialisation; open result/report.html\n"
          "\n`meshbayes help COMMAND` explains a command, `meshbayes help COMMAND all` has all its "
          "options,\n`meshbayes help NAME` explains an algorithm or a model.\n",
          out);
}

static void algorithm(FILE *out, const mb_algo *a)
{
    fprintf(out, "%s: %s\n", a->name, a->title);
    if (a->needs & MB_NEEDS_EVERY_MSG)
        fputs("It needs every message: refused on a network that loses or delays them.\n", out);
    if (a->needs & MB_NEEDS_RING)
        fputs("It needs a ring: refused on a network where a node has more or fewer than two "
              "neighbours.\n",
              out);
    if (a->needs & MB_NEEDS_TREE)
        fputs(
            "It needs a breadth-first tree, which the initialisation builds; only its links carry "
            "messages.\n",
            out);
    fprintf(out, "Each round it sends %s.\n",
            a->fanout == MB_BROADCAST   ? "one message to all neighbours (or none)"
            : a->needs & MB_WANTS_WORDS ? "at most one message to each neighbour in the tree"
            : a->needs & MB_NEEDS_TREE  ? "one message to each neighbour in the tree"
                                        : "one message to each neighbour");
    if (a->about) {
        fputc('\n', out);
        app_print_help(out, a->about);
    }
    if (a->opts && a->opts[0].name)
        app_print_options(out, "Options", a->opts);
}

static const char central[] = "\nEvery round is one E-step and one M-step on all rows at once; the "
                              "lower bound never decreases. It is the reference: a network of "
                              "nodes is to reach the same posterior without moving rows. On data "
                              "with many optima its answer depends on the initialisation.\n"
                              "\nmeshbayes fit runs it on one file, meshbayes sim --algorithm "
                              "cvb,.. beside the algorithms of a network, from the same "
                              "initialisation.\n";

static const char empirical[] =
    "\nThe default prior is made from the rows, as scikit-learn's BayesianGaussianMixture makes "
    "its own: mean_prior is the mean of all rows, covariance_prior their covariance (all columns "
    "together, divisor sum of weights - 1), degrees_of_freedom_prior the number of columns D, "
    "mean_precision_prior 1, weight_concentration_prior 1/K. With --covariance-type diag it has "
    "the variances of the columns, with spherical their mean. With full matrices, from the same "
    "responsibilities, with reg_covar 0, the two programs agree to rounding; with tied ones they "
    "do not, as scikit-learn's divides by K what the rows say. A regression's "
    "default is --prior reference, which is flat; with --prior empirical its coefficients have "
    "mean "
    "0 and precision 1e-6 (in units of the noise's) in columns of mean 0 and variance 1.\n"
    "\nIt assumes that mean and covariance say where clusters may lie; a few extreme rows widen "
    "it, but less than they widen --prior weak, which takes minimum and maximum. Where the "
    "covariance is singular (constant or collinear columns, fewer rows than columns; pivots of the "
    "correlation matrix up to 1e-12), its diagonal is raised by 1e-6 of its mean (without "
    "matrices a variance of 0 is raised to that), and a warning says so. Any --prior.NAME replaces "
    "its part.\n"
    "\nIt uses the rows twice, as prior and as data; the prior counts as one row for each mean and "
    "D for each covariance, so with few rows a component the answer is drawn towards the whole, "
    "and a cluster that is narrow and far from the mean of all rows is widened towards that mean. "
    "A weaker prior may then predict new rows much better, for example --prior.w0inv with a tenth "
    "of the variances of the columns and --prior.beta0 .01. Compare priors by meshbayes score on "
    "rows that were held out: bounds under different priors cannot be compared.\n"
    "\nIn a network it reveals sums over all rows to every node: mean, standard deviation and "
    "range of each column (needed for the common units anyway), and for a mixture with full "
    "matrices D (D + 1)/2 sums of products. They go up and down a tree before the first round, and "
    "their bytes are counted. --prior weak, or --prior.w0inv, needs no products.\n"
    "\nAlternatives: --prior weak (middle and a quarter of the range of each column, D + 2 degrees "
    "of freedom), --prior paper (gmm), --prior posterior:FILE.json (an earlier posterior on "
    "columns of "
    "the same names, component by component: today's answer is then that of both sets of rows).\n"
    "\nSource: scikit-learn, sklearn.mixture.BayesianGaussianMixture; Bishop, Pattern Recognition "
    "and Machine Learning, section 10.2.\n";

static const char kmeans[] =
    "\n--init kmeans, the default initialisation of mixtures, draws a centre for each component by "
    "k-means++: "
    "a row is chosen with a probability proportional to its squared distance from the centres "
    "drawn "
    "before; of several rows chosen in this way the one that leaves the smallest sum of squared "
    "distances becomes the centre: of 2 + 2 ln K in the first initialisation, of two in further "
    "ones, which shall differ. Lloyd's iteration then assigns every row to its nearest centre "
    "and moves every centre "
    "to the mean of its rows, until hardly a row changes its cluster (1e-4 of the weight; of fewer "
    "than 10,000 rows none), at most 300 times. An empty "
    "cluster "
    "takes the row that is farthest from its centre. Distances are measured in columns brought to "
    "a "
    "common origin and scale. The clusters are the first responsibilities.\n\n"
    "A network draws a row by flooding the largest random key and its row, so 1 + (K - 1) (2 + 2 "
    "ln K) "
    "rows become known to all nodes; a number for each candidate, summed up and down a tree, "
    "decides "
    "between them. A step of "
    "Lloyd's iteration is an exact sum of K(D+1) numbers up and down a "
    "breadth-first tree, bit-identical at all nodes; its bytes are counted as those of the "
    "initialisation. With --init centres:FILE no row leaves its node.\n\n"
    "--init kmeans++ draws one row a centre and stops at the centres drawn; --init farthest takes "
    "the farthest row each "
    "time.\n";

static const struct topic {
    const char *name, *title, *text;
} topics[] = {{"cvb", "central VB, variational Bayes on one machine that holds all rows", central},
              {"kmeans", "the default initialisation: k-means++, then Lloyd's iteration", kmeans},
              {"empirical", "the default prior, from mean and covariance of the rows", empirical}};
enum { TOPICS = sizeof topics / sizeof *topics };

static const struct topic *topic_find(const char *name)
{
    for (size_t k = 0; k < TOPICS; k++)
        if (!strcmp(name, topics[k].name))
            return &topics[k];
    return NULL;
}

/* `meshbayes help NAME` of a program that extends this one. Returns only after a failure. */
static int other_help(char *path)
{
    char  cmd[] = "help";
    char *argv[] = {path, cmd, NULL};

    return place_exec(path, argv);
}

static int unknown(const char *name)
{
    fprintf(stderr, "meshbayes help: error: \"%s\" is not a command, algorithm or model; expected ",
            name);
    app_print_commands(stderr);
    for (const mb_algo *const *l = mb_algo_list(); *l; l++)
        fprintf(stderr, ", %s", (*l)->name);
    for (const mb_kind *const *l = mb_kind_list(); *l; l++)
        fprintf(stderr, ", %s", (*l)->name);
    for (size_t k = 0; k < TOPICS; k++)
        fprintf(stderr, ", %s", topics[k].name);
    fputc('\n', stderr);
    return APP_WRONG_USE;
}

/* The page of a command, or of a part of its options. */
static int page(const app_command *c, const char *part)
{
    if (!part || !strcmp(part, "all"))
        printf("%s\nusage: %s\n", c->summary, c->usage);
    if (app_command_help(c, part, stdout))
        return APP_DONE;
    fprintf(stderr,
            "meshbayes help: error: \"%s\" is not a page about %s; expected all or, for a command "
            "with a model, the name of a model\n",
            part, c->name);
    return APP_WRONG_USE;
}

int app_help(const char *name, const char *part)
{
    const app_command  *c = name ? app_command_find(name) : NULL;
    const mb_algo      *a = name ? mb_algo_find(name) : NULL;
    const mb_kind      *kind = name ? mb_kind_find(name) : NULL;
    const struct topic *topic = name ? topic_find(name) : NULL;
    char                path[PLACE_PATH];

    if (!name)
        overview(stdout);
    else if (c)
        return page(c, part);
    else if (a)
        algorithm(stdout, a);
    else if (kind) {
        printf("%s: %s\n", kind->name, kind->title);
        app_print_options(stdout, "Options", kind->opts);
    } else if (topic) {
        printf("%s: %s\n", topic->name, topic->title);
        app_print_help(stdout, topic->text);
    } else if (place_program(name, path))
        return other_help(path);
    else
        return unknown(name);
    return APP_DONE;
}

static int run(int argc, char **argv)
{
    return app_help(argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
}

const app_command app_cmd_help = {.name = "help",
                                  .summary = "explain a command, an algorithm or a model",
                                  .usage = "meshbayes help [COMMAND [all|MODEL]|ALGORITHM|MODEL]",
                                  .run = run};
