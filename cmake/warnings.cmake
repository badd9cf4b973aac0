# Warnings as errors, sanitizers, and the POSIX level the program and the file layer use.
add_library(mb_warnings INTERFACE)
target_compile_options(mb_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual
    -Wformat=2 -Wundef -Wwrite-strings -fvisibility=hidden)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # clang counts NAN and INFINITY as promotions
    target_compile_options(mb_warnings INTERFACE -Wdouble-promotion)
endif()
target_compile_definitions(mb_warnings INTERFACE _POSIX_C_SOURCE=200809L)
if(MB_FUZZ)
    target_compile_options(mb_warnings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(MB_SANITIZE)
    target_compile_options(mb_warnings INTERFACE -fsanitize=${MB_SANITIZE}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(mb_warnings INTERFACE -fsanitize=${MB_SANITIZE})
    if(MB_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # A program at a fixed place starts in half the time: the tables of its variables are not moved.
        target_link_options(mb_warnings INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
endif()
