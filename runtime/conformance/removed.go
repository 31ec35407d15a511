package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// removedAssertions are the assertions that are taken out of tests of the
// profiling interface, by the test's file name: those that demand what a
// runtime of OpenACC 3.3 must not, or need not, give. A temporary copy of the
// test is changed, line numbers stay.
//
// In the file, "test FILE..." begins a group, a line with one assertion as it
// stands in the test follows as often as needed, and each has its reason in
// the "reason TEXT" line before it. After "in FUNCTION..." only those of these
// functions are taken out, until the next reason.
type removedAssertions map[string][]removedAssertion

type removedAssertion struct {
	line      string   // the assertion's line in the test, without the blanks around it
	functions []string // those it stands in; nil: all
	reason    string
}

func readRemovedAssertions(file string) (removedAssertions, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseRemovedAssertions(file, string(text))
}

func parseRemovedAssertions(file, text string) (removedAssertions, error) {
	removed := removedAssertions{}
	var tests, functions []string
	reason, number := "", 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		fail := func(message string) (removedAssertions, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, number, message)
		}
		switch keyword, rest, _ := strings.Cut(line, " "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case keyword == "test":
			if tests, reason = strings.Fields(rest), ""; len(tests) == 0 {
				return fail("test without a file name")
			}
		case keyword == "reason":
			reason, functions = strings.TrimSpace(rest), nil
		case tests == nil:
			return fail("an assertion before the first test line")
		case reason == "":
			return fail("an assertion without a reason line before it")
		case keyword == "in":
			if functions = strings.Fields(rest); len(functions) == 0 {
				return fail("in without a function name")
			}
		case !wholeAssertion.MatchString(line):
			return fail("not one whole assert (…); on a line")
		default:
			for _, test := range tests {
				removed[test] = append(removed[test], removedAssertion{line, functions, reason})
			}
		}
	}
	return removed, nil
}

var wholeAssertion = regexp.MustCompile(`^assert \(.*\);$`)

// functionHead is the line of a function's definition as the tests are written.
var functionHead = regexp.MustCompile(`^\w.*?(\w+) ?\(.*\)$`)

// apply takes the assertions listed for a file out of its text. Each listed
// one must be there, so that the list can't go stale.
func (removed removedAssertions) apply(file, source string) (text string, patched bool, err error) {
	list := removed[file]
	if len(list) == 0 {
		return source, false, nil
	}
	seen := make([]bool, len(list))
	lines := strings.Split(source, "\n")
	function := ""
	for i, line := range lines {
		if head := functionHead.FindStringSubmatch(line); head != nil {
			function = head[1]
		}
		trimmed := strings.TrimSpace(line)
		for j, assertion := range list {
			if trimmed == assertion.line && (assertion.functions == nil || slices.Contains(assertion.functions, function)) {
				lines[i], seen[j] = "(void) 0;", true
				break
			}
		}
	}
	for j, found := range seen {
		if !found {
			return "", false, fmt.Errorf("removed-assertions.txt: %s has no line %q%s", file, list[j].line, list[j].where())
		}
	}
	return strings.Join(lines, "\n"), true, nil
}

// where says in which functions an assertion is taken out, for messages.
func (a removedAssertion) where() string {
	if a.functions == nil {
		return ""
	}
	return " in " + strings.Join(a.functions, " and ")
}
