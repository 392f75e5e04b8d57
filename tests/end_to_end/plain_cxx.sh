#!/bin/sh
# $CXX with the sanitizers' options left out.
#
# The end-to-end tests compile the emulated device's kernels with it: they test the command, and the emulated tests have checked the
# kernels with sanitizers already. A script of the shell, as Python takes as long to start as such a kernel to compile.
for option; do
  shift
  case $option in
    -fsanitize=* | -fno-sanitize*) ;;
    *) set -- "$@" "$option" ;;
  esac
done
exec "$CXX" "$@"
