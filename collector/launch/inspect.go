// Package launch starts a program under capture: it finds out which OpenACC
// runtime the program uses, sets the environment in which the profiler library
// and, where wanted, our runtime are loaded (OpenACC 3.3 §5.3), and ends as the
// program did.
package launch

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Kind says what kind of file a program is.
type Kind int

// The kinds of program.
const (
	// Script is a text file with an interpreter; its children decide.
	Script Kind = iota
	// GCC is a program that uses GCC's OpenACC runtime.
	GCC
	// Other is a program that uses another vendor's OpenACC runtime.
	Other
	// Plain is a program without OpenACC of its own: a launcher, a shell, an
	// interpreter, or one that opens its OpenACC code later.
	Plain
	// Static is a program that loads no shared libraries, so nothing can be
	// loaded into it.
	Static
	// Library is no program, but a shared library of some.
	Library
	// Foreign is a program of another C library than ours (musl where we have
	// glibc), or a script of one: our libraries would end it.
	Foreign
)

// Program is what can be known of a program before it runs.
type Program struct {
	Path string // as found through PATH
	Kind Kind
	// Library is the OpenACC runtime's shared library, for GCC and Other.
	Library string
	// DeviceImage says that the program carries code for an accelerator.
	DeviceImage bool
	// PTX says that some of it is for NVIDIA GPUs.
	PTX bool
	// Fortran says that it needs GCC's Fortran library.
	Fortran bool
	// Loader is the dynamic loader that a Foreign program, or the interpreter of a script,
	// names.
	Loader string
}

// otherRuntimes are the shared libraries of OpenACC runtimes other than GCC's.
var otherRuntimes = []string{
	"libacchost.so", "libaccdevice.so", "libaccapi.so", "libaccn.so", "libaccg.so", // NVIDIA HPC SDK
	"libacccuda.so", "libcraymp.so", "libcrayacc.so", "libopenaccrt.so",
}

// Inspect finds a program as a shell would and reads what it is.
func Inspect(name string) (Program, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		if strings.Contains(name, "/") {
			err = errors.Unwrap(err)
			var path *fs.PathError
			if errors.As(err, &path) {
				err = path.Err // which says the name again
			}
			return Program{}, fmt.Errorf("cannot run %s: %w", name, err)
		}
		if _, statErr := os.Stat(name); statErr == nil {
			return Program{}, fmt.Errorf("cannot run %s: not found in PATH; did you mean ./%s?", name, name)
		}
		return Program{}, fmt.Errorf("cannot run %s: not found in PATH", name)
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return Program{}, err
	}
	program := Program{Path: path}
	file, err := os.Open(path)
	if err != nil {
		// Executable but unreadable: it can run, but not be looked into.
		program.Kind = Plain
		return program, nil
	}
	defer file.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(file, magic); err != nil || !bytes.Equal(magic, []byte(elf.ELFMAG)) {
		program.Kind = Script
		if by := loaderOf(interpreterOf(io.MultiReader(bytes.NewReader(magic), file))); foreign(by) {
			program.Kind, program.Loader = Foreign, by
		}
		return program, nil
	}
	object, err := elf.NewFile(file)
	if err != nil {
		return Program{}, fmt.Errorf("cannot run %s: damaged ELF file: %w", path, err)
	}
	defer object.Close()
	if object.Machine != ownMachine() || object.Class != elf.ELFCLASS64 {
		program.Kind = Plain
		return program, nil
	}
	inspectObject(object, &program)
	if by := interpreter(object); foreign(by) {
		program.Kind, program.Loader = Foreign, by
	}
	return program, nil
}

func inspectObject(object *elf.File, program *Program) {
	dynamic := false
	for _, segment := range object.Progs {
		dynamic = dynamic || segment.Type == elf.PT_INTERP
	}
	if !dynamic {
		program.Kind = Static
		if object.Type == elf.ET_DYN && !positionIndependent(object) {
			program.Kind = Library
		}
		return
	}
	program.Kind = Plain
	libraries, _ := object.ImportedLibraries() // none where the table is damaged: the loader will say so
	for _, library := range libraries {
		program.Fortran = program.Fortran || strings.HasPrefix(library, "libgfortran.so")
		for _, other := range otherRuntimes {
			if strings.HasPrefix(library, other) {
				program.Kind, program.Library = Other, library
				return
			}
		}
	}
	symbols, _ := object.ImportedSymbols()
	uses := false
	for _, symbol := range symbols {
		switch {
		case strings.HasPrefix(symbol.Name, "GOMP_offload_register"):
			program.DeviceImage = true
		case strings.HasPrefix(symbol.Name, "GOACC_"), strings.HasPrefix(symbol.Name, "acc_"):
			uses = true
		}
	}
	// GCC's mkoffload has it among the constants, as text.
	if constants := object.Section(".rodata"); program.DeviceImage && constants != nil {
		text, _ := constants.Data() // none where the file is damaged: the loader will say so
		program.PTX = bytes.Contains(text, []byte(".target sm_")) || bytes.Contains(text, []byte(".target\tsm_"))
	}
	if uses || program.DeviceImage {
		program.Kind, program.Library = GCC, "libgomp.so.1"
	}
}

// positionIndependent says whether a file that may lie anywhere in memory is a program.
func positionIndependent(object *elf.File) bool {
	flags, err := object.DynValue(elf.DT_FLAGS_1)
	return err == nil && len(flags) > 0 && elf.DynFlag1(flags[0])&elf.DF_1_PIE != 0
}

// ownMachine is what the programs are for that our libraries can be loaded into.
func ownMachine() elf.Machine {
	if runtime.GOARCH == "arm64" {
		return elf.EM_AARCH64
	}
	return elf.EM_X86_64
}
