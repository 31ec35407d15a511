// Package location is where a trace's file lies and whose it is: claiming a name for it
// without ever removing what is not ours, writing it elsewhere where its folder is on a
// network file system, and making it ready to be opened, whoever left it.
package location

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/collector/session"
	"golang.org/x/sys/unix"
)

// networkFileSystems are those on which SQLite's write-ahead log, which lives
// in shared memory, does not work between hosts or at all (statfs(2), f_type).
var networkFileSystems = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
	0x19830326: "BeeGFS", 0x00c36400: "Ceph", 0x5346414f: "AFS", 0x6b414653: "AFS", 0x01021997: "9P", 0x7461636f: "OCFS2",
	0x01161970: "GFS2", 0x65735546: "FUSE", 0xaad7aaea: "PanFS", 0x013111a8: "Ibrix",
}

// Placement says where a trace is built and where it goes.
type Placement struct {
	Final   string // where the user wants it
	Working string // where it is while it is written; Final, or in the temporary folder
	Reason  string // the network file system that made it so, "" if none
}

// Place decides where to build the trace that is to be at path. The answer is
// the same each time, so that an interrupted one is found again.
func Place(path string) (Placement, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Placement{}, err
	}
	folder := filepath.Dir(absolute)
	if declared(folder) {
		return place(absolute, NetworkFoldersVariable)
	}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return Placement{}, fmt.Errorf("cannot write a trace in %s: %w; create the folder or choose another", folder, err)
	}
	return place(absolute, networkFileSystems[int64(uint32(s.Type))])
}

// NetworkFoldersVariable is the environment variable that lists, separated by
// colons, folders that are on a network file system though statfs(2) does not
// tell.
const NetworkFoldersVariable = "ACCSCOPE_NETWORK_FOLDERS"

func declared(folder string) bool {
	for _, network := range filepath.SplitList(os.Getenv(NetworkFoldersVariable)) {
		inside, err := filepath.Rel(network, folder)
		if network != "" && err == nil && inside != ".." && !strings.HasPrefix(inside, "../") {
			return true
		}
	}
	return false
}

func place(absolute, network string) (Placement, error) {
	p := Placement{Final: absolute, Working: absolute, Reason: network}
	if network == "" {
		return p, nil
	}
	// The name can be guessed, so nobody else may have put something there.
	folder, err := session.Temporary()
	if err != nil {
		return p, fmt.Errorf("a trace for %s (%s) is written in the temporary folder first: %w", filepath.Dir(absolute), network, err)
	}
	sum := sha256.Sum256([]byte(absolute))
	p.Working = filepath.Join(folder, hex.EncodeToString(sum[:8])+".db")
	return p, nil
}

// Fetch brings a trace that was delivered back to where it is written, for a
// collector that goes on with it.
func (p Placement) Fetch() error {
	if p.Working == p.Final {
		return nil
	}
	if _, err := os.Stat(p.Working); err == nil {
		return nil
	}
	if there, err := os.Stat(p.Final); err != nil || there.Size() == 0 {
		return nil
	}
	if err := copyWhole(p.Final, p.Working); err != nil {
		return fmt.Errorf("cannot go on with the trace %s: %w", p.Final, err)
	}
	return nil
}

// Deliver moves a finished trace to its final place, atomically there.
func (p Placement) Deliver() error {
	if p.Working == p.Final {
		return nil
	}
	if err := copyWhole(p.Working, p.Final); err != nil {
		return fmt.Errorf("cannot move the trace to %s: %w; it stays at %s", p.Final, err, p.Working)
	}
	return os.Remove(p.Working)
}

// copyWhole copies a file to a place where it appears only when it is whole.
func copyWhole(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	info, err := in.Stat()
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Chmod(info.Mode().Perm()))
	}
	err = errors.Join(err, out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(out.Name()))
	}
	return err
}

// Relocate copies a trace that was begun, and that nobody has open, to another
// path, where nothing may be but an empty file. The old one stays, as far as it is at
// its own place: moved removes what was kept of it in the temporary folder alone, and the
// empty file that held its name.
func Relocate(from, to string) (moved func() error, err error) {
	source, err := Place(from)
	if err != nil {
		return nil, err
	}
	target, err := Place(to)
	if err != nil {
		return nil, err
	}
	if err := source.Fetch(); err != nil {
		return nil, err
	}
	if err := Settle(source.Working); err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal"} {
		if err := copyWhole(source.Working+suffix, target.Working+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("cannot copy the trace that was begun: %w", err)
		}
	}
	return func() error {
		if source.Working == source.Final {
			return nil
		}
		Unclaim(from)
		for _, suffix := range append(companions, "") {
			if err := os.Remove(source.Working + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return nil
	}, nil
}
