# Debian packages: `cmake --preset package`, `cmake --build build/package`, `cpack` in that folder.
# `meshbayes` has the program, `meshbayes-node` the node with its unit. Where BUILD_SHARED_LIBS is on, as in
# that preset, `libmeshbayes0.1` has the library, called after its SONAME, and `libmeshbayes-dev` what
# compiles with it. The programs need neither.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME meshbayes)
set(CPACK_PACKAGE_VENDOR "The meshbayes developers")
set(CPACK_PACKAGE_CONTACT "The meshbayes developers <meshbayes@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "variational Bayes on networks without a centre")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME meshbayes)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "A network of machines agrees on the Bayesian posterior that one machine with all the data would
have found. Simulates such networks, fits models to files, writes reports.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "meshbayes-node, python3")
if(MB_NODE_BUILT)
    list(APPEND CPACK_COMPONENTS_ALL node)
    set(CPACK_DEBIAN_NODE_PACKAGE_NAME meshbayes-node)
    set(CPACK_COMPONENT_NODE_DESCRIPTION
        "One node of a network that agrees on a Bayesian posterior, as a service: messages to its
neighbours on ZeroMQ with CURVE, rows from files or standard input; rows are never sent.")
    set(CPACK_DEBIAN_NODE_PACKAGE_RECOMMENDS meshbayes)
    set(CPACK_DEBIAN_NODE_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/postinst;${PROJECT_SOURCE_DIR}/packaging/prerm")
endif()
if(BUILD_SHARED_LIBS)
    list(APPEND CPACK_COMPONENTS_ALL library dev)
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmeshbayes${MB_SOVERSION})
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
    set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
        "A network of machines agrees on the Bayesian posterior that one machine with all the data would
have found. The library.")
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
    set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmeshbayes-dev)
    set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libmeshbayes${MB_SOVERSION} (= ${PROJECT_VERSION})")
    set(CPACK_COMPONENT_DEV_DESCRIPTION
        "A network of machines agrees on the Bayesian posterior that one machine with all the data would
have found. Headers of the library, and what CMake and pkg-config find it by.")
    foreach(component LIBRARY DEV)
        string(TOLOWER ${component} component_)
        install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" COMPONENT ${component_} RENAME copyright
            DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME}")
    endforeach()
endif()
if(MB_CLI)
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/meshbayes"
        COMPONENT program RENAME copyright)
    include(CPack)
endif()
