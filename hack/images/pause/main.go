// Command pause holds the namespaces of a pod: it waits for a signal to end, and reaps what is left to it where it is
// the first process of all containers.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGINT, syscall.SIGTERM)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			ended, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err != nil || ended <= 0 {
				break
			}
		}
	}
}
