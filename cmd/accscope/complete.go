package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
)

// completion is what shells ask for the words that may come next; what goes wrong
// leaves the user without suggestions, and nothing else.
type completion = func(command *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// completeFlag lets shells complete a flag's values.
func completeFlag(command *cobra.Command, flag string, values ...string) {
	completeFlagBy(command, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completeFlagBy(command *cobra.Command, flag string, values completion) {
	if err := command.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // there is no such flag
	}
}

// completeTraces suggests files for the first so many arguments.
func completeTraces(most int) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeProcesses suggests the processes that run and that the caller wants.
func completeProcesses(wanted func(*session.ProcessInfo) bool) completion {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return processWords(begun, wanted), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSessions suggests sessions, then files.
func completeSessions(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return sessionWords(begun), cobra.ShellCompDirectiveDefault
}

// completeWatched suggests sessions and processes, then files.
func completeWatched(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	words := append(sessionWords(begun), processWords(begun, func(*session.ProcessInfo) bool { return true })...)
	return words, cobra.ShellCompDirectiveDefault
}

func sessionWords(begun string) (words []string) {
	list, _ := session.List()
	for i := range list {
		if strings.HasPrefix(list[i].Name, begun) {
			words = append(words, fmt.Sprintf("%s\t%d running", list[i].Name, list[i].Running))
		}
	}
	return words
}

func processWords(begun string, wanted func(*session.ProcessInfo) bool) (words []string) {
	var processes []session.ProcessInfo
	list, _ := session.List()
	for i := range list {
		processes = append(processes, list[i].Processes...)
	}
	alone, _ := session.ListAlone()
	for i := range alone {
		processes = append(processes, alone[i].Processes...)
	}
	for i := range processes {
		p := &processes[i]
		if pid := strconv.Itoa(p.PID); p.Running && wanted(p) && strings.HasPrefix(pid, begun) {
			words = append(words, pid+"\t"+escape.Line(strings.Join(p.Arguments, " ")))
		}
	}
	return words
}

// completeFromTrace lets shells complete a flag by what a query finds in the
// trace that the command line names.
func completeFromTrace(command *cobra.Command, flag, sql string) {
	completeFlagBy(command, flag, func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		trace, err := store.Open(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer trace.Close()
		var words []string
		for s, err := range trace.Rows("completing", sql) {
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			if word := escape.Line(s.ColumnText(0)); word != "" && strings.HasPrefix(word, begun) {
				words = append(words, word)
			}
		}
		return slices.Compact(words), cobra.ShellCompDirectiveNoFileComp
	})
}
