package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/nvidia"
)

// openWith opens a device that has code, on a driver whose compiler works or not.
func openWith(t *testing.T, cache string, compiles bool, variables map[string]string) error {
	t.Helper()
	t.Setenv("CUDA_CACHE_DISABLE", "0")
	all := map[string]string{"XDG_CACHE_HOME": cache, "ACCSCOPE_STANDIN_FAIL": ""}
	if !compiles {
		// The clock's code, the code with stamps, the code without.
		all["ACCSCOPE_STANDIN_FAIL"] = "cuModuleLoadDataEx:1:218,cuModuleLoadDataEx:2:218,cuModuleLoadDataEx:3:218," +
			"cuLinkCreate_v2:1:218,cuLinkCreate_v2:2:218,cuLinkCreate_v2:3:218"
	}
	for name, value := range variables {
		all[name] = value
	}
	d, err := loaded{with(t, all), true}.Open(0, func(device.Activity, bool) {})
	if d != nil {
		if closed := d.Close(); closed != nil {
			t.Error(closed)
		}
	}
	return err
}

// kept lists the files of a cache.
func kept(t *testing.T, cache string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "accscope", "device-code", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCodeIsKept compiles a program's code once: for the same driver, kind of GPU and
// options it is not done again, also of the code that takes times.
func TestCodeIsKept(t *testing.T) {
	cache := t.TempDir()
	if err := openWith(t, cache, true, nil); err != nil {
		t.Fatal(err)
	}
	files := kept(t, cache)
	if len(files) == 0 {
		t.Fatal("nothing was kept")
	}
	for _, file := range files {
		if at, err := os.Stat(file); err != nil || at.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, at.Mode(), err)
		}
	}
	if at, err := os.Stat(filepath.Dir(files[0])); err != nil || at.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", at.Mode(), err)
	}
	if err := openWith(t, cache, false, nil); err != nil {
		t.Errorf("it was compiled again: %v", err)
	}
	for name, variables := range map[string]map[string]string{
		"another driver":      {"ACCSCOPE_STANDIN_VERSION": "12080"},
		"another kind of GPU": {"ACCSCOPE_STANDIN_CAPABILITY": "80"},
		"other options":       {jitVariable: "-O1"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := openWith(t, cache, false, variables); err == nil {
				t.Error("it was not compiled")
			}
		})
	}
}

// TestDamagedCode compiles anew what is not as it was written, and keeps that.
func TestDamagedCode(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":       func(b []byte) []byte { return b[:len(b)/2] },
		"empty":     func([]byte) []byte { return nil },
		"changed":   func(b []byte) []byte { b[len(b)-2] ^= 1; return b },
		"no digest": func(b []byte) []byte { return b[:len(codeCacheMagic)+70] },
		"no code":   func(b []byte) []byte { return b[:len(codeCacheMagic)+65+32] },
		"other":     func(b []byte) []byte { return bytes.Replace(b, []byte("code 2"), []byte("code 1"), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			if err := openWith(t, cache, true, nil); err != nil {
				t.Fatal(err)
			}
			files := kept(t, cache)
			for _, file := range files {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, damage(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := openWith(t, cache, false, nil); err == nil {
				t.Error("what is damaged was used")
			}
			if err := openWith(t, cache, true, nil); err != nil {
				t.Fatal(err)
			}
			if err := openWith(t, cache, false, nil); err != nil {
				t.Errorf("it was not kept again: %v", err)
			}
		})
	}
}

// TestCodeCannotBeKept has programs run all the same.
func TestCodeCannotBeKept(t *testing.T) {
	open := t.TempDir()
	if err := os.MkdirAll(filepath.Join(open, "accscope", "device-code"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cache := range map[string]string{"open to others": open, "no folder": file, "not absolute": "here"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", "")
			if err := openWith(t, cache, true, nil); err != nil {
				t.Fatal(err)
			}
			if files := kept(t, cache); len(files) > 0 {
				t.Errorf("kept all the same: %v", files)
			}
		})
	}
}

// TestPrune removes what was used longest ago when there is too much.
func TestPrune(t *testing.T) {
	c := codeCache(t.TempDir())
	write := func(name string, bytes int64, age time.Duration) {
		t.Helper()
		path := filepath.Join(string(c), name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, bytes); err != nil { // takes no space
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("old", codeCacheBytes/2, 3*time.Hour)
	write("older", codeCacheBytes/2, 4*time.Hour)
	write("recent", codeCacheBytes/4, time.Minute)
	write(temporaryCode+"given-up", 10, 2*time.Hour)
	write(temporaryCode+"being-written", 10, time.Minute)
	c.put("new", []byte("code"), facts{Kernels: map[string]nvidia.Facts{"k": {Known: true, Writes: []int{0, 2}}}, Stamped: []string{"k"}})
	for name, want := range map[string]bool{"old": true, "older": false, "recent": true, "new": true,
		temporaryCode + "given-up": false, temporaryCode + "being-written": true} {
		if _, err := os.Stat(filepath.Join(string(c), name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
	if code, about := c.get("new"); string(code) != "code" || !reflect.DeepEqual(about, facts{Kernels: map[string]nvidia.Facts{"k": {Known: true, Writes: []int{0, 2}}}, Stamped: []string{"k"}}) {
		t.Errorf("what was put is not what there is: %q, %+v", code, about)
	}
}
