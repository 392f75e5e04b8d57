set(BITUNE_PYTHON "${PROJECT_SOURCE_DIR}/build/venv/bin/python" CACHE FILEPATH "Python with pytest and numpy")

# Ends what hangs, in seconds; far beyond what any test takes, on a busy machine too.
set(BITUNE_TEST_TIMEOUT 3600)

# Below it the tests write, and pytest makes no folder but its own.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/test-home")

# Every test runs with these, so that none reads or writes the home of the person who runs it.
set(BITUNE_TEST_ENVIRONMENT
    "XDG_DATA_HOME=${PROJECT_BINARY_DIR}/test-home/data" "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-home/cache"
    "MPLCONFIGDIR=${PROJECT_BINARY_DIR}/test-home/matplotlib" "PYTHONDONTWRITEBYTECODE=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    # The first for CUDA's address space. The others are a quarter of the time: to note where memory was allocated by the caller alone,
    # and to keep what was freed until 1 MiB more was, so that what is freed and allocated anew stays in the processor's cache.
    "ASAN_OPTIONS=protect_shadow_gap=0:malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64")
# The emulated device's kernels are compiled by clang where bitune is: it takes half the time that g++ takes.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND BITUNE_TEST_ENVIRONMENT "BITUNE_CXX=${CMAKE_CXX_COMPILER}")
endif()

# bitune_add_tests(<target> FOLDER <folder> LABEL <label> LINK <target>... [SHARDS <number>])
# One GoogleTest executable of all .cpp files in a folder of tests/, if it has any. CTest takes all of its tests for one, or for as
# many as there are shards, each skipped if all in it are: a process of its own for each test takes longer to start and to look for
# leaks than most tests take. What they were is in test-results/.
function(bitune_add_tests target)
  cmake_parse_arguments(ARG "" "FOLDER;LABEL;SHARDS" "LINK" ${ARGN})
  file(GLOB_RECURSE _sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp")
  if(NOT _sources)
    return()
  endif()
  add_executable(${target} ${_sources})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} bitune_fmt GTest::gtest GTest::gtest_main Threads::Threads)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE ${BITUNE_TEST_COMPILE_OPTIONS})
  target_compile_definitions(${target} PRIVATE "BITUNE_TEST_DATA=\"${PROJECT_SOURCE_DIR}/tests/data\"")
  if(BITUNE_PCH)
    target_precompile_headers(${target} REUSE_FROM bitune_pch_tests)
  endif()
  set(_environment ${BITUNE_TEST_ENVIRONMENT})
  set(_cost 50)
  if(ARG_LABEL STREQUAL "compile")
    # NVRTC's threads may end while the leak sanitizer looks at them, which ends it. And nearly all that is allocated is NVRTC's, which is
    # not compiled with sanitizers: a third of the time is to note where from, to fill it, and to keep it after it is freed. What is freed
    # stays poisoned until it is allocated anew.
    list(TRANSFORM _environment REPLACE "(ASAN_OPTIONS=.*)"
         "\\1:detect_leaks=0:malloc_context_size=0:max_malloc_fill_size=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0")
    # Its tests are the longest of all: the shorter ones fill what they leave of the processors at the end.
    set(_cost 75)
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  math(EXPR _last "${ARG_SHARDS} - 1")
  foreach(_shard RANGE ${_last})
    set(_name ${ARG_LABEL}.${target})
    if(ARG_SHARDS GREATER 1)
      string(APPEND _name ".${_shard}")
    endif()
    add_test(NAME ${_name} COMMAND ${target})
    # The cost: they are long, and begun after those in Python, which are longer.
    set_tests_properties(${_name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${BITUNE_TEST_TIMEOUT} COST ${_cost}
      SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\] [^\n]*\n)+$"  # and none failed
      ENVIRONMENT "${_environment};GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/test-results/${_name}.xml;GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${_shard}")
  endforeach()
endfunction()

