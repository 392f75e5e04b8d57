# cmake --install: the command, the public headers, the library (shared and static), and what find_package(bitune) and
# pkg-config bitune read.
include(CMakePackageConfigHelpers)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/bitune")

if(TARGET bitune)
  install(TARGETS bitune RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/bitune" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${BITUNE_GENERATED_DIR}/bitune/version.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bitune")

# Two sets: who links the shared library needs none of the packages that the static one links.
install(TARGETS bitune_c EXPORT bituneSharedTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT bituneSharedTargets NAMESPACE bitune:: DESTINATION "${_package}")
install(TARGETS bitune_library bitune_static EXPORT bituneStaticTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT bituneStaticTargets NAMESPACE bitune:: DESTINATION "${_package}")

configure_file("${PROJECT_SOURCE_DIR}/cmake/bituneConfig.cmake.in" "${PROJECT_BINARY_DIR}/bituneConfig.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/bituneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/bituneConfig.cmake" "${PROJECT_BINARY_DIR}/bituneConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake" DESTINATION "${_package}")

# From the folder of bitune.pc back to the prefix, so that an installation can be moved.
file(RELATIVE_PATH BITUNE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" BITUNE_PC_PREFIX "${BITUNE_PC_PREFIX}")
set(BITUNE_PC_FMT "-lfmt")
if(BITUNE_PORTABLE)
  set(BITUNE_PC_FMT "")  # it is inside
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/bitune.pc.in" "${PROJECT_BINARY_DIR}/bitune.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/bitune.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
