package main

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
)

// send is when a stream was sent, in nanoseconds of CLOCK_MONOTONIC, which every process of the machine shares.
type send struct {
	prompt  int64 // the first number in the request's prompt, by which a client knows its request again
	arrived int64 // the request's head has been read
	first   int64 // before the write of the first token
	ended   int64 // before the write of the end
}

// sends are those of all streams that were sent whole. Safe for concurrent use.
type sends struct {
	mutex sync.Mutex
	all   []send
}

func (s *sends) add(one send) {
	s.mutex.Lock()
	s.all = append(s.all, one)
	s.mutex.Unlock()
}

// write answers with a line of CSV for each stream, in the order in which they ended.
func (s *sends) write(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	all := s.all
	s.mutex.Unlock()
	fmt.Fprintln(w, "prompt,arrived_ns,first_ns,ended_ns")
	for _, one := range all {
		fmt.Fprintf(w, "%d,%d,%d,%d\n", one.prompt, one.arrived, one.first, one.ended)
	}
}

// firstNumber is the first run of digits after "prompt" in a request's body; -1 if there is none.
func firstNumber(body []byte) int64 {
	const name = `"prompt"`
	at := bytes.Index(body, []byte(name))
	if at < 0 {
		return -1
	}
	number := int64(-1)
	for _, c := range body[at+len(name):] {
		if c >= '0' && c <= '9' {
			number = max(number, 0)*10 + int64(c-'0')
		} else if number >= 0 {
			break
		}
	}
	return number
}
