# cmake --install: the command, the public headers, the static libraries and a package for find_package(bitune).
include(CMakePackageConfigHelpers)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/bitune")

if(TARGET bitune)
  install(TARGETS bitune RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/bitune" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${BITUNE_GENERATED_DIR}/bitune/version.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bitune")

install(TARGETS bitune_library bitune_runtime bitune_kernels bitune_cache bitune_model bitune_fmt bitune_cuda_headers
        EXPORT bituneTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT bituneTargets NAMESPACE bitune:: DESTINATION "${_package}")

configure_file("${PROJECT_SOURCE_DIR}/cmake/bituneConfig.cmake.in" "${PROJECT_BINARY_DIR}/bituneConfig.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/bituneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/bituneConfig.cmake" "${PROJECT_BINARY_DIR}/bituneConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake" DESTINATION "${_package}")
