package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What stands in for a batch system's commands: they start eight tasks on this machine, with
// the variables that its documentation names (srun(1), mpirun(1), flux-environment(7)).
var batchCommands = map[string]string{
	"srun": `[ "$1" != --export=ALL ] || shift
for rank in 0 1 2 3 4 5 6 7; do
  SLURM_PROCID=$rank SLURM_LOCALID=$((rank % 4)) SLURM_STEP_ID=0 "$@" & tasks="$tasks $!"
done
for task in $tasks; do wait $task || exit 1; done`,
	"mpirun": `while [ "$1" = -x ]; do shift 2; done
for rank in 0 1 2 3 4 5 6 7; do
  PMIX_NAMESPACE=job PMIX_RANK=$rank OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$((rank % 4)) "$@" & tasks="$tasks $!"
done
for task in $tasks; do wait $task || exit 1; done`,
	"flux": `[ "$1" != getattr ] || { echo "$FLUX_TEST_JOB"; exit; }
[ "$1 $2 $3 $4 $5" = "run -N 2 -n 8" ] || exit 2
shift 5
for rank in 0 1 2 3 4 5 6 7; do
  FLUX_JOB_ID=$FLUX_TEST_JOB FLUX_TASK_RANK=$rank FLUX_TASK_LOCAL_ID=$((rank % 4)) "$@" & tasks="$tasks $!"
done
for task in $tasks; do wait $task || exit 1; done`,
	"accscope": `case $1 in
run) export ACCSCOPE_DIR="$TEST_SESSIONS" ;;
esac
exec "$TEST_ACCSCOPE" "$@"`,
}

// batchScript is a script of a page, as it is submitted.
type batchScript struct{ page, system, text string }

// batchScripts are those of the pages.
func batchScripts(t *testing.T) (all []batchScript) {
	t.Helper()
	for _, page := range []string{"gather.md", "recipes.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```\n") {
			if i%2 == 0 || !strings.HasPrefix(block, "#!") {
				continue
			}
			system := ""
			for _, each := range []string{"#SBATCH", "#PBS", "# flux:"} {
				if strings.Contains(block, "\n"+each+" ") {
					system = strings.Trim(each, "#: ")
				}
			}
			all = append(all, batchScript{page, system, block})
		}
	}
	if len(all) != 5 {
		t.Errorf("%d scripts, want 5", len(all))
	}
	return all
}

// The batch scripts of the pages stand as they are submitted, and give one result of all ranks.
// In the long suite all of them run.
func TestBatchScripts(t *testing.T) {
	program := build(t, "jacobi")
	for _, s := range batchScripts(t) {
		t.Run(s.page+"/"+s.system, func(t *testing.T) {
			if os.Getenv("ACCSCOPE_LONG") == "" && s.system != "flux" {
				t.Skip("part of make long")
			}
			runBatch(t, s.text, program)
		})
	}
}

// runBatch runs a script with what stands in for its batch system.
func runBatch(t *testing.T, script, program string) {
	folder, commands, own, met := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range batchCommands {
		write(filepath.Join(commands, name), "#!/bin/bash\n"+body+"\n")
	}
	// Ranks meet in MPI_Init: none ends before all have begun.
	write(filepath.Join(folder, "heat"), `#!/bin/sh
: > "$TEST_MET/$$"
until set -- "$TEST_MET"/*; [ $# -ge 8 ]; do sleep 0.02; done
exec `+program+" 32 10\n")
	write(filepath.Join(folder, "script"), script)
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	command := exec.CommandContext(ctx, filepath.Join(folder, "script"))
	// With all that it started, where it does not end.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Dir = folder
	command.Env = append(os.Environ(), "PATH="+commands+":"+os.Getenv("PATH"), "TEST_ACCSCOPE="+accscope, "TEST_FOLDER="+folder, "TEST_SESSIONS="+own, "TEST_MET="+met,
		"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_DEVICES=4", "SLURM_JOB_ID=4711", "SLURM_NTASKS=8", "PBS_O_WORKDIR="+folder, "PBS_JOBID=4711.head", "FLUX_TEST_JOB=ƒM7Zq9AKHno", "USER=me")
	if strings.Contains(script, "flux run") {
		// Flux has none of Slurm's in its tasks.
		command.Env = append(command.Env, "SLURM_JOB_ID=", "SLURM_NTASKS=")
	}
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	trace := ""
	if manifests, _ := filepath.Glob(filepath.Join(folder, "heat-*", "manifest.json")); len(manifests) == 1 {
		var m gatheredManifest
		text, err := os.ReadFile(manifests[0])
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil || !m.Complete || m.Ranks != 8 {
			t.Errorf("%+v, %v", m, err)
		}
		trace = filepath.Join(filepath.Dir(manifests[0]), "trace.db")
	} else {
		for _, name := range []string{"heat-4711-0.db", "heat-4711.head.db"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				trace = filepath.Join(folder, name)
			}
		}
	}
	if trace == "" {
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		t.Fatalf("no result in %v", files)
	}
	rows := invoke(t, folder, "query", "--format", "csv", trace, "SELECT count(*), count(DISTINCT rank), min(rank), max(rank) FROM processes").must(t).stdout
	if !strings.Contains(rows, "8,8,0,7") {
		t.Errorf("processes %s, want one of each of eight ranks", rows)
	}
}
