package cuda

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The driver's compiler takes seconds for a large program. What it made is kept in
// $XDG_CACHE_HOME/accscope/device-code (else in ~/.cache), a file for each text, set of
// options, version of the driver and compute capability: the driver's own cache need not
// have what was linked from several texts. Of one text, which is compiled whole, the text
// is kept as it was changed, by which the driver's cache has the code. A file that is not as it was written is
// compiled anew; that nothing can be kept is no error. What was read from the texts lies
// beside it, so that a process that finds the code reads no text.

// codeCacheBytes is how much is kept: beyond that, what was used longest ago goes.
const codeCacheBytes = 256 << 20

const codeCacheMagic = "accscope device code 2\n"

// codeCache is the folder; "" keeps nothing.
type codeCache string

// openCodeCache finds the folder, which only its owner may use.
func openCodeCache(lookup func(string) (string, bool)) codeCache {
	if off, _ := lookup("CUDA_CACHE_DISABLE"); off == "1" { // of the driver's own cache
		return ""
	}
	base, _ := lookup("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) {
		home, _ := lookup("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		base = filepath.Join(home, ".cache")
	}
	folder := filepath.Join(base, "accscope", "device-code")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	if at, err := os.Lstat(folder); err != nil || !at.IsDir() || at.Mode().Perm()&0o077 != 0 || !ownedByUs(at) {
		return ""
	}
	return codeCache(folder)
}

func ownedByUs(at fs.FileInfo) bool {
	stat, ok := at.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// codeKey names what the driver's compiler makes of some texts.
func codeKey(texts []string, facts ...any) string {
	digest := sha256.New()
	fmt.Fprintln(digest, facts...)
	for _, text := range texts {
		fmt.Fprintln(digest, len(text))
		_, _ = io.WriteString(digest, text) // a digest takes all
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// get gives the code of a key and what was read of its text; no code if there is none.
func (c codeCache) get(key string) (code []byte, about facts) {
	if c == "" {
		return nil, facts{}
	}
	path := filepath.Join(string(c), key)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, facts{}
	}
	rest, ok := bytes.CutPrefix(content, []byte(codeCacheMagic+key+"\n"))
	if ok && len(rest) > sha256.Size {
		sum, rest := rest[:sha256.Size], rest[sha256.Size:]
		first, code, _ := bytes.Cut(rest, []byte("\n"))
		if is := sha256.Sum256(rest); bytes.Equal(is[:], sum) && json.Unmarshal(first, &about) == nil && len(code) > 0 {
			// So that it counts as used; the file may be gone by now.
			_ = os.Chtimes(path, time.Now(), time.Now())
			return code, about
		}
	}
	_ = os.Remove(path) // damaged: it is written anew
	return nil, facts{}
}

// put keeps the code of a key. The file appears whole or not at all.
func (c codeCache) put(key string, code []byte, about facts) {
	if c == "" || len(code) == 0 || len(code) > codeCacheBytes {
		return
	}
	file, err := os.CreateTemp(string(c), temporaryCode+"*") // mode 0600
	if err != nil {
		return
	}
	first, unsaid := json.Marshal(about)
	rest := slices.Concat(first, []byte("\n"), code)
	sum := sha256.Sum256(rest)
	_, err = file.Write(slices.Concat([]byte(codeCacheMagic+key+"\n"), sum[:], rest))
	if err = cmp.Or(unsaid, err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(string(c), key))
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return
	}
	c.prune()
}

// A file that is being written has a name of its own; after so long, nobody is at it.
const (
	temporaryCode = ".new-"
	staleCode     = time.Hour
)

// prune removes what was used longest ago, until the rest is small enough.
func (c codeCache) prune() {
	entries, err := os.ReadDir(string(c))
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, entry := range entries {
		if at, err := entry.Info(); err == nil && at.Mode().IsRegular() {
			if strings.HasPrefix(at.Name(), temporaryCode) && time.Since(at.ModTime()) < staleCode {
				continue // another process is writing it
			}
			files = append(files, at)
			total += at.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, at := range files {
		if total <= codeCacheBytes && !strings.HasPrefix(at.Name(), temporaryCode) {
			continue
		}
		if os.Remove(filepath.Join(string(c), at.Name())) == nil {
			total -= at.Size()
		}
	}
}
