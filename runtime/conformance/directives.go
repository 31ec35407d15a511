package main

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
)

// word is one word of a Tcl list. A braced word is a list of its own.
type word struct {
	text   string
	braced bool
}

// directive is one DejaGnu line of a test: { dg-NAME WORD... }.
type directive struct {
	name  string
	words []word
}

var directiveLine = regexp.MustCompile(`\{[ \t]+(dg-[-a-z]+)[ \t]+(.*)[ \t]+\}[^}]*$`)

// directives finds the dg lines of a test's source, in order.
func directives(source string) []directive {
	var found []directive
	for line := range strings.Lines(source) {
		if m := directiveLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			found = append(found, directive{m[1], splitWords(m[2])})
		}
	}
	return found
}

// splitWords splits a Tcl list into its words: {braced} ones verbatim,
// "quoted" and bare ones with backslash substitution. An unclosed brace or
// quote runs to the end.
func splitWords(list string) []word {
	var words []word
	for i := 0; i < len(list); {
		switch c := list[i]; {
		case isBlank(c):
			i++
		case c == '{':
			end := closingBrace(list, i)
			words = append(words, word{list[i+1 : end], true})
			i = end + 1
		case c == '"':
			text, end := unescapeUntil(list, i+1, func(c byte) bool { return c == '"' })
			words = append(words, word{text, false})
			i = end + 1
		default:
			text, end := unescapeUntil(list, i, isBlank)
			words = append(words, word{text, false})
			i = end
		}
	}
	return words
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// closingBrace is the index of the brace that closes the one at open, or the
// length of the list.
func closingBrace(list string, open int) int {
	depth := 0
	for j := open; j < len(list); j++ {
		switch list[j] {
		case '\\':
			j++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(list)
}

func unescapeUntil(list string, from int, stop func(byte) bool) (text string, end int) {
	var b strings.Builder
	j := from
	for ; j < len(list) && !stop(list[j]); j++ {
		if list[j] == '\\' && j+1 < len(list) {
			j++
			b.WriteByte(unescape(list[j]))
			continue
		}
		b.WriteByte(list[j])
	}
	return b.String(), j
}

func unescape(c byte) byte {
	if i := strings.IndexByte("ntrabfv", c); i >= 0 {
		return "\n\t\r\a\b\f\v"[i]
	}
	return c
}

// flagWords splits compiler flags as they stand in dg-options.
func flagWords(flags string) []string {
	var texts []string
	for _, w := range splitWords(flags) {
		texts = append(texts, w.text)
	}
	return texts
}

// globMatches is Tcl's string match for the patterns of this suite: * and ?.
func globMatches(pattern, text string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\*`, ".*"), `\?`, ".")
	return regexp.MustCompile("(?s)^" + quoted + "$").MatchString(text)
}

// targetTriplet is this machine, as the suite names machines.
func targetTriplet() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64-unknown-linux-gnu"
	}
	return "x86_64-pc-linux-gnu"
}

// evaluator evaluates DejaGnu's conditions for one test.
type evaluator struct {
	settings Settings
	language Language
	flags    []string
	unknown  map[string]bool // effective targets that nobody defined
	hostCode bool            // openacc_host_selected is about the host compiler's code
}

// selects gives the truth of a selector expression, e.g.
// "openacc_host_selected || { ! lp64 }" or "*-*-*".
func (e *evaluator) selects(expression string) bool {
	result, decided, negate, operator := true, false, false, "||"
	for _, w := range splitWords(expression) {
		text := w.text
		if !w.braced {
			if text == "&&" || text == "||" {
				operator = text
				continue
			}
			for strings.HasPrefix(text, "!") {
				negate, text = !negate, text[1:]
			}
			if text == "" {
				continue
			}
		}
		var value bool
		switch {
		case w.braced:
			value = e.selects(text)
		case strings.Contains(text, "*") || strings.Count(text, "-") >= 2 && !e.isTarget(text):
			value = globMatches(text, targetTriplet())
		default:
			value = e.target(text)
		}
		value, negate = value != negate, false
		switch {
		case !decided:
			result, decided = value, true
		case operator == "&&":
			result = result && value
		default:
			result = result || value
		}
		operator = "||"
	}
	return result
}

func (e *evaluator) isTarget(name string) bool {
	_, known := e.settings.target(name, e.language)
	return known
}

func (e *evaluator) target(name string) bool {
	if e.hostCode && name == "openacc_host_selected" {
		return true
	}
	holds, known := e.settings.target(name, e.language)
	if !known {
		e.unknown[name] = true
	}
	return holds
}

// applies evaluates an argument "{ target SELECTOR }", "{ xfail SELECTOR }"
// or "{ target SELECTOR xfail SELECTOR }".
func (e *evaluator) applies(argument string) (applies, expectedFailure bool) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(argument), " ")
	switch kind {
	case "":
		return true, false
	case "target":
		if target, xfail, both := strings.Cut(rest, " xfail "); both {
			return e.selects(target), e.selects(xfail)
		}
		return e.selects(rest), false
	case "xfail":
		return true, e.selects(rest)
	}
	return e.selects(argument), false
}

// condition evaluates the arguments "comment selector include exclude" of
// dg-skip-if, dg-shouldfail and dg-xfail-run-if.
func (e *evaluator) condition(words []word) bool {
	if len(words) > 1 && !e.selects(words[1].text) {
		return false
	}
	if len(words) > 2 && !e.anyFlag(words[2].text) {
		return false
	}
	return len(words) <= 3 || !e.anyFlag(words[3].text)
}

func (e *evaluator) anyFlag(patterns string) bool {
	for _, p := range splitWords(patterns) {
		if p.text == "*" {
			return true
		}
		for _, flag := range e.flags {
			if p.text != "" && globMatches(p.text, flag) {
				return true
			}
		}
	}
	return false
}

// outputExpression makes the regular expression of a test's dg-output lines,
// which together describe one stretch of the output. Where a pattern carries
// the prefix that GCC's library puts before its messages, any prefix on that
// line will do: the body is what counts.
func outputExpression(patterns []string) (*regexp.Regexp, error) {
	joined := strings.ReplaceAll(strings.Join(patterns, ""), "libgomp: ", `[^\n]*`)
	expression, err := regexp.Compile("(?s)" + joined)
	if err != nil {
		return nil, fmt.Errorf("dg-output: %w", err)
	}
	return expression, nil
}
