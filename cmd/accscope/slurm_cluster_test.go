package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// slurmUser is who gives jobs, within the cluster alone.
const slurmUser = 61234

// slurm is a cluster of Slurm's own programs: a head and the nodes n1 to n3.
type slurm struct {
	base    string
	head    int // the first process of the head
	scripts map[string]string
}

// marking is the program of the jobs: it says that it has begun by a file of job, start and
// rank, and computes until there is the file "end".
const marking = `#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *variable(const char *name) { return getenv(name) ? getenv(name) : "0"; }

int main(void) {
	double field[256] = {0};
	char mark[4096], end[4096];
	snprintf(mark, sizeof mark, "%s/%s.%s.%s", getenv("TEST_MARKS"), variable("SLURM_JOB_ID"), variable("SLURM_RESTART_COUNT"), variable("SLURM_PROCID"));
	snprintf(end, sizeof end, "%s/end", getenv("TEST_MARKS"));
	for (int step = 0; access(end, F_OK) != 0; step++) {
#pragma acc parallel loop copy(field)
		for (int i = 0; i < 256; i++) field[i] += i;
		if (step == 5) {
			FILE *file = fopen(mark, "w");
			if (!file || fclose(file)) return 1;
		}
		usleep(50000);
	}
	return 0;
}
`

// noSlurm skips the test; make test-all names the reason.
func noSlurm(t *testing.T, format string, values ...any) {
	t.Helper()
	why := fmt.Sprintf(format, values...)
	if file := os.Getenv("ACCSCOPE_SKIPPED"); file != "" {
		if err := os.WriteFile(file, []byte(why+"\n"), 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Skip(why)
}

// startSlurm starts a cluster, which ends with the test, however that ends. It has namespaces
// of its own: no other process sees its addresses, files and processes.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	for _, program := range []string{"slurmctld", "slurmd", "sbatch", "munged", "ip", "nsenter", "unshare", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil {
			noSlurm(t, "a cluster of Slurm needs %s (.ci/setup slurm)", program)
		}
	}
	if os.Getuid() != 0 {
		noSlurm(t, "a cluster of Slurm needs root")
	}
	base, err := os.MkdirTemp("/var/tmp", "accscope-slurm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the logs are in %s", base)
			return
		}
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	s := &slurm{base: base, scripts: map[string]string{}}
	s.write(t)
	command := exec.Command(filepath.Join(base, "cluster.sh"), "head", base)
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
	}
	lifeline, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(base, "log", "head"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	if err := command.Start(); err != nil {
		noSlurm(t, "a cluster of Slurm needs namespaces: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		command.Wait() //nolint:errcheck // its end is what counts
		close(ended)
	}()
	t.Cleanup(func() {
		lifeline.Close()
		command.Process.Kill() //nolint:errcheck // it may have ended
		<-ended
	})
	s.head = command.Process.Pid
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		select {
		case <-ended:
			noSlurm(t, "no cluster of Slurm can be here: %s", s.log(t, "head"))
		default:
		}
		if states, err := s.as(0, "sinfo", "--noheader", "--Node", "--format=%T").Output(); err == nil && string(states) == "idle\nidle\nidle\n" {
			return s
		}
		if time.Now().After(end) {
			noSlurm(t, "the nodes of a cluster of Slurm do not come up: %s %s", s.log(t, "n1"), s.log(t, "slurmctld.log"))
		}
	}
}

// write makes the cluster's folder: its configuration, accscope, the program and the scripts.
func (s *slurm) write(t *testing.T) {
	t.Helper()
	file := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(s.base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, name := range []string{"cluster.sh", "slurm.conf", "gres.conf"} {
		to, mode := "etc/"+name, os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			to, mode = name, 0o755
		}
		file(to, strings.ReplaceAll(read(filepath.Join("testdata/slurm", name)), "BASE/", s.base+"/"), mode)
	}
	who := fmt.Sprint(slurmUser)
	file("etc/passwd", read("/etc/passwd")+"job:x:"+who+":"+who+"::"+s.base+"/home:/bin/bash\n", 0o644)
	file("etc/group", read("/etc/group")+"job:x:"+who+":\n", 0o644)
	file("etc/hosts", "127.0.0.1 localhost\n10.77.0.1 head\n10.77.0.11 n1\n10.77.0.12 n2\n10.77.0.13 n3\n", 0o644)
	file("log/head", "", 0o644)
	file("bin/accscope", read(accscope), 0o755)
	libraries, err := filepath.Glob(filepath.Join(project, "lib", "*.so"))
	if err != nil {
		t.Fatal(err)
	}
	for _, library := range libraries {
		file("lib/"+filepath.Base(library), read(library), 0o755)
	}
	file("heat.c", marking, 0o644)
	execute(t, s.base, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "heat", "heat.c").must(t)
	for _, name := range []string{"home", "state"} {
		if err := os.Mkdir(filepath.Join(s.base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{s.base: 0o755, filepath.Join(s.base, "heat"): 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range batchScripts(t) {
		if script.system == "SBATCH" {
			s.scripts[script.page] = script.text
		}
	}
	if len(s.scripts) != 2 {
		t.Fatalf("scripts of Slurm are on %d pages, want 2", len(s.scripts))
	}
}

// log is the end of a file of the cluster's.
func (s *slurm) log(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.base, "log", name))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-800):])
}

