package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// copyTree copies a folder with all in it but version control's and the one to leave out, with
// modes and times, so that what is built stays so. File systems that can share blocks do.
func copyTree(ctx context.Context, from, to, leave string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || leave != "" && path == leave) {
			return filepath.SkipDir
		}
		target := filepath.Join(to, name)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, info.Mode().Perm()|0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			points, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(points, target)
		case !info.Mode().IsRegular():
			return nil // a socket or a pipe
		}
		return copyFile(path, target, info)
	})
}

func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	if unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) != nil {
		_, err = io.Copy(out, in)
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// outcome is what a run gives.
type outcome struct {
	status int
	output []byte
	files  []comparedFile
}

type comparedFile struct {
	name    string
	content []byte
	missing bool
}

// outcomeOf runs a program.
func outcomeOf(ctx context.Context, folder string, environment []string, name string, args, files []string) (*outcome, error) {
	command := grouped(ctx, folder, environment, name, args...)
	var output bytes.Buffer
	command.Stdout = &output
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
	case err != nil:
		return nil, err
	}
	o := &outcome{status: command.ProcessState.ExitCode(), output: output.Bytes()}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(folder, file))
		o.files = append(o.files, comparedFile{file, content, err != nil})
	}
	return o, nil
}

// compare says what differs; "" where nothing does.
func (o *outcome) compare(other *outcome, tolerance float64) string {
	if o.status != other.status {
		return fmt.Sprintf("exit status %d in place of %d", other.status, o.status)
	}
	if !alike(o.output, other.output, tolerance) {
		return "standard output"
	}
	for i := range o.files {
		a, b := &o.files[i], &other.files[i]
		if a.missing != b.missing || !alike(a.content, b.content, tolerance) {
			return a.name
		}
	}
	return ""
}

// alike compares texts, their numbers with a tolerance; what is no text byte by byte.
func alike(a, b []byte, tolerance float64) bool {
	if bytes.Equal(a, b) || tolerance == 0 {
		return bytes.Equal(a, b)
	}
	as, bs := strings.Fields(string(a)), strings.Fields(string(b))
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if as[i] == bs[i] {
			continue
		}
		x, xErr := strconv.ParseFloat(strings.Trim(as[i], ",;:()="), 64)
		y, yErr := strconv.ParseFloat(strings.Trim(bs[i], ",;:()="), 64)
		if xErr != nil || yErr != nil || !(math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))) {
			return false
		}
	}
	return true
}
