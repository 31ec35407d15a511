package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// printTotals prints one line per verdict, with the languages' shares, and
// the share of passes among the tests that can be run, and among the neutral
// ones of those.
func printTotals(w io.Writer, results []Result) {
	counts := map[Status]map[Language]int{}
	totals := map[Status]int{}
	runnable := map[Language]int{}
	for _, r := range results {
		kind := r.Status.kind()
		if counts[kind] == nil {
			counts[kind] = map[Language]int{}
		}
		counts[kind][r.Test.Language]++
		totals[kind]++
		if r.Status.ran() {
			runnable[r.Test.Language]++
		}
	}
	for _, status := range statusOrder {
		if totals[status] > 0 {
			fmt.Fprintf(w, "%-16s %5d  (C %d, C++ %d, Fortran %d)\n", status, totals[status],
				counts[status][C], counts[status][CXX], counts[status][Fortran])
		}
	}
	printShare(w, "runnable tests pass", counts[StatusPass], runnable)
	passes, neutral := neutralPasses(results)
	printShare(w, "of these that ask for no failure, are not known to fail and name no GPU's driver pass", passes, neutral)
}

// neutralPasses counts the neutral tests by language, and which of them pass,
// without those known to fail.
func neutralPasses(results []Result) (passes, neutral map[Language]int) {
	passes, neutral = map[Language]int{}, map[Language]int{}
	for _, r := range results {
		if !r.Neutral || r.Status == StatusExpectedFailure {
			continue
		}
		neutral[r.Test.Language]++
		if r.Status == StatusPass {
			passes[r.Test.Language]++
		}
	}
	return passes, neutral
}

// judgeShare says whether too few of the neutral tests pass.
func judgeShare(w io.Writer, settings Settings, results []Result) (failed bool) {
	passes, neutral := neutralPasses(results)
	part, whole := 0, 0
	for _, language := range languages {
		part, whole = part+passes[language], whole+neutral[language]
	}
	if 100*float64(part) >= settings.NeutralShare*float64(whole) {
		return false
	}
	fmt.Fprintf(w, "%d of %d tests that ask for no failure, are not known to fail and name no GPU's driver pass: fewer than the %v %% that settings %s promise\n",
		part, whole, settings.NeutralShare, settings.Name)
	return true
}

// printShare prints which part of the tests passes, over all and by language.
func printShare(w io.Writer, what string, passed, tests map[Language]int) {
	var shares []string
	part, whole := 0, 0
	for i, language := range languages {
		if tests[language] > 0 {
			shares = append(shares, fmt.Sprintf("%s %d of %d", []string{"C", "C++", "Fortran"}[i], passed[language], tests[language]))
			part, whole = part+passed[language], whole+tests[language]
		}
	}
	if whole > 0 {
		fmt.Fprintf(w, "%.1f %% of %d %s (%s)\n", 100*float64(part)/float64(whole), whole, what, strings.Join(shares, ", "))
	}
}

func printDifferences(w io.Writer, list string, differences []difference) {
	if len(differences) == 0 {
		fmt.Fprintf(w, "every result is the one expected by %s\n", list)
		return
	}
	fmt.Fprintf(w, "%d results differ from %s:\n", len(differences), list)
	for _, d := range differences {
		expected := d.expected
		if expected == "" {
			expected = "nothing (not in the list)"
		}
		fmt.Fprintf(w, "  %s: expected %s, got %s  %s\n", d.result.Test.Name(), expected, d.result.Status, d.result.Message)
	}
}

// judgeNegativeControl says whether the negative control failed its purpose:
// it must be told from a working runtime.
func judgeNegativeControl(w io.Writer, differences []difference, results []Result) (failed bool) {
	evidence, passed := 0, 0
	for _, d := range differences {
		if d.expected == StatusPass {
			evidence++
		}
	}
	for _, r := range results {
		if r.Status == StatusPass {
			passed++
		}
	}
	if evidence == 0 {
		fmt.Fprintf(w, "negative control: NOT told from a working runtime: all %d passes stand with compute regions that do nothing\n", passed)
		return true
	}
	fmt.Fprintf(w, "negative control: judged failed, as it must be: %d expected passes fail; %d tests pass even so and are no evidence\n", evidence, passed)
	return false
}

// writeResults writes every result, one line a test: name, verdict, seconds,
// message, separated by tabs.
func writeResults(file string, results []Result) error {
	var text strings.Builder
	for _, r := range results {
		message := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(r.Message)
		fmt.Fprintf(&text, "%s\t%s\t%.2f\t%s\n", r.Test.Name(), r.Status, r.Seconds, message)
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}
