# Regressions by formula, which the library reads: factors and words become categories.

# A fit with the response, the group and the inputs that the formula names.
regression <- function(call, model, formula, data, weights, network, node, algorithm, seed, options, class) {
  text <- formula_text(formula)
  if (missing(data) || is.null(data)) {
    refuse("data: got nothing; expected a data frame with the columns of the formula", "data")
  }
  data <- as.data.frame(data)
  for (name in c("weights", "node")) {
    n <- length(get(name))
    if (n && n != nrow(data)) {
      refuse(sprintf("%s: got %d; expected %d, as data has rows", name, n, nrow(data)), name)
    }
  }
  named <- named_by(model, text)
  if (!any(named[, 2] == "response")) {
    refuse(sprintf("formula: got %s; expected a response before ~", text), "formula")
  }
  group <- named[named[, 2] == "group", 1]
  order <- in_groups(data[[if (length(group)) group else "no group"]], nrow(data))
  fit <- in_order(order, do.call(vbfit, c(list(data[order, , drop = FALSE], model = model, formula = text,
                                               weights = weights[order], network = network, node = node[order],
                                               algorithm = algorithm, seed = seed), options)))
  fit$call <- call
  fit$formula <- text
  fit$group <- if (length(group)) group
  fit$data <- data
  fit$weights <- weights
  class(fit) <- c(class, "vbregression", "vbfit")
  fit
}

# The order in which rows of a group follow each other; NULL: there are no groups.
in_groups <- function(group, n) {
  if (is.null(group)) seq_len(n) else order(match(group, unique(group)))
}

# What is asked of rows in this order; an error counts them as they were given.
in_order <- function(order, asked) {
  tryCatch(asked, meshbayes_error = function(e) {
    if (is.na(e$row)) stop(e)
    refuse(sub(paste0("row ", e$row), paste0("row ", order[e$row]), conditionMessage(e), fixed = TRUE), e$option, order[e$row],
           e$column)
  })
}

# Columns that a formula names, and what they are.
named_by <- function(model, text) {
  handle <- new_handle(model)
  checked(.Call(r_set, handle, "formula", text))
  checked(.Call(r_list, handle, "formula"))
}

vblm <- function(formula, data, weights = NULL, network = NULL, node = NULL, algorithm = "edge", seed = 0, ...) {
  regression(match.call(), "linreg", formula, data, weights, network, node, algorithm, seed, list(...), "vblm")
}

vbglm <- function(formula, data, family = stats::binomial(), weights = NULL, network = NULL, node = NULL,
                  algorithm = "edge", seed = 0, ...) {
  if (is.function(family)) {
    family <- family()
  }
  family <- if (inherits(family, "family")) family$family else one_text(family, "family")
  link <- c(binomial = "logistic", poisson = "poisson", multinomial = "multinomial")
  if (!family %in% names(link)) {
    refuse(sprintf("family: got %s; expected %s (of gaussian: vblm)", family, paste(names(link), collapse = ", ")),
           "family")
  }
  fit <- regression(match.call(), "glm", formula, data, weights, network, node, algorithm, seed,
                    c(list(glm.link = link[[family]]), list(...)), "vbglm")
  fit$family <- family
  fit
}

vbmixed <- function(formula, data, weights = NULL, network = NULL, node = NULL, algorithm = "edge", seed = 0, ...) {
  regression(match.call(), "mixed", formula, data, weights, network, node, algorithm, seed, list(...), "vbmixed")
}

# Rows that are asked for and, behind them, those that were fitted of the same groups, which say what is known of these.
with_known <- function(object, newdata, groups) {
  groups <- as.character(groups)
  data <- object$data
  of <- as.character(data[[object$group]])
  known <- which(of %in% groups)
  inputs <- setdiff(object$inputs, c("(none)", object$group))
  missing <- setdiff(inputs, names(newdata))
  if (length(missing)) {
    refuse(sprintf("newdata: got no column \"%s\"; expected %s", missing[1], paste(inputs, collapse = ", ")), "newdata")
  }
  part <- function(rows, groups) {
    out <- data.frame(group = groups, stringsAsFactors = FALSE)
    names(out) <- object$group
    cbind(out, rows[inputs], row.names = NULL)
  }
  list(newdata = rbind(part(newdata, groups), part(data[known, , drop = FALSE], of[known])),
       groups = c(groups, of[known]), y = c(rep(NA, NROW(newdata)), data[[object$targets[1]]][known]))
}

