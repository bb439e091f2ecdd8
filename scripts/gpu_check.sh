#!/usr/bin/env bash
# Everything that needs a GPU, in one go: the `gpu` tests, the acceptance programs, compute-sanitizer over the examples, the fuzzer, the benchmarks.
# A folder .gpu/ may hold what the machine lacks: wheels/ and acceptance/. Prints a table last; ends with 1 if any step failed.
set -u
cd "$(dirname "$0")/.."
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
python=${PYTHON:-python3}
if compgen -G ".gpu/wheels/*.whl" >/dev/null; then
  site=$(mktemp -d)
  $python -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$site" .gpu/wheels/*.whl || exit 1
  export PYTHONPATH="$PWD:$site"
else
  export PYTHONPATH="$PWD"
fi
OXIDEPY_CACHE_DIR=$(mktemp -d)
export OXIDEPY_CACHE_DIR PYTHONUNBUFFERED=1
$python -m compileall -q oxidepy # as an installed package has it
names=() states=() details=()
failed=0

run() { # run NAME LIMIT COMMAND…: run it, keep its log, its exit code and how long it took
  local name=$1 limit=$2 start=$SECONDS
  shift 2
  timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1
  echo "$? $((SECONDS - start))" >"$out/$name.rc"
}

note() { # note NAME: add it to the table, with the last telling line of its log
  local name=$1 log="$out/$1.log" rc seconds
  read -r rc seconds <"$out/$name.rc"
  names+=("$name")
  if [ "$rc" -eq 0 ]; then states+=("ok"); else states+=("FAILED $rc"); failed=1; fi
  details+=("$seconds s  $(grep -v '^\s*$' "$log" | tail -n 1 | cut -c1-150)")
  if [ "$rc" -ne 0 ]; then echo "=== $name"; tail -n 40 "$log"; fi
}

step() {
  run "$@"
  note "$1"
}

step doctor 60 $python -m oxidepy doctor --require cuda
step gpu-tests 200 $python -m pytest -q -m gpu tests -p no:cacheprovider -n 8 -o faulthandler_timeout=60
acceptance=../shared/acceptance
[ -d .gpu/acceptance ] && acceptance=.gpu/acceptance
if [ -d "$acceptance" ]; then
  mapfile -t programs < <($python scripts/acceptance_names.py "$acceptance")
  step acceptance-cuda 200 $python "$acceptance/run.py" --device cuda:0 "${programs[@]}"
fi
if [ "${SKIP_FUZZ:-}" = "" ]; then
  step fuzz 200 $python scripts/fuzz.py --device cuda:0 --modules "${FUZZ_MODULES:-40}" --keep-going # of 25 kernels each
fi
if command -v compute-sanitizer >/dev/null; then
  tools=(memcheck racecheck synccheck initcheck) # side by side: they mostly wait for each other's processes to start
  for tool in "${tools[@]}"; do run "sanitizer-$tool" 300 $python scripts/sanitize_examples.py --tool "$tool" & done
  wait
  for tool in "${tools[@]}"; do note "sanitizer-$tool"; done
fi
for benchmark in ${BENCHMARKS:-benchmarks/gpu_*.py}; do
  name=$(basename "$benchmark" .py)
  step "$name" 120 $python "$benchmark" --json "$out/$name.json"
  cat "$out/$name.log"
done
echo
for i in "${!names[@]}"; do printf '%-22s %-10s %s\n' "${names[$i]}" "${states[$i]}" "${details[$i]}"; done
exit $failed
