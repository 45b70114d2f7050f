# What `cmake --install` puts where: header, libraries, command, man page, and
# the files by which CMake and pkg-config find them.
include(CMakePackageConfigHelpers)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The archive in the build tree serves white-box tests and keeps every symbol.
# The one that is installed is a single object in which only mw_* is left
# global, so that a program may have a function of its own called `fail`.
set(closed ${CMAKE_CURRENT_BINARY_DIR}/closed)
file(MAKE_DIRECTORY ${closed})
add_custom_command(OUTPUT ${closed}/multiway.o
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${closed}/multiway.o
            -Wl,--whole-archive $<TARGET_FILE:multiway_static> -Wl,--no-whole-archive
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${closed}/multiway.o
    DEPENDS multiway_static COMMENT "Closing the static library" VERBATIM)
set_source_files_properties(${closed}/multiway.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_library(multiway_closed STATIC ${closed}/multiway.o)
set_target_properties(multiway_closed PROPERTIES LINKER_LANGUAGE C
    OUTPUT_NAME multiway EXPORT_NAME static ARCHIVE_OUTPUT_DIRECTORY ${closed})
target_include_directories(multiway_closed INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(multiway_closed INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/multiway)
install(FILES include/multiway.h include/multiway_insight.h include/multiway_file.h
    mpi/multiway_across.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/multiway.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(TARGETS multiway_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
option(MW_INSTALL_BENCH "Install multiway-bench, and the rivals plugin if it was built" OFF)
if(MW_INSTALL_BENCH)
    install(TARGETS multiway_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_BINARY_DIR}/cli/multiway-rivals.so
        DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
install(TARGETS multiway_shared multiway_closed multiway_across EXPORT multiway
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET multiway_mpi) # and its source, for users of another MPI
    install(FILES mpi/multiway_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(FILES mpi/multiway_mpi.c DESTINATION ${CMAKE_INSTALL_DATADIR}/multiway)
    install(TARGETS multiway_mpi_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES docs/multiway-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(TARGETS multiway_mpi EXPORT multiway_mpi
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT multiway_mpi NAMESPACE multiway:: FILE multiwayMpiTargets.cmake
        DESTINATION ${package})
endif()
install(EXPORT multiway NAMESPACE multiway:: FILE multiwayTargets.cmake DESTINATION ${package})

configure_package_config_file(cmake/multiwayConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/multiwayConfig.cmake INSTALL_DESTINATION ${package})
# While the version is 0.x, a new minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/multiwayConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/multiwayConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/multiwayConfigVersion.cmake DESTINATION ${package})

# The prefix is told relative to the file, which can then be installed anywhere.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
function(install_pc name description requires libraries)
    set(pc_name ${name})
    set(pc_description ${description})
    set(pc_requires ${requires})
    set(pc_libraries ${libraries})
    configure_file(cmake/multiway-part.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
configure_file(cmake/multiway.pc.in multiway.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/multiway.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install_pc(multiway-across "Sorting across processes" multiway -lmultiway_across)
if(TARGET multiway_mpi) # users compile with mpicc, which knows its MPI
    install_pc(multiway-mpi "Sorting across the ranks of an MPI program" multiway-across -lmultiway_mpi)
endif()
