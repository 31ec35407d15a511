package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/report"
)

// formatFlag is the --format of the commands that read, and --json, its short
// form.
type formatFlag struct {
	name    string
	json    bool
	given   func() bool // --format was
	allowed []string
}

// register adds the flags; a command that prints tables has more formats than
// text and json.
func (f *formatFlag) register(command *cobra.Command, more ...report.Format) {
	for _, format := range append([]report.Format{report.FormatText, report.FormatJSON}, more...) {
		f.allowed = append(f.allowed, string(format))
	}
	command.Flags().StringVar(&f.name, "format", string(report.FormatText), "output `FORMAT`: "+f.choices("or"))
	command.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	f.given = func() bool { return command.Flags().Changed("format") }
	completeFlag(command, "format", f.allowed...)
}

func (f *formatFlag) choices(last string) string {
	n := len(f.allowed) - 1
	return strings.Join(f.allowed[:n], ", ") + " " + last + " " + f.allowed[n]
}

// parse is what the user chose.
func (f *formatFlag) parse() (report.Format, error) {
	name := strings.ToLower(f.name)
	if f.json && (!f.given() || name == string(report.FormatJSON)) {
		return report.FormatJSON, nil
	}
	if f.json {
		return "", usageError{fmt.Errorf("--json and --format %s contradict each other", f.name)}
	}
	if !slices.Contains(f.allowed, name) {
		return "", usageError{fmt.Errorf("--format %q: allowed are %s", f.name, f.choices("and"))}
	}
	return report.Format(name), nil
}

// isJSON is parse for commands that have nothing but text and json.
func (f *formatFlag) isJSON() (bool, error) {
	format, err := f.parse()
	return format == report.FormatJSON, err
}

// optionalNumber is a flag for a number from 0 on that need not be given.
type optionalNumber struct{ value *int64 }

func (n *optionalNumber) String() string {
	if n.value == nil {
		return ""
	}
	return fmt.Sprint(*n.value)
}

func (n *optionalNumber) Set(text string) error {
	var number int64
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &number); err != nil || number < 0 {
		return fmt.Errorf("%q is no number from 0 on", text)
	}
	n.value = &number
	return nil
}

func (n *optionalNumber) Type() string { return "NUMBER" }
