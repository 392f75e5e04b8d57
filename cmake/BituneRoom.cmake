# bitune_add_room(<room> [DEPENDS <target>...] [EXCLUDE <file>...] [PCH <header>...])
#
# Makes the static library bitune_<room> of all .cpp files below the room's folder. Includes are relative to the repository
# root ("model/problem.hpp"). A room with no source yet is an INTERFACE library, so that what depends on it still configures.
function(bitune_add_room room)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXCLUDE;PCH;SOURCES" ${ARGN})
  file(GLOB_RECURSE _sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.cpp")
  foreach(_file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM _sources "${PROJECT_SOURCE_DIR}/${room}/${_file}")
  endforeach()
  list(APPEND _sources ${ARG_SOURCES})

  set(_target bitune_${room})
  if(_sources)
    add_library(${_target} STATIC ${_sources})
    set(_scope PUBLIC)
    if(BITUNE_PCH AND ARG_PCH)
      target_precompile_headers(${_target} PRIVATE ${ARG_PCH})
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

# Standard headers that nearly every file includes.
set(BITUNE_STD_PCH <algorithm> <chrono> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <string>
    <string_view> <unordered_map> <variant> <vector>)
