#!/usr/bin/env bash
# Runs the programs of a folder that carry.sh has made under NVIDIA's ncu, on GCC's own runtime,
# and writes to $OUT what the GPU counted of each kernel: ncu's own tables, and gpu.tsv.
set -uo pipefail
here=$(realpath "$(dirname "$0")")
out=${OUT:?a folder for the results}
ncu=$(command -v ncu || ls -d /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | sort | tail -1)
[ -n "$ncu" ] || { echo "there is no ncu here: install Nsight Compute" >&2; exit 1; }
export LD_LIBRARY_PATH=$here/lib ACC_DEVICE_TYPE=nvidia
metrics=(
  gpu__time_duration.sum launch__registers_per_thread launch__grid_size launch__block_size launch__registers_per_thread_allocated launch__shared_mem_per_block_static launch__occupancy_limit_registers
  sm__warps_active.avg.pct_of_peak_sustained_active
  smsp__inst_executed.sum smsp__thread_inst_executed.sum smsp__thread_inst_executed_pred_on.sum
  smsp__sass_branch_targets.sum smsp__sass_branch_targets_threads_divergent.sum
  smsp__inst_executed_op_generic_atom_dot_alu.sum smsp__inst_executed_op_generic_atom_dot_cas.sum
  smsp__inst_executed_op_global_ld.sum smsp__inst_executed_op_global_st.sum smsp__inst_executed_op_global_red.sum 
  smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum smsp__inst_executed_op_shared_atom.sum
  smsp__sass_thread_inst_executed_op_memory_pred_on.sum
  smsp__sass_inst_executed_op_memory_8b.sum smsp__sass_inst_executed_op_memory_32b.sum smsp__sass_inst_executed_op_memory_64b.sum smsp__sass_inst_executed_op_memory_128b.sum
  smsp__sass_thread_inst_executed_op_fadd_pred_on.sum smsp__sass_thread_inst_executed_op_fmul_pred_on.sum smsp__sass_thread_inst_executed_op_ffma_pred_on.sum
  smsp__sass_thread_inst_executed_op_dadd_pred_on.sum smsp__sass_thread_inst_executed_op_dmul_pred_on.sum smsp__sass_thread_inst_executed_op_dfma_pred_on.sum
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
  lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum lts__t_sectors_op_atom.sum lts__t_sectors_op_red.sum lts__t_requests_op_atom.sum lts__t_requests_op_red.sum
  dram__bytes_read.sum dram__bytes_write.sum)
for space in global local; do
  for what in ld st atom red; do
    metrics+=("l1tex__t_requests_pipe_lsu_mem_${space}_op_$what.sum" "l1tex__t_sectors_pipe_lsu_mem_${space}_op_$what.sum")
  done
done
# Those that this ncu and card have: one that is not known would end the run.
"$ncu" --query-metrics-mode base --query-metrics >"$out/metrics.txt" 2>&1
have=()
for metric in "${metrics[@]}"; do
  base=${metric%%.*}
  if [ "${base#launch__}" != "$base" ] || grep -q "^$base " "$out/metrics.txt"; then have+=("$metric"); else echo "$metric" >>"$out/not-here.txt"; fi
done
list=$(IFS=,; echo "${have[*]}")
{ nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader; "$ncu" --version | tail -1; } >"$out/machine.txt" 2>&1
status=0
for program in patterns patterns-fortran; do
  "$here/$program" >"$out/$program.plain" 2>&1 || { echo "$program ends with $? without ncu" >&2; tail -3 "$out/$program.plain" >&2; status=1; }
  timeout 200 "$ncu" --csv --page raw --print-units base --metrics "$list" "$here/$program" >"$out/$program.csv" 2>"$out/$program.err" || {
    echo "ncu of $program ends with $?" >&2
    tail -5 "$out/$program.csv" "$out/$program.err" >&2
    status=1
  }
done
python3 "$here/table.py" "$out" "${have[@]}" >"$out/gpu.tsv" || status=1
wc -l "$out/gpu.tsv"
cat "$out/machine.txt"
exit $status
