# The page that 'bitune db report' writes: our template, style and scripts (cli/report/page/) and the library that draws the
# charts, put together when bitune is built and embedded in the command. The library is taken from the system's package, never
# kept in this repository.

find_file(BITUNE_CHART_JS NAMES chart.min.js
          PATHS /usr/share/javascript/chart.js /usr/local/share/javascript/chart.js
          NO_DEFAULT_PATH DOC "Chart.js as one minified file, embedded for 'bitune db report'")
mark_as_advanced(BITUNE_CHART_JS)
if(NOT BITUNE_CHART_JS OR NOT EXISTS "${BITUNE_CHART_JS}")
  message(FATAL_ERROR
    "bitune needs Chart.js, which draws the charts of 'bitune db report'. Install the Debian package libjs-chart.js "
    "(scripts/demo.sh does so), or set -DBITUNE_CHART_JS=<chart.min.js of version 3.9>.")
endif()
file(STRINGS "${BITUNE_CHART_JS}" _banner LIMIT_COUNT 6)
string(REGEX MATCH "Chart\\.js v([0-9]+\\.[0-9]+\\.[0-9]+)" _match "${_banner}")
set(BITUNE_CHART_JS_VERSION "${CMAKE_MATCH_1}")
if(NOT BITUNE_CHART_JS_VERSION VERSION_GREATER_EQUAL 3.9 OR NOT BITUNE_CHART_JS_VERSION VERSION_LESS 4)
  message(FATAL_ERROR "'${BITUNE_CHART_JS}' is no Chart.js of version 3.9: it does not begin as one.")
endif()
message(STATUS "Chart.js: ${BITUNE_CHART_JS} (version ${BITUNE_CHART_JS_VERSION})")

# bitune_embed_page(<variable> FOLDER <folder> SCRIPTS <file>...): writes the source that holds the page, and names it in the
# variable. The scripts stand in the page in the order given.
function(bitune_embed_page variable)
  cmake_parse_arguments(ARG "" "FOLDER" "SCRIPTS" ${ARGN})
  set(_source "${BITUNE_GENERATED_DIR}/report_page.cpp")
  set(_script "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake")
  set(_notice "${PROJECT_SOURCE_DIR}/NOTICE")
  list(TRANSFORM ARG_SCRIPTS PREPEND "${ARG_FOLDER}/" OUTPUT_VARIABLE _scripts)
  list(JOIN _scripts "|" _joined)
  add_custom_command(
    OUTPUT "${_source}"
    COMMAND "${CMAKE_COMMAND}" "-DTEMPLATE=${ARG_FOLDER}/page.html" "-DSTYLE=${ARG_FOLDER}/page.css" "-DSCRIPTS=${_joined}"
            "-DLIBRARY=${BITUNE_CHART_JS}" "-DLIBRARY_VERSION=${BITUNE_CHART_JS_VERSION}" "-DNOTICE=${_notice}"
            "-DOUT=${_source}" -P "${_script}"
    DEPENDS "${_script}" "${_notice}" "${BITUNE_CHART_JS}" "${ARG_FOLDER}/page.html" "${ARG_FOLDER}/page.css" ${_scripts}
    COMMENT "Embedding the page of 'bitune db report'"
    VERBATIM)
  set(${variable} "${_source}" PARENT_SCOPE)
endfunction()
