package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store"
)

// ignored are the names of findings that --ignore gives, and those of the file for that in a
// folder.
func ignored(folder string, names []string) ([]advice.Pattern, error) {
	var patterns []advice.Pattern
	for _, text := range names {
		p, err := advice.ParsePattern(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("--ignore %w", err)}
		}
		patterns = append(patterns, p)
	}
	listed, err := advice.ReadIgnored(filepath.Join(folder, advice.IgnoreFile))
	return append(patterns, listed...), err
}

// adviceOf are the findings of a trace but those that are ignored; how many these are, it tells.
func adviceOf(trace *store.Trace, minimum time.Duration, patterns []advice.Pattern, told io.Writer) ([]*advice.Finding, error) {
	findings, err := advice.Find(trace, int64(minimum))
	if err != nil {
		return nil, err
	}
	left, ignored := advice.Ignore(findings, patterns)
	if ignored > 0 {
		fmt.Fprintf(told, "accscope: findings ignored: %d\n", ignored)
	}
	return left, nil
}

// again is the command line of advise, with the flags by which findings have their numbers.
func again(trace, rank string, minimum time.Duration, ignore []string) string {
	words := []string{"accscope advise"}
	if minimum > 0 {
		words = append(words, "--min-gain", minimum.String())
	}
	if rank != "" {
		words = append(words, "--rank", shell.Word(rank))
	}
	for _, name := range ignore {
		words = append(words, "--ignore", shell.Word(name))
	}
	return strings.Join(append(words, shell.Path(shown(trace))), " ")
}

// writeDiff writes the patch of the findings that are chosen by their indexes, and says of those
// that are not in it why.
func writeDiff(w, told io.Writer, findings []*advice.Finding, chosen []int) error {
	p := advice.PatchOf(findings, chosen)
	for _, i := range chosen {
		if why := p.Left[i]; why != "" {
			fmt.Fprintf(told, "accscope: no patch of finding %d, %s at %s: %s\n", i+1, findings[i].Rule, findings[i].Place(), why)
		}
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	text, outside, err := p.Unified(findings, folder)
	if err != nil {
		return err
	}
	if len(outside) > 0 {
		root := advice.SourceRoot(findings)
		if text, outside, err = p.Unified(findings, root); err != nil {
			return err
		}
		for _, file := range outside {
			fmt.Fprintf(told, "accscope: no patch of %s, which is not below %s\n", file, root)
		}
		fmt.Fprintf(told, "accscope: apply it in %s\n", root)
	}
	_, err = io.WriteString(w, text)
	return err
}
