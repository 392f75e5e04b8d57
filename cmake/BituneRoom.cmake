# Precompiled headers, built once and shared: by the rooms, by the rooms that speak JSON, and by the tests.
set(_std_headers <algorithm> <chrono> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <string>
    <string_view> <unordered_map> <variant> <vector>)

function(bitune_add_pch name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  set(_stub "${BITUNE_GENERATED_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${_stub}" CONTENT "// Carries a precompiled header.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${_stub}")
  target_link_libraries(${name} PRIVATE bitune_fmt Boost::headers Threads::Threads ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${_std_headers} <fmt/format.h> <boost/container/flat_map.hpp> ${ARG_HEADERS})
endfunction()

if(BITUNE_PCH)
  bitune_add_pch(bitune_pch)
  bitune_add_pch(bitune_pch_json LINK nlohmann_json::nlohmann_json HEADERS <nlohmann/json.hpp>)
  if(BITUNE_BUILD_TESTS)
    # Executables are compiled with -fPIE, and a header precompiled for -fPIC does not fit them.
    bitune_add_pch(bitune_pch_tests LINK GTest::gtest HEADERS <gtest/gtest.h>)
    set_target_properties(bitune_pch_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(bitune_pch_tests PRIVATE -fPIE ${BITUNE_TEST_COMPILE_OPTIONS})
  endif()
endif()

# bitune_optimise_even_sanitized(<file>...): sources of this folder where tests spend their time. The precompiled header is not for
# optimised sources.
function(bitune_optimise_even_sanitized)
  if(BITUNE_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# bitune_add_room(<room> [DEPENDS <target>...] [EXCLUDE <file>...] [SOURCES <file>...] [PCH <target>])
#
# Makes the static library bitune_<room> of all .cpp files below the room's folder. Includes are relative to the repository
# root ("model/problem.hpp"). A room with no source yet is an INTERFACE library, so that what depends on it still configures.
function(bitune_add_room room)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;EXCLUDE;SOURCES" ${ARGN})
  file(GLOB_RECURSE _sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.cpp")
  foreach(_file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM _sources "${PROJECT_SOURCE_DIR}/${room}/${_file}")
  endforeach()
  list(APPEND _sources ${ARG_SOURCES})
  set_source_files_properties(${ARG_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  set(_target bitune_${room})
  if(_sources)
    add_library(${_target} STATIC ${_sources})
    set(_scope PUBLIC)
    if(BITUNE_PCH AND ARG_PCH)
      target_precompile_headers(${_target} REUSE_FROM ${ARG_PCH})
    endif()
  else()
    add_library(${_target} INTERFACE)
    set(_scope INTERFACE)
  endif()
  target_include_directories(${_target} ${_scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                             "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                             "$<BUILD_INTERFACE:${BITUNE_GENERATED_DIR}>")
  target_link_libraries(${_target} ${_scope} ${ARG_DEPENDS})
endfunction()
