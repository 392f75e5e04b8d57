# The shipped tunings: beside the executables, as ../share/bitune/tunings.db, in the build folder as in an installation, so that
# they are found alike and travel with either.
file(GLOB _tunings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/data/tunings.db")
if(_tunings)
  configure_file("${_tunings}" "${PROJECT_BINARY_DIR}/share/bitune/tunings.db" COPYONLY)
  install(FILES "${_tunings}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bitune")
endif()

# What draws the plots of 'bitune bench presets'.
configure_file("${PROJECT_SOURCE_DIR}/scripts/plot_presets.py" "${PROJECT_BINARY_DIR}/share/bitune/plot_presets.py" COPYONLY)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/plot_presets.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/bitune")
