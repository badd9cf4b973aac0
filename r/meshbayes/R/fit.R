# Fits of any model, and what is left of them.

# Words and factors as numbers and a kind, "category(f|m)"; numbers, logicals, and dates and times, which are
# numbers of days and seconds, as lm has them.
column_of <- function(name, x, levels = NULL) {
  if (is.logical(x) || inherits(x, c("Date", "POSIXct", "difftime"))) {
    x <- as.numeric(x)
  }
  if (is.list(x) || !(is.numeric(x) || is.character(x) || is.factor(x))) {
    refuse(sprintf("%s: got a column of %s; expected numbers, words, a factor or dates", name, typeof(x)), name)
  }
  if (is.numeric(x) && is.null(levels)) {
    return(list(x = as.double(x), kind = "number"))
  }
  if (is.null(levels)) {
    levels <- if (is.factor(x)) levels(x) else sort(unique(as.character(x)), method = "radix")
  }
  words <- as.character(x)
  place <- match(words, levels)
  wrong <- which(is.na(place) & !is.na(words))
  if (length(wrong)) {
    refuse(sprintf("%s: got \"%s\" in row %d; expected one of %s", name, words[wrong[1]], wrong[1],
                   paste(levels, collapse = ", ")), name, wrong[1])
  }
  escaped <- gsub("([\\\\,|():])", "\\\\\\1", levels)
  list(x = place - 1, kind = sprintf("category(%s)", paste(escaped, collapse = "|")))
}

# A matrix of numbers, names and kinds of columns. levels: by name, of columns that were learnt as categories.
table_from <- function(name, x, levels = list()) {
  if (is.null(dim(x)) && is.list(x)) {
    x <- as.data.frame(x)
  }
  if (!is.data.frame(x)) {
    if (!is.numeric(x) && !is.logical(x)) {
      if (!is.null(dim(x))) {
        refuse(sprintf("%s: got a matrix of %s; expected numbers, or a data frame", name, typeof(x)), name)
      }
      x <- data.frame(x)
      names(x) <- name
    } else {
      return(list(x = x, names = colnames(x), kinds = NULL))
    }
  }
  columns <- lapply(seq_along(x), function(k) {
    if (!is.null(dim(x[[k]]))) {
      refuse(sprintf("%s: column \"%s\" has columns of its own; expected one", name, names(x)[k]), name, NA, k)
    }
    column_of(names(x)[k], x[[k]], levels[[names(x)[k]]])
  })
  numbers <- vapply(columns, function(c) c$x, numeric(nrow(x)))
  list(x = matrix(numbers, nrow(x), length(x)), names = names(x),
       kinds = vapply(columns, function(c) c$kind, ""))
}

# Places from 0 of labels: of the known ones, or of those that there are.
places <- function(name, labels, known = NULL) {
  if (is.numeric(labels) && is.null(known)) {
    return(as.double(labels))
  }
  words <- as.character(labels)
  if (is.null(known)) {
    known <- unique(words)
  }
  at <- match(words, known)
  if (anyNA(at)) {
    wrong <- which(is.na(at))[1]
    refuse(sprintf("%s: got \"%s\" in row %d; expected one of %s", name, words[wrong], wrong,
                   paste(known, collapse = ", ")), name, wrong)
  }
  at - 1
}

# Groups, whose rows are to follow each other.
together <- function(group) {
  place <- match(group, unique(group))
  begins <- which(c(TRUE, diff(place) != 0))
  again <- begins[duplicated(place[begins])]
  if (length(again)) {
    refuse(sprintf("groups: the group of row %d comes again in row %d; expected the rows of a group one after the other",
                   match(place[again[1]], place), again[1]), "groups", again[1])
  }
  as.double(place - 1)
}

# A network: a text that the library reads, as "ring:n=10"; a matrix of two columns of linked nodes from 1, or by
# name; a symmetric matrix of links.
give_network <- function(handle, network, seed) {
  names <- NULL
  none <- matrix(0L, 2, 0)
  if (is.character(network) && is.null(dim(network))) {
    checked(.Call(r_network, handle, one_text(network, "network"), as.double(seed), 0L, none))
    return(NULL)
  }
  network <- as.matrix(network)
  if (nrow(network) == ncol(network) && ncol(network) != 2) {
    names <- rownames(network)
    n <- nrow(network)
    network <- which(network != 0 & upper.tri(network), arr.ind = TRUE)
  } else if (ncol(network) != 2) {
    refuse(sprintf("network: got a matrix of %d columns; expected 2, a link a row, or a symmetric one", ncol(network)),
           "network")
  } else {
    if (is.character(network)) {
      names <- sort(unique(c(network)), method = "radix")
      network <- matrix(match(network, names), ncol = 2)
    }
    n <- max(network)
  }
  if (!is.numeric(network) || anyNA(network) || any(network < 1) || any(network != floor(network))) {
    refuse("network: expected nodes from 1", "network")
  }
  checked(.Call(r_network, handle, NULL, as.double(seed), as.integer(n), matrix(as.integer(t(network) - 1), 2)))
  if (!is.null(names)) {
    give_texts(handle, "nodes", names)
  }
  if (is.null(names)) as.character(seq_len(n)) else names
}

