test_that("a mixture has what users of Mclust look for", {
  fit <- vbmix(faithful, G = 1:3)
  expect_setequal(intersect(names(fit), c("call", "data", "modelName", "n", "d", "G", "loglik", "bic", "parameters", "z",
                                          "classification", "uncertainty")),
                  c("call", "data", "modelName", "n", "d", "G", "loglik", "bic", "parameters", "z", "classification",
                    "uncertainty"))
  expect_equal(fit$verdict, "settled")
  expect_equal(fit$G, 2)
  expect_equal(rowSums(fit$z), rep(1, 272))
  expect_equal(tabulate(fit$classification), c(97, 175))
  expect_equal(dim(fit$parameters$variance$sigma), c(2, 2, 2))
  expect_equal(unname(fit$bounds["2"]), max(fit$bounds))
  expect_output(print(fit), "settled")
})

test_that("means of components are those of the rows that they have", {
  fit <- vbmix(faithful)
  weighted <- t(sapply(1:2, function(k) colSums(fit$z[, k] * as.matrix(faithful)) / sum(fit$z[, k])))
  expect_lt(max(abs(t(fit$parameters$mean) - weighted)), 0.2) # the prior counts one row
})

test_that("a network agrees on what one machine finds", {
  one <- vbmix(faithful)
  many <- vbmix(faithful, network = "ring:n=5")
  expect_equal(many$verdict, "settled")
  expect_lt(many$agreement$disagreement, 1e-6)
  expect_equal(many$parameters$mean, one$parameters$mean, tolerance = 1e-6)
})

test_that("links and nodes count from 1, or have names", {
  ring <- cbind(1:4, c(2:4, 1))
  node <- rep(1:4, each = 68)
  by_number <- vbmix(faithful, network = ring, node = node)
  names <- c("kiel", "bonn", "jena", "ulm")
  by_name <- vbmix(faithful, network = matrix(names[ring], ncol = 2), node = names[node])
  expect_equal(by_number$nodes, 4)
  expect_equal(by_name$bound, by_number$bound, tolerance = 1e-9)
  expect_error(vbmix(faithful, network = ring - 1), "nodes from 1")
})

test_that("a regression of few inputs is the posterior mode that lm finds, but for the prior", {
  fit <- vblm(mpg ~ wt + hp, mtcars)
  expect_equal(coef(fit), coef(lm(mpg ~ wt + hp, mtcars)), tolerance = 1e-2)
  expect_equal(confint(fit), confint(lm(mpg ~ wt + hp, mtcars)), tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(fitted(fit) + residuals(fit), mtcars$mpg)
})

test_that("factors become categories, and their levels are remembered", {
  fit <- vbglm(breaks ~ wool + tension, warpbreaks, family = poisson)
  expect_named(coef(fit), c("(Intercept)", "woolB", "tensionM", "tensionH"))
  expect_equal(coef(fit), coef(glm(breaks ~ wool + tension, poisson, warpbreaks)), tolerance = 1e-2)
  expect_equal(unname(predict(fit, data.frame(wool = "B", tension = "H"))),
               unname(predict(fit)[warpbreaks$wool == "B" & warpbreaks$tension == "H"][1]))
  expect_error(predict(fit, data.frame(wool = "C", tension = "H")), "wool: got \"C\" in row 1; expected one of A, B")
})

test_that("categories of the target are its words", {
  fit <- suppressWarnings(vbglm(Species ~ Petal.Length + Petal.Width, iris, family = "multinomial"))
  expect_gt(mean(predict(fit, iris) == iris$Species), 0.9)
  expect_equal(colnames(predict(fit, iris[1:2, ], "probabilities")), levels(iris$Species))
})

test_that("effects vary by group, in any order of the rows", {
  rows <- data.frame(site = rep(letters[1:6], each = 20), x = rep(seq(0, 1, length.out = 20), 6))
  rows$y <- 1 + match(rows$site, letters) + 2 * rows$x + sin(seq_len(120) * 7) / 4
  fit <- vbmixed(y ~ x + (1 | site), rows)
  again <- vbmixed(y ~ x + (1 | site), rows[order(rows$x), ])
  expect_equal(coef(fit), coef(again), tolerance = 1e-6)
  expect_equal(unname(coef(fit)["x"]), 2, tolerance = 0.05)
})

test_that("weights count as rows that come again", {
  twice <- vblm(dist ~ speed, rbind(cars, cars))
  expect_equal(coef(vblm(dist ~ speed, cars, weights = rep(2, 50))), coef(twice), tolerance = 1e-9)
})

test_that("missing values are integrated out", {
  rows <- as.matrix(faithful)
  rows[c(3, 50), 1] <- NA
  fit <- vbmix(rows)
  expect_equal(fit$verdict, "settled")
  expect_equal(tabulate(fit$classification), c(97, 175))
})

test_that("a fit is kept by saveRDS and by JSON", {
  fit <- vbmix(faithful)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file))$z, fit$z)
  vbwrite(fit, file)
  expect_identical(vbread(file)$posterior, fit$posterior)
})

