"""STATE: eight channels between 0 and 1 that a day's messages move and time brings back. Pure functions; one of the hook's rooms.

A value is made of three things alone: the last value, the time since then, and bounded shifts. Nobody ticks, so that it
does not matter how often it is asked. It must never say anything about a fact, a tier or a person's trust: it colours a tone.
"""

CHANNELS = (
    "arousal", "valence", "certainty", "social_closeness", "task_orientation", "cognitive_load", "novelty", "threat_level",
)  # fmt: skip
AROUSAL, VALENCE, CERTAINTY, CLOSENESS, TASK, LOAD, NOVELTY, THREAT = range(8)

Values = tuple[float, ...]

# Where each channel rests, and after how many hours half of a departure is left. Chosen, not measured: excitement is gone
# in an hour, closeness lasts for days. `[state.CHANNEL]` in config.toml sets others.
BASELINE: Values = (0.35, 0.55, 0.6, 0.4, 0.6, 0.4, 0.3, 0.1)
HALF_LIFE_H: Values = (1.0, 6.0, 4.0, 48.0, 3.0, 2.0, 2.0, 3.0)
MOST_SHIFT = 0.2  # of one channel by one message: no single line turns a day
HOUR_MS = 3_600_000  # as in kg.clock, which is a floor above
MOVED = 0.08  # a departure from which on a mood is told; one clear cue makes .1 and more
FAR = 0.15


class Pace:
    """Where the channels rest and how fast they return (hours), as a person set them."""

    __slots__ = ("baseline", "half_life_h")

    def __init__(self, baseline: Values = BASELINE, half_life_h: Values = HALF_LIFE_H) -> None:
        self.baseline = baseline
        self.half_life_h = half_life_h


def pace(given: "dict[str, float]") -> Pace:
    """The pace with a person's own numbers: "valence.baseline" (0 to 1), "valence.half_life_hours" (above 0)."""
    return Pace(
        tuple(given.get(f"{name}.baseline", rest) for name, rest in zip(CHANNELS, BASELINE, strict=True)),
        tuple(given.get(f"{name}.half_life_hours", hours) for name, hours in zip(CHANNELS, HALF_LIFE_H, strict=True)),
    )


def decayed(values: Values, elapsed_ms: int, pace: Pace) -> Values:
    """What is left after a time: rest + (value - rest) x 2^(-elapsed / half-life). Two steps give what one of both gives."""
    hours = max(0, elapsed_ms) / HOUR_MS
    return tuple(
        rest + (value - rest) * 2.0 ** (-hours / half)
        for value, rest, half in zip(values, pace.baseline, pace.half_life_h, strict=True)
    )


def shifted(values: Values, shifts: Values) -> Values:
    """The values after one message: each shift is bounded, each value stays between 0 and 1."""
    return tuple(min(1.0, max(0.0, value + bounded(by))) for value, by in zip(values, shifts, strict=True))


def bounded(shift: float) -> float:
    """A shift within what one message may do."""
    return min(MOST_SHIFT, max(-MOST_SHIFT, shift))


def mood(values: Values, pace: Pace) -> str:
    """The mood's word in `schemas.event.MOODS` that a departure from rest shows; "" where none is clear."""
    off = tuple(value - rest for value, rest in zip(values, pace.baseline, strict=True))
    if off[THREAT] >= MOVED and off[VALENCE] < MOVED:
        return "anxious"
    if off[VALENCE] <= -MOVED:
        return _low(off)
    if off[VALENCE] >= MOVED:
        return _high(off)
    if off[NOVELTY] >= MOVED:
        return "curious"
    if off[AROUSAL] <= -MOVED:
        return "tired" if off[LOAD] >= MOVED else "calm"
    return ""


def _low(off: Values) -> str:
    if off[AROUSAL] >= MOVED:
        return "angry"
    if off[AROUSAL] <= -MOVED:
        return "tired" if off[LOAD] >= MOVED else "sad"
    return "frustrated" if off[LOAD] >= MOVED else "sad"


def _high(off: Values) -> str:
    if off[AROUSAL] >= MOVED:
        return "excited"
    if off[CERTAINTY] >= MOVED:
        return "proud"
    if off[CLOSENESS] >= MOVED:
        return "grateful"
    if off[NOVELTY] >= MOVED:
        return "curious"
    return "calm" if off[AROUSAL] <= -MOVED else "happy"


def tone(values: Values, pace: Pace) -> str:
    """Four things in words: density, warmth, humour, caution. Levels, not numbers, so that it seldom changes."""
    off = tuple(value - rest for value, rest in zip(values, pace.baseline, strict=True))
    pressed = off[LOAD] >= MOVED or off[AROUSAL] >= FAR or off[THREAT] >= FAR
    low = off[VALENCE] <= -MOVED
    density = "short and plain" if pressed or low else "room for detail" if off[NOVELTY] >= MOVED else "usual length"
    warmth = "warm" if off[CLOSENESS] >= MOVED or low else "even"
    humour = "no jokes" if low or off[THREAT] >= MOVED else "a light word fits" if off[VALENCE] >= MOVED else "dry"
    careful = off[THREAT] >= MOVED or off[CERTAINTY] <= -MOVED
    return f"{density}; {warmth}; {humour}; {'careful: check before anything risky' if careful else 'usual care'}"


PLAIN = tone(BASELINE, Pace())  # what need not be said
