// Package rewrite gives directives of OpenACC 3.3 chapter 2, and of the PGI Accelerator model
// 1.3, that GCC refuses another form of
// the same meaning: clauses that it knows, calls of the runtime's routines, or more than
// one directive. All other text stays as it is, on its lines. What has no such form
// is an error; none is left out.
package rewrite

import "fmt"

// Options are what the command line chooses.
type Options struct {
	Device string // device type whose clauses hold where device_type gives several (§2.4)
	PGI    bool   // subarrays of C are lower and upper bounds, as in the PGI Accelerator model
	CXX    bool   // the source of C is C++
	OpenMP bool   // Fortran's conditional compilation sentinels count: for GCC with -fopenmp alone
}

// Severity is of what kind a note is.
type Severity string

const (
	Error   Severity = "error"   // the directive cannot be had
	Warning Severity = "warning" // it is had at a price
	Rewrote Severity = "note"    // it has another form
)

// A Note says what was done with a directive, and why.
type Note struct {
	File         string
	Line, Column int // from 1
	Severity     Severity
	Text         string
}

// String is the note in the form of GCC's diagnostics.
func (n Note) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", n.File, n.Line, n.Column, n.Severity, n.Text)
}

// A Result is a source after its directives were looked at.
type Result struct {
	Text    string // what GCC is to compile
	Changed bool   // it is another text than the source
	Notes   []Note
	Ranges  bool // directives are left whose sections only GCC can tell to be contiguous: see Refused
}

// Failed says whether a directive cannot be had.
func (r *Result) Failed() bool {
	for _, n := range r.Notes {
		if n.Severity == Error {
			return true
		}
	}
	return false
}
