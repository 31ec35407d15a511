package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// action is what a test asks to be done with it (dg-do).
type action string

const (
	actionCompile action = "compile"
	actionLink    action = "link"
	actionRun     action = "run"
)

// Plan is what a test asks for under one set of settings, from its dg lines.
// Compile-time diagnostics (dg-note, dg-warning, dg-bogus, dg-optimized) and
// scans of the compiler's dumps (dg-final) judge the compiler, not its
// run-time library: they are not looked at.
type Plan struct {
	Test           Test
	Source         string // the test's text, with the removed assertions taken out
	Patched        bool   // whether Source differs from the file
	Action         action
	NotRun         Status // StatusSkipped or StatusUnsupported, with Why; else empty
	Why            string
	Options        []string // dg-options
	Additional     []string // dg-additional-options
	Sources        []string // dg-additional-sources, full paths
	Environment    map[string]string
	ShouldFail     bool // a non-zero exit status is asked for
	ExpectFailure  bool // dg-xfail-run-if: known to fail
	ExpectError    bool // dg-error: compiling must fail
	Output         *regexp.Regexp
	OutputExpected bool // whether Output is known not to match (xfail)
	Timeout        time.Duration
}

// plan reads a test's dg lines.
func plan(t Test, settings Settings, removed removedAssertions) (*Plan, error) {
	text, err := os.ReadFile(t.Path)
	if err != nil {
		return nil, err
	}
	p := &Plan{Test: t, Source: string(text), Action: actionRun, Environment: maps.Clone(settings.Environment)}
	if p.Source, p.Patched, err = removed.apply(t.File, p.Source); err != nil {
		return nil, err
	}
	e := &evaluator{settings: settings, language: t.Language, flags: settings.flags(), unknown: map[string]bool{}}
	var output []string
	for _, d := range directives(p.Source) {
		if err := p.take(d, e, &output); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", t.Path, d.name, err)
		}
	}
	for name := range e.unknown {
		return nil, fmt.Errorf("%s: effective target %q is unknown to this runner: add it to settings.go", t.Path, name)
	}
	if slices.Contains(settings.Unfolded, t.File) {
		p.Additional = append(p.Additional, "-fno-builtin-acc_on_device")
	}
	if len(output) > 0 {
		if p.Output, err = outputExpression(output); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Path, err)
		}
	}
	return p, nil
}

// take applies one directive to the plan.
func (p *Plan) take(d directive, e *evaluator, output *[]string) error {
	argument := func(i int) string {
		if i < len(d.words) {
			return d.words[i].text
		}
		return ""
	}
	// wanted evaluates the selector at argument i, which may be absent.
	wanted := func(i int) bool {
		applies, _ := e.applies(argument(i))
		return applies
	}
	switch d.name {
	case "dg-do":
		if p.Action = action(argument(0)); p.Action != actionRun && p.Action != actionLink && p.Action != actionCompile {
			return fmt.Errorf("%q: one of run, link, compile", p.Action)
		}
		for i := 1; i < len(d.words); i++ {
			if !wanted(i) {
				p.leaveOut(StatusUnsupported, d)
			}
		}
	case "dg-options":
		if wanted(1) {
			p.Options = flagWords(argument(0))
		}
	case "dg-additional-options":
		if wanted(1) {
			p.Additional = append(p.Additional, flagWords(argument(0))...)
		}
	case "dg-additional-sources":
		if wanted(1) {
			for _, name := range strings.Fields(argument(0)) {
				p.Sources = append(p.Sources, filepath.Join(filepath.Dir(p.Test.Path), name))
			}
		}
	case "dg-skip-if":
		if e.condition(d.words) {
			p.leaveOut(StatusSkipped, d)
		}
	case "dg-require-effective-target":
		if !e.selects(argument(0)) {
			p.leaveOut(StatusUnsupported, d)
		}
	case "dg-shouldfail":
		p.ShouldFail = p.ShouldFail || e.condition(d.words)
	case "dg-xfail-run-if":
		e.hostCode = slices.Contains(e.settings.HostCode, p.Test.File)
		p.ExpectFailure = p.ExpectFailure || e.condition(d.words)
		e.hostCode = false
	case "dg-output":
		applies, expectedFailure := e.applies(argument(1))
		if applies {
			*output = append(*output, argument(0))
			p.OutputExpected = p.OutputExpected || expectedFailure
		}
	case "dg-set-target-env-var":
		p.Environment[argument(0)] = argument(1)
	case "dg-timeout":
		seconds, err := strconv.ParseFloat(argument(0), 64)
		if err != nil {
			return err
		}
		p.Timeout = time.Duration(seconds * float64(time.Second))
	case "dg-error":
		applies, expectedFailure := e.applies(argument(2))
		p.ExpectError = p.ExpectError || applies && !expectedFailure
	}
	return nil
}

// neutral says whether the test is about no GPU's driver and none of a runtime's
// own messages: it doesn't ask to fail, and names neither CUDA nor the target
// that the suite has for NVIDIA's devices.
func (p *Plan) neutral() bool {
	return !p.ShouldFail && !strings.Contains(p.Source, "openacc_nvidia") && !strings.Contains(p.Source, "cuda")
}

// leaveOut notes the first condition that keeps the test from being run.
func (p *Plan) leaveOut(s Status, d directive) {
	if p.NotRun != "" {
		return
	}
	p.NotRun = s
	var why strings.Builder
	why.WriteString(d.name)
	for i, w := range d.words {
		if d.name == "dg-require-effective-target" || i > 0 {
			fmt.Fprintf(&why, " { %s }", strings.TrimSpace(w.text))
		}
	}
	p.Why = why.String()
}