test_that("a file knows its categories", {
  skip_if_not_installed("jsonlite")
  fit <- vbglm(breaks ~ wool + tension, warpbreaks, family = poisson)
  file <- tempfile()
  vbwrite(fit, file)
  new <- data.frame(wool = "B", tension = "H")
  expect_identical(predict(vbread(file), new)[, "mean"], predict(fit, new))
  classes <- suppressWarnings(vbfit(warpbreaks[2:3], model = "lca", n_components = 2))
  vbwrite(classes, file)
  expect_identical(predict(vbread(file), data.frame(wool = "B", tension = "H"), "responsibilities"),
                   predict(classes, data.frame(wool = "B", tension = "H"), "responsibilities"))
})

test_that("rows that come later update a fit", {
  fit <- vbfit(cars[1:25, ], model = "linreg", formula = "dist ~ speed")
  fit <- update(fit, cars[26:50, ])
  expect_equal(fit$posterior$coef, vbfit(cars, model = "linreg", formula = "dist ~ speed")$posterior$coef,
               tolerance = 0.05)
})

test_that("rows are drawn, and parameters", {
  fit <- vbmix(faithful)
  rows <- simulate(fit, 2000, seed = 1)
  expect_equal(colMeans(rows), colMeans(faithful), tolerance = 0.05)
  expect_setequal(attr(rows, "component"), 1:2)
  expect_identical(rows, simulate(fit, 2000, seed = 1))
  expect_equal(nrow(simulate(vblm(dist ~ speed, cars), 5, seed = 1, parameters = TRUE)), 5)
})

test_that("every model of the list has options and says its name", {
  models <- vbmodels()
  expect_gt(nrow(models), 5)
  for (name in models$name) expect_gt(nrow(vboptions(name)), 10)
  expect_true("edge" %in% vbalgorithms()$name)
})

test_that("rows of groups come back in the order in which they were given", {
  rows <- data.frame(site = rep(letters[1:4], 10), x = 1:40 / 40)
  rows$y <- match(rows$site, letters) + 3 * rows$x + sin(1:40 * 7) / 10
  fit <- vbmixed(y ~ x + (1 | site), rows)
  expect_gt(cor(fitted(fit), rows$y), 0.99)
  expect_lt(max(abs(residuals(fit))), 0.2)
  expect_identical(predict(fit, rows), fitted(fit))
  expect_identical(predict(fit, rows[c(9, 2), c("x", "site")]), fitted(fit)[c(9, 2)])
  of_all <- mean(predict(fit, data.frame(x = 0, site = letters[1:4])))
  expect_equal(unname(predict(fit, data.frame(x = 0, site = "new"))), of_all, tolerance = 0.05)
  expect_equal(dim(predict(fit, rows[3:5, ], "interval"))[1], 3)
  expect_identical(predict(fit, rows, "int"), predict(fit, rows, "interval"))
  expect_equal(dim(predict(fit, rows, "group-density")), c(4, 1))
  e <- tryCatch(predict(fit, transform(rows, x = ifelse(1:40 == 7, NA, x))), meshbayes_error = function(e) e)
  expect_equal(e$row, 7)
  rows$x[7] <- NA
  e <- tryCatch(vbmixed(y ~ x + (1 | site), rows), meshbayes_error = function(e) e)
  expect_equal(e$row, 7)
  expect_match(conditionMessage(e), "row 7")
})

