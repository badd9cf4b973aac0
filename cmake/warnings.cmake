# Warnings, sanitizers, and the POSIX level the program and the file layer use. Warnings are errors with
# MB_WERROR, as in the presets: a user's compiler may know more of them than ours.
include(CheckCCompilerFlag)

# mb_known_flags(OUT FLAG...): those flags that the compiler knows. All are tried at once, and one by one only
# where it does not know them all.
function(mb_known_flags out)
    string(MAKE_C_IDENTIFIER "MB_KNOWN_TO_${out}" known)
    check_c_compiler_flag("${ARGN}" ${known})
    set(flags ${ARGN})
    if(NOT ${known})
        set(flags "")
        foreach(flag ${ARGN})
            string(MAKE_C_IDENTIFIER "MB_KNOWN${flag}" known)
            check_c_compiler_flag("${flag}" ${known})
            if(${known})
                list(APPEND flags "${flag}")
            endif()
        endforeach()
    endif()
    set(${out} ${flags} PARENT_SCOPE)
endfunction()

function(mb_compile_options target scope)
    mb_known_flags(${target}_flags ${ARGN})
    target_compile_options(${target} ${scope} ${${target}_flags})
endfunction()

add_library(mb_warnings INTERFACE)
set(MB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual -Wformat=2 -Wundef -Wwrite-strings)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # clang counts NAN and INFINITY as promotions
    list(APPEND MB_WARNINGS -Wdouble-promotion)
endif()
mb_compile_options(mb_warnings INTERFACE ${MB_WARNINGS} -fvisibility=hidden)
if(MB_WERROR)
    target_compile_options(mb_warnings INTERFACE -Werror)
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
