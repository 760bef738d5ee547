"""kill -9 anywhere on the road: nothing is lost and nothing is doubled."""

import time

import pytest
from road import filler, kill_at, seconds_of

from bellek.curator.capture import BYTES_A_WRITE

LINES = 30
MEASURED = 10  # rounds after which the length of a whole run is measured anew
STEPS = {"tick": ("tick",), "drain": ("drain", "--offline")}


class Client:
    """A client that goes on writing whatever happens to us; between two rounds its last line may be half written."""

    def __init__(self, world, dice):
        self.world = world
        self.dice = dice
        self.number = 0
        self.rest = {}

    def speak(self, session):
        """Some lines more in one session, some of them behind large results, the last one cut at any byte."""
        data = self.rest.pop(session, b"")
        for _ in range(LINES):
            self.number += 1
            data += self.world.marked(
                f"ders {self.number}: önbelleği {self.number} numaralı işten sonra boşalt",
                id=f"m-{self.number}",
                session=session,
            )
            if self.dice.random() < 0.1:
                data += filler(self.dice.randrange(300_000))
        cut = self.dice.randrange(len(data) - 200, len(data) + 1)
        self.rest[session] = data[cut:]
        with self.world.transcript(session).open("ab") as out:
            out.write(data[:cut])

    def finish(self):
        """Write what is still owed."""
        for session, data in self.rest.items():
            with self.world.transcript(session).open("ab") as out:
                out.write(data)


def measure(world):
    """Seconds that each step takes by itself, in this order."""
    return {name: seconds_of(lambda words=words: world.start(*words)) for name, words in STEPS.items()}


def test_killed_at_random_moments_nothing_is_lost_or_doubled(world, dice, rounds, capsys):
    """R13, R38: after any number of kills each marker is one event and one lesson, each message is stored once."""
    client = Client(world, dice)
    client.speak("s0")
    killed = 0
    for number in range(rounds):
        if number % MEASURED == 0:  # a shared machine is not equally fast all the time
            whole, idle = measure(world), measure(world)
        client.speak(f"s{dice.randrange(4)}")
        began = time.monotonic()
        running = []
        for name, words in STEPS.items():
            moment = began + dice.uniform(idle[name] * 0.8, max(whole[name], idle[name]) * 1.5)
            running.append((moment, world.start(*words)))
        killed += sum(kill_at(process, moment) for moment, process in sorted(running, key=lambda run: run[0]))
    client.finish()
    world.settle()
    lost, doubled = world.account()
    with capsys.disabled():
        print(
            f"\n{rounds} rounds, {killed} of {2 * rounds} runs killed, {len(world.expected)} markers: {lost} lost, {doubled} doubled"
        )
    assert (lost, doubled) == (0, 0)


HEARING = ("projects-registered", "conversations-appended", "batch-written", "batch-committed")
DRAINING = ("rows-written", "item-written", "item-committed")


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("place", HEARING)
def test_hearing_that_dies_between_two_commits_is_made_good(world, place, nth):
    """DESIGN, "Exactly once": a crash between the two databases' transactions repeats work, and neither loses nor doubles it."""
    data = b"".join(world.marked(f"ders {n}", id=f"m-{n}") + filler(BYTES_A_WRITE // 2) for n in range(5))
    world.transcript().write_bytes(data)
    world.crash("tick", at=f"{place}:{nth}")
    world.settle()
    assert world.account() == (0, 0)


def test_a_pass_that_dies_before_it_lets_go_keeps_nobody_out(world):
    """B94: the lock of a killed pass is free, and what it heard is not heard again."""
    world.transcript().write_bytes(world.marked("ders", id="m-1"))
    world.crash("tick", at="round-over")
    (again,) = world.hear()
    assert (again.files, again.messages, again.queued) == (0, 0, 0)
    world.settle()
    assert world.account() == (0, 0)


@pytest.mark.parametrize("nth", [1, 3])
@pytest.mark.parametrize("place", DRAINING)
def test_a_drain_that_dies_around_its_commit_is_made_good(world, place, nth):
    """R38, B82: killed between rows and acknowledgement or after both, the next drain ends with one row each."""
    world.transcript().write_bytes(b"".join(world.marked(f"ders {n}", id=f"m-{n}") for n in range(4)))
    world.hear()
    world.crash("drain", "--offline", at=f"{place}:{nth}")
    world.settle()
    assert world.account() == (0, 0)
