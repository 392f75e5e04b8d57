#!/bin/sh
# $CXX with the options of sanitizers and of optimisation left out.
#
# The end-to-end tests and those in Python compile the emulated device's kernels with it: they test the command and the package, and the
# emulated tests have checked the kernels with sanitizers already. Without optimisation kernels as short-lived as theirs compile in a
# sixth of the time. A script of the shell, as Python takes as long to start as such a kernel to compile.
for option; do
  shift
  case $option in
    -fsanitize* | -fno-sanitize* | -O*) ;;
    *) set -- "$@" "$option" ;;
  esac
done
exec "$CXX" "$@"