# Response, group and inputs of a data frame or a matrix, as the library reads the formula.
by_formula <- function(handle, text, x, y, groups) {
  checked(.Call(r_set, handle, "formula", text))
  named <- checked(.Call(r_list, handle, "formula"))
  name <- function(role) named[named[, 2] == role, 1]
  all <- colnames(x)
  if (is.null(all)) {
    refuse("formula: got rows without names of columns; expected a data frame, or a matrix with them", "formula")
  }
  response <- name("response")
  group <- name("group")
  missing <- setdiff(named[named[, 2] != "inputs", 1], c(all, if (!is.null(y)) response, if (!is.null(groups)) group))
  if (length(missing)) {
    refuse(sprintf("formula: got \"%s\"; expected a column of the data: %s", missing[1], paste(all, collapse = ", ")),
           "formula")
  }
  given <- y
  inputs <- setdiff(if ("inputs" %in% named[, 2]) all else name("input"), c(response, group))
  column <- function(words) if (is.data.frame(x)) x[[words]] else x[, words]
  if (is.null(y) && length(response)) {
    y <- column(response)
  }
  if (is.null(groups) && length(group)) {
    groups <- column(group)
  }
  list(x = x[, all[all %in% inputs], drop = FALSE], y = y, groups = groups,
       target = if (!is.null(given) && any(response %in% all)) NULL else response, left_out = setdiff(all, inputs))
}

# A column, which may be one of a data frame.
unlisted <- function(y) if (is.data.frame(y)) y[[1]] else y

# Levels of the columns that are words or factors, by name.
levels_of <- function(x) {
  if (!is.data.frame(x)) {
    return(list())
  }
  found <- lapply(x, function(column) {
    if (is.factor(column)) levels(column) else if (is.character(column)) sort(unique(column), method = "radix")
  })
  Filter(Negate(is.null), found)
}

# Rows for a fit that has learnt numbers where they have words.
refuse_words <- function(x, known) {
  for (name in setdiff(names(levels_of(x)), names(known))) {
    refuse(sprintf("newdata: got words in column \"%s\"; expected numbers, as those that were fitted", name), "newdata",
           NA, match(name, names(x)))
  }
  x
}

# The error of a fit; where the model explains numbers alone, it names the column of words.
refuse_categories <- function(e, x, model) {
  words <- names(levels_of(x))
  if (e$option == "kinds" && length(words) && grepl("expected number,", conditionMessage(e), fixed = TRUE)) {
    refuse(sprintf("x: got words in column \"%s\"; expected numbers, as all columns of model %s are", words[1], model), "x",
           NA, match(words[1], names(x)))
  }
  stop(e)
}

# Kinds with those that the caller states by name.
stated <- function(kinds, names, by_name) {
  wrong <- setdiff(names(by_name), names)
  if (length(wrong) || is.null(names(by_name))) {
    refuse(sprintf("kinds: got \"%s\"; expected names of columns: %s", paste(wrong, collapse = ", "),
                   paste(names, collapse = ", ")), "kinds")
  }
  kinds[match(names(by_name), names)] <- unlist(by_name)
  kinds
}

