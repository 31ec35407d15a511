package advice

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// What functions of libraries do with data, by their names. A procedure of the file that has such a
// name is what its text says.
var (
	// uninvolvedFunctions touch no data that they are not given: output, clocks, random numbers, memory,
	// what ends the program, and collective MPI.
	uninvolvedFunctions = strings.Fields(`printf fprintf sprintf snprintf puts fputs putchar fputc fflush perror write open close
 clock_gettime clock time gettimeofday nanosleep usleep sleep omp_get_wtime MPI_Wtime mpi_wtime rand srand random drand48 rand_r now malloc calloc free exit abort assert
 MPI_Barrier mpi_barrier MPI_Allreduce mpi_allreduce MPI_Reduce mpi_reduce MPI_Bcast mpi_bcast getenv atoi atof strtol strtod strcmp strlen
 static_cast int64_t size_t int char float double unsigned long`)

	// statements are Fortran's with parentheses, and its procedures besides these.
	statements = strings.Fields(`print format stop allocate deallocate allocated associated present system_clock cpu_time date_and_time random_number`)

	// keepingNothing use the data that they are given, and keep no address of them; those of C++ have names
	// that functions of programs may have.
	keepingNothing = strings.Fields("memset memcpy memmove fread fwrite qsort")
	ofAlgorithms   = strings.Fields("fill fill_n copy iota sort swap")
)

var algorithms = regexp.MustCompile(`^\s*#\s*include\s*<(algorithm|numeric|utility|vector|memory)>`)

// defines says whether the file has a procedure of a name.
func (t *text) defines(name string) bool {
	return slices.ContainsFunc(t.procedures, func(p *structure.Procedure) bool { return p.Name == name })
}

// listed says whether a function is one of a library's.
func (t *text) listed(name string, everywhere, fortran []string) bool {
	return (slices.Contains(everywhere, name) || t.fortran && slices.Contains(fortran, name)) && !t.defines(name)
}

// pure says whether a function changes nothing that it is not given, and keeps nothing.
func (t *text) pure(name string) bool {
	return structure.Intrinsic(name, t.fortran) && !t.defines(name)
}

// uninvolved says whether a function touches no data that it is not given.
func (t *text) uninvolved(name string) bool { return t.listed(name, uninvolvedFunctions, statements) }

// keepsNothing says whether a function keeps no address of the data that it is given.
func (t *text) keepsNothing(name string) bool {
	return t.listed(name, keepingNothing, nil) || slices.Contains(ofAlgorithms, name) && t.algorithms() && !t.defines(name)
}

// algorithms says whether a file of C++ has its library's algorithms.
func (t *text) algorithms() bool {
	return filepath.Ext(t.path) != ".c" && !t.fortran && slices.ContainsFunc(t.lines, algorithms.MatchString)
}

// exchanges says whether swap (a, b) makes each of two pointers the other one.
func (t *text) exchanges() bool {
	return t.algorithms() && !t.defines("swap") || len(t.expanded("swap")) > 0
}