test_that("an update keeps what a fit is, of every kind", {
  fit <- update(vblm(dist ~ speed, cars[1:25, ]), cars[26:50, ])
  expect_named(coef(fit), c("(Intercept)", "speed"))
  expect_length(fitted(fit), 50)
  expect_equal(update(vbfit(faithful[1:200, ], n_components = 2), faithful[201:272, ])$n, 272)
  rows <- data.frame(site = rep(letters[1:6], each = 5), x = 1:30, y = 1:30 + rep(1:6, each = 5))
  expect_s3_class(update(vbmixed(y ~ x + (1 | site), rows[1:20, ]), rows[21:30, ]), "vbmixed")
})

test_that("sequences are forecast, as one where no groups are said", {
  fit <- vbfit(data.frame(flow = as.numeric(Nile)), model = "hmm", n_components = 2)
  ahead <- predict(fit, data.frame(flow = as.numeric(Nile)), "forecast", steps = 3)
  expect_equal(dim(ahead)[1], 3)
  expect_true(all(is.finite(ahead)) && all(ahead[, 1] > 456 & ahead[, 1] < 1370))
  expect_equal(nrow(predict(fit, data.frame(flow = as.numeric(Nile)), "states-ahead", steps = 3)), 3)
})

test_that("log likelihoods count weights", {
  expect_equal(as.numeric(logLik(vblm(dist ~ speed, cars, weights = rep(2, 50)))),
               as.numeric(logLik(vblm(dist ~ speed, rbind(cars, cars)))), tolerance = 1e-6)
})

test_that("states of sequences count from 1, and rows are forecast by steps alone", {
  sequence <- rep(c("a", "b"), each = 40)
  moves <- rep(rep(c(0, 5), each = 10), 4)
  x <- data.frame(u = moves + sin(1:80 * 7), v = cos(1:80 * 5) - moves)
  fit <- vbfit(x, model = "hmm", groups = sequence, n_components = 2)
  expect_setequal(predict(fit, x, "states", groups = sequence), 1:2)
  expect_null(colnames(predict(fit, x, "smoothed", groups = sequence)))
  ahead <- predict(fit, x, steps = 3, groups = sequence)
  expect_equal(dim(ahead), c(6, 4))
  expect_identical(ahead, predict(fit, x, "forecast", steps = 3, groups = sequence))
  expect_equal(rowSums(predict(fit, x, "states-ahead", steps = 3, groups = sequence)), rep(1, 6))
  expect_error(predict(fit, x, "forecast", groups = sequence), "steps: got 0; expected the number of rows")
  expect_error(predict(fit, x, "states", steps = 3, groups = sequence), "no forecast of type \"states\"")
  expect_equal(update(fit, x, groups = sequence)$n, 160)
})

test_that("rows without groups are one series", {
  flow <- data.frame(flow = as.numeric(Nile))
  fit <- suppressWarnings(vbfit(flow, model = "structural"))
  expect_equal(dim(predict(fit, flow, "group-density")), c(1, 1))
  expect_equal(predict(fit, flow, steps = 2), predict(fit, flow, steps = 2, groups = rep(1, 100)))
  expect_equal(update(fit, flow, groups = rep(1, 100))$n, 200)
})

test_that("a series by a formula is predicted from its own targets", {
  rows <- data.frame(u = sin(1:60 * 3), place = factor(rep(c("p", "q"), 30)))
  rows$y <- cumsum(sin(1:60 * 7)) + 2 * rows$u + (rows$place == "q")
  fit <- suppressWarnings(vbfit(rows, model = "structural", formula = y ~ u + place))
  file <- tempfile()
  vbwrite(fit, file)
  expect_identical(predict(fit, rows), predict(fit, rows[c("u", "place")], y = rows$y))
  expect_gt(cor(predict(fit, rows)[, "mean"], rows$y), 0.9)
  skip_if_not_installed("jsonlite")
  expect_identical(predict(vbread(file), rows), predict(fit, rows))
  expect_error(vbfit(rows, model = "structural", formula = y ~ 0 + u), "always has an intercept")
})

