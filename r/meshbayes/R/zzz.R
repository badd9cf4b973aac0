vbversion <- function() .Call(r_version)
