package monotonic

import (
	"fmt"
	"os"
	"testing"
)

func TestTheClockIsTheMachines(t *testing.T) {
	c := New()
	other := New()

	if apart := c.Now() - other.Now(); apart > 1e6 || apart < -1e6 {
		t.Errorf("two clocks are %d ns apart", apart)
	}
	var up float64
	if text, err := os.ReadFile("/proc/uptime"); err != nil {
		t.Fatal(err)
	} else if _, err := fmt.Sscanf(string(text), "%f", &up); err != nil {
		t.Fatal(err)
	}
	// The uptime counts time in suspend as well, which a machine that measures has none of.
	if seconds := float64(c.Now()) / 1e9; seconds > up+1 || seconds < up-60 {
		t.Errorf("%f s, and the machine is up for %f s", seconds, up)
	}
}
