package convert

import (
	"errors"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
)

// Complete completes an archive whose rows have come without a trace (write.CreateArchive),
// once its index is finished: with the copies for other readers and the manifest.
func Complete(to *archive.Writer) (err error) {
	trace, err := store.Open(to.Index())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	meta, err := trace.Facts()
	if err != nil {
		return err
	}
	nobody, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return err
	}
	c := &converter{trace: trace, conn: trace.Conn(), to: to}
	if err := errors.Join(c.copies(nobody, "", true), nobody.Close()); err != nil {
		return err
	}
	return to.Finish(meta.Facts["identity"], meta.Complete)
}
