# Handles of the library: one external pointer each. Numbers of rows, columns, nodes and components count from 1
# here and from 0 there.

# The classes of a condition carry what is wrong: option, row and column.
refuse <- function(text, option = "", row = NA, column = NA) {
  stop(structure(class = c("meshbayes_error", "error", "condition"),
                 list(message = text, call = NULL, option = option, row = row, column = column)))
}

# One more than each number in what the pattern finds.
one_more <- function(text, pattern) {
  each <- function(text, pattern, change) {
    at <- gregexpr(pattern, text, perl = TRUE)
    regmatches(text, at) <- lapply(regmatches(text, at), change)
    text
  }
  each(text, pattern, function(found) each(found, "-?[0-9]+", function(number) as.numeric(number) + 1))
}

# "row 0" of the library is "row 1" of R, node -1, the mean, 0, and its lists are functions here.
counted <- function(text) {
  text <- gsub("the list \"(models|algorithms|options)\"", "vb\\1()", text)
  text <- sub("expected -1 or one of", "expected 0, the mean, or one of", text, fixed = TRUE)
  text <- one_more(text, "\\b(row|column|component) [0-9]+")
  text <- one_more(text, "\\bnode: got -?[0-9]++(?! x)") # else it is a size
  one_more(text, "\\bgot node -?[0-9]+; expected [0-9]+ to [0-9]+")
}

# The answer of a call of the library; its error, a list of text, option, row and column, is raised.
checked <- function(answer) {
  if (is.list(answer)) {
    place <- function(x) if (x < 0) NA else x + 1
    refuse(counted(answer[[1]]), answer[[2]], place(answer[[3]]), place(answer[[4]]))
  }
  answer
}

new_handle <- function(model) {
  handle <- .Call(r_new, one_text(model, "model"))
  checked(.Call(r_error, handle))
  handle
}

handle_of_json <- function(text) {
  handle <- .Call(r_read, paste(text, collapse = "\n"))
  checked(.Call(r_error, handle))
  handle
}

one_text <- function(x, name) {
  if (!is.character(x) || length(x) != 1 || is.na(x)) {
    refuse(sprintf("%s: got %s; expected one text", name, paste(deparse(x), collapse = " ")), name)
  }
  enc2utf8(x)
}

# Options by their names in the list, where "_" stands for "-" and ".": arrays are given as they are.
set_options <- function(handle, options) {
  known <- .Call(r_list, handle, "options")[, 1]
  plain <- function(name) gsub("[-.]", "_", name)
  for (name in names(options)) {
    at <- match(plain(name), plain(known))
    full <- if (is.na(at)) name else known[at]
    value <- options[[name]]
    if (is.numeric(value) && (length(value) > 1 || is.matrix(value))) {
      give(handle, full, value)
    } else {
      checked(.Call(r_set, handle, full, option_text(name, value)))
    }
  }
}

option_text <- function(name, value) {
  if (is.null(value)) {
    return(NULL)
  }
  if (length(value) != 1 || is.na(value) || !(is.logical(value) || is.numeric(value) || is.character(value))) {
    refuse(sprintf("%s: got %s; expected one number, text, TRUE or FALSE, or an array", name,
                   paste(deparse(value), collapse = " ")), name)
  }
  if (is.logical(value)) {
    if (value) "on" else "off"
  } else if (is.numeric(value)) {
    sprintf("%.17g", value)
  } else {
    enc2utf8(value)
  }
}

# Numbers of R's, which stay where they are; NA is a missing value.
give <- function(handle, name, x) {
  if (is.data.frame(x)) {
    x <- as.matrix(x)
  }
  if (!is.numeric(x) && !is.logical(x)) {
    refuse(sprintf("%s: got %s; expected numbers", name, class(x)[1]), name)
  }
  if (length(dim(x)) > 2) {
    refuse(sprintf("%s: got %d dimensions; expected 1 or 2", name, length(dim(x))), name)
  }
  if (!is.integer(x) || anyNA(x)) {
    storage.mode(x) <- "double"
    x[is.na(x)] <- NaN
  }
  checked(.Call(r_array, handle, name, x))
}

give_texts <- function(handle, name, words) {
  checked(.Call(r_texts, handle, name, enc2utf8(as.character(words))))
}

# A thing of the result: numbers and texts, matrices and arrays with the library's sizes.
thing <- function(handle, name, node = 0) {
  x <- checked(.Call(r_get, handle, as.integer(node - 1), name))
  shape <- attr(x, "shape")
  attr(x, "shape") <- NULL
  if (length(shape) < 2) x else aperm(array(x, rev(shape)))
}

# The same, NULL: there is none.
thing_if <- function(handle, name, node = 0) {
  tryCatch(thing(handle, name, node), meshbayes_error = function(e) NULL)
}

# Runs a fit (forget 0) or an update. An interrupt ends it, and then R's own is raised.
work <- function(handle, forget = 0) {
  if (isTRUE(checked(.Call(r_work, handle, as.double(forget))))) {
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
    refuse("interrupted")
  }
  for (text in .Call(r_warnings, handle)) {
    warning(counted(text), call. = FALSE)
  }
}

table_of <- function(handle, what, columns) {
  found <- as.data.frame(.Call(r_list, handle, what), stringsAsFactors = FALSE)
  found <- found[, seq_len(min(ncol(found), length(columns))), drop = FALSE]
  names(found) <- columns[seq_len(ncol(found))]
  found
}

vbmodels <- function() {
  table_of(.Call(r_new, NULL), "models", c("name", "title", "class", "groups", "gaps", "algorithm"))
}

vbalgorithms <- function() table_of(.Call(r_new, NULL), "algorithms", c("name", "title"))

vboptions <- function(model = "gmm") {
  table_of(new_handle(model), "options",
           c("name", "owner", "type", "default", "least", "most", "choices", "unit", "sklearn", "help"))
}
