# BLAS with its C interface, and LAPACKE: the target ireneo_blas, and `blas_link`, the same as words for a linker.
# OpenBLAS where there is one; another by -DBLA_VENDOR=NAME, with CMake's names: Intel10_64lp (MKL), FLAME (BLIS), AOCL_mt,
# Generic (whatever the system calls libblas). Thread control is looked up at run time: src/base/blas.c.
include(CheckFunctionExists)
if(NOT BLA_VENDOR)
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS QUIET)
  if(NOT BLAS_FOUND)
    unset(BLA_VENDOR)
  endif()
endif()
find_package(BLAS REQUIRED)
set(blas_libraries ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
list(FILTER blas_libraries EXCLUDE REGEX "^-pthread$")

# Headers: of this BLAS rather than of the one that the system prefers. MKL has its own names for them.
get_filename_component(blas_folder "${BLAS_LIBRARIES}" DIRECTORY)
string(REGEX MATCH "blis" blas_is_blis "${BLAS_LIBRARIES}")
if(blas_is_blis)
  set(blas_suffixes blis blis-openmp blis-pthread blis-serial)
else()
  set(blas_suffixes openblas flexiblas)
endif()
find_path(CBLAS_INCLUDE_DIR NAMES cblas.h mkl_cblas.h PATHS "${blas_folder}/../include" $ENV{MKLROOT}/include
          PATH_SUFFIXES ${blas_suffixes} mkl REQUIRED)
find_path(LAPACKE_INCLUDE_DIR NAMES lapacke.h mkl_lapacke.h PATHS "${blas_folder}/../include" $ENV{MKLROOT}/include
          PATH_SUFFIXES lapacke ${blas_suffixes} mkl REQUIRED)
if(EXISTS "${CBLAS_INCLUDE_DIR}/mkl_cblas.h" AND NOT EXISTS "${CBLAS_INCLUDE_DIR}/cblas.h")
  file(WRITE ${PROJECT_BINARY_DIR}/mkl/cblas.h "#include <mkl_cblas.h>\n")
  file(WRITE ${PROJECT_BINARY_DIR}/mkl/lapacke.h "#include <mkl_lapacke.h>\n")
  set(mkl_headers ${PROJECT_BINARY_DIR}/mkl)
endif()

# blas_needs(FUNCTION LIBRARY): the library, when BLAS itself does not hold the function.
macro(blas_needs function library)
  set(CMAKE_REQUIRED_LIBRARIES ${blas_libraries} m)
  check_function_exists(${function} blas_has_${function})
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(NOT blas_has_${function})
    find_library(${library}_LIBRARY ${library} REQUIRED)
    list(APPEND blas_libraries ${${library}_LIBRARY})
  endif()
endmacro()
blas_needs(cblas_sgemm cblas)
blas_needs(LAPACKE_dpotrf lapacke)

# /usr/lib/libopenblas.so as -lopenblas, found again on the machine of whoever links the static library.
set(blas_link "")
foreach(library ${blas_libraries})
  get_filename_component(folder "${library}" DIRECTORY)
  get_filename_component(name "${library}" NAME)
  string(REGEX REPLACE "^lib(.*)\\.(so|a|dylib|tbd).*$" "-l\\1" word "${name}")
  if(word MATCHES "^-l" AND folder AND NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND blas_link "-L${folder}")
  endif()
  list(APPEND blas_link "${word}")
endforeach()
list(REMOVE_DUPLICATES blas_link)

add_library(ireneo_blas INTERFACE)
target_link_libraries(ireneo_blas INTERFACE "$<BUILD_INTERFACE:${blas_libraries}>" "$<INSTALL_INTERFACE:${blas_link}>")
target_include_directories(ireneo_blas SYSTEM INTERFACE "$<BUILD_INTERFACE:${mkl_headers};${CBLAS_INCLUDE_DIR};${LAPACKE_INCLUDE_DIR}>")
list(JOIN blas_link " " blas_link)
