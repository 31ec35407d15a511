package capture

import "testing"

// The rank is what the innermost launcher says.
func TestRankOf(t *testing.T) {
	for _, c := range []struct {
		variables map[string]string
		want      int
		known     bool
	}{
		{nil, 0, false},
		{map[string]string{"SLURM_PROCID": "7", "SLURM_STEP_ID": "0"}, 7, true},
		{map[string]string{"SLURM_PROCID": "0", "SLURM_JOB_ID": "12"}, 0, false},                             // the script of a job
		{map[string]string{"SLURM_PROCID": "0", "SLURM_STEP_ID": "1", "OMPI_COMM_WORLD_RANK": "3"}, 3, true}, // mpirun in a step of one task
		{map[string]string{"FLUX_TASK_RANK": "5", "FLUX_JOB_ID": "ƒ2"}, 5, true},
		{map[string]string{"JOB_COMPLETION_INDEX": "4"}, 4, true},
		{map[string]string{"JOB_COMPLETION_INDEX": "4", "PMIX_RANK": "1"}, 1, true}, // MPI in a pod
		{map[string]string{"PMI_RANK": "-1", "SLURM_PROCID": "x", "SLURM_STEP_ID": "0"}, 0, false},
	} {
		rank, ok := RankOf(func(name string) string { return c.variables[name] })
		if rank != c.want || ok != c.known {
			t.Errorf("%v: rank %d, %v", c.variables, rank, ok)
		}
	}
}
