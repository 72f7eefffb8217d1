"""The values of all rounds, and the targets that they are held against."""

import statistics
from dataclasses import dataclass
from typing import Callable

# Above this share of its core the stub, and not the client, sets a rate.
STUB_LIMITED = 0.9


@dataclass(frozen=True)
class Quantity:
    """What was measured, and the format of its value."""

    name: str
    unit: str
    decimals: int

    def shown(self, value):
        return f"{value:.{self.decimals}f}"


class Results:
    """Values by case, client and quantity: one for each round, and none where a round has none."""

    def __init__(self):
        self.values = {}
        self.stub_shares = {}
        self.failures = []
        self.round = 1

    def add(self, case, client, quantity, value, stub_share=None):
        if value is None:
            return
        key = (case, client, quantity)
        self.values.setdefault(key, {})[self.round] = value
        if stub_share is not None:
            self.stub_shares.setdefault(key, []).append(stub_share)

    def fail(self, case, client, message):
        self.failures.append((self.round, case, client, message))

    def of(self, case, client, quantity):
        """Values by round."""
        return self.values.get((case, client, quantity), {})

    def ratios(self, case, quantity, first, second, second_case=None):
        """The rounds' ratios of one client to another, so that a machine that changes its speed between rounds does not
        change them."""
        ones, others = self.of(case, first, quantity), self.of(second_case or case, second, quantity)
        return [ones[r] / others[r] for r in sorted(ones) if others.get(r)]

    def stub_limited(self, case, client, quantity):
        shares = self.stub_shares.get((case, client, quantity))
        return bool(shares) and statistics.median(shares) > STUB_LIMITED


@dataclass(frozen=True)
class Target:
    """What a case must show.

    values gives one value for each round. The median of them is held against the bound, or with `always` the worst.
    A machine with fewer cores does not measure it.
    """

    case: str
    text: str
    clients: tuple
    bound: float
    at_least: bool
    values: Callable
    always: bool = False
    decimals: int = 2
    cores: int = 1

    def judged(self, results):
        """(value, values, met); None without values."""
        values = self.values(results)
        if not values:
            return None
        if self.always:
            value = min(values) if self.at_least else max(values)
        else:
            value = statistics.median(values)
        return value, values, value >= self.bound if self.at_least else value <= self.bound
