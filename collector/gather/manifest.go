package gather

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ManifestFile is the file of a result that describes it.
const ManifestFile = "manifest.json"

// manifestVersion is that of the file.
const manifestVersion = 1

// manifest describes a result.
type manifest struct {
	Version  int       `json:"version"`
	Gather   string    `json:"gather"` // the collector's name
	Job      string    `json:"job"`
	Address  string    `json:"address"`        // where agents reach it
	Peer     string    `json:"peer,omitempty"` // where the job's other collectors do
	Began    time.Time `json:"began"`
	Complete bool      `json:"complete"`
	EndedBy  string    `json:"ended_by,omitempty"`
	Summary

	path string
}

// openManifest reads that of a result that was begun, or begins one. The error wraps ErrTaken
// where the folder cannot get this job's.
func openManifest(o *Options) (*manifest, error) {
	folder := o.Folder
	m := &manifest{path: filepath.Join(folder, ManifestFile)}
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("cannot read the result's folder: %w", err)
		}
		if len(entries) > 0 {
			return nil, fmt.Errorf("%s is not empty and no result of gather: %w", folder, ErrTaken)
		}
		m.Version, m.Gather, m.Job, m.Began = manifestVersion, newName(), jobOf(o, nil), time.Now()
		return m, m.save()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the result: %w", err)
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", m.path, err)
	}
	switch job := jobOf(o, m); {
	case m.Version != manifestVersion:
		return nil, fmt.Errorf("%s is of version %d, this accscope writes %d", m.path, m.Version, manifestVersion)
	case m.Complete:
		return nil, fmt.Errorf("%s holds a result that is complete: %w", folder, ErrTaken)
	case m.Job != job:
		return nil, fmt.Errorf("%s holds the result of job %q, not of %q: %w", folder, m.Job, job, ErrTaken)
	}
	return m, nil
}

// save writes the file, whole or not at all.
func (m *manifest) save() error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(m.path+".new", append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return os.Rename(m.path+".new", m.path)
}
