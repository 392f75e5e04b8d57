# Options, and the compiler and linker flags that hold for every target of this project.

option(BITUNE_BUILD_TESTS "Build the tests and micro benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(BITUNE_WERROR "Treat warnings as errors" OFF)
option(BITUNE_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(BITUNE_FUZZ "Build all rooms with libFuzzer's counters (clang, with BITUNE_SANITIZE)" OFF)
option(BITUNE_COVERAGE "Build with gcov instrumentation" OFF)
option(BITUNE_PORTABLE "Link everything but libc and libgcc statically" OFF)
option(BITUNE_PCH "Precompile the heavy third-party headers" ON)
option(BITUNE_UNITY "Compile several sources of a folder as one: a third of the time for a build from nothing" OFF)
option(BITUNE_CCACHE "Compile through ccache where it is installed" ON)
option(BITUNE_WITH_CUB "Build the CUB peer of 'bitune bench' where nvcc is installed" ON)
option(BITUNE_CUB_SAMPLE "Build the CUB peer for u32 keys alone: enough to see that it compiles" OFF)
option(BITUNE_SHIP_KERNELS "Compile the kernels of the shipped tunings, for releases: minutes, and needs NVRTC" OFF)
set(BITUNE_SHIP_KERNELS_OF "" CACHE STRING
    "Of which tunings, as options of 'bitune db ship': --key;u32;--n;1024 is a sample that shows that it works. Empty: of all")
set(BITUNE_CUB_ARCHITECTURES "90" CACHE STRING "Compute capabilities that the CUB peer is built for")
set(BITUNE_CUB_INCLUDE_DIRS "" CACHE STRING "Folders with a newer CUB than the toolkit's, for the CUB peer")
set(BITUNE_NVRTC_HINT "" CACHE STRING "Folder of libnvrtc that a development build searches first; empty for a release")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(BITUNE_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")
include(GNUInstallDirs)

add_compile_options(-Wall -Wextra -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports these falsely inside std::string and std::variant at -O2 (GCC bugs 105329, 105562, 105593, 105651).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
                      -Wno-stringop-overread)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wno-sign-conversion)  # no part of GCC's -Wconversion, where the language is C++
endif()
if(BITUNE_WERROR)
  add_compile_options(-Werror)
endif()

if(BITUNE_SANITIZE)
  set(_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Each library that is opened at run time has types of its own for the handles that its functions take.
    list(APPEND _flags -fno-sanitize=function)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      # Each function would ask whether ASAN_OPTIONS want frames that have returned to be looked at, and these tests never do: a tenth of
      # what is compiled.
      list(APPEND _flags -fsanitize-address-use-after-return=never)
    endif()
    # Checks of pointers in the system's headers are a sixth of the time to compile, a quarter of what is compiled, and a tenth of the
    # time that tests take.
    add_compile_options("-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer-ignorelist.txt")
  endif()
  add_compile_options(${_flags})
  add_link_options(${_flags})
  # Tests themselves: the second sanitizer is a third of the time to compile them.
  set(BITUNE_TEST_COMPILE_OPTIONS -fno-sanitize=undefined)
  # The sanitizers' tables are a million addresses that each start of a position-independent executable would have to relocate:
  # two fifths of the time that most tests take. Modules stay as they are.
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -no-pie")
  # Faster linkers for that many symbols. Not gold with clang: it warns of each local symbol of the sanitizers' libraries, whose
  # lists of symbols to export clang hands on.
  find_program(BITUNE_LLD ld.lld)
  find_program(BITUNE_GOLD ld.gold)
  mark_as_advanced(BITUNE_LLD BITUNE_GOLD)
  if(BITUNE_LLD)
    add_link_options(-fuse-ld=lld)
  elseif(BITUNE_GOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_link_options(-fuse-ld=gold)
  endif()
endif()

if(BITUNE_FUZZ)
  if(NOT BITUNE_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BITUNE_FUZZ needs clang and BITUNE_SANITIZE=ON")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(BITUNE_COVERAGE)
  # Counters are not atomic, though tuner and emulator are multi-threaded: atomic ones made the emulator four times as slow, and
  # one that is lost does not matter where lines are only met or not met. None in what the system's headers define, whose lines
  # nobody asks for: that is half of the counters, and a tenth of the time to compile.
  add_compile_options(--coverage -fprofile-update=single "-fprofile-exclude-files=/usr/.*")
  add_link_options(--coverage)
endif()

if(BITUNE_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ".a" ".so")
  set(Boost_USE_STATIC_LIBS ON)
  set(Boost_USE_STATIC_RUNTIME OFF)
  # Not libgcc: its part for exceptions would want glibc 2.35, and the system's own fits the system's glibc. model/CMakeLists.txt has
  # the rest of what makes programs run on systems with glibc 2.34.
  add_link_options(-static-libstdc++)
  # Leaves out what nothing calls: a fifth of what the wheel's library and command have.
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()

# Sources that define the same names, each for itself, cannot be compiled as one: their rooms name them.
set(CMAKE_UNITY_BUILD ${BITUNE_UNITY})
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()
if(BITUNE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # takes a source that another one includes for a header
elseif(BITUNE_UNITY)
  add_compile_options(-Wno-shadow)  # of names of the sources before it, which clang counts and GCC does not
endif()

if(BITUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BITUNE_CCACHE_PROGRAM ccache)
  mark_as_advanced(BITUNE_CCACHE_PROGRAM)
  if(BITUNE_CCACHE_PROGRAM)
    # The sloppiness is what ccache's manual asks for where headers are precompiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${BITUNE_CCACHE_PROGRAM}")
    if(BITUNE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(-fpch-preprocess)
    endif()
  endif()
endif()
