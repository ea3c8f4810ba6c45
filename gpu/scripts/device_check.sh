#!/usr/bin/env bash
# The checks that want a GPU, in at most 8 minutes, without network and with torch, transformers and numpy only:
# tape test, tree pass, 1e10 samples of two verifiers on a 256-node tree, throughput. Results: one JSON file.
#   gpu/scripts/device_check.sh [--out FILE] [--dry-run]     --dry-run: small sizes, on the CPU
set -euo pipefail
cd "$(dirname "$0")/../.."
PYTHONPATH="gpu:.${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python3}" gpu/scripts/device_check.py "$@"
