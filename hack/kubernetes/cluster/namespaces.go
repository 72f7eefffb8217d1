package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// insideVariable tells the command that it is the first process of the namespaces.
const insideVariable = "LOADGEN_CLUSTER_INSIDE"

// startInside starts this program again as the first process of new namespaces, with the listener as descriptor 3. It
// dies with this process.
func startInside(variables []string, listener *os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	inside := exec.Command(self)
	inside.Env = append(append(os.Environ(), insideVariable+"=1"), variables...)
	inside.Stdout, inside.Stderr = os.Stdout, os.Stderr
	inside.ExtraFiles = []*os.File{listener}
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true,
	}
	if os.Geteuid() != 0 {
		inside.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		inside.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		inside.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	// The death signal comes when the starting thread ends, not the process: this thread is kept.
	runtime.LockOSThread()
	if err := inside.Start(); err != nil {
		return nil, fmt.Errorf("new namespaces: %w (they need root, or user namespaces for everybody)", err)
	}
	return inside, nil
}

// isolate makes the new namespaces usable and makes sure that no packet can leave them.
func isolate() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return confined()
}

func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback)
}

// confined asks the kernel for a route to addresses that are reserved for documentation. Connecting a datagram socket
// sends nothing.
func confined() error {
	for _, address := range []string{"192.0.2.1:9", "[2001:db8::1]:9"} {
		connection, err := net.Dial("udp", address)
		if err == nil {
			connection.Close()
			return fmt.Errorf("there is a route to %s: packets could leave the machine", address)
		}
		if !errors.Is(err, unix.ENETUNREACH) && !errors.Is(err, unix.EADDRNOTAVAIL) && !errors.Is(err, unix.EAFNOSUPPORT) {
			return fmt.Errorf("whether there is a route to %s: %w", address, err)
		}
	}
	return nil
}
