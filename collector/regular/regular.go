// Package regular opens regular files, and nothing else: what lies in a folder
// that may be anybody's can be a pipe, which blocks for ever, a device, which may
// do anything, or a link to something that nobody meant.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens the regular file at path with os.OpenFile's flags, none of which
// creates one. A link is no regular file.
func Open(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		if info, statErr := os.Lstat(path); statErr == nil {
			err = irregular(path, info.Mode())
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(path, info.Mode())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func irregular(path string, mode fs.FileMode) error {
	return fmt.Errorf("%s is %s, no regular file", path, Kind(mode))
}

// Kind is what a file of a mode is, in words.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