# rows: x, y, groups, weights and the name of the target; levels: of columns that were learnt; level: of y.
give_rows <- function(handle, rows, levels = list(), level = NULL) {
  x <- rows$x
  if (length(dim(x)) == 2 && ncol(x) == 0) { # of an intercept alone
    x <- matrix(0, nrow(x), 1, dimnames = list(NULL, "(none)"))
  }
  x <- table_from("x", x, levels)
  kinds <- x$kinds
  give(handle, "x", x$x)
  give_texts(handle, "columns", x$names)
  if (!is.null(rows$y)) {
    y <- if (is.null(dim(rows$y))) column_of("y", rows$y, level) else table_from("y", rows$y, stats::setNames(list(level), colnames(rows$y)[1]))
    give(handle, "y", y$x)
    target <- if (is.null(y$names)) rows$target else y$names
    give_texts(handle, "targets", target)
    of_y <- c(y[["kinds"]], y[["kind"]])
    if (is.null(of_y)) {
      of_y <- rep("number", NCOL(y$x))
    }
    if (!is.null(kinds) || !all(of_y == "number")) {
      kinds <- c(if (is.null(kinds)) rep("number", NCOL(x$x)) else kinds, of_y)
    }
  }
  if (length(rows$kinds)) {
    kinds <- if (is.null(kinds)) rep("number", NCOL(x$x) + NCOL(rows$y) * !is.null(rows$y)) else kinds
    kinds <- stated(kinds, c(if (is.null(x$names)) paste0("x", seq_len(NCOL(x$x))) else x$names, rows$target),
                    rows$kinds[!names(rows$kinds) %in% rows$left_out])
  }
  give_texts(handle, "kinds", if (!is.null(kinds) && any(kinds != "number")) kinds)
  if (!is.null(rows$weights)) {
    give(handle, "sample_weight", as.double(rows$weights))
  }
  if (!is.null(rows$groups)) {
    give(handle, "group", together(rows$groups))
  }
}

vbfit <- function(x, y = NULL, model = "gmm", formula = NULL, weights = NULL, groups = NULL, network = NULL,
                  node = NULL, algorithm = NULL, kinds = NULL, seed = 0, threads = 0, ...) {
  call <- match.call()
  handle <- new_handle(model)
  set_options(handle, list(threads = threads, seed = seed, ...))
  nodes <- NULL
  if (!is.null(network)) {
    nodes <- give_network(handle, network, seed)
    if (is.null(algorithm)) {
      all <- vbmodels()
      algorithm <- all$algorithm[all$name == model]
    }
    checked(.Call(r_algorithm, handle, one_text(algorithm, "algorithm")))
    if (!is.null(node)) {
      if (!is.numeric(node) && is.null(nodes)) {
        refuse("node: got names, and a network without them; expected numbers from 1, or links of names", "node")
      }
      give(handle, "node", if (is.numeric(node)) node - 1 else places("node", node, nodes))
    }
  } else if (!is.null(node)) {
    refuse("node: got the node of each row; expected a network, too", "node")
  }
  rows <- list(x = x, y = y, groups = groups, target = NULL)
  if (!is.null(formula)) {
    rows <- by_formula(handle, formula_text(formula), x, y, groups)
  }
  if (NROW(rows$x) == 0) {
    refuse("x: got no rows; expected at least one", "x")
  }
  rows$weights <- weights
  rows$kinds <- kinds
  give_rows(handle, rows)
  names <- colnames(rows$x)
  tryCatch(work(handle), meshbayes_error = function(e) refuse_categories(e, rows$x, model))
  fit <- made(handle, call, names, NROW(x))
  fit[["column_levels"]] <- levels_of(rows$x)
  fit$kinds <- kinds
  fit[["target_levels"]] <- levels_of(data.frame(y = if (NCOL(rows$y) == 1 && !is.null(rows$y)) unlisted(rows$y)))[["y"]]
  fit
}

# The text of a formula, as the library's own parser reads it.
formula_text <- function(formula) {
  if (inherits(formula, "formula")) paste(deparse(formula, width.cutoff = 500L), collapse = " ") else one_text(formula, "formula")
}

# What R shows of a result. The posterior itself is its JSON, so that saveRDS keeps it.
made <- function(handle, call, inputs, n) {
  fit <- list(call = call, model = thing(handle, "model"), n = n, verdict = thing_if(handle, "verdict"),
              rounds = thing(handle, "rounds"), bound = thing(handle, "bound"), columns = thing(handle, "columns"),
              targets = thing_if(handle, "targets"), inputs = inputs, nodes = thing_if(handle, "nodes"),
              json = .Call(r_json, handle, -1L), pointer = new.env(parent = emptyenv()))
  checked(fit$json)
  fit$trace <- thing_if(handle, "trace")
  if (!is.null(fit$nodes) && fit$nodes > 0) {
    fit$agreement <- list(disagreement = thing(handle, "disagreement"), distance = thing(handle, "distance"),
                          frames = thing(handle, "frames"), bytes = thing(handle, "bytes"))
    fit$links <- thing(handle, "links") + 1
  }
  names <- thing(handle, "parameters")
  fit$posterior <- Filter(Negate(is.null), sapply(names, function(name) thing_if(handle, name), simplify = FALSE))
  fit$pointer$handle <- handle
  structure(fit, class = "vbfit")
}

