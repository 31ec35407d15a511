package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Runtime says which OpenACC runtime a program is to run on.
type Runtime int

// The runtimes.
const (
	Auto Runtime = iota
	Native
	Accscope
)

// ParseRuntime reads the value of a --runtime flag.
func ParseRuntime(text string) (Runtime, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "auto", "":
		return Auto, nil
	case "native":
		return Native, nil
	case "accscope":
		return Accscope, nil
	}
	return Auto, fmt.Errorf("--runtime %q: allowed are auto, native and accscope", text)
}

// Choice is a decided runtime and the reason, one clause for the user.
type Choice struct {
	Runtime Runtime // Native or Accscope
	Reason  string
}

// Choose decides which runtime a program runs on. device is the --device flag's
// value, empty where the user left it open.
func Choose(program Program, wanted Runtime, device string) (Choice, error) {
	switch {
	case program.Kind == Static && wanted != Native:
		return Choice{}, fmt.Errorf("%s is statically linked: neither the profiler nor a runtime can be loaded into it; link it dynamically (without -static)", program.Path)
	case program.Kind == Library:
		return Choice{}, fmt.Errorf("%s is a shared library: give the program that loads it", program.Path)
	case program.Kind == Foreign:
		return Choice{}, fmt.Errorf("%s is for another C library than accscope (its loader is %s): neither the profiler nor a runtime can be loaded into it; link it with the C library of this accscope", program.Path, program.Loader)
	case wanted == Accscope && program.Kind == Other:
		return Choice{}, fmt.Errorf("%s was compiled for %s, which our runtime does not replace; use --runtime native", program.Path, program.Library)
	case wanted == Accscope:
		return Choice{Accscope, "asked for by --runtime"}, nil
	case wanted == Native && device != "" && strings.EqualFold(device, "sim"):
		return Choice{}, fmt.Errorf("--device sim is a device of our runtime; leave out --runtime native")
	case wanted == Native:
		return Choice{Native, "asked for by --runtime"}, nil
	case program.Kind == Other:
		return Choice{Native, "the program uses " + program.Library}, nil
	case program.Kind == GCC && program.DeviceImage:
		return Choice{Accscope, "the program uses GCC's runtime interface and carries a device image"}, nil
	case program.Kind == GCC:
		return Choice{Accscope, "the program uses GCC's runtime interface and carries no device image"}, nil
	case program.Kind == Script:
		return Choice{Accscope, "a script: each process it starts decides for itself"}, nil
	}
	return Choice{Accscope, "no OpenACC in the program itself: each process it starts decides for itself"}, nil
}

// Libraries are the shared libraries that are loaded into programs.
type Libraries struct {
	Profiler string   // libaccprof.so
	Runtime  string   // libopenacc.so
	Access   string   // folder of those that take the place of GCC's libtsan; "": they were not built
	MPI      []string // those that stand before an MPI's calls, where they were built
}

// FindLibraries looks for our libraries beside the running binary: in ../lib of
// its folder (build and install tree), in its own folder, or in the folder
// named by ACCSCOPE_LIBRARY_PATH.
func FindLibraries() (Libraries, error) {
	var folders []string
	if folder := os.Getenv("ACCSCOPE_LIBRARY_PATH"); folder != "" {
		folders = append(folders, folder)
	}
	if !exists("/proc/self") {
		// Processes would be taken for dead, and their addresses for nobody's.
		return Libraries{}, errors.New("/proc is not mounted, without which no program can be recorded: mount it (mount -t proc proc /proc)")
	}
	executable, err := os.Executable()
	if err != nil {
		return Libraries{}, fmt.Errorf("cannot find our own libraries: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(executable); err == nil {
		executable = resolved
	}
	folder := filepath.Dir(executable)
	folders = append(folders, filepath.Join(folder, "..", "lib"), folder)
	for _, folder := range folders {
		found := Libraries{
			Profiler: filepath.Join(folder, "libaccprof.so"),
			Runtime:  filepath.Join(folder, "libopenacc.so"),
		}
		if exists(found.Profiler) && exists(found.Runtime) {
			found.Profiler, _ = filepath.Abs(found.Profiler)
			found.Runtime, _ = filepath.Abs(found.Runtime)
			if access := filepath.Join(filepath.Dir(found.Profiler), "accscope"); exists(filepath.Join(access, "libtsan.so.2")) {
				found.Access = access
			}
			for _, of := range mpiLibraries {
				path := filepath.Join(filepath.Dir(found.Profiler), of.library)
				if exists(path) && !slices.Contains(found.MPI, path) {
					found.MPI = append(found.MPI, path)
				}
			}
			return found, nil
		}
	}
	return Libraries{}, fmt.Errorf("libaccprof.so and libopenacc.so not found in %s; run make, or set ACCSCOPE_LIBRARY_PATH to their folder",
		strings.Join(folders, ", "))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
