package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	// Commands stand in fences and between backquotes.
	pageCode = regexp.MustCompile("(?s)```.*?```|`[^`]+`")
	// What stands behind the name of the program on a line, up to what is the shell's.
	pageCommand = regexp.MustCompile(`(?m)(?:^|[\s"(/'$])accscope ([a-z][^|;#\n>` + "`" + `]*)`)
	pageFlag    = regexp.MustCompile(`^\[?(--[a-z][a-z-]*|-[a-zA-Z]$)`)
)

// prose are words that follow the name where it is no command: a device's, an image's, or
// within a sentence.
var prose = []string{"sim", "dist", "into"}

// TestPagesNameCommands: commands and flags that the pages name are there.
func TestPagesNameCommands(t *testing.T) {
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	checked := 0
	err := filepath.WalkDir(project, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", ".build", "node_modules", "testdata"}, entry.Name()) {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, code := range pageCode.FindAllString(string(text), -1) {
			for _, m := range pageCommand.FindAllStringSubmatch(strings.ReplaceAll(code, "\\\n", " "), -1) {
				words := strings.Fields(m[1])
				words[0] = strings.TrimRight(words[0], "'\"") // as the value of a variable
				if slices.Contains(prose, words[0]) {
					continue
				}
				command, _, err := root.Find(words[:1])
				if err != nil || command == root {
					t.Errorf("%s: accscope %s: there is no command %s", name, m[1], words[0])
					continue
				}
				checked++
				checkFlags(t, name, command, words[1:])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 60 {
		t.Errorf("%d commands were found", checked)
	}
}

func checkFlags(t *testing.T, page string, command *cobra.Command, words []string) {
	t.Helper()
	if command.DisableFlagParsing {
		return // the flags are a compiler's
	}
	command.InitDefaultHelpFlag()
	for _, word := range words {
		if word == "--" {
			return // the program's
		}
		m := pageFlag.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		long, isLong := strings.CutPrefix(m[1], "--")
		if isLong && command.Flags().Lookup(long) == nil || !isLong && command.Flags().ShorthandLookup(m[1][1:]) == nil {
			t.Errorf("%s: accscope %s has no flag %s", page, command.Name(), m[1])
		}
	}
}
