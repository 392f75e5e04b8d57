# Finds the CUDA headers: target bitune_cuda_headers. No CUDA library is ever linked: the driver and NVRTC are opened at run
# time. Looked at, in this order: BITUNE_CUDA_INCLUDE_DIRS, the toolkit, the Python wheels in the build folder's environment.

set(_toolkit_hints "${CUDAToolkit_ROOT}" "$ENV{CUDAToolkit_ROOT}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)
find_program(BITUNE_NVCC nvcc HINTS ${_toolkit_hints} PATH_SUFFIXES bin DOC "CUDA compiler; only the CUB peer needs it")
if(BITUNE_NVCC)
  cmake_path(GET BITUNE_NVCC PARENT_PATH _nvcc_bin)
  cmake_path(GET _nvcc_bin PARENT_PATH _nvcc_root)
  list(APPEND _toolkit_hints "${_nvcc_root}")
endif()
file(GLOB _wheel_dirs "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/nvidia/*"
     "${PROJECT_BINARY_DIR}/venv/lib/python3*/site-packages/nvidia/*")

find_path(BITUNE_CUDA_H_DIR cuda.h HINTS ${BITUNE_CUDA_INCLUDE_DIRS} ${_toolkit_hints} ${_wheel_dirs}
          PATH_SUFFIXES include)
find_path(BITUNE_NVRTC_H_DIR nvrtc.h HINTS ${BITUNE_CUDA_INCLUDE_DIRS} ${_toolkit_hints} ${_wheel_dirs}
          PATH_SUFFIXES include)
mark_as_advanced(BITUNE_NVCC BITUNE_CUDA_H_DIR BITUNE_NVRTC_H_DIR)

if(NOT BITUNE_CUDA_H_DIR OR NOT BITUNE_NVRTC_H_DIR)
  message(FATAL_ERROR
    "bitune needs the headers cuda.h and nvrtc.h (not the libraries). Install the CUDA toolkit, or the Python wheels "
    "nvidia-cuda-runtime and nvidia-cuda-nvrtc into build/venv (scripts/demo.sh does so), or set "
    "-DBITUNE_CUDA_INCLUDE_DIRS=<folders> where they are.")
endif()
message(STATUS "CUDA headers: ${BITUNE_CUDA_H_DIR} ${BITUNE_NVRTC_H_DIR}")

add_library(bitune_cuda_headers INTERFACE)
target_include_directories(bitune_cuda_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${BITUNE_CUDA_H_DIR}>"
                                                                "$<BUILD_INTERFACE:${BITUNE_NVRTC_H_DIR}>")

# bitune_add_cub_peer(<source>...)
#
# Builds these sources as a module beside the executable; 'bitune bench' opens it if it is there.
function(bitune_add_cub_peer)
  if(NOT BITUNE_WITH_CUB OR NOT BITUNE_NVCC)
    return()
  endif()
  set(_gencode "")
  set(_lowest "")
  foreach(_arch IN LISTS BITUNE_CUB_ARCHITECTURES)
    list(APPEND _gencode "--generate-code=arch=compute_${_arch},code=sm_${_arch}")
    if(_lowest STREQUAL "" OR _arch LESS _lowest)
      set(_lowest "${_arch}")
    endif()
  endforeach()
  list(APPEND _gencode "--generate-code=arch=compute_${_lowest},code=compute_${_lowest}")

  set(_defines "")
  foreach(_folder IN LISTS BITUNE_CUB_INCLUDE_DIRS)
    list(APPEND _defines -I "${_folder}")
  endforeach()
  set(_sources ${ARGN})
  if(BITUNE_CUB_SAMPLE)
    list(APPEND _defines -DBITUNE_CUB_SAMPLE -Xcicc -O1 -Xptxas -O0)  # nobody measures it
    # All in one: CUB's headers are most of what there is to read.
    list(TRANSFORM _sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE _includes)
    list(JOIN _includes "" _includes)
    set(_sources "${CMAKE_CURRENT_BINARY_DIR}/sample.cu")
    file(CONFIGURE OUTPUT "${_sources}" CONTENT "${_includes}")
  endif()
  set(_objects "")
  foreach(_source IN LISTS _sources)
    cmake_path(GET _source STEM _name)
    set(_object "${CMAKE_CURRENT_BINARY_DIR}/cub_${_name}.o")
    add_custom_command(
      OUTPUT "${_object}"
      COMMAND "${BITUNE_NVCC}" -std=c++20 -O3 -ccbin "${CMAKE_CXX_COMPILER}" ${_gencode} -Xcompiler -fPIC,-fvisibility=hidden
              ${_defines} -I "${PROJECT_SOURCE_DIR}" -I "${PROJECT_SOURCE_DIR}/include" -MD -MF "${_object}.d" -c -o "${_object}"
              "${_source}"
      DEPENDS "${_source}"
      DEPFILE "${_object}.d"
      COMMENT "Building the CUB peer's ${_name}"
      VERBATIM)
    list(APPEND _objects "${_object}")
  endforeach()

  set(_module "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/bitune_peer_cub.so")
  if(BITUNE_PORTABLE)
    set(_link -Xcompiler -static-libstdc++,-static-libgcc)
  endif()
  add_custom_command(
    OUTPUT "${_module}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    COMMAND "${BITUNE_NVCC}" -ccbin "${CMAKE_CXX_COMPILER}" --shared --cudart static ${_gencode} ${_link} -o "${_module}" ${_objects}
    DEPENDS ${_objects}
    COMMENT "Linking the CUB peer ${_module}"
    VERBATIM)
  add_custom_target(bitune_peer_cub ALL DEPENDS "${_module}")
  add_dependencies(app bitune_peer_cub)
endfunction()