predict.vbregression <- function(object, newdata = NULL, type = NULL, groups = NULL, y = NULL, ...) {
  if (is.null(newdata)) {
    newdata <- object$data
  }
  if (is.null(groups) && !is.null(object$group) && object$group %in% names(newdata)) {
    groups <- newdata[[object$group]]
  }
  if (!is.null(type)) {
    type <- answer_of(type, .Call(r_list, handle_of(object), "answers")[, 1])
  }
  rows <- list(newdata = newdata, groups = groups, y = y)
  if (!is.null(object$group) && is.null(y) && length(groups) && (is.null(type) || type %in% c("mean", "interval"))) {
    rows <- with_known(object, newdata, groups)
  }
  order <- in_groups(rows$groups, NROW(rows$newdata))
  found <- in_order(order, predict.vbfit(object, rows$newdata[order, , drop = FALSE], type, groups = rows$groups[order],
                                         y = rows$y[order], ...))
  if (is.null(dim(found))) {
    return(found[order(order)])
  }
  if (nrow(found) == length(order)) { # else it has a row a group, or of a forecast
    found <- found[order(order), , drop = FALSE][seq_len(NROW(newdata)), , drop = FALSE]
  }
  usual <- is.null(type) && "mean" %in% colnames(found)
  if (usual) found[, "mean"] else found
}

# Posterior means of the coefficients: a vector, or of several targets or categories a matrix.
coef.vbregression <- function(object, ...) named_coefficients(object, object$posterior[["intercept"]], object$posterior[["coef"]])

named_coefficients <- function(object, intercept, slopes) {
  # Behind the columns that have a coefficient there may be an offset.
  names <- c(if (!is.null(intercept)) "(Intercept)", object$columns[seq_len(NCOL(rbind(slopes)))])
  if (is.matrix(slopes)) {
    found <- cbind(intercept, slopes)
    rows <- if (length(object[["target_levels"]]) == nrow(found) + 1) object[["target_levels"]][-1] else object$targets
    dimnames(found) <- list(if (length(rows) == nrow(found)) rows, names)
    return(found)
  }
  stats::setNames(c(intercept, slopes), names)
}

# Intervals of the posterior of each coefficient: Student's t where the noise is unknown, else a Gaussian.
confint.vbregression <- function(object, parm, level = 0.95, ...) {
  p <- object$posterior
  spread <- if (is.null(p[["coef_scale"]])) named_coefficients(object, p[["intercept_sd"]], p[["coef_sd"]])
            else named_coefficients(object, p[["intercept_scale"]], p[["coef_scale"]])
  mean <- coef.vbregression(object)
  if (is.matrix(mean)) {
    refuse("confint: got several targets; expected one: summary has their standard deviations", "confint")
  }
  at <- stats::qt(c((1 - level) / 2, (1 + level) / 2), if (is.null(p[["degrees_of_freedom"]])) Inf else p[["degrees_of_freedom"]])
  found <- cbind(mean + at[1] * spread, mean + at[2] * spread)
  dimnames(found) <- list(names(mean), paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE), "%"))
  if (missing(parm)) found else found[parm, , drop = FALSE]
}

fitted.vbregression <- function(object, ...) predict.vbregression(object)

residuals.vbregression <- function(object, ...) {
  y <- object$data[[object$targets[1]]]
  if (!is.numeric(y)) {
    refuse("residuals: got a target of words; expected numbers", "residuals")
  }
  y - fitted.vbregression(object)
}

logLik.vbregression <- function(object, ...) {
  data <- object$data
  groups <- if (!is.null(object$group)) data[[object$group]]
  order <- in_groups(groups, nrow(data))
  each <- density_of(object, data[order, , drop = FALSE], y = data[[object$targets[1]]][order], groups = groups[order])
  weights <- if (is.null(object$weights)) 1 else object$weights[order]
  structure(sum(each * weights, na.rm = TRUE),
            df = length(coef.vbregression(object)) + !is.null(object$posterior$noise_variance), nobs = object$n,
            class = "logLik")
}

print.vbregression <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(x$formula, "\n", sep = "")
  NextMethod()
  mean <- coef.vbregression(x)
  print(if (is.matrix(mean)) mean else cbind(mean = mean, confint.vbregression(x)), digits = digits)
  if (!is.null(x$posterior$noise_variance)) {
    cat(sprintf("noise: standard deviation %s\n", format(sqrt(x$posterior$noise_variance), digits = digits)))
  }
  if (!is.null(x$posterior$group_sd)) {
    cat(sprintf("between groups (%s): standard deviations %s\n", x$group,
                paste(format(x$posterior$group_sd, digits = digits), collapse = ", ")))
  }
  invisible(x)
}

plot.vbregression <- function(x, ...) {
  graphics::plot(fitted.vbregression(x), residuals.vbregression(x), xlab = "fitted", ylab = "residual", ...)
  graphics::abline(h = 0, lty = 2)
  invisible(x)
}
