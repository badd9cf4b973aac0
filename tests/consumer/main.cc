// main.cc - the same program as C++: the headers are C++ too, and the names are not mangled.
#include "main.c"
