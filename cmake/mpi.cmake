# MPI, for the program alone: libraries, Python and packages never need it. The few files that ask for IRENEO_MPI are
# compiled once more with it, and linked before the libraries that hold them without.
#
# With IRENEO_MPI=ON the program is the one that `make mpi` builds. Else, where there are tests and MPI is installed, a
# second program, mpi/ireneo, is built for them: two files and a link, not a build of everything.
if(IRENEO_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
elseif(IRENEO_TESTS AND NOT CMAKE_CROSSCOMPILING AND NOT IRENEO_FUZZERS)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(NOT MPI_C_FOUND)
  return()
endif()

set(mpi_sources "")
foreach(source ${library_sources} ${lab_sources} ${cli_sources})
  file(STRINGS ${source} asks REGEX "^#if.*IRENEO_MPI")
  if(asks)
    list(APPEND mpi_sources ${source})
  endif()
endforeach()
add_library(ireneo_mpi OBJECT ${mpi_sources})
target_compile_definitions(ireneo_mpi PUBLIC IRENEO_MPI)
target_include_directories(ireneo_mpi PRIVATE cli src include)
target_link_libraries(ireneo_mpi PUBLIC MPI::MPI_C)

if(IRENEO_MPI)
  set(mpi_program ireneo)
else()
  set(mpi_program ireneo_over_ranks)
  add_executable(${mpi_program} cli/main.c)
  set_target_properties(${mpi_program} PROPERTIES OUTPUT_NAME ireneo RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/mpi)
endif()
target_sources(${mpi_program} PRIVATE $<TARGET_OBJECTS:ireneo_mpi>)
target_link_libraries(${mpi_program} PRIVATE ireneo_mpi ireneo_commands)
