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
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// copyTree copies a folder with all in it but version control's and the one to leave out, with
// modes and times, so that what is built stays so. File systems that can share blocks do. Links
// lead to the same places, but those that lead into the folder lead into the copy. All three
// paths are without links.
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
			points, err := linkInCopy(from, path)
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

// linkInCopy is what a link in a folder is to point to in a copy of it: to the same place
// outside of the folder, or to what the copy has of the one inside.
func linkInCopy(from, path string) (string, error) {
	points, err := os.Readlink(path)
	if err != nil {
		return "", err
	}
	stays := true
	hops := 0
	place, err := follow(filepath.Dir(path), points, &hops, func(at string) { stays = stays && nameBelow(from, at) != "" })
	switch {
	case err != nil || stays: // one that leads to itself stays that
		return points, nil
	case nameBelow(from, place) != "":
		return filepath.Rel(filepath.Dir(path), place)
	}
	return place, nil
}

// mostHops is how many links a path may go through, as of Linux.
const mostHops = 40

// follow is the place that a path means in a folder, without links; what of it does not exist
// has none. It tells each place on the way.
func follow(folder, path string, hops *int, told func(string)) (string, error) {
	at := folder
	if filepath.IsAbs(path) {
		at = "/"
		told(at)
	}
	for part := range strings.SplitSeq(path, "/") {
		next := filepath.Join(at, part)
		if part != "" && part != "." && part != ".." {
			if points, err := os.Readlink(next); err == nil {
				if *hops++; *hops > mostHops {
					return "", fmt.Errorf("%s: %w", next, syscall.ELOOP)
				}
				if next, err = follow(at, points, hops, told); err != nil {
					return "", err
				}
			}
		}
		at = next
		told(at)
	}
	return at, nil
}

// nameBelow is a path's name in a folder, "." for the folder itself; "" where it is not in it.
func nameBelow(folder, path string) string {
	if name, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(name) {
		return name
	}
	return ""
}

// inFolder is the name in a folder without links of a path that leads into it, by whatever
// links; "" of one that does not. A link in the folder keeps its name.
func inFolder(folder, path string) (string, error) {
	hops := 0
	place, err := follow(folder, path, &hops, func(string) {})
	if err != nil || nameBelow(folder, place) == "" {
		return "", err
	}
	parent, err := follow(folder, filepath.Dir(path), &hops, func(string) {})
	if name := nameBelow(folder, parent); name != "" && err == nil {
		return filepath.Join(name, filepath.Base(path)), nil
	}
	return nameBelow(folder, place), err
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
	status  int
	seconds float64 // it took
	output  []byte
	files   []comparedFile
}

type comparedFile struct {
	name    string
	content []byte
	missing bool
}

// outcomeOf runs a program.
func outcomeOf(ctx context.Context, folder string, environment []string, name string, args, files []string) (*outcome, error) {
	output, err := unnamed()
	if err != nil {
		return nil, err
	}
	defer output.Close()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env, command.Stdout = folder, environment, output
	begin := time.Now()
	err = alone(command)
	took := time.Since(begin)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
	case err != nil:
		return nil, err
	}
	o := &outcome{status: command.ProcessState.ExitCode(), seconds: took.Seconds()}
	if o.output, err = readAgain(output); err != nil {
		return nil, err
	}
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
