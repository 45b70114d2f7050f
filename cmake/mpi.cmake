# Find an MPI, for mpi/, its tests and its example.
set(MW_MPI AUTO CACHE STRING "Build multiway-mpi and its library: AUTO (if an MPI is found), ON, OFF")

set(MPI_CXX_SKIP_MPICXX ON)
if(MW_MPI STREQUAL ON)
    find_package(MPI REQUIRED COMPONENTS C)
elseif(MW_MPI STREQUAL AUTO)
    find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
    message(STATUS "MPI: ${MPI_C_LIBRARIES}")
else()
    message(STATUS "MPI: none; there will be no multiway-mpi")
endif()

# More ranks than processors, perhaps as root, in a container: Open MPI must be asked to.
# Leaks that a sanitizer finds are the MPI's.
set(MW_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ASAN_OPTIONS=detect_leaks=0)