test_that("lines of a mixture of regressions are found by targets of the rows", {
  rows <- data.frame(x = sin(1:200 * 3), word = rep(c("p", "p", "q"), length.out = 200))
  rows$y <- ifelse(1:200 %% 2, 3 * rows$x + 2, -3 * rows$x) + sin(1:200 * 11) / 5
  fit <- vbfit(rows, model = "mixreg", formula = y ~ x + word, n_components = 2)
  expect_gt(max(table(predict(fit, rows, "labels"), 1:200 %% 2)), 90)
  expect_identical(predict(fit, rows, "responsibilities"),
                   predict(fit, rows[c("x", "word")], "responsibilities", y = rows$y))
  expect_null(colnames(predict(fit, rows, "responsibilities")))
  expect_error(predict(fit, rows[c("x", "word")], "labels"), "y: got nothing; expected the target of each row")
  expect_equal(dim(predict(fit, rows[1:3, c("x", "word")])), c(3, 2))
})

test_that("factors have scores and fill in what is missing", {
  x <- data.frame(a = sin(1:90), b = 2 * sin(1:90) + sin(1:90 * 17) / 9, c = sin(1:90 * 5) / 5 - sin(1:90))
  x[3, 1] <- NA
  fit <- vbfit(x, model = "fa", n_components = 2)
  expect_equal(colnames(predict(fit, x)), c("factor1", "factor2"))
  filled <- predict(fit, x, "filled")
  expect_equal(colnames(filled), names(x))
  expect_equal(filled[-3, ], as.matrix(x[-3, ]), ignore_attr = TRUE)
  expect_false(is.na(filled[3, "a"]))
})

test_that("documents have shares of topics", {
  x <- data.frame(term = c("ice", "snow", "sun", "sand"), count = 3)
  x <- x[rep(c(1, 2, 3, 4), 20), ]
  document <- rep(1:40, each = 2)   # odd ones of winter, even ones of summer
  fit <- vbfit(x, model = "lda", n_components = 2, groups = document)
  shares <- predict(fit, x, groups = document)
  expect_equal(dim(shares), c(40, 2))
  expect_equal(colnames(shares), c("topic1", "topic2"))
  expect_equal(rowSums(shares), rep(1, 40), ignore_attr = TRUE)
  expect_equal(which.max(shares[1, ]) == which.max(shares[2, ]), FALSE, ignore_attr = TRUE)
})

test_that("rows of a data frame update a model without targets", {
  fit <- vbfit(iris[1:100, 1:4], n_components = 2)
  expect_equal(update(fit, iris[101:150, 1:4])$n, 150)
})

test_that("dates and times are numbers, as in lm", {
  rows <- data.frame(day = as.Date("2024-01-01") + 0:49, y = cars$dist)
  expect_equal(coef(vblm(y ~ day, rows)), coef(vblm(y ~ day, transform(rows, day = as.numeric(day)))))
  rows$at <- as.POSIXct("2024-01-01", tz = "UTC") + 1000 * cos(1:50)
  fit <- vbmix(rows, G = 1)
  expect_equal(unname(fit$parameters$mean[c("day", "y"), 1]), c(mean(as.numeric(rows$day)), mean(rows$y)), tolerance = 0.1)
  expect_identical(predict(fit)$classification, rep(1L, 50))
})

test_that("words that were learnt come back as words", {
  rows <- data.frame(kind = rep(c("p", "q"), each = 30), u = c(sin(1:30), 5 + sin(1:30)))
  fit <- vbfit(rows, model = "lca", n_components = 2)
  drawn <- simulate(fit, 200, seed = 1)
  expect_setequal(drawn$kind, c("p", "q"))
  expect_gt(mean(drawn$u[drawn$kind == "q"]), mean(drawn$u[drawn$kind == "p"]))
  expect_setequal(attr(drawn, "component"), 1:2)
})

test_that("of several numbers of components only the fit that is taken warns", {
  expect_warning(vbmix(cars$dist, G = 2), "one component")
  expect_silent(vbmix(cars$dist, G = 1:2))
})

test_that("an offset has no coefficient", {
  rows <- data.frame(n = c(3, 9, 4, 12, 6, 20, 5, 14), e = rep(c(1, 2), 4), x = sin(1:8))
  fit <- vbglm(n ~ x + offset(log(e)), rows, family = poisson)
  expect_equal(coef(fit), coef(glm(n ~ x + offset(log(e)), poisson, rows)), tolerance = 0.1)
  expect_output(print(fit), "(Intercept)", fixed = TRUE)
})
