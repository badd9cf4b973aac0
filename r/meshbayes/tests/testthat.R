library(testthat)
library(meshbayes)

test_check("meshbayes")
