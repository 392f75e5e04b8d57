#!/usr/bin/env bash
# Caches, T4, T1, results and wisdom, judged by Kernel Tuner and autotuning_methodology.
source "$(dirname "$0")/common.bash"

"$python" -c 'import kernel_tuner, autotuning_methodology' 2>/dev/null ||
  { echo "skipped: $python has no kernel_tuner and autotuning_methodology (scripts/lib/requirements-exchange.txt)"; exit 77; }
gzip -dc "$here/../data/h200_u32.db.gz" >h200.db
MPLCONFIGDIR=$folder/matplotlib timeout 280 "$python" "$here/exchange.py" "$BITUNE" "$folder/h200.db"
