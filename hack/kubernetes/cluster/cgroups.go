package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweeperVariable tells the command that it removes the control groups of a cluster, which it names.
const sweeperVariable = "LOADGEN_CLUSTER_SWEEPS"

// cgroups are the control groups of one node. No namespace ends with them, so that somebody must remove them.
type cgroups struct {
	name    string
	sweeper *exec.Cmd
	life    *os.File
}

// makeCgroups makes the root of a node's control groups in each hierarchy, and starts a process that removes them when
// this one has ended, whichever way.
func makeCgroups() (*cgroups, error) {
	name := "/loadgen-cluster-" + strconv.Itoa(os.Getpid())
	watched, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	sweeper := exec.Command(self)
	sweeper.Dir = "/"
	sweeper.Env = append(os.Environ(), sweeperVariable+"="+name)
	sweeper.Stdin, sweeper.Stderr = watched, os.Stderr
	// Signals to the group of this process are not meant for it.
	sweeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := sweeper.Start(); err != nil {
		return nil, err
	}
	watched.Close()
	made := &cgroups{name, sweeper, life}
	hierarchies, err := cgroupHierarchies()
	if err != nil {
		return nil, errors.Join(err, made.remove())
	}
	for _, hierarchy := range hierarchies {
		if err := os.Mkdir(hierarchy+name, 0o755); err != nil {
			return nil, errors.Join(err, made.remove())
		}
	}
	return made, nil
}

// remove returns when they are gone.
func (c *cgroups) remove() error {
	return errors.Join(c.life.Close(), c.sweeper.Wait())
}

// sweep is the life of the sweeper: it waits for the end of the process that started it.
func sweep(name string) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	_, _ = io.Copy(io.Discard, os.Stdin)
	hierarchies, err := cgroupHierarchies()
	// Processes of a namespace die soon after its first one.
	for deadline := time.Now().Add(30 * time.Second); err == nil; time.Sleep(50 * time.Millisecond) {
		var left []string
		for _, hierarchy := range hierarchies {
			left = append(left, removeTree(hierarchy+name)...)
		}
		if len(left) == 0 {
			return 0
		}
		if time.Now().After(deadline) {
			err = fmt.Errorf("not empty: %s", strings.Join(left, ", "))
		}
	}
	fmt.Fprintln(os.Stderr, "cluster: control groups were left behind:", err)
	return 1
}

// removeTree removes control groups from the leaves up; returns those that are in use.
func removeTree(group string) []string {
	var groups, left []string
	_ = filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			groups = append(groups, path)
		}
		return nil
	})
	for i := len(groups) - 1; i >= 0; i-- {
		if err := syscall.Rmdir(groups[i]); err != nil && !errors.Is(err, syscall.ENOENT) {
			left = append(left, groups[i])
		}
	}
	return left
}

// cgroupHierarchies are where control groups are mounted: once in version 2, for each controller in version 1.
func cgroupHierarchies() ([]string, error) {
	mounts, err := os.Open("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	defer mounts.Close()
	var found []string
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[2] != "cgroup" && fields[2] != "cgroup2" || strings.HasPrefix(fields[3], "ro,") {
			continue
		}
		found = append(found, fields[1])
	}
	if len(found) == 0 {
		return nil, errors.New("no control groups that can be written are mounted")
	}
	return found, nil
}
