package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/runtime/cuda"
)

// finding is one line of the doctor's report.
type finding struct {
	subject string
	works   bool
	found   string
	remedy  string // what to do where it does not work
}

func newDoctorCommand() *cobra.Command {
	var format formatFlag
	command := &cobra.Command{
		Use:   "doctor [flags] [PROGRAM...]",
		Short: "Say what works on this machine and what to do about the rest",
		Long: `doctor looks at this machine as accscope will use it: our libraries, compilers,
OpenACC runtimes, devices, permissions and clocks. Each line says what was found;
what does not work comes with what to do about it. Of each PROGRAM it says what run
would make of it or refuse, and what its debug information lets accscope know of the source.

Exit status: 0 when programs can be profiled here, 1 otherwise.`,
		RunE: func(command *cobra.Command, programs []string) error {
			asJSON, err := format.isJSON()
			if err != nil {
				return err
			}
			groups := examine()
			for _, program := range programs {
				groups = append(groups, programFindings(program))
			}
			print := printFindings
			if asJSON {
				print = encodeFindings
			}
			if err := print(command.OutOrStdout(), groups); err != nil {
				return err
			}
			return verdict(groups)
		},
	}
	format.register(command)
	return command
}

// verdict is an error where a finding says that nothing can be profiled.
func verdict(groups []findingGroup) error {
	for _, group := range groups {
		for _, f := range group.findings {
			switch {
			case group.needed && !f.works:
				return errors.New("programs cannot be profiled here until the above is mended")
			case group.unfit:
				return fmt.Errorf("%s: %s; %s", group.title, f.found, f.remedy)
			}
		}
	}
	return nil
}

// encodeFindings prints an object for each finding.
func encodeFindings(w io.Writer, groups []findingGroup) error {
	type object struct {
		Group   string `json:"group"`
		Subject string `json:"subject"`
		Works   bool   `json:"works"`
		Needed  bool   `json:"needed"`
		Found   string `json:"found"`
		Remedy  string `json:"remedy,omitempty"`
	}
	objects := []object{}
	for _, group := range groups {
		for _, f := range group.findings {
			objects = append(objects, object{group.title, f.subject, f.works, group.needed, f.found, f.remedy})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(objects)
}

// unbroken stands for a space that no line ends at, and clauses puts it within those of a text.
const unbroken = "\u2060"

var clauses = strings.NewReplacer(", ", ", ", "; ", "; ", " (", " (", " ", unbroken)

// printFindings breaks what was found as report.Prose does, and remedies, in which commands
// are, between their clauses alone.
func printFindings(w io.Writer, groups []findingGroup) error {
	width := proseWidth(os.Stdout)
	for _, group := range groups {
		fmt.Fprintf(w, "%s\n", group.title)
		for _, f := range group.findings {
			mark := "ok     "
			switch {
			case group.excluded:
				mark = "no     "
			case !f.works:
				mark = "missing"
			}
			fmt.Fprint(w, report.Prose(fmt.Sprintf("  %s  %-22s ", mark, f.subject), f.found, width))
			if !f.works && f.remedy != "" {
				text := report.Prose(fmt.Sprintf("           %-22s -> ", ""), clauses.Replace(f.remedy), width)
				fmt.Fprint(w, strings.ReplaceAll(text, unbroken, " "))
			}
		}
	}
	return nil
}

type findingGroup struct {
	title    string
	needed   bool // without it nothing can be profiled
	findings []finding
	unfit    bool // what was asked about is no program
	excluded bool // says what accscope does not do, whatever the machine has
}

func examine() []findingGroup {
	return []findingGroup{
		{title: "accscope", needed: true, findings: []finding{libraries(), sessionFolder(), diskSpace()}},
		{title: "compilers (to build OpenACC programs)", findings: compilerFindings()},
		{title: "OpenACC runtimes", findings: []finding{
			sharedLibrary("libgomp.so.1", "GCC's runtime", "install libgomp1"),
			callsOfMPI(),
		}},
		{title: "devices", findings: append([]finding{
			{"sim", true, "simulated discrete accelerator: --device sim", ""},
			{"host", true, "shared memory, no transfers: --device host", ""},
		}, nvidia()...)},
		{title: "clocks", findings: []finding{clock()}},
		{title: "host code (run --sample)", findings: []finding{hostSamples()}},
		{title: "not for accscope", excluded: true, findings: notForUs()},
	}
}

// notForUs is what no machine has accscope do, a line each, as README.md's limits have it.
func notForUs() []finding {
	return []finding{
		{"OpenMP target", false, "regions beside OpenACC run on the host, and are not recorded", ""},
		{"AMD GPUs", false, "code for them (-foffload=amdgcn-amdhsa) is not run", ""},
		{"Clang, NVHPC, Cray", false, "their programs keep their own runtimes: what those tell ACC_PROFLIB is recorded; none was tried", ""},
	}
}

func libraries() finding {
	found, err := launch.FindLibraries()
	if err != nil {
		return finding{"libraries", false, "not found", err.Error()}
	}
	return finding{"libraries", true, filepath.Dir(found.Profiler), ""}
}

// callsOfMPI says of which MPIs calls are recorded: accscope has to be built beside their
// headers.
func callsOfMPI() finding {
	found, err := launch.FindLibraries()
	var names []string
	for _, library := range found.MPI {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(library), "libaccscope-"), ".so"))
	}
	if err != nil || len(names) == 0 {
		return finding{"calls of MPI", false, "not recorded: accscope was built without an MPI's headers", "build accscope anew where mpicc is"}
	}
	return finding{"calls of MPI", true, "recorded of " + strings.Join(names, ", "), ""}
}

