#!/usr/bin/env bash
# measure.sh - ground truth for the simulator, taken on a machine with an NVIDIA GPU.
#
# usage: measure.sh OUTDIR
#
# Needs nvcc, ncu, compute-sanitizer and python3 on PATH and downloads nothing.  Writes
#   kernels.csv, kernels.out, and so on for kernels2, kernels3: Nsight Compute's counters, the sums
#   kernels3.textures.csv   the counters of textures and surfaces that this version of ncu knows
#   lines.csv        counters per source line
#   sanitizer.csv    every program of labs/studies/checks under compute-sanitizer's four tools, and plain
#   machine.txt      device, driver, versions, date, and what went wrong here
#   logs.tar.gz      all raw output, ncu's reports among it
# Takes at most 9 minutes: the sanitizer stops early rather than late, and machine.txt says so.
# With PROGRAMS=kernels3 it measures that program alone, without the checks, in about a minute.
set -uo pipefail

out=${1:?usage: measure.sh OUTDIR}
mkdir -p "$out"
out=$(cd "$out" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checks=$here/../checks
jobs=$(nproc)
limit=520 # seconds in all
work=$(mktemp -d)
mkdir -p "$work/bin" "$work/logs"
trap 'rm -rf "$work"' EXIT
export here work checks

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__sass_inst_executed_op_shared_ld.sum
metrics+=,smsp__sass_inst_executed_op_shared_st.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum

# Textures and surfaces have counters of their own, whose names differ between versions of ncu: all
# requests, sectors and wavefronts of the texture unit are taken.
texture_metrics='l1tex__(t_requests|t_sectors|texin_requests|data_pipe_tex_wavefronts|f_wavefronts)'
texture_metrics+='(_pipe_tex(_mem_(texture|surface)(_op_(ld|st))?)?|_mem_(texture|surface).*)?$'

complain() { echo "PROBLEM: $*" | tee -a "$out/machine.txt" >&2; }

# Name of a check's program and logs: its path with dots for slashes, bugs.leak.never_freed.
flat() { local f=${1#"$checks"/}; f=${f%.cu}; echo "${f//\//.}"; }

build_check() {
    local name
    name=$(flat "$1")
    nvcc -std=c++17 -arch=native -lineinfo -Xcompiler -g "$1" -o "$work/bin/$name" \
        >"$work/logs/$name.build" 2>&1 || echo "$name" >>"$work/logs/failed_builds"
}

# One program under one tool; the last line of its log is the program's exit status.
run_check() {
    local name=$1 tool=$2 log status=0
    log=$work/logs/$name.$tool
    [ -x "$work/bin/$name" ] || return 0
    local command=(timeout -k 2 40)
    if [ "$tool" != plain ]; then
        command+=(compute-sanitizer --tool "$tool" --print-limit 4)
        [ "$tool" = memcheck ] && command+=(--leak-check full)
        [ "$tool" = racecheck ] && command+=(--racecheck-report analysis)
    fi
    "${command[@]}" "$work/bin/$name" >"$log.part" 2>&1 </dev/null || status=$?
    echo "exit $status" >>"$log.part"
    mv "$log.part" "$log"
}
export -f flat build_check run_check

# Counters of one ground-truth program: the table, the sums, and the lines if ncu gives them.
profile() {
    local name=$1
    "$work/bin/$name" >"$out/$name.out" || complain "$name failed"
    timeout 150 ncu --clock-control none --csv --page raw --print-units base \
        --metrics "$metrics" --log-file "$work/logs/$name.raw.csv" "$work/bin/$name" >/dev/null ||
        complain "ncu failed on $name, see $name.raw.csv in logs.tar.gz"
    python3 "$here/ncu_to_csv.py" "$work/logs/$name.raw.csv" >"$out/$name.csv" ||
        complain "no counters of $name"
    timeout 100 ncu --clock-control none --section SourceCounters --import-source yes -f \
        -o "$work/logs/$name" "$work/bin/$name" >"$work/logs/$name.source.log" 2>&1 ||
        complain "ncu failed on $name, see $name.source.log in logs.tar.gz"
    local instructions=$work/logs/$name.instructions.csv
    if python3 "$here/ncu_to_csv.py" --report "$work/logs/$name.ncu-rep" >"$instructions"; then
        python3 "$here/ncu_to_csv.py" --lines "$instructions" >"$work/$name.lines.csv"
    else
        complain "no source lines of $name"
    fi
}

# The texture unit's counters of one program, as a table with ncu's names.
profile_textures() {
    local name=$1 names
    names=$(ncu --query-metrics 2>"$work/logs/metrics.err" | awk '{ print $1 }' |
        grep -E "^$texture_metrics" | sort -u | sed 's/$/.sum/' | paste -sd,)
    if [ -z "$names" ]; then
        complain "ncu names no counter of textures"
        return
    fi
    timeout 150 ncu --clock-control none --csv --page raw --print-units base --metrics "$names" \
        --log-file "$work/logs/$name.textures.raw.csv" "$work/bin/$name" >/dev/null ||
        complain "ncu failed on $name, see $name.textures.raw.csv in logs.tar.gz"
    python3 "$here/ncu_to_csv.py" --all "$work/logs/$name.textures.raw.csv" \
        >"$out/$name.textures.csv" || complain "no counters of textures of $name"
}

{
    nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
    nvcc --version | tail -2
    echo "Nsight Compute $(ncu --version | tail -1)"
    echo "Compute Sanitizer $(compute-sanitizer --version | tail -1)"
    date -u +%Y-%m-%d
    echo "command: measure.sh OUTDIR"
} >"$out/machine.txt" 2>&1

# The compiler needs no GPU, so the checks are built while ncu profiles; the sanitizer, which does,
# waits until ncu has ended, lest it disturb the counters.
read -r -a programs <<<"${PROGRAMS:-kernels kernels2 kernels3}"
sources=()
[ -n "${PROGRAMS:-}" ] || mapfile -t sources < <(find "$checks" -name '*.cu' | sort)
pids=()
for name in "${programs[@]}"; do
    nvcc -std=c++17 -O3 -arch=native -lineinfo "$here/$name.cu" -o "$work/bin/$name" \
        >"$work/logs/$name.build" 2>&1 &
    pids+=("$!")
done
wait "${pids[@]}"
# shellcheck disable=SC2016 # $1 belongs to the inner shell
[ ${#sources[@]} -eq 0 ] ||
    printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'build_check "$1"' build &
builder=$!
for name in "${programs[@]}"; do profile "$name"; done
case " ${programs[*]} " in *' kernels3 '*) profile_textures kernels3 ;; esac
{
    head -q -n 1 "$work/${programs[0]}.lines.csv"
    for name in "${programs[@]}"; do tail -q -n +2 "$work/$name.lines.csv"; done
} >"$out/lines.csv" 2>/dev/null
wait "$builder"
[ -s "$work/logs/failed_builds" ] && complain "not built: $(tr '\n' ' ' <"$work/logs/failed_builds")"

if [ ${#sources[@]} -eq 0 ]; then # the programs alone
    tar -C "$work" -czf "$out/logs.tar.gz" logs
    echo "took $SECONDS s on $jobs cores" | tee -a "$out/machine.txt"
    ls -l "$out"
    exit
fi
left=$((limit - SECONDS > 60 ? limit - SECONDS : 60))
# shellcheck disable=SC2016
for source in "${sources[@]}"; do
    for tool in plain memcheck racecheck initcheck synccheck; do
        printf '%s\0%s\0' "$(flat "$source")" "$tool"
    done
done | timeout "$left" xargs -0 -n 2 -P "$jobs" bash -c 'run_check "$1" "$2"' run
# xargs gives 123 when a command failed; timeout gives 124
[ "${PIPESTATUS[1]}" -eq 124 ] && complain "out of time: sanitizer.csv is not complete"
python3 "$here/sanitizer_to_csv.py" "$checks" "$work/logs" >"$out/sanitizer.csv" ||
    complain "no sanitizer.csv"

tar -C "$work" -czf "$out/logs.tar.gz" logs
echo "took $SECONDS s on $jobs cores" | tee -a "$out/machine.txt"
ls -l "$out"
