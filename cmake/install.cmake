# Installs the library, its headers, the program and its manual page, and what find_package and
# pkg-config need. BUILD_SHARED_LIBS chooses which library is installed; the program and the tests
# always link the static one, because tests reach internals that the shared one hides.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A function of the library that calls another calls that very one: it may be inlined.
mb_compile_options(meshbayes_lib PRIVATE -fno-semantic-interposition)

# Before 1.0 a minor release may change the interface (VERSIONING.md).
set(MB_SOVERSION ${PROJECT_VERSION_MAJOR})
set(MB_COMPATIBILITY SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(MB_SOVERSION 0.${PROJECT_VERSION_MINOR})
    set(MB_COMPATIBILITY SameMinorVersion)
endif()

configure_file("${PROJECT_SOURCE_DIR}/cmake/exports.map.in" "${PROJECT_BINARY_DIR}/exports.map" @ONLY)

# mb_installed(STATIC EXPORTED OUT [OBJECT...]): OUT is the library that is installed and exported as
# meshbayes::EXPORTED: the static one or, with BUILD_SHARED_LIBS, a shared one of its objects and others.
function(mb_installed static exported out)
    set(installed ${static})
    set_target_properties(${static} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(BUILD_SHARED_LIBS)
        set(installed ${static}_shared)
        get_target_property(name ${static} OUTPUT_NAME)
        add_library(${installed} SHARED $<TARGET_OBJECTS:${static}> ${ARGN})
        set_target_properties(${installed} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
            VERSION ${PROJECT_VERSION} SOVERSION ${MB_SOVERSION}
            LINK_DEPENDS "${PROJECT_BINARY_DIR}/exports.map")
        # Calls within the library need no entries in its table of links: 4.5 KB less.
        target_link_options(${installed} PRIVATE -Wl,--no-undefined -Wl,-Bsymbolic-functions
            "-Wl,--version-script=${PROJECT_BINARY_DIR}/exports.map")
    endif()
    target_include_directories(${installed} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_target_properties(${installed} PROPERTIES EXPORT_NAME ${exported})
    add_library(meshbayes::${exported} ALIAS ${installed})
    set(${out} ${installed} PARENT_SCOPE)
endfunction()

get_target_property(MB_LIBRARIES meshbayes_lib LINK_LIBRARIES)
mb_installed(meshbayes_lib meshbayes MB_INSTALLED)
if(BUILD_SHARED_LIBS)
    target_link_libraries(${MB_INSTALLED} PRIVATE ${MB_LIBRARIES})
endif()
if(MPI_C_FOUND)
    # What reads mail is hidden in the other library: a copy.
    mb_installed(meshbayes_mpi mpi MB_INSTALLED_MPI
        "$<FILTER:$<TARGET_OBJECTS:meshbayes_lib>,INCLUDE,/transport/mail[.]c[.]o>")
    if(BUILD_SHARED_LIBS)
        target_link_libraries(${MB_INSTALLED_MPI} PUBLIC ${MB_INSTALLED} MPI::MPI_C)
        target_compile_definitions(${MB_INSTALLED_MPI} INTERFACE MB_MPI)
    endif()
endif()

# What a project that links the static library must find.
set(MB_FIND "")
foreach(item ${MB_LIBRARIES})
    if(item MATCHES "^([A-Za-z]+)::" AND NOT BUILD_SHARED_LIBS)
        list(APPEND MB_FIND "find_dependency(${CMAKE_MATCH_1})")
    endif()
endforeach()
list(REMOVE_DUPLICATES MB_FIND)
list(JOIN MB_FIND "\n" MB_FIND)

# The linker's words for the libraries, for pkg-config: -lNAME in the system's folders, else the path.
function(mb_link_flags out)
    set(flags "")
    foreach(item ${ARGN})
        if(TARGET "${item}")
            get_target_property(options ${item} INTERFACE_LINK_OPTIONS)
            get_target_property(libraries ${item} INTERFACE_LINK_LIBRARIES)
            get_target_property(place ${item} IMPORTED_LOCATION)
            if(NOT place)
                get_target_property(place ${item} IMPORTED_LOCATION_RELEASE)
            endif()
            foreach(list options libraries place)
                if(NOT ${list})
                    set(${list} "")
                endif()
            endforeach()
            mb_link_flags(deeper ${place} ${libraries})
            list(APPEND flags ${options} ${deeper})
        elseif(item MATCHES "^/")
            get_filename_component(folder "${item}" DIRECTORY)
            get_filename_component(name "${item}" NAME)
            if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES AND name MATCHES "^lib(.+)\\.(so|a)$")
                list(APPEND flags "-l${CMAKE_MATCH_1}")
            else()
                list(APPEND flags "${item}")
            endif()
        elseif(item MATCHES "^-")
            list(APPEND flags "${item}")
        elseif(NOT item MATCHES "^\\$<")
            list(APPEND flags "-l${item}")
        endif()
    endforeach()
    list(REMOVE_DUPLICATES flags)
    set(${out} "${flags}" PARENT_SCOPE)
endfunction()

# mb_pc_libs(OUT LIBRARY...): as one text. CMake's own spellings in the link options of MPI mean nothing
# to pkg-config.
function(mb_pc_libs out)
    mb_link_flags(flags ${ARGN})
    list(TRANSFORM flags REPLACE "^SHELL:" "")
    list(FILTER flags EXCLUDE REGEX "[$]<")
    list(JOIN flags " " flags)
    set(${out} "${flags}" PARENT_SCOPE)
endfunction()

mb_pc_libs(MB_PC_PRIVATE ${MB_LIBRARIES})
# Without a shared library its dependencies are everybody's: plain --libs must link too.
set(MB_PC_STATIC "")
if(NOT BUILD_SHARED_LIBS)
    set(MB_PC_STATIC " ${MB_PC_PRIVATE}")
endif()
# Relative to the file itself, so `cmake --install --prefix` and moved folders work.
set(MB_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH MB_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    set(MB_PC_PREFIX "\${pcfiledir}/${MB_PC_PREFIX}")
endif()
foreach(place LIBDIR INCLUDEDIR)
    set(MB_PC_${place} "${CMAKE_INSTALL_${place}}")
    if(NOT IS_ABSOLUTE "${MB_PC_${place}}")
        set(MB_PC_${place} "\${prefix}/${MB_PC_${place}}")
    endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/meshbayes.pc.in" "${PROJECT_BINARY_DIR}/meshbayes.pc" @ONLY)
if(MPI_C_FOUND) # its types are in meshbayes/mpi.h, and users begin and end it
    mb_pc_libs(MB_PC_MPI MPI::MPI_C)
    list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE MB_PC_MPI_INCLUDE)
    list(JOIN MB_PC_MPI_INCLUDE " " MB_PC_MPI_INCLUDE)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/meshbayes-mpi.pc.in" "${PROJECT_BINARY_DIR}/meshbayes-mpi.pc" @ONLY)
endif()

set(MB_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/meshbayes")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/meshbayesConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/meshbayesConfig.cmake" INSTALL_DESTINATION "${MB_PACKAGE_DIR}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/meshbayesConfigVersion.cmake"
    COMPATIBILITY ${MB_COMPATIBILITY})

# What runs with the library is the component library, what compiles with it dev.
function(mb_install_library target exported)
    install(TARGETS ${target} EXPORT ${exported}
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
    install(EXPORT ${exported} NAMESPACE meshbayes:: DESTINATION "${MB_PACKAGE_DIR}" COMPONENT dev)
endfunction()
mb_install_library(${MB_INSTALLED} meshbayesTargets)
install(FILES "${PROJECT_BINARY_DIR}/meshbayesConfig.cmake"
    "${PROJECT_BINARY_DIR}/meshbayesConfigVersion.cmake" DESTINATION "${MB_PACKAGE_DIR}" COMPONENT dev)
install(FILES "${PROJECT_BINARY_DIR}/meshbayes.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
set(MB_NO_MPI_HEADER PATTERN mpi.h EXCLUDE)
if(MPI_C_FOUND)
    set(MB_NO_MPI_HEADER "")
    mb_install_library(${MB_INSTALLED_MPI} meshbayesMPITargets)
    install(FILES "${PROJECT_BINARY_DIR}/meshbayes-mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/meshbayes" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT dev FILES_MATCHING PATTERN "*.h" ${MB_NO_MPI_HEADER})
# The files for zsh and fish, the same for each program, print what that of the program for bash offers.
set(MB_ZSH_COMPLETIONS "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "where zsh looks for completions")
function(mb_install_completions program component)
    install(FILES "${PROJECT_SOURCE_DIR}/completions/${program}.bash" COMPONENT ${component} RENAME "${program}"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${PROJECT_SOURCE_DIR}/completions/meshbayes.zsh" COMPONENT ${component} RENAME "_${program}"
        DESTINATION "${MB_ZSH_COMPLETIONS}")
    install(FILES "${PROJECT_SOURCE_DIR}/completions/meshbayes.fish" COMPONENT ${component} RENAME "${program}.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endfunction()
if(MB_CLI)
    set(MB_LIBEXEC "${CMAKE_INSTALL_FULL_LIBEXECDIR}/meshbayes")
    set(MB_DATA "${CMAKE_INSTALL_FULL_DATADIR}/meshbayes")
    # Programs find each other and the data by the ways between the folders: a prefix can be moved.
    file(RELATIVE_PATH MB_BIN_TO_LIBEXEC "${CMAKE_INSTALL_FULL_BINDIR}" "${MB_LIBEXEC}")
    file(RELATIVE_PATH MB_BIN_TO_DATA "${CMAKE_INSTALL_FULL_BINDIR}" "${MB_DATA}")
    file(RELATIVE_PATH MB_LIBEXEC_TO_DATA "${MB_LIBEXEC}" "${MB_DATA}")
    set_property(SOURCE app/base/place.c APPEND PROPERTY COMPILE_DEFINITIONS
        "MB_BIN_TO_LIBEXEC=\"${MB_BIN_TO_LIBEXEC}\"" "MB_BIN_TO_DATA=\"${MB_BIN_TO_DATA}\""
        "MB_LIBEXEC_TO_DATA=\"${MB_LIBEXEC_TO_DATA}\"")
    install(TARGETS meshbayes RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
    install(TARGETS meshbayes-paper RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/meshbayes" COMPONENT program)
    install(FILES "${PROJECT_SOURCE_DIR}/experiments/fetch.py"
        DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/meshbayes" COMPONENT program)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/" DESTINATION "${CMAKE_INSTALL_DATADIR}/meshbayes" COMPONENT program)
    install(FILES "${PROJECT_SOURCE_DIR}/docs/man/meshbayes.1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
    mb_install_completions(meshbayes program)
endif()
if(MB_NODE_BUILT)
    install(TARGETS meshbayes-node RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT node)
    install(FILES "${PROJECT_SOURCE_DIR}/docs/man/meshbayes-node.1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT node)
    mb_install_completions(meshbayes-node node)
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/meshbayes-node@.service"
        DESTINATION "lib/systemd/system" COMPONENT node)
    install(FILES "${PROJECT_SOURCE_DIR}/docs/howto/deploy.md" "${PROJECT_SOURCE_DIR}/docs/node.schema.json"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/meshbayes-node" COMPONENT node)
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/node.json" "${PROJECT_SOURCE_DIR}/packaging/meshbayes.rules.yml"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/meshbayes-node/examples" COMPONENT node)
endif()
