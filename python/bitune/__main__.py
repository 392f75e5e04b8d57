"""python -m bitune: the command."""

from ._command import main

main()