# bitune_add_pytests(<folder> LABEL <label>): one test of each test_*.py of a folder, which finds the executable in $BITUNE. CTest
# takes all cases of a file for one test, skipped if all are, or if there is no pytest. What they were is in test-results/.
function(bitune_add_pytests folder)
  cmake_parse_arguments(ARG "" "LABEL" "" ${ARGN})
  file(GLOB _files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.py")
  set(_python "${BITUNE_PYTHON}")
  if(NOT EXISTS "${_python}")
    set(_python python3)
  endif()
  foreach(_file IN LISTS _files)
    cmake_path(GET _file STEM _name)
    string(REGEX REPLACE "^test_" "${ARG_LABEL}." _name "${_name}")
    add_test(NAME ${_name} COMMAND "${_python}" -m pytest -q -rs "--basetemp=${PROJECT_BINARY_DIR}/test-home/${_name}"
                                   "--junitxml=${PROJECT_BINARY_DIR}/test-results/${_name}.xml" "${_file}")
    # The cost: CTest begins with these, which are the longest, so that no core waits for one of them at the end.
    set_tests_properties(${_name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${BITUNE_TEST_TIMEOUT} COST 100 SKIP_RETURN_CODE 5
      SKIP_REGULAR_EXPRESSION "No module named pytest;\n[0-9]+ skipped in "
      ENVIRONMENT "${BITUNE_TEST_ENVIRONMENT};BITUNE=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/bitune")
  endforeach()
endfunction()

# bitune_add_tool(<target> LINK <target>... SOURCES <file>...): an executable that speaks JSON and takes options, for scripts.
function(bitune_add_tool target)
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} bitune_fmt CLI11::CLI11 nlohmann_json::nlohmann_json Threads::Threads)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  if(BITUNE_PCH)
    # A fifth of the time to compile them. As a library is compiled, whose header it is.
    target_precompile_headers(${target} REUSE_FROM bitune_pch_json)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# bitune_add_micro_benchmarks(<folder>): one Google Benchmark executable of each file.
function(bitune_add_micro_benchmarks folder)
  file(GLOB _sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  foreach(_source IN LISTS _sources)
    cmake_path(GET _source STEM _name)
    add_executable(micro_${_name} "${_source}")
    target_link_libraries(micro_${_name} PRIVATE bitune_tuner bitune_test_support bitune_fmt benchmark::benchmark)
    target_compile_options(micro_${_name} PRIVATE ${BITUNE_TEST_COMPILE_OPTIONS})
    if(BITUNE_PCH)
      target_precompile_headers(micro_${_name} REUSE_FROM bitune_pch_tests)
    endif()
    if(BITUNE_PORTABLE)
      # Debian ships Google Benchmark as a shared library only: it travels beside the executable.
      set_target_properties(micro_${_name} PROPERTIES BUILD_RPATH "$ORIGIN")
      add_custom_command(TARGET micro_${_name} POST_BUILD
        COMMAND "${CMAKE_COMMAND}" -E copy_if_different $<TARGET_FILE:benchmark::benchmark>
                "$<TARGET_FILE_DIR:micro_${_name}>/$<TARGET_SONAME_FILE_NAME:benchmark::benchmark>"
        VERBATIM)
    endif()
  endforeach()
endfunction()

# bitune_add_fuzzers(<target> FOLDER <folder>): one executable of a folder's .cpp files with libFuzzer's main, and a test of each
# folder below corpus/, which is a target's name.
function(bitune_add_fuzzers target)
  cmake_parse_arguments(ARG "" "FOLDER" "" ${ARGN})
  set(_folder "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER}")
  file(GLOB _sources CONFIGURE_DEPENDS "${_folder}/*.cpp")
  add_executable(${target} ${_sources})
  target_link_libraries(${target} PRIVATE bitune_cli nlohmann_json::nlohmann_json SQLiteCpp SQLite::SQLite3 xxHash::xxhash ${CMAKE_DL_LIBS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE ${BITUNE_TEST_COMPILE_OPTIONS})
  # libFuzzer stops where nothing counts branches; of rooms, only the option BITUNE_FUZZ does.
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  file(GLOB _corpora CONFIGURE_DEPENDS "${_folder}/corpus/*")
  foreach(_corpus IN LISTS _corpora)
    cmake_path(GET _corpus FILENAME _name)
    set(_runs 2000)
    if(_name STREQUAL "database_file")
      set(_runs 100)  # each makes a file
    elseif(_name MATCHES "database|exchange")
      set(_runs 500)  # checks all rows; unpacks a file
    endif()
    # Named one by one: into a folder it would write what it finds.
    file(GLOB _inputs CONFIGURE_DEPENDS "${_corpus}/*")
    list(JOIN _inputs "," _inputs)
    add_test(NAME fuzz.${_name} COMMAND ${target} -runs=${_runs} -seed=1 -max_len=4096 -timeout=600 -rss_limit_mb=0
             "-artifact_prefix=${PROJECT_BINARY_DIR}/test-results/fuzz.${_name}-" "-seed_inputs=${_inputs}")
    set_tests_properties(fuzz.${_name} PROPERTIES LABELS fuzz TIMEOUT ${BITUNE_TEST_TIMEOUT}
      ENVIRONMENT "${BITUNE_TEST_ENVIRONMENT};BITUNE_FUZZ_TARGET=${_name}")
  endforeach()
endfunction()
