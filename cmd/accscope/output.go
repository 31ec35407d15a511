package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mayWrite says why a file must not be written.
func mayWrite(output, trace string, force bool) error {
	there, err := os.Stat(output)
	if err != nil {
		return nil // it is not there, or writing says what is wrong
	}
	if in, err := os.Stat(trace); err == nil && os.SameFile(there, in) {
		return fmt.Errorf("%s is the trace itself; choose another name with -o", output)
	}
	if there.IsDir() {
		return fmt.Errorf("%s is a folder; give a file in it", output)
	}
	if !force && there.Mode().IsRegular() {
		return fmt.Errorf("%s exists; overwrite it with --force, or choose another name with -o", output)
	}
	return nil
}

// writeAtomically writes a file that appears under its name only when whole. A
// device or pipe is written directly.
func writeAtomically(path string, write func(io.Writer) error) (err error) {
	if there, err := os.Stat(path); err == nil && !there.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return unwritable(path, err)
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := createBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			err = errors.Join(underName{err, file.Name(), path}, os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// createBeside makes a new file next to path, which others may read if the user's
// umask lets them: os.CreateTemp makes it the user's alone.
func createBeside(path string) (*os.File, error) {
	for number := os.Getpid(); ; number++ {
		file, err := os.OpenFile(beside(path, number), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, unwritable(path, err)
		}
	}
}

// unwritable says that path cannot be written, in place of the hidden name that was
// tried.
func unwritable(path string, err error) error {
	var tried *fs.PathError
	if errors.As(err, &tried) {
		return fmt.Errorf("cannot write %s: %w; choose another place with -o", path, tried.Err)
	}
	return err
}

// underName is an error about what is made under a hidden name, said of the name that it
// would have got.
type underName struct {
	error
	hidden, name string
}

func (e underName) Error() string { return strings.ReplaceAll(e.error.Error(), e.hidden, e.name) }
func (e underName) Unwrap() error { return e.error }

// mayWriteFolder says where an export's folder is, or why it must not be written. One that
// exists has to be empty; with force it may hold what such an export holds, and nothing
// else: it is replaced.
func mayWriteFolder(output string, force bool, holds []string) (string, error) {
	there, err := os.Stat(output)
	if err != nil {
		return filepath.Clean(output), nil // it is not there, or writing says what is wrong
	}
	if !there.IsDir() {
		return "", fmt.Errorf("%s is no folder; choose another name with -o", output)
	}
	if output, err = filepath.EvalSymlinks(output); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(output)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if !slices.Contains(holds, entry.Name()) {
			return "", fmt.Errorf("%s holds %s, which is no part of such an export; choose another folder with -o", output, entry.Name())
		}
		if !force {
			return "", fmt.Errorf("%s exists; overwrite it with --force, or choose another name with -o", output)
		}
	}
	return output, nil
}

// writeFolder writes a folder that appears under its name only when whole, instead of
// what is there.
func writeFolder(path string, write func(folder string) error) (err error) {
	making, err := makeBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(underName{err, making, path}, os.RemoveAll(making))
		}
	}()
	if err := write(making); err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(making, path)
	}
	old, err := makeBeside(path)
	if err != nil {
		return err
	}
	replaced := filepath.Join(old, filepath.Base(path))
	if err := os.Rename(path, replaced); err != nil {
		return errors.Join(err, os.Remove(old))
	}
	if err := os.Rename(making, path); err != nil {
		return errors.Join(err, os.Rename(replaced, path), os.Remove(old))
	}
	return os.RemoveAll(old)
}

// makeBeside makes a new folder next to path.
func makeBeside(path string) (string, error) {
	for number := os.Getpid(); ; number++ {
		name := beside(path, number)
		if err := os.Mkdir(name, 0o777); !errors.Is(err, fs.ErrExist) {
			return name, unwritable(path, err)
		}
	}
}

// beside is a hidden name next to path.
func beside(path string, number int) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d", filepath.Base(path), number))
}
