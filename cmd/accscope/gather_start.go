package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/accscope/accscope/collector/gather"
	"github.com/accscope/accscope/collector/session"
)

// printStart prints what starts the collector as a child of the shell that evaluates it, which
// can wait for it and whose end by a batch system is its, too. The shell goes on once the
// collector listens: its address comes through a pipe.
func (flags *gatherFlags) printStart() error {
	if err := flags.check(); err != nil {
		return usageError{err}
	}
	folder, err := session.Temporary()
	if err != nil {
		return err
	}
	pipe, err := os.MkdirTemp(folder, "start-*")
	if err != nil {
		return fmt.Errorf("cannot start the collector: %w", err)
	}
	pipe = filepath.Join(pipe, "address")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		return fmt.Errorf("cannot start the collector: %w", err)
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	words := []string{executable, "gather", "--tell=" + pipe}
	for _, word := range os.Args[2:] {
		if !strings.HasPrefix(word, "--start") {
			words = append(words, word)
		}
	}
	for i := range words {
		words[i] = shellWord(words[i])
	}
	_, err = fmt.Fprintf(stdout, "%s </dev/null &\nACCSCOPE_GATHER=$!\nif ACCSCOPE_TO=$(%s gather --told=%s); then export ACCSCOPE_TO; else unset ACCSCOPE_TO; fi\n",
		strings.Join(words, " "), words[0], shellWord(pipe))
	return err
}

// shellWord is a text as one word for any shell that evaluates it. The package shell writes for
// people, what steers a terminal as $'…', which dash does not know.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// tellAddress writes the collector's address into the pipe of --start, nothing where it could
// not be opened. The pipe stays open, and has it until it is read.
func (flags *gatherFlags) tellAddress(g *gather.Gather) error {
	if flags.tell == "" {
		return nil
	}
	pipe, err := os.OpenFile(flags.tell, os.O_RDWR, 0) // whether its reader is there or not
	if err != nil {
		return err
	}
	flags.pipe = pipe
	address := ""
	if g != nil {
		address = g.Address()
	}
	_, err = pipe.WriteString(address + "\n")
	return err
}

// awaitAddress prints the address that comes through the pipe, which is over then. It fails
// where the collector could not start, which has said why.
func awaitAddress(path string) error {
	defer os.RemoveAll(filepath.Dir(path)) //nolint:errcheck // a pipe among temporary things
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer pipe.Close()
	if err := pipe.SetReadDeadline(time.Now().Add(startPatience)); err != nil {
		return err
	}
	address, err := bufio.NewReader(pipe).ReadString('\n')
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("the collector does not start; the programs keep their traces on their nodes")
	case err != nil:
		return err
	case address == "\n":
		return statusError{status: exitFailure}
	}
	_, err = io.WriteString(stdout, address)
	return err
}

// startPatience is how long a collector may take to listen.
const startPatience = 2 * time.Minute
