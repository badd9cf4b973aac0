# meshbayes-node, one node of a mesh as a process: beside `meshbayes`, so that libzmq and libmicrohttpd
# stay out of the main program.
find_path(ZMQ_INCLUDE zmq.h)
find_library(ZMQ_LIBRARY zmq)
find_path(MHD_INCLUDE microhttpd.h)
find_library(MHD_LIBRARY microhttpd)
find_path(GNUTLS_INCLUDE gnutls/gnutls.h)
find_library(GNUTLS_LIBRARY gnutls)
set(MB_NODE_BUILT OFF)
if(MB_NODE AND NOT (ZMQ_INCLUDE AND ZMQ_LIBRARY AND CMAKE_USE_PTHREADS_INIT))
    message(STATUS "no libzmq: no meshbayes-node (libzmq3-dev would add it)")
elseif(MB_NODE)
    set(MB_NODE_BUILT ON)
    file(GLOB MB_DAEMON CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/daemon/*.c")
    # The status is served by libmicrohttpd, or by nothing.
    if(MHD_INCLUDE AND MHD_LIBRARY)
        list(FILTER MB_DAEMON EXCLUDE REGEX "/http_none[.]c$")
        set(MB_PAGE "${CMAKE_BINARY_DIR}/page_bytes.c")
        add_custom_command(
            OUTPUT "${MB_PAGE}"
            COMMAND "${CMAKE_COMMAND}" "-DIN=${CMAKE_SOURCE_DIR}/daemon/page.html" "-DOUT=${MB_PAGE}"
                    -DHEADER=http_inside.h -DNAME=http_page -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
            DEPENDS "${CMAKE_SOURCE_DIR}/daemon/page.html" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
            VERBATIM)
        list(APPEND MB_DAEMON "${MB_PAGE}")
    else()
        list(FILTER MB_DAEMON EXCLUDE REGEX "/http(_(access|listen|answer|refusal|status|health|metrics|rows))?[.]c$")
    endif()
    add_executable(meshbayes-node ${MB_DAEMON})
    target_include_directories(meshbayes-node PRIVATE "${CMAKE_SOURCE_DIR}/daemon" "${ZMQ_INCLUDE}")
    target_link_libraries(meshbayes-node PRIVATE meshbayes_app "${ZMQ_LIBRARY}" Threads::Threads mb_warnings)
    if(MHD_INCLUDE AND MHD_LIBRARY)
        target_include_directories(meshbayes-node PRIVATE "${MHD_INCLUDE}")
        target_link_libraries(meshbayes-node PRIVATE "${MHD_LIBRARY}")
        # It checks certificates of clients; a libmicrohttpd with TLS needs it anyway.
        if(GNUTLS_INCLUDE AND GNUTLS_LIBRARY)
            target_compile_definitions(meshbayes-node PRIVATE MB_GNUTLS)
            target_include_directories(meshbayes-node PRIVATE "${GNUTLS_INCLUDE}")
            target_link_libraries(meshbayes-node PRIVATE "${GNUTLS_LIBRARY}")
        endif()
    else()
        message(STATUS "no libmicrohttpd: meshbayes-node has no status page (libmicrohttpd-dev would add it)")
    endif()
endif()
