# What the Python wheel holds beside the modules of python/bitune, as the component `wheel`: the shared library, the command, the
# shipped tunings and their kernels, in lib/, bin/ and share/ of the package. The library is not that of capi/ alone: it has the command,
# too, and bin/bitune calls it there. Apart they would have most rooms twice, a fifth of the wheel.
#
# BITUNE_WHEEL_OF names a build folder whose wheel/ and kernels are taken. Nothing is compiled then; what is taken links what that folder's
# preset made it link. Kernels are there where that folder was configured with BITUNE_SHIP_KERNELS.

add_custom_target(wheel)
if(BITUNE_WHEEL_OF)
  cmake_path(ABSOLUTE_PATH BITUNE_WHEEL_OF BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE _built)
  find_program(_strip strip REQUIRED)
  set(_library "${_built}/wheel/lib/libbitune.so")
  set(_command "${_built}/wheel/bin/bitune")
  foreach(_file IN ITEMS "${_library}" "${_command}")
    if(NOT EXISTS "${_file}")
      message(FATAL_ERROR "BITUNE_WHEEL_OF=${_built}: there is no ${_file}; build the target wheel there first")
    endif()
  endforeach()
  file(GLOB _kernels "${_built}/share/bitune/tunings.kernels")
  file(GLOB _short_way "${_built}/lib/_short_way.abi3.so")
else()
  set(_strip "${CMAKE_STRIP}")
  set(_library "$<TARGET_FILE:wheel_library>")
  set(_command "$<TARGET_FILE:wheel_command>")
  add_dependencies(wheel wheel_command)
  add_dependencies(app wheel)
  set(_kernels "")
  if(BITUNE_SHIP_KERNELS)
    add_dependencies(wheel shipped_kernels)
    set(_kernels "${PROJECT_BINARY_DIR}/share/bitune/tunings.kernels")
  endif()

  # No version in the library's name: a wheel has no symbolic links.
  add_library(wheel_library SHARED EXCLUDE_FROM_ALL python/native/command.cpp)
  set_target_properties(wheel_library PROPERTIES OUTPUT_NAME bitune LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/wheel/lib")
  target_link_libraries(wheel_library PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,bitune_capi>" bitune_cli)
  file(CONFIGURE OUTPUT "${BITUNE_GENERATED_DIR}/wheel_command.map" CONTENT "BITUNE_COMMAND { global: bitune_command; };\n")
  target_link_options(wheel_library PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/capi/library.map"
                      "LINKER:--version-script=${BITUNE_GENERATED_DIR}/wheel_command.map" LINKER:--no-undefined)
  file(CONFIGURE OUTPUT "${BITUNE_GENERATED_DIR}/wheel_command.cpp" CONTENT
       "extern \"C\" int bitune_command(int, const char* const*);\nint main(int argc, char** argv) { return bitune_command(argc, argv); }\n")
  add_executable(wheel_command EXCLUDE_FROM_ALL "${BITUNE_GENERATED_DIR}/wheel_command.cpp")
  set_target_properties(wheel_command PROPERTIES OUTPUT_NAME bitune RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/wheel/bin"
                        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
  target_link_libraries(wheel_command PRIVATE wheel_library)

  # What calls of the package do each time (python/native). It takes Python's headers, and no library of it; without them, Python does it.
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
  set(_short_way "")
  if(Python_Development.Module_FOUND)
    add_library(short_way MODULE python/native/short_way.cpp)
    set_target_properties(short_way PROPERTIES PREFIX "" OUTPUT_NAME _short_way SUFFIX .abi3.so
                          LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
    target_compile_definitions(short_way PRIVATE Py_LIMITED_API=0x03090000)
    target_include_directories(short_way PRIVATE include SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
    # It needs nothing but libc, by which auditwheel tells what system it is for.
    target_compile_options(short_way PRIVATE -fno-exceptions -fno-rtti)
    target_link_options(short_way PRIVATE -nodefaultlibs LINKER:--no-as-needed -s)
    target_link_libraries(short_way PRIVATE c)
    add_dependencies(wheel short_way)
    set(_short_way "$<TARGET_FILE:short_way>")
  else()
    message(STATUS "no headers of Python: calls of the package take a microsecond longer")
  endif()
endif()

install(PROGRAMS "${_library}" DESTINATION lib COMPONENT wheel EXCLUDE_FROM_ALL)
install(PROGRAMS "${_command}" DESTINATION bin COMPONENT wheel EXCLUDE_FROM_ALL)
install(FILES ${_short_way} DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND \"${_strip}\" --strip-unneeded lib/libbitune.so bin/bitune
                              WORKING_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT wheel EXCLUDE_FROM_ALL)
file(GLOB _shipped CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/data/tunings.db")
install(FILES ${_shipped} ${_kernels} DESTINATION share/bitune COMPONENT wheel EXCLUDE_FROM_ALL)