# The handle of a fit; of one that was read from a file a new one.
handle_of <- function(fit) {
  if (is.null(fit$pointer$handle) || identical(fit$pointer$handle, null_pointer)) {
    fit$pointer$handle <- handle_of_json(fit$json)
  }
  fit$pointer$handle
}

# A pointer that saveRDS and readRDS leave is NULL.
null_pointer <- methods::new("externalptr")

vbread <- function(file) {
  text <- paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  handle <- handle_of_json(text)
  fit <- made(handle, match.call(), thing_if(handle, "inputs"), thing(handle, "rows"))
  if (grepl("\"(categories|levels)\"", text)) {
    if (!requireNamespace("jsonlite", quietly = TRUE)) {
      refuse("file: the posterior has categories, which are read by the package jsonlite; it is not installed", "file")
    }
    said <- jsonlite::fromJSON(text)
    design <- if (is.null(said$design)) said else said$design
    fit[["column_levels"]] <- as.list(design[["categories"]])
    fit[["target_levels"]] <- said[["levels"]]
  }
  fit
}

vbwrite <- function(object, file) {
  writeLines(object$json, file, useBytes = TRUE)
  invisible(object)
}

# Rows for a posterior: the columns that it has, by their names where there are names.
rows_for <- function(object, newdata) {
  wanted <- object$inputs
  if (!is.null(wanted) && !is.null(colnames(newdata))) {
    missing <- setdiff(wanted, c(colnames(newdata), "(none)"))
    if (length(missing)) {
      refuse(sprintf("newdata: got no column \"%s\"; expected %s", missing[1], paste(wanted, collapse = ", ")),
             "newdata")
    }
    newdata <- newdata[, setdiff(wanted, "(none)"), drop = FALSE]
  }
  refuse_words(newdata, object[["column_levels"]])
}

# One of the model's answers, which may be shortened.
answer_of <- function(type, answers) {
  at <- pmatch(one_text(type, "type"), answers)
  if (is.na(at)) {
    refuse(sprintf("type: got \"%s\"; expected one of %s", type, paste(answers, collapse = ", ")), "type")
  }
  answers[at]
}

predict.vbfit <- function(object, newdata, type = NULL, level = 0.95, steps = 0, groups = NULL, y = NULL, node = 0, ...) {
  handle <- handle_of(object)
  answers <- .Call(r_list, handle, "answers")[, 1]
  ahead <- c("forecast", "states-ahead")
  usual <- if (steps > 0) intersect(c(ahead, answers), answers) else answers
  type <- if (is.null(type)) usual[1] else answer_of(type, answers)
  if (type %in% ahead && steps < 1) {
    refuse(sprintf("steps: got %s; expected the number of rows that %s is to have, at least 1", steps, type), "steps")
  }
  if (steps > 0 && !type %in% ahead) {
    refuse(sprintf("steps: model %s has no forecast of type \"%s\"; expected 0", object$model, type), "steps")
  }
  # Of which component a row is, its target says; of a series and of whole groups the targets are what is known.
  component <- "responsibilities" %in% answers && type %in% c("labels", "responsibilities")
  if (is.null(y) && (component || type == "group-density" || "filtered" %in% answers)) {
    y <- targets_in(object, newdata)
  }
  if (is.null(y) && component && length(object$targets)) {
    refuse("y: got nothing; expected the target of each row, which says of which component it is", "y")
  }
  .Call(r_forget, handle)
  give_rows(handle, list(x = rows_for(object, newdata), groups = groups, y = y), object[["column_levels"]], object[["target_levels"]])
  found <- checked(.Call(r_predict, handle, as.integer(node - 1), type, level, as.integer(steps)))
  .Call(r_forget, handle)
  names <- thing_if(handle, paste0("names.", type), node)
  if (type %in% c("labels", "states")) {
    return(if (component || type == "states") found[, 1] + 1 else labelled(object, found[, 1]))
  }
  if (length(names) == ncol(found)) {
    # Columns of components, which count from 1.
    by_component <- type %in% c("responsibilities", "states-ahead", if ("states" %in% answers) c("smoothed", "filtered"))
    colnames(found) <- if (by_component) NULL else if (type == "probabilities") sub("^p[.]", "", names) else names
  }
  found
}

# The targets that rows have beside the inputs, by their names; NULL: they have none.
targets_in <- function(object, rows) {
  targets <- object$targets
  if (!length(targets) || !all(targets %in% setdiff(colnames(rows), object$inputs))) {
    return(NULL)
  }
  if (length(targets) > 1) rows[, targets, drop = FALSE] else if (is.data.frame(rows)) rows[[targets]] else rows[, targets]
}