func sessionFolder() finding {
	folder, err := session.Root()
	if err != nil {
		return finding{"session folder", false, "unusable", err.Error()}
	}
	return finding{"session folder", true, folder, ""}
}

func diskSpace() finding {
	folder, err := session.Root()
	if err != nil {
		folder = os.TempDir()
	}
	var status unix.Statfs_t
	if err := unix.Statfs(folder, &status); err != nil {
		return finding{"space for captures", false, err.Error(), "set ACCSCOPE_DIR to a folder of yours"}
	}
	free := status.Bavail * uint64(status.Bsize)
	text := report.ShowBytes(float64(free)) + " free in " + folder
	if free < 64<<20 {
		return finding{"space for captures", false, text, "free some space, or set ACCSCOPE_DIR to a folder with more"}
	}
	return finding{"space for captures", true, text, ""}
}

// sharedLibrary asks the dynamic linker's cache.
func sharedLibrary(name, what, remedy string) finding {
	output, err := exec.Command("/sbin/ldconfig", "-p").Output()
	if err == nil {
		for _, line := range strings.Split(string(output), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), name+" ") {
				_, path, _ := strings.Cut(line, "=> ")
				return finding{what, true, path, ""}
			}
		}
	}
	return finding{what, false, name + " not found", remedy}
}

// nvidia asks the driver what GPUs it has, as a program's runtime would.
func nvidia() []finding {
	backend := cuda.New(cuda.Options{})
	count, err := backend.Count()
	if err != nil {
		found, remedy := err.Error(), ""
		if at := strings.LastIndex(found, "; "); at >= 0 {
			found, remedy = found[:at], found[at+2:]
		}
		if _, driver := os.Stat("/dev/nvidiactl"); driver != nil {
			remedy += "; or --device sim, which simulates an accelerator"
		}
		return []finding{{"nvidia", false, found, remedy}}
	}
	var findings []finding
	for number := range count {
		title := fmt.Sprintf("nvidia %d", number)
		p, err := backend.Properties(number)
		if err != nil {
			findings = append(findings, finding{title, false, err.Error(), "see nvidia-smi"})
			continue
		}
		findings = append(findings, finding{title, true, fmt.Sprintf("%s, %s, %s", p.Name, report.ShowBytes(float64(p.Memory)), p.Driver), ""})
	}
	findings = append(findings, settings()...)
	if cuda.HasCUPTI(os.Getenv("ACCSCOPE_CUPTI")) {
		return append(findings, finding{"CUPTI", true, "device times under any runtime", ""})
	}
	return append(findings, finding{"CUPTI", false, "not found: no device times under GCC's runtime (ours needs none)",
		"install NVIDIA's cuda-cupti, or set ACCSCOPE_CUPTI to its libcupti.so"})
}

// settings says of the variables that help kernels which go wrong what they are set to, or when
// to set them.
func settings() []finding {
	var findings []finding
	for _, s := range cuda.Settings(os.LookupEnv) {
		switch {
		case s.Problem != nil:
			found, remedy, _ := strings.Cut(s.Problem.Error(), "; ")
			findings = append(findings, finding{s.Variable, false, found, remedy})
		case s.Value != "":
			findings = append(findings, finding{s.Variable, true, s.Value + ": " + s.Does, ""})
		default:
			findings = append(findings, finding{s.Variable, true, "not set; " + s.For, ""})
		}
	}
	return findings
}

// hostSamples says whether the system lets us sample what processors do.
func hostSamples() finding {
	err := cpusamples.Available()
	if err == nil {
		return finding{"samples of processors", true, "by perf events, in user space", ""}
	}
	found, remedy, _ := strings.Cut(strings.TrimPrefix(err.Error(), cpusamples.ErrRefused.Error()+": "), "; ")
	return finding{"samples of processors", false, found, remedy}
}

func clock() finding {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil && strings.Contains(string(info), "constant_tsc") && strings.Contains(string(info), "nonstop_tsc") {
		return finding{"time stamps", true, "invariant time-stamp counter", ""}
	}
	return finding{"time stamps", true, "clock_gettime (no invariant time-stamp counter: about 20 ns more an event)", ""}
}
