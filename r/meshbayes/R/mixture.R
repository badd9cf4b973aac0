# Mixtures, with what users of Mclust look for.

model_names <- c(VVV = "full", VVI = "diag", VII = "spherical", EEE = "tied")

vbmix <- function(x, data = NULL, G = 2, modelName = "VVV", prior = NULL, weights = NULL, groups = NULL,
                  network = NULL, node = NULL, algorithm = "edge", seed = 0, ...) {
  call <- match.call()
  if (inherits(x, "formula")) {
    if (length(x) != 2) {
      refuse("x: got a formula with a response; expected ~ a + b", "x")
    }
    x <- stats::model.frame(x, data, na.action = stats::na.pass)
  } else if (!is.null(data)) {
    refuse("data: got it beside rows; expected it with a formula alone (the number of components is G)", "data")
  }
  if (is.null(dim(x))) {
    x <- data.frame(x = x)
  }
  if (!modelName[1] %in% names(model_names) || length(modelName) != 1) {
    refuse(sprintf("modelName: got %s; expected one of %s", paste(modelName, collapse = ", "),
                   paste(names(model_names), collapse = ", ")), "modelName")
  }
  if (!is.numeric(G) || length(G) < 1 || anyNA(G) || any(G < 1) || any(G != floor(G))) {
    refuse(sprintf("G: got %s; expected whole numbers from 1", paste(deparse(G), collapse = "")), "G")
  }
  if (length(prior)) {
    names(prior) <- paste0("prior.", names(prior))
  }
  # A warning about a fit that is not taken is of no use.
  of <- function(g) {
    warnings <- character(0)
    fit <- withCallingHandlers(
      do.call(vbfit, c(list(x, weights = weights, groups = groups, network = network, node = node, algorithm = algorithm,
                            seed = seed, n_components = g, covariance_type = model_names[[modelName]], ...), prior)),
      warning = function(w) {
        warnings <<- c(warnings, conditionMessage(w))
        invokeRestart("muffleWarning")
      })
    list(fit = fit, warnings = warnings)
  }
  fits <- lapply(G, of)
  bounds <- vapply(fits, function(f) f$fit$bound, 0)
  for (text in fits[[which.max(bounds)]]$warnings) {
    warning(text, call. = FALSE)
  }
  fit <- fits[[which.max(bounds)]]$fit
  fit$call <- call
  fit$bounds <- stats::setNames(bounds, G)
  fit$data <- data.matrix(x)
  fit$groups <- groups
  fit$modelName <- modelName
  fit$d <- ncol(fit$data)
  fit$G <- length(fit$posterior$weights)
  sigma <- sigma_of(fit$posterior$covariances, fit$G, fit$d)
  fit$parameters <- list(pro = fit$posterior$weights, mean = t(fit$posterior$means),
                         variance = list(modelName = modelName, d = fit$d, G = fit$G, sigma = sigma))
  dimnames(fit$parameters$mean) <- list(fit$columns, NULL)
  class(fit) <- c("vbmix", class(fit))
  fit$z <- predict.vbfit(fit, x, "responsibilities", groups = groups)
  fit$classification <- max.col(fit$z, ties.method = "first")
  fit$uncertainty <- 1 - fit$z[cbind(seq_along(fit$classification), fit$classification)]
  fit$loglik <- sum(density_of(fit, x, groups = groups) * if (is.null(weights)) 1 else weights)
  fit$df <- free_parameters(modelName, fit$G, fit$d)
  fit$bic <- 2 * fit$loglik - fit$df * log(fit$n)
  fit
}

# Numbers of a mixture of Gaussians, as BIC counts them.
free_parameters <- function(modelName, G, d) {
  G - 1 + G * d + switch(modelName, VVV = G * d * (d + 1) / 2, VVI = G * d, VII = G, EEE = d * (d + 1) / 2)
}

# Covariances as d x d x G, from those of the posterior, whose shape is that of scikit-learn.
sigma_of <- function(covariances, G, d) {
  out <- array(0, c(d, d, G))
  for (k in seq_len(G)) {
    out[, , k] <- if (length(dim(covariances)) == 3) {
      covariances[k, , ]
    } else if (is.null(dim(covariances))) {
      diag(covariances[k], d)
    } else if (nrow(covariances) == G && ncol(covariances) == d && (G != d || !isSymmetric(covariances))) {
      diag(covariances[k, ], d)
    } else {
      covariances
    }
  }
  out
}

predict.vbmix <- function(object, newdata = NULL, type = NULL, groups = NULL, ...) {
  if (is.null(newdata)) {
    newdata <- object$data
    groups <- object$groups
  }
  if (!is.null(type)) {
    return(predict.vbfit(object, newdata, type, groups = groups, ...))
  }
  z <- predict.vbfit(object, newdata, "responsibilities", groups = groups, ...)
  list(classification = max.col(z, ties.method = "first"), z = z)
}

logLik.vbmix <- function(object, ...) {
  structure(object$loglik, df = object$df, nobs = object$n, class = "logLik")
}

print.vbmix <- function(x, digits = getOption("digits"), ...) {
  cat(sprintf("Mixture of %d component%s, modelName %s, %d rows of %d column%s\n", x$G, if (x$G > 1) "s" else "", x$modelName,
              as.integer(x$n), x$d, if (x$d > 1) "s" else ""))
  NextMethod()
  frame <- data.frame(weight = x$parameters$pro, rows = tabulate(x$classification, x$G), t(x$parameters$mean),
                      check.names = FALSE)
  print(format(frame, digits = min(digits, 5)))
  invisible(x)
}

plot.vbmix <- function(x, what = c("classification", "uncertainty", "trace"), dimens = c(1, min(2, x$d)), ...) {
  what <- match.arg(what)
  if (what == "trace") {
    return(plot.vbfit(x, ...))
  }
  colour <- grDevices::hcl.colors(max(x$G, 2), "Dark 3")[x$classification]
  if (x$d == 1) {
    graphics::plot(x$data[, 1], jitter(x$classification, 0.3), col = colour, xlab = x$columns[1], ylab = "component",
                   yaxt = "n", ...)
    graphics::axis(2, seq_len(x$G))
    return(invisible(x))
  }
  size <- if (what == "uncertainty") 0.4 + 2 * x$uncertainty else 0.8
  graphics::plot(x$data[, dimens], col = colour, cex = size, pch = 19, xlab = x$columns[dimens[1]],
                 ylab = x$columns[dimens[2]], ...)
  for (k in seq_len(x$G)) {
    graphics::lines(ellipse(x$parameters$mean[dimens, k], x$parameters$variance$sigma[dimens, dimens, k]))
  }
  invisible(x)
}

# One standard deviation around a mean.
ellipse <- function(mean, covariance, points = 100) {
  turn <- seq(0, 2 * pi, length.out = points)
  t(mean + t(chol(covariance)) %*% rbind(cos(turn), sin(turn)))
}
