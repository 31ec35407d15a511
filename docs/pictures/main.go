// Command pictures draws the pictures of README.md and of the pages in docs into
// docs/screens: it compiles examples, runs them on the simulated device under the
// built accscope, and has the terminal's views drawn by accscope top --picture and
// the page's by Chromium.
//
//	make screens
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/compilers"
)

const (
	folder = "docs/screens"
	size   = "100x30" // cells of a terminal's picture
)

// run is a program that is recorded as NAME.db.
type run struct {
	name string
	// source is its file in examples, "" of the one that has a makefile; patches are
	// applied to it first.
	source  string
	patches []string
	// links is the bandwidth of the simulated device's, as of a real one or less.
	links string
	args  []string
	ranks int // of a program of MPI; 0: it is none
}

var runs = []run{
	{name: "shallow-water-cpp", links: "25GB/s", args: strings.Fields("--nx 200 --ny 130 --members 2 --steps 60 --report 20 --check 2")},
	{name: "pipeline", source: "pipeline/pipeline.c", links: "200MB/s", args: []string{"64"}},
	{name: "leak", source: "leak/leak.c", links: "2GB/s"},
	{name: "wave", source: "wave/wave.c", links: "10GB/s"},
	{name: "heat", source: "heat-mpi/heat.c", links: "2GB/s", args: []string{"400000", "60"}, ranks: 8},
	{name: "wave-mended", source: "wave/wave.c", patches: []string{"wave/1-resident.patch", "wave/2-parts.patch"}, links: "10GB/s"},
}

// terminal are the pictures of the terminal's views.
var terminal = []struct{ picture, view, at, trace string }{
	{"overview", "overview", "60%", "shallow-water-cpp"},
	{"queues", "queues", "50%", "pipeline"},
	{"dependencies", "queues", "90%", "pipeline"},
	{"memory", "memory", "60%", "shallow-water-cpp"},
	{"leaks", "memory", "100%", "leak"},
	{"kernels", "kernels", "60%", "shallow-water-cpp"},
	{"events", "events", "60%", "leak"},
	{"program", "program", "60%", "shallow-water-cpp"},
	{"findings", "findings", "100%", "wave"},
	{"ranks", "ranks", "100%", "heat"},
}

// page are the pictures of the page's views, by the fragment of their address.
var page = []shot{
	{"summary", "view=summary", "wave"},
	{"timeline", "view=timeline&from=400000000&to=415000000", "shallow-water-cpp"},
	{"memory", "view=memory", "leak"},
	{"queues", "view=queues", "pipeline"},
	{"kernels", "view=kernels", "shallow-water-cpp"},
	{"transfers", "view=transfers", "wave"},
	{"flame", "view=flame", "shallow-water-cpp"},
	{"sources", "view=sources", "wave"},
	{"sql", "view=sql&sql=SELECT variable, direction, count(*) AS copies, sum(bytes) AS bytes FROM transfers GROUP BY 1, 2 ORDER BY 4 DESC", "wave"},
	{"compare", "view=compare&by=variable", "wave"},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := drawAll(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func drawAll(ctx context.Context) error {
	accscope, err := filepath.Abs("bin/accscope")
	if err != nil {
		return err
	}
	if _, err := os.Stat(accscope); err != nil {
		return fmt.Errorf("%w: run make first, and this in the repository's root", err)
	}
	work, err := os.MkdirTemp("", "accscope-pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, r := range runs {
		if err := r.record(ctx, accscope, work); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, p := range terminal {
		svg, err := output(ctx, work, accscope, "top", "--picture", p.view, "--at", p.at, "--size", size, "--svg", p.trace+".db")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, p.picture+".svg"), elsewhere(svg, work), 0o644); err != nil {
			return err
		}
	}
	return drawPage(ctx, accscope, work)
}

// elsewhere is a drawing with paths as of a user's folder in place of that of the runs.
func elsewhere(svg []byte, work string) []byte {
	const home, cell = "/home/you", 8 // cell: how wide a character is
	text := regexp.MustCompile(`textLength="\d+"([^>]*)>` + regexp.QuoteMeta(work) + `([^<]*)<`)
	return text.ReplaceAllFunc(svg, func(found []byte) []byte {
		m := text.FindSubmatch(found)
		return fmt.Appendf(nil, `textLength="%d"%s>%s%s<`, cell*len(home+string(m[2])), m[1], home, m[2])
	})
}

// record compiles and runs the program; its trace is then in the folder.
func (r run) record(ctx context.Context, accscope, work string) error {
	if err := r.compile(ctx, work); err != nil {
		return err
	}
	args := []string{"run", "-q", "--device", "sim", "-o", r.name + ".db", "--"}
	if r.ranks > 0 {
		args = append(args, "mpirun", "-n", strconv.Itoa(r.ranks))
	}
	command := exec.CommandContext(ctx, accscope, slices.Concat(args, []string{"./" + r.name}, r.args)...)
	command.Dir = work
	command.Env = append(os.Environ(), "ACCSCOPE_DIR="+filepath.Join(work, "sessions"), "ACCSCOPE_SIM_MODEL=on",
		"ACCSCOPE_SIM_H2D_BANDWIDTH="+r.links, "ACCSCOPE_SIM_D2H_BANDWIDTH="+r.links)
	command.Env = append(command.Env, ofMPI()...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, said)
	}
	return nil
}

func (r run) compile(ctx context.Context, work string) error {
	if r.source == "" {
		_, err := output(ctx, "examples/shallow-water", "make", "-s", "CXX="+compilers.CXX(), "OPENACC=-fopenacc -foffload=disable",
			"BUILD="+work, filepath.Join(work, r.name))
		return err
	}
	text, err := os.ReadFile(filepath.Join("examples", r.source))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, r.name+".c"), text, 0o644); err != nil {
		return err
	}
	for _, patch := range r.patches {
		if _, err := output(ctx, ".", "patch", filepath.Join(work, r.name+".c"), filepath.Join("examples", patch)); err != nil {
			return err
		}
	}
	compiler := []string{compilers.C()}
	if r.ranks > 0 {
		compiler = slices.Concat([]string{"env"}, ofMPI(), []string{"mpicc"})
	}
	_, err = output(ctx, work, compiler[0], append(compiler[1:], "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", r.name, r.name+".c", "-lm")...)
	return err
}

// ofMPI is the environment of Open MPI's compiler and launcher.
func ofMPI() (environment []string) {
	for name, value := range compilers.MPI() {
		environment = append(environment, name+"="+value)
	}
	return environment
}

// output is what a command says; its error has what it complained of.
func output(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = folder
	var complaint strings.Builder
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, complaint.String())
	}
	return out, nil
}
