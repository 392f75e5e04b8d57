# Third-party packages, all from the distribution (the names of Debian 12's are in scripts/lib/setup.sh).

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt 9.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(SQLiteCpp 3.2 REQUIRED)
find_package(boost_context 1.74 REQUIRED CONFIG)
find_package(ZLIB 1.2 REQUIRED)
find_package(LibLZMA 5.2 REQUIRED)
find_package(xxHash 0.8 REQUIRED)  # cmake/FindxxHash.cmake

# The shared {fmt} is the quicker build; the portable binaries carry it inside.
add_library(bitune_fmt INTERFACE)
target_link_libraries(bitune_fmt INTERFACE $<IF:$<BOOL:${BITUNE_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

if(BITUNE_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(benchmark 1.7 REQUIRED)
endif()
