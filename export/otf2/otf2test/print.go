// Package otf2test reads archives in the Open Trace Format by otf2-print, for tests.
package otf2test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/export/otf2/archive"
)

// Contents are what otf2-print says of an archive.
type Contents struct {
	Definitions []Definition
	Events      []Event
	Text        string
}

// Definition is one line of the global definitions.
type Definition struct {
	Kind   string // LOCATION, REGION, …
	Number int    // -1: it has none
	Says   string
}

// Event is an event of a location.
type Event struct {
	Kind     string // ENTER, LEAVE, …
	Location int
	Time     uint64
	Says     string // what its kind has
	Adds     string // its attributes
}

var (
	definitionLine = regexp.MustCompile(`^([A-Z_]+) +([0-9]*) {2}(.*)$`)
	eventLine      = regexp.MustCompile(`^([A-Z_]+) +([0-9]+) +([0-9]+)(?:  (.*))?$`)
)

// Print is what otf2-print reads in the archive in a folder: without a warning, and
// without a reference to something that is not defined. The test is skipped where the
// program is missing, unless ACCSCOPE_CONSUMERS asks for the consumers of our formats.
func Print(t *testing.T, folder string) *Contents {
	t.Helper()
	program, err := exec.LookPath("otf2-print")
	if err != nil {
		if os.Getenv("ACCSCOPE_CONSUMERS") != "" {
			t.Fatal("otf2-print not found: install otf2-tools")
		}
		t.Skip("otf2-print not found: install otf2-tools")
	}
	command := exec.Command(program, "--show-all", "--warnings-as-errors", filepath.Join(folder, archive.Anchor))
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("otf2-print: %v\n%s%s", err, complaints.String(), tail(out.String()))
	}
	c := &Contents{Text: out.String()}
	c.parse(t)
	return c
}

func tail(text string) string { return text[max(len(text)-2000, 0):] }

func (c *Contents) parse(t *testing.T) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(c.Text))
	lines.Buffer(nil, 1<<24)
	part := ""
	for lines.Scan() {
		line := lines.Text()
		if name, begins := strings.CutPrefix(line, "=== "); begins {
			part = strings.TrimRight(name, " =")
			continue
		}
		if strings.Contains(line, "INVALID") {
			t.Errorf("otf2-print does not know what is meant: %s", line)
		}
		switch part {
		case "Global Definitions":
			if m := definitionLine.FindStringSubmatch(line); m != nil {
				number := -1
				if m[2] != "" {
					number = integer(t, m[2])
				}
				c.Definitions = append(c.Definitions, Definition{m[1], number, m[3]})
			}
		case "Events":
			if m := eventLine.FindStringSubmatch(line); m != nil {
				time, err := strconv.ParseUint(m[3], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				c.Events = append(c.Events, Event{Kind: m[1], Location: integer(t, m[2]), Time: time, Says: m[4]})
			} else if list, more := strings.CutPrefix(strings.TrimSpace(line), "ADDITIONAL ATTRIBUTES: "); more {
				c.Events[len(c.Events)-1].Adds = list
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func integer(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Defined are the definitions of a kind.
func (c *Contents) Defined(kind string) (list []Definition) {
	for _, d := range c.Definitions {
		if d.Kind == kind {
			list = append(list, d)
		}
	}
	return list
}

// Name is a definition's name.
func (d Definition) Name() string {
	_, rest, _ := strings.Cut(d.Says, `Name: "`)
	name, _, _ := strings.Cut(rest, `" <`)
	return name
}

// Region is the name of the region that an event enters or leaves.
func (e Event) Region() string {
	_, rest, _ := strings.Cut(e.Says, `Region: "`)
	if end := strings.LastIndex(rest, `" <`); end >= 0 {
		return rest[:end]
	}
	return rest
}

// Span is what was entered and left at a location.
type Span struct {
	Location   int
	Region     string
	Start, End uint64
}

// Spans are the pairs of enters and leaves, which must be balanced and in order of time at
// each location.
func (c *Contents) Spans(t *testing.T) (list []Span) {
	t.Helper()
	open, last := map[int][]Span{}, map[int]uint64{}
	for _, e := range c.Events {
		if e.Time < last[e.Location] {
			t.Fatalf("%+v is before the event before it, at %d", e, last[e.Location])
		}
		last[e.Location] = e.Time
		stack := open[e.Location]
		switch e.Kind {
		case "ENTER":
			open[e.Location] = append(stack, Span{Location: e.Location, Region: e.Region(), Start: e.Time})
		case "LEAVE":
			if len(stack) == 0 || stack[len(stack)-1].Region != e.Region() {
				t.Fatalf("%+v leaves %v", e, stack)
			}
			span := stack[len(stack)-1]
			span.End = e.Time
			list, open[e.Location] = append(list, span), stack[:len(stack)-1]
		}
	}
	for location, stack := range open {
		if len(stack) > 0 {
			t.Fatalf("location %d never leaves %v", location, stack)
		}
	}
	return list
}
