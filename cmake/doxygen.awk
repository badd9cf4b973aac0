# doxygen.awk - shows doxygen our plain comments: one that stands on lines of its own documents what
# follows, one behind a declaration documents that. The headers stay free of doxygen's marks.
NR == 1 && /^\/\* meshbayes\/[a-z]+\.h - / {
    sub(/^\/\* meshbayes\//, "/** @file meshbayes/")
    sub(/\.h - /, ".h\n * @brief ")
    print
    next
}
# The list of statuses as the enumerators it makes.
/^ +X\(MB_[A-Z_]+, -?[0-9]+, "/ {
    split($0, part, /[(,"]+ */)
    statuses = statuses "    " part[2] " = " part[3] ", /**< " part[5] " */"
}
/MB_STATUS_LIST\(MB_X\) }/ { sub(/MB_STATUS_LIST\(MB_X\)/, statuses) }
/^[ \t]*\/\* / { sub(/\/\* /, "/** ") }
/[;,{})] +\/\* / && !/\*\/.*[^ \t\\]/ { sub(/\/\* /, "/**< ") }
{ print }