// as is a command on the head, by a user.
func (s *slurm) as(user int, words ...string) *exec.Cmd {
	command := exec.Command("nsenter", append([]string{"--target", fmt.Sprint(s.head), "--mount", "--uts", "--net", "--pid", "--ipc",
		"setpriv", "--reuid", fmt.Sprint(user), "--regid", fmt.Sprint(user), "--clear-groups"}, words...)...)
	command.Dir = "/"
	command.Env = []string{"PATH=" + s.base + "/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + s.base + "/home", "LC_ALL=C.UTF-8", "SLURM_CONF=" + s.base + "/etc/slurm.conf",
		"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_DEVICES=4"}
	if user != 0 {
		command.Env = append(command.Env, "USER=job", "LOGNAME=job")
	}
	return command
}

// must runs a command of Slurm's on the head and gives what it prints.
func (s *slurm) must(t *testing.T, words ...string) string {
	t.Helper()
	output, err := s.as(0, words...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", words, err, output)
	}
	return strings.TrimSpace(string(output))
}

// slurmFolder is where jobs of one test are given and leave their results.
type slurmFolder struct {
	*slurm
	t    *testing.T
	path string
}

func (s *slurm) folder(t *testing.T) *slurmFolder {
	t.Helper()
	path, err := os.MkdirTemp(filepath.Join(s.base, "home"), "jobs-")
	if err == nil {
		err = os.Mkdir(filepath.Join(path, "marks"), 0o755)
	}
	for _, owned := range []string{path, filepath.Join(path, "marks")} {
		if err == nil {
			err = os.Chown(owned, slurmUser, slurmUser)
		}
	}
	if err == nil {
		err = os.Symlink(filepath.Join(s.base, "heat"), filepath.Join(path, "heat"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &slurmFolder{s, t, path}
}

// give gives a script to Slurm, as its user would, and returns the job's number.
func (f *slurmFolder) give(script string, flags ...string) string {
	f.t.Helper()
	command := f.as(slurmUser, append([]string{"sbatch", "--parsable", "--output=out-%j-%N", "--open-mode=append", "--chdir=" + f.path}, flags...)...)
	command.Env = append(command.Env, "TEST_MARKS="+filepath.Join(f.path, "marks"))
	command.Stdin = strings.NewReader(script)
	output, err := command.CombinedOutput()
	if err != nil {
		f.t.Fatalf("sbatch: %v: %s", err, output)
	}
	return strings.TrimSpace(string(output))
}

// began waits until so many ranks of all jobs, of their start or restart, have begun.
func (f *slurmFolder) began(start, ranks int) {
	f.t.Helper()
	f.until(fmt.Sprintf("%d ranks that begin", ranks), func() bool {
		marks, err := filepath.Glob(filepath.Join(f.path, "marks", fmt.Sprintf("*.%d.*", start)))
		return err == nil && len(marks) >= ranks
	})
}

// finish has the programs end.
func (f *slurmFolder) finish() {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.path, "marks", "end"), nil, 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// over waits until nothing of a job runs and returns its state.
func (f *slurmFolder) over(job string) (state string) {
	f.t.Helper()
	f.until("the end of job "+job, func() bool {
		output, err := f.as(0, "squeue", "--noheader", "--states=all", "--format=%T", "--jobs="+job).Output()
		if err != nil {
			return false
		}
		words := strings.Fields(string(output))
		for _, state = range words {
			switch state {
			case "PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED", "SUSPENDED":
				return false
			}
		}
		return len(words) > 0
	})
	return state
}

func (f *slurmFolder) until(what string, there func() bool) {
	f.t.Helper()
	for end := time.Now().Add(patience); !there(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("the test waits in vain for %s: %s\n%s\n%s", what, f.said(), f.must(f.t, "squeue"), f.log(f.t, "slurmctld.log"))
		}
	}
}

// said is what the scripts and their programs printed.
func (f *slurmFolder) said() string {
	var all bytes.Buffer
	files, err := filepath.Glob(filepath.Join(f.path, "out-*"))
	if err != nil {
		f.t.Error(err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			f.t.Error(err)
			continue
		}
		fmt.Fprintf(&all, "%s: ", filepath.Base(name))
		if _, err := io.Copy(&all, file); err != nil {
			f.t.Error(err)
		}
		file.Close()
	}
	return all.String()
}
