#!/usr/bin/env -S python3 -SE
"""The host's C++ compiler with the sanitizers' options left out.

The end-to-end tests compile the emulated device's kernels with it: they test the command, and the emulated tests have checked the
kernels with sanitizers already.
"""

import os
import sys

compiler = os.environ.get("CXX", "c++")
sanitizing = ("-fsanitize=", "-fno-sanitize")
os.execvp(compiler, [compiler, *(option for option in sys.argv[1:] if not option.startswith(sanitizing))])
