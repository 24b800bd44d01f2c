#!/usr/bin/env bash
# measure.sh - the truth for the predictions, taken on a machine with an NVIDIA GPU.
#
# usage: measure.sh FOLDER OUTDIR SECONDS STEPS...
#
# FOLDER is what `python -m labs.studies.predict.programs FOLDER` built, with the programs constants and
# timing beside it. Steps:
#   constants   constants.csv: rates and latencies (constants.cu)
#   times       times.csv: every call of FOLDER/list (timing.cu)
#   sass        sass.tar.gz: the machine code of every library, with source lines
#   count       counters.tar.gz: Nsight Compute's counters, in chunks of 40 calls; those that CHUNKS
#               names (all: unset), until SECONDS have passed
# Also writes machine.txt.
set -uo pipefail

folder=$(cd "${1:?usage: measure.sh FOLDER OUTDIR SECONDS STEPS...}" && pwd)
out=$(mkdir -p "$2" && cd "$2" && pwd)
limit=$3
shift 3

metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__issue_active.sum
metrics+=,launch__registers_per_thread,launch__grid_size,launch__block_size
metrics+=,launch__shared_mem_per_block,launch__occupancy_limit_registers
metrics+=,sm__maximum_warps_per_active_cycle_pct
metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active,sm__cycles_active.avg
metrics+=,sm__cycles_elapsed.max,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_tex.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
metrics+=,sm__inst_executed_pipe_alu.sum,sm__inst_executed_pipe_fma.sum
metrics+=,sm__inst_executed_pipe_fp64.sum,sm__inst_executed_pipe_xu.sum
metrics+=,sm__inst_executed_pipe_lsu.sum,sm__inst_executed_pipe_adu.sum
metrics+=,sm__inst_executed_pipe_uniform.sum,sm__inst_executed_pipe_cbu.sum

{
    echo "date: $(date -u +%F)"
    echo "gpu: $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader)"
    echo "ncu: $(ncu --version | tail -1)"
    echo "clocks before: $(nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv,noheader)"
} >>"$out/machine.txt"
cd "$folder" || exit 1

for step in "$@"; do
    case $step in
    constants) ../constants >"$out/constants.csv" ;;
    times)
        timeout 75 ../timing list >"$out/times.csv"
        echo "clocks after times: $(nvidia-smi --query-gpu=clocks.sm,clocks.mem \
            --format=csv,noheader)" >>"$out/machine.txt"
        ;;
    sass)
        mkdir -p /tmp/sass
        printf '%s\n' *.so | xargs -P 16 -I{} sh -c 'cuobjdump -sass {} >/tmp/sass/{}.sass'
        tar czf "$out/sass.tar.gz" -C /tmp sass
        ;;
    count)
        split -l 40 -d -a 3 list /tmp/chunk.
        for part in /tmp/chunk.*; do
            number=$((10#${part##*.}))
            case " ${CHUNKS:-$number} " in *" $number "*) ;; *) continue ;; esac
            if [ "$SECONDS" -gt "$limit" ]; then
                continue
            fi
            timeout 60 ncu --clock-control none --csv --page raw --print-units base \
                --metrics "$metrics" ../timing "$part" once >"/tmp/counters.$number.log" 2>&1
            echo "chunk $number: $? after $SECONDS s"
        done
        tar czf "$out/counters.tar.gz" -C /tmp $(cd /tmp && ls counters.*.log)
        ;;
    esac
    echo "$step: $SECONDS s"
done
