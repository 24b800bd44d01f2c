#!/usr/bin/env bash
# measure.sh - ground truth for the simulator, taken on a machine with an NVIDIA GPU.
#
# usage: measure.sh OUTDIR
#
# Needs nvcc, ncu and python3 on PATH and downloads nothing.  Writes
#   kernels.csv, kernels.out, and so on for kernels2 to kernels4: Nsight Compute's counters, the sums
#   machine.txt      device, driver, versions, date, and what went wrong here
#   logs.tar.gz      all raw output
# Takes a few minutes. With PROGRAMS=kernels4 it measures that program alone, in about a minute.
set -uo pipefail

out=${1:?usage: measure.sh OUTDIR}
mkdir -p "$out"
out=$(cd "$out" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
mkdir -p "$work/bin" "$work/logs"
trap 'rm -rf "$work"' EXIT

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__sass_inst_executed_op_shared_ld.sum
metrics+=,smsp__sass_inst_executed_op_shared_st.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum

complain() { echo "PROBLEM: $*" | tee -a "$out/machine.txt" >&2; }

# Counters of one ground-truth program: the table and the sums.
profile() {
    local name=$1
    "$work/bin/$name" >"$out/$name.out" || complain "$name failed"
    timeout 150 ncu --clock-control none --csv --page raw --print-units base \
        --metrics "$metrics" --log-file "$work/logs/$name.raw.csv" "$work/bin/$name" >/dev/null ||
        complain "ncu failed on $name, see $name.raw.csv in logs.tar.gz"
    python3 "$here/ncu_to_csv.py" "$work/logs/$name.raw.csv" >"$out/$name.csv" ||
        complain "no counters of $name"
}

{
    nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
    nvcc --version | tail -2
    echo "Nsight Compute $(ncu --version | tail -1)"
    date -u +%Y-%m-%d
    echo "command: measure.sh OUTDIR"
} >"$out/machine.txt" 2>&1

read -r -a programs <<<"${PROGRAMS:-kernels kernels2 kernels3 kernels4}"
pids=()
for name in "${programs[@]}"; do
    nvcc -std=c++17 -O3 -arch=native -lineinfo "$here/$name.cu" -o "$work/bin/$name" \
        >"$work/logs/$name.build" 2>&1 &
    pids+=("$!")
done
wait "${pids[@]}"
for name in "${programs[@]}"; do profile "$name"; done
tar -C "$work" -czf "$out/logs.tar.gz" logs
echo "took $SECONDS s on $(nproc) cores" | tee -a "$out/machine.txt"
ls -l "$out"
