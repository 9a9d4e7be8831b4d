# The files of the theory, in theory_sources: all of linear/law, dense/theory and attention/theory but those that draw
# random numbers, the law of the K best, the volume of a rank and rotary positions, and what they
# use of base. They ask four things of the machine: ireneo_enter, ireneo_leave (threads.h),
# ireneo_parallel (parallel.h) and ireneo_ram_require (ram.h). The library answers with threads and /proc, the page with
# one thread (web/wasm/machine.c). tests/cli/floor_plan.sh holds them to it.
set(rooms ${CMAKE_CURRENT_LIST_DIR})
file(GLOB theory_sources CONFIGURE_DEPENDS ${rooms}/linear/law/*.c ${rooms}/dense/theory/*.c ${rooms}/attention/theory/*.c)
list(FILTER theory_sources EXCLUDE REGEX "/(free_entropy|rank_saddle|rank_entropy|solution_spectrum|top|overlap_law|far_field|rope)\\.c$")
foreach(piece error faddeeva gram normal quadrature ram roots)
  list(APPEND theory_sources ${rooms}/base/${piece}.c)
endforeach()
