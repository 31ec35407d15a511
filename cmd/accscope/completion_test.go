package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bash completes with the package bash-completion and without it.
func TestCompletionsOfBash(t *testing.T) {
	folder := record(t, twoKernels)
	if err := os.Mkdir(filepath.Join(folder, "traces"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(accscope, filepath.Join(folder, "accscope")); err != nil {
		t.Fatal(err)
	}
	loads := map[string]string{"alone": ""}
	const installed = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(installed); err == nil {
		loads["with its package"] = "source " + installed
	}
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				words string // as bash breaks them, separated by |
				want  string // separated by a space
			}{
				{"accscope| |rep", "report"},
				{"accscope| |report| |--format| |j", "json"},
				{"accscope| |report| |--format|=|j", "json"},
				{"accscope| |export| |--to| |p", "parquet perfetto pprof"},
				{"accscope| |info| |", "trace.db traces"},
				{"accscope| |info| |pro", ""}, // the program is no trace
				{"accscope| |report| |trace.db| |--source| |program.c|:|", "6"},
				{"accscope| |report| |--json| |--kernel| |", ""},
			} {
				words := strings.Split(strings.ReplaceAll(test.words, "| |", "|"), "|")
				// What stands before the cursor, as bash hands it over; outside of a
				// completion it has no compopt.
				script := fmt.Sprintf(`%s
source <(./accscope completion bash)
compopt() { :; }
COMP_LINE=%q COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
__start_accscope
printf '%%s\n' "${COMPREPLY[@]}" | sort | xargs`, load, strings.ReplaceAll(test.words, "|", ""))
				bash := exec.Command("bash", append([]string{"--norc", "--noprofile", "-c", script, "bash"}, words...)...)
				bash.Dir = folder
				bash.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
				output, err := bash.CombinedOutput()
				if got := strings.TrimSpace(string(output)); err != nil || got != test.want {
					t.Errorf("%s: %q, want %q, %v", test.words, got, test.want, err)
				}
			}
		})
	}
}
