package location

import (
	"errors"
	"io/fs"
	"os"

	"github.com/accscope/accscope/collector/store/schema"
)

// KeepsNothing says whether the file at path is empty, or a trace whose writer was killed before
// it had kept anything.
func KeepsNothing(path string) (bool, error) {
	identity, err := Identity(path)
	if err != nil || identity != "" {
		return false, err
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return err == nil, err
	}
	conn, err := schema.OpenReadOnly(path)
	if err != nil {
		return false, schema.Explain(path, err)
	}
	nothing := keepsNothing(conn)
	return nothing, schema.Explain(path, conn.Close())
}

// Identity is what the trace at path says of whose it is: SetMeta's identity, ""
// where nothing is or its writer had not kept anything by then.
func Identity(path string) (identity string, err error) {
	place, err := Place(path)
	if err != nil {
		return "", err
	}
	file := place.Working
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		file = place.Final
	}
	if err := Settle(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return "", err
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		return "", err
	}
	conn, err := schema.OpenReadOnly(file)
	if err != nil {
		return "", schema.Explain(path, err)
	}
	defer func() { err = errors.Join(err, schema.Explain(path, conn.Close())) }()
	if keepsNothing(conn) {
		return "", nil
	}
	if _, err := schema.CheckVersion(conn, path); err != nil {
		return "", err
	}
	identity, err = schema.Text(conn, "SELECT value FROM meta WHERE key = 'identity'")
	return identity, schema.Explain(path, err)
}
