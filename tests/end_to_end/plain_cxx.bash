#!/usr/bin/env bash
# The host's C++ compiler with the sanitizers' options left out. The end-to-end tests compile the emulated device's kernels
# with it: they test the command, and the emulated tests have checked the kernels with sanitizers already.
plain=()
for option in "$@"; do
  [[ $option == -fsanitize=* || $option == -fno-sanitize* ]] || plain+=("$option")
done
exec "${CXX:-c++}" "${plain[@]}"
