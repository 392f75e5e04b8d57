# What the Python wheel holds beside the modules of python/bitune, as the component `wheel`: the shared library, the command, the
# shipped tunings and their kernels, in lib/, bin/ and share/ of the package.
#
# BITUNE_WHEEL_OF names a build folder whose library, command and kernels are taken. Nothing is compiled then; what is taken links what
# that folder's preset made it link. Kernels are there where that folder was configured with BITUNE_SHIP_KERNELS.

add_custom_target(wheel)
if(BITUNE_WHEEL_OF)
  cmake_path(ABSOLUTE_PATH BITUNE_WHEEL_OF BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE _built)
  find_program(_strip strip REQUIRED)
  set(_library "${_built}/lib/libbitune.so")
  set(_command "${_built}/bin/bitune")
  foreach(_file IN ITEMS "${_library}" "${_command}")
    if(NOT EXISTS "${_file}")
      message(FATAL_ERROR "BITUNE_WHEEL_OF=${_built}: there is no ${_file}; build the targets bitune_c and bitune there first")
    endif()
  endforeach()
  file(REAL_PATH "${_library}" _library)
  file(GLOB _kernels "${_built}/share/bitune/tunings.kernels")
  file(GLOB _short_way "${_built}/lib/_short_way.abi3.so")
else()
  set(_strip "${CMAKE_STRIP}")
  set(_library "$<TARGET_FILE:bitune_c>")
  set(_command "$<TARGET_FILE:bitune>")
  add_dependencies(wheel bitune_c bitune)
  set(_kernels "")
  if(BITUNE_SHIP_KERNELS)
    add_dependencies(wheel shipped_kernels)
    set(_kernels "${PROJECT_BINARY_DIR}/share/bitune/tunings.kernels")
  endif()

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

# A wheel has no symbolic links: the library goes in by its plain name.
install(PROGRAMS "${_library}" DESTINATION lib RENAME libbitune.so COMPONENT wheel EXCLUDE_FROM_ALL)
install(PROGRAMS "${_command}" DESTINATION bin COMPONENT wheel EXCLUDE_FROM_ALL)
install(FILES ${_short_way} DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL)
install(CODE "execute_process(COMMAND \"${_strip}\" --strip-unneeded lib/libbitune.so bin/bitune
                              WORKING_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT wheel EXCLUDE_FROM_ALL)
file(GLOB _shipped CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/data/tunings.db")
install(FILES ${_shipped} ${_kernels} DESTINATION share/bitune COMPONENT wheel EXCLUDE_FROM_ALL)
