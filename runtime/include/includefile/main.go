// Command includefile writes the Fortran include file openacc_lib.h from the sources
// of module openacc: the same declarations, for programs that include them
// (OpenACC 2.x; 3.0 left the module alone). They hold in fixed and in free form.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	if err := write(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "includefile: %v\n", err)
		os.Exit(1)
	}
}

const head = `! openacc_lib.h - the declarations of module openacc for include lines, in fixed and
! in free form. Made from the module's sources.
`

// write writes the declarations of module source files, in their order.
func write(w io.Writer, files []string) error {
	out := bufio.NewWriter(w)
	out.WriteString(head)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := convert(out, string(text)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return out.Flush()
}

// dropped are the statements that make a module of the declarations: an include file
// stands in a scope of the program's.
var dropped = regexp.MustCompile(`^(module|end module|implicit|public|private)\b`)

// kinds are the numbers of what the modules take from iso_fortran_env.
var kinds = strings.NewReplacer("int32", "4", "int64", "8")

// convert writes the declarations of one file.
func convert(out *bufio.Writer, text string) error {
	depth := 0 // of interface bodies
	for _, statement := range statements(text) {
		switch {
		case directive.MatchString(statement):
			fmt.Fprintln(out, statement)
			continue
		case interfaceBegins.MatchString(statement):
			depth++
		case strings.HasPrefix(statement, "end interface"):
			depth--
		case depth == 0 && (dropped.MatchString(statement) || strings.HasPrefix(statement, "use")):
			continue
		}
		writeStatement(out, kinds.Replace(statement))
	}
	if depth != 0 {
		return fmt.Errorf("an interface has no end")
	}
	return nil
}

var (
	directive       = regexp.MustCompile(`^!(GCC|acc)?\$`)
	interfaceBegins = regexp.MustCompile(`^interface\b`)
)

// statements gives the statements of free-form source, each on one line, without
// comments; directives in comments count.
func statements(text string) []string {
	var list []string
	continued := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "!") && !strings.HasPrefix(line, "!GCC$") && !strings.HasPrefix(line, "!$") {
			continue
		}
		line, more := strings.CutSuffix(line, "&")
		continued += line
		if !more {
			list = append(list, continued)
			continued = ""
		}
	}
	return list
}

// In fixed form statements begin in column 7 and end in column 72; column 6 marks a
// continued line, and free form wants the mark at the end of the line before, too,
// where fixed form does not look.
const (
	margin = 6
	width  = 72
)

func writeStatement(out *bufio.Writer, statement string) {
	for first := true; ; first = false {
		mark := "      "
		if !first {
			mark = "     &"
		}
		if len(statement) <= width-margin {
			fmt.Fprintln(out, mark+statement)
			return
		}
		at := strings.LastIndexAny(statement[:width-margin], " ,") + 1
		fmt.Fprintf(out, "%-*s&\n", width, mark+statement[:at])
		statement = statement[at:]
	}
}
