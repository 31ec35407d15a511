package launch

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
)

// mpiLibraries are the libraries that stand before an MPI's calls, by what programs of
// that MPI load: an MPI's libraries have the version of its ABI, whatever its vendor and
// language (libmpi_usempif08.so.40; libmpich.so.12, libmpifort.so.12, libmpi_gnu_91.so.12).
var mpiLibraries = []struct{ needed, library string }{
	{"libmpi*.so.40", "libaccscope-openmpi.so"},
	{"libmpi*.so.12", "libaccscope-mpich.so"},
}

// mpiOf is the library for the MPI that a program's file loads, "" if it loads none.
func mpiOf(path string) string {
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	if err != nil {
		return ""
	}
	for _, name := range needed {
		for _, of := range mpiLibraries {
			if is, err := filepath.Match(of.needed, name); err == nil && is {
				return of.library
			}
		}
	}
	return ""
}

// ChooseMPI gives those of the libraries that stand before MPI's calls which are to be
// loaded into what a command line starts: the one for the MPI that the program loads, or
// another program that the line names, as behind mpirun. A script or launcher of which
// that cannot be told gets all there are, each of which does nothing without its MPI; a
// program without MPI none.
func (l Libraries) ChooseMPI(program Program, arguments []string) (chosen []string) {
	wanted := mpiOf(program.Path)
	for _, argument := range arguments {
		if wanted != "" {
			break
		}
		if path, err := exec.LookPath(argument); err == nil {
			wanted = mpiOf(path)
		}
	}
	for _, library := range l.MPI {
		if filepath.Base(library) == wanted || wanted == "" && (program.Kind == Script || program.Kind == Plain) {
			chosen = append(chosen, library)
		}
	}
	return chosen
}
