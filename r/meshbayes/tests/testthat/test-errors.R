refused <- function(expr) tryCatch(expr, meshbayes_error = function(e) e)

test_that("an error says option, row and column, from 1", {
  e <- refused(vbfit(rbind(c(1, 2), c(3, Inf), c(5, 6)), n_components = 1))
  expect_match(conditionMessage(e), "row 2")
  expect_equal(e$row, 2)
  expect_equal(e$column, 2)
  e <- refused(vbfit(faithful, n_components = 0))
  expect_equal(e$option, "n-components")
})

test_that("what is no option, model or formula is refused in one line that says what is accepted", {
  expect_error(vbfit(faithful, n_componnets = 2), "n_componnets")
  expect_error(vbfit(faithful, model = "gnn"), "gnn")
  expect_error(vbmix(faithful, modelName = "XXX"), "VVV, VVI, VII, EEE")
  expect_error(vbmix(faithful, G = 1.5), "whole numbers")
  expect_error(vblm(dist ~ nothing, cars), "nothing")
  expect_error(vblm(dist ~ speed), "data frame")
  expect_error(vbglm(dist ~ speed, cars, family = Gamma), "binomial, poisson, multinomial")
  expect_error(vbmix(faithful, node = rep(1, 272)), "expected a network")
  expect_error(vbmix(letters), "words in column \"x\"; expected numbers")
  expect_error(vbmix(iris), "words in column \"Species\"")
  expect_error(vbmix(faithful, 3), "expected it with a formula")
  expect_error(vbmix(faithful[0, ]), "no rows")
  expect_error(vblm(dist ~ speed, cars[0, ]), "no rows")
  expect_error(vblm(~speed, cars), "expected a response")
  expect_error(vbmix(data.frame(a = I(list(1, 2)), b = 1:2)), "a: got a column of list")
  expect_error(vbmix(data.frame(a = 1:2 + 1i)), "a: got a column of complex")
  expect_error(predict(vblm(dist ~ speed, cars), cars, "bogus"), "type: got \"bogus\"; expected one of mean, interval")
  expect_error(simulate(vblm(dist ~ speed, cars)), "parameters = TRUE")
  expect_error(simulate(vbmix(faithful), -1), "to 2\\^40$")
  expect_error(predict(vblm(dist ~ speed, cars), cars, c("mean", "interval")), "type")
  expect_error(plot(vbfit(faithful)), "trace = TRUE")
  expect_error(vbfit(faithful, model = "gnn"), "vbmodels()", fixed = TRUE)
  expect_error(predict(vbmix(faithful), faithful["waiting"]), "no column \"eruptions\"")
})

test_that("words where numbers were learnt are refused, and nodes without names", {
  fit <- vblm(dist ~ speed, cars)
  expect_error(predict(fit, data.frame(speed = c("4", "5"))), "words in column \"speed\"")
  expect_error(update(fit, data.frame(speed = c("4", "5"), dist = 1:2)), "words in column")
  expect_error(vbmix(faithful, network = "path:n=3", node = rep(letters[1:3], length.out = 272)), "links of names")
  expect_error(vbmix(array(1, c(10, 4, 3)), G = 1), "3 dimensions")
})

test_that("a fit that fails leaves nothing behind: a thousand of them", {
  for (k in 1:1000) refused(vbfit(matrix(c(1, NaN, 3, Inf), 2), n_components = 1))
  gc()
  expect_equal(vbmix(faithful)$verdict, "settled")
})

test_that("an interrupt ends a fit and leaves R as it was", {
  skip_on_os("windows")
  x <- matrix((sin(seq_len(4e5) * 12.9898) * 43758.5453) %% 1, ncol = 4) # minutes of work
  pid <- Sys.getpid()
  system(sprintf("(sleep 1; kill -INT %d) >/dev/null 2>&1 &", pid))
  said <- tryCatch(vbmix(x, G = 40, n_init = 50, tol = 0), interrupt = function(e) "interrupted")
  expect_equal(said, "interrupted")
  expect_equal(vbmix(faithful)$verdict, "settled")
})

test_that("nodes and sizes in messages are those of R", {
  expect_error(vbmix(faithful, network = "ring:n=3", node = rep(c(1, 5), 136)), "row 2: got node 5; expected 1 to 3")
  expect_error(vbfit(faithful, network = "ring:n=3", node = rep(1, 12)), "node: got 12 x 1; expected 272")
  expect_error(predict(vbmix(faithful, network = "ring:n=3"), type = "labels", node = 4), "node: got 4; expected 0, the mean")
  expect_error(vblm(dist ~ speed, cars, weights = 1:3), "weights: got 3; expected 50")
  expect_error(update(vblm(dist ~ speed, cars), cars[0, ]), "newdata: got no rows")
})
