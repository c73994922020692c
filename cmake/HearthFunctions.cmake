# hearth_strict, hearth_floor, hearth_backend, hearth_test: what the lists in the root CMakeLists.txt are made of.

# The warnings that Hearth itself is built with. Private: nobody who links Hearth sees them.
function(hearth_strict target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
    -Werror=switch -Werror=return-type -ffp-contract=off)
  # Two warnings of GCC 12 see faults in std::string and in inlined lists that are not there (GCC bugs 105651 and 105562).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
  # Loops of all dtypes carry one hint that they may be vectorised; that some instruction set cannot is no fault.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
  if(HEARTH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# A floor is a folder of headers and, where it has compiled bodies, a folder of sources.
function(hearth_floor floor)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${floor}/*.cpp)
  target_sources(hearth PRIVATE ${sources})
endfunction()

# A backend is a folder: headers in include/, sources beside its CMakeLists.txt, and the stacks over it in src/stacks.
function(hearth_backend backend)
  target_include_directories(hearth PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/backends/${backend}/include>)
  add_subdirectory(${PROJECT_SOURCE_DIR}/backends/${backend})
  file(GLOB stacks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/stacks/${backend}*.cpp)
  target_sources(hearth PRIVATE ${stacks})
  # Dispatch and decorators have no hot loops: small code, in less time.
  list(FILTER stacks INCLUDE REGEX "/${backend}(_autodiff)?\\.cpp$")
  set_source_files_properties(${stacks} TARGET_DIRECTORY hearth PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-Os>")
endfunction()

# Writes hearth/built.hpp and built_names.hpp, the list of backends as C++ sees it: what serve.hpp and backends() are stamped from.
function(hearth_built_backends)
  foreach(backend IN LISTS HEARTH_BACKENDS)
    string(SUBSTRING ${backend} 0 1 first)
    string(SUBSTRING ${backend} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND includes "#include \"hearth/${backend}.hpp\"\n")
    string(APPEND built " X(${backend}, ${first}${rest})")
  endforeach()
  set(absent ${HEARTH_KNOWN_BACKENDS})
  list(REMOVE_ITEM absent ${HEARTH_BACKENDS})
  foreach(backend IN LISTS absent)
    string(APPEND left_out " X(${backend})")
  endforeach()
  foreach(header built built_names)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${header}.hpp.in ${PROJECT_BINARY_DIR}/include/hearth/${header}.hpp @ONLY)
  endforeach()
  target_include_directories(hearth PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
endfunction()

# hearth_test(name sources...): a GoogleTest program.
function(hearth_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE Hearth::hearth GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE HEARTH_FIXTURES="tests/fixtures")
  hearth_strict(${name})
  # Fixtures are long strings, which every compiler that is tested takes.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>)
  # A test is compiled far more often than it is run: little optimisation, unless this is a debug build anyway.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  # Run from the source folder, where the fixtures are: no path of this machine is compiled in, so the compiler's cache serves any clone.
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# hearth_depends(package PC NAME | LIBS FLAGS...): a dependency that the package config of a static build, and hearth.pc, must name.
function(hearth_depends package)
  cmake_parse_arguments(arg "" "PC" "LIBS" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY HEARTH_DEPENDENCIES ${package})
  if(arg_PC)
    set_property(GLOBAL APPEND PROPERTY HEARTH_PC_REQUIRES ${arg_PC})
  endif()
  if(arg_LIBS)
    set_property(GLOBAL APPEND PROPERTY HEARTH_PC_LIBS ${arg_LIBS})
  endif()
endfunction()