# The words of the target, or its numbers.
labelled <- function(object, label) {
  words <- object[["target_levels"]]
  if (is.null(words)) label else factor(words[label + 1], words)
}

simulate.vbfit <- function(object, nsim = 1, seed = NULL, parameters = FALSE, node = 0, ...) {
  handle <- handle_of(object)
  if (is.null(seed)) {
    seed <- floor(stats::runif(1) * 2^31)
  }
  found <- .Call(r_sample, handle, as.integer(node - 1), parameters, as.double(seed), as.double(nsim))
  if (is.list(found) && grepl("no distribution of its inputs", found[[1]], fixed = TRUE)) {
    found[[1]] <- paste0(found[[1]], "; parameters = TRUE draws from the posterior")
  }
  found <- checked(found)
  names <- if (parameters) thing_if(handle, "names.draws", node) else c(object$columns, object$targets)
  if (length(names) == ncol(found)) {
    colnames(found) <- names
  }
  if (parameters) found else in_words(found, object[["column_levels"]])
}

# Rows of numbers, where words were learnt a data frame with them.
in_words <- function(rows, levels) {
  levels <- levels[names(levels) %in% colnames(rows)]
  if (!length(levels)) {
    return(rows)
  }
  out <- as.data.frame(rows)
  for (name in names(levels)) {
    out[[name]] <- factor(levels[[name]][out[[name]] + 1], levels[[name]])
  }
  attr(out, "component") <- attr(rows, "component")
  out
}

# ln p(row | data) of each row.
density_of <- function(object, newdata, y = NULL, groups = NULL, node = 0) {
  handle <- handle_of(object)
  .Call(r_forget, handle)
  give_rows(handle, list(x = rows_for(object, newdata), y = y, groups = groups), object[["column_levels"]], object[["target_levels"]])
  found <- checked(.Call(r_score, handle, as.integer(node - 1), FALSE, as.double(NROW(newdata))))
  .Call(r_forget, handle)
  found[-(1:2)]
}

update.vbfit <- function(object, newdata, y = NULL, weights = NULL, groups = NULL, forget = 1, ...) {
  if (NROW(newdata) == 0) {
    refuse("newdata: got no rows; expected at least one", "newdata")
  }
  handle <- handle_of_json(object$json)
  if (is.null(y)) {
    y <- targets_in(object, newdata)
  }
  if (is.null(groups) && !is.null(object$group) && object$group %in% names(newdata)) {
    groups <- newdata[[object$group]]
  }
  give_rows(handle, list(x = rows_for(object, newdata), y = y, weights = weights, groups = groups), object[["column_levels"]],
            object[["target_levels"]])
  work(handle, forget)
  again <- made(handle, object$call, object$inputs, object$n + NROW(newdata))
  # What was said of the rows that were fitted, such as labels, holds no longer; the rest does.
  kept <- c("column_levels", "target_levels", "formula", "family", "group", "kinds", "modelName")
  again[kept] <- object[kept]
  if (is.data.frame(object$data) && all(names(object$data) %in% names(newdata))) {
    again$data <- rbind(object$data, newdata[names(object$data)])
  }
  again <- Filter(Negate(is.null), unclass(again))
  structure(again, class = setdiff(class(object), "vbmix"))
}

# The bound is not a likelihood: logLik is the log density of the rows that were fitted, at the posterior.
nobs.vbfit <- function(object, ...) object$n

print.vbfit <- function(x, ...) {
  cat(sprintf("%s, %d rows%s: %s after %d rounds, lower bound %.9g nats\n", x$model, as.integer(x$n),
              if (!is.null(x$nodes) && x$nodes > 0) sprintf(" on %d nodes", as.integer(x$nodes)) else "",
              if (is.null(x$verdict)) "a step" else x$verdict, as.integer(x$rounds), x$bound))
  invisible(x)
}

# The lower bound of each round.
plot.vbfit <- function(x, ...) {
  if (is.null(x$trace)) {
    refuse("plot: got a fit without the bounds of its rounds; expected one with trace = TRUE", "trace")
  }
  graphics::plot(x$trace[, 1], x$trace[, 2], type = "l", xlab = "round", ylab = "lower bound (nats)", ...)
  invisible(x)
}

summary.vbfit <- function(object, ...) {
  structure(list(fit = object), class = "summary.vbfit")
}

print.summary.vbfit <- function(x, ...) {
  print(x$fit)
  for (name in names(x$fit$posterior)) {
    cat("\n", name, ":\n", sep = "")
    print(x$fit$posterior[[name]], ...)
  }
  invisible(x)
}
