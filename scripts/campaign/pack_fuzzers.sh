#!/usr/bin/env bash
# Packs the fuzzers of the preset `fuzz` with the libraries they need, for a machine with as many cores as may be, which has none of our
# packages (its libc must be as new as this one's). There, in a copy of the repository:
#   scripts/campaign/fuzz.py --program FOLDER/fuzz --work OUT --record OUT/fuzz.json --seconds 200  (until SIGTERM, else)
# and here: scripts/report_reliability.py --add OUT/fuzz.json
# usage: scripts/campaign/pack_fuzzers.sh FOLDER [PROGRAM]
set -euo pipefail
folder=${1:?usage: $0 FOLDER [PROGRAM]} program=${2:-$(dirname "$0")/../../build/fuzz/bin/fuzz}
mkdir -p "$folder/libraries"
# Debug information is most of it; without it a fault's stack has names and no lines.
objcopy --strip-debug "$program" "$folder/fuzzers"
ldd "$program" | awk '$3 ~ /^\// && $3 !~ /\/(libc|libm|libdl|librt|libpthread|libresolv)\.so/ {print $3}' | xargs -I{} cp -L {} "$folder/libraries/"
cat >"$folder/fuzz" <<'RUN'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/fuzzers" "$@"
RUN
chmod +x "$folder/fuzz"
du -sh "$folder"
