# The library for wheels, at bundled/libireneo.so. OpenBLAS, LAPACKE and BLAKE2 are inside it and hidden by the list of
# exports, so that no other copy in the process (NumPy's, PyTorch's) can be taken for them. What is under the LGPL, or
# has no archive that a shared library can take in, stays a library of its own; wheel_builder copies those.
foreach(archive openblas lapacke b2)
  find_library(archive_${archive} lib${archive}.a HINTS ${IRENEO_DEPENDENCIES_LIBRARY_DIRS})
  if(NOT archive_${archive})
    message(FATAL_ERROR "lib${archive}.a was not found: a wheel needs the static libraries of OpenBLAS, LAPACKE and libb2")
  endif()
endforeach()

add_library(ireneo_bundled SHARED
            $<FILTER:$<TARGET_OBJECTS:ireneo_objects>,EXCLUDE,/base/npz\\.c> $<TARGET_OBJECTS:ireneo_theory>
            ${CMAKE_CURRENT_LIST_DIR}/npz_absent.c ${CMAKE_CURRENT_LIST_DIR}/concatenate.c)
target_include_directories(ireneo_bundled PRIVATE include src)
set_target_properties(ireneo_bundled PROPERTIES OUTPUT_NAME ireneo LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bundled)
string(REPLACE "global:" "global:\n    ireneo_npz_absent;" bundled_map
               "IRENEO_${PROJECT_VERSION_MAJOR} {\n  global:\n    ${exports};\n  local: *;\n};\n")
file(CONFIGURE OUTPUT bundled.map CONTENT "@bundled_map@" @ONLY)
# Thread control is asked for by weak references, which alone take nothing out of an archive.
target_link_options(ireneo_bundled PRIVATE -s "LINKER:--version-script=${PROJECT_BINARY_DIR}/bundled.map"
                    "LINKER:-u,openblas_set_num_threads,-u,openblas_get_num_threads,-u,openblas_get_config")
# Another version of LAPACK may want more of Fortran's library than concatenate.c; then it goes along.
target_link_libraries(ireneo_bundled PRIVATE ${archive_lapacke} ${archive_openblas} ${archive_b2}
                      -Wl,--push-state,--as-needed -l:libgfortran.so.5 -Wl,--pop-state gmp cjson
                      Threads::Threads ${CMAKE_DL_LIBS} m)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_sources(ireneo_bundled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/hypot.c)
  target_link_options(ireneo_bundled PRIVATE LINKER:--wrap=hypot)
endif()
