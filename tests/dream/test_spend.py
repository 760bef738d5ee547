"""The one ledger: what models cost never goes over a ceiling, whoever asks at once, and every call and refusal is a row."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from endpoint import config as config_text
from endpoint import serving
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bellek
from bellek.curator import config, spend
from bellek.curator.models import Endpoint, Price
from bellek.kg import embedders
from bellek.kg.home import open_home
from bellek.schemas.settings import MICROS, Ceilings, ModelSettings, Wrong, flat, parse

PLACE = str(Path(bellek.__file__).parents[1])
FREE = Ceilings(1000, 1000, 1000, 10**9, 10**9, 10**9)


def rows(db):
    """(state, micros, tokens, asked_micros) of the ledger."""
    return db.rows("SELECT state, micros, tokens, asked_micros FROM spend ORDER BY n")


def model_at(url, **more):
    """A model of the endpoint, at one dollar in and four out a million tokens."""
    return Endpoint(
        "small", ModelSettings(runner="openai", model="tiny", url=url, input_usd=1.0, output_usd=4.0, **more)
    )


def test_a_call_is_a_row_with_what_it_cost(home):
    """R58: the most is reserved, the actual is booked in its place."""
    with serving(lambda _: ("tamam", 1_000, 500)) as server:
        run = spend.Run("test", "s_1", FREE)
        done = spend.ask(home.memory, model_at(server.url), run, "soru", max_tokens=2_000)
    assert (done.answer.text, done.micros) == ("tamam", 3_000)
    ((state, micros, tokens, asked),) = rows(home.memory)
    assert (state, micros, tokens) == ("booked", 3_000, 1_500)
    assert asked == 8_000 + 4 + 400
    assert spend.today(home.memory) == (0.003, 2.0)


@pytest.mark.parametrize("which", ["call_usd", "command_usd", "day_usd", "call_tokens", "command_tokens", "day_tokens"])
def test_a_call_that_would_cross_a_ceiling_is_not_made(home, which):
    """R58: each ceiling refuses before the call; the endpoint sees nothing, and the refusal is a row that names the ceiling."""
    most = {"usd": 0.008, "tokens": 2_000}[which.partition("_")[2]]
    values = {name: getattr(FREE, name) for name in Ceilings.__slots__}
    with serving(lambda _: ("tamam", 1, 1)) as server:
        run = spend.Run("test", "s_1", Ceilings(**{**values, which: most}))
        done = spend.ask(home.memory, model_at(server.url), run, "soru", max_tokens=2_000)
        assert server.asked == []
    assert isinstance(done, spend.Declined)
    assert f"spend.{which} = " in done.reason
    assert [(state, micros) for state, micros, _, _ in rows(home.memory)] == [("refused", 0)]


def test_a_call_that_failed_stays_counted_unless_it_reached_nobody(home):
    """R58: after a server's fault the reservation counts; a refused connection or request costs nothing."""
    run = spend.Run("test", "s_1", FREE)
    with serving(lambda _: 500) as server:
        assert isinstance(spend.ask(home.memory, model_at(server.url), run, "x", max_tokens=10), spend.Failed)
        server.says = lambda _: 401
        assert isinstance(spend.ask(home.memory, model_at(server.url), run, "x", max_tokens=10), spend.Failed)
    assert isinstance(spend.ask(home.memory, model_at(server.url), run, "x", max_tokens=10), spend.Failed)
    assert [(state, micros > 0) for state, micros, _, _ in rows(home.memory)] == [
        ("failed", True),
        ("failed", False),
        ("failed", False),
    ]


def test_an_answer_of_another_form_is_a_fault_and_counted(home):
    """R58: an answer without a count of tokens is not believed."""
    with serving(lambda _: ("tamam", None, 1)) as server:
        done = spend.ask(home.memory, model_at(server.url), spend.Run("t", "s_1", FREE), "x", max_tokens=10)
    assert isinstance(done, spend.Failed)
    assert rows(home.memory)[0][:2] == ("failed", 1 + 400 + 40)


def test_the_key_is_sent_and_kept_nowhere(home, monkeypatch):
    """The key comes from the environment variable that the config names, and no row holds it."""
    monkeypatch.setenv("TINY_KEY", "s3cret-of-tiny")
    with serving(lambda _: ("tamam", 1, 1)) as server:
        spend.ask(
            home.memory, model_at(server.url, key_env="TINY_KEY"), spend.Run("t", "s_1", FREE), "x", max_tokens=10
        )
        assert server.asked[0][2] == "Bearer s3cret-of-tiny"
    home.close()
    assert all(b"s3cret" not in path.read_bytes() for path in Path(home.path).rglob("*") if path.is_file())


STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["reserve", "book", "fail", "lose"]), st.integers(0, 60)), max_size=40
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_no_interleaving_of_two_processes_goes_over_a_ceiling(steps):
    """R58, a law: after any interleaving of reservations, bookings, failures and crashes of two connections, day and run stay under."""
    ceilings = Ceilings(0.00005, 0.0001, 0.00015, 50, 100, 150)
    with tempfile.TemporaryDirectory() as folder, open_home(folder) as one, open_home(folder) as two:
        out = [[], []]
        for who, what, amount in steps:
            db = (one, two)[who].memory
            run = spend.Run("test", f"s_{who}", ceilings)
            if what == "reserve":
                done = spend.reserve(db, run, "m", micros=amount, tokens=amount)
                if isinstance(done, spend.Granted):
                    assert amount <= 50
                    out[who].append((done.n, amount))
            elif out[who]:
                n, most = out[who].pop()
                if what == "book":
                    spend.book(db, n, micros=min(amount, most), tokens=min(amount, most))
                elif what == "fail":
                    spend.fail(db, n, "no", spent=amount % 2 == 0)
        total = one.memory.one("SELECT coalesce(sum(micros), 0), coalesce(sum(tokens), 0) FROM spend")
        assert total[0] <= 150
        assert total[1] <= 150
        for micros, tokens in two.memory.rows("SELECT sum(micros), sum(tokens) FROM spend GROUP BY run"):
            assert max(micros, tokens) <= 100


ASKS = """
import sys
from bellek.curator import spend
from bellek.kg.home import open_home
from bellek.schemas.settings import Ceilings
ceilings = Ceilings(1, 1, 0.0001, 10**9, 10**9, 10**9)
with open_home(sys.argv[1]) as home:
    sys.stdin.readline()
    run = spend.Run("test", sys.argv[2], ceilings)
    for _ in range(40):
        match spend.reserve(home.memory, run, "m", micros=3, tokens=1):
            case spend.Granted(n=n):
                spend.book(home.memory, n, micros=3, tokens=1)
"""


def test_two_processes_at_once_share_one_ceiling(home):
    """R58: two real processes that ask as fast as they can get 33 calls of 3 micro-dollars under a ceiling of 100, not one more."""
    started = [
        subprocess.Popen([sys.executable, "-c", ASKS, home.path, f"s_{n}"], stdin=subprocess.PIPE, env={**os.environ, "PYTHONPATH": PLACE})
        for n in range(2)
    ]  # fmt: skip
    for process in started:
        process.stdin.write(b"go\n")
        process.stdin.flush()
    assert [process.wait(60) for process in started] == [0, 0]
    for process in started:
        process.stdin.close()
    counted = dict(home.memory.rows("SELECT state, count(*) FROM spend GROUP BY state"))
    assert counted == {"booked": 33, "refused": 47}


CRASHES = """
import sys
from bellek.curator import spend
from bellek.curator.models import Endpoint
from bellek.kg.home import open_home
from bellek.schemas.settings import Ceilings, ModelSettings
model = Endpoint("small", ModelSettings(runner="openai", url="http://127.0.0.1:9/v1", input_usd=1.0))
with open_home(sys.argv[1]) as home:
    spend.ask(home.memory, model, spend.Run("test", "s_1", Ceilings()), "soru", max_tokens=10)
"""


def test_a_crash_leaves_the_reservation_counted(home):
    """R58: killed between reservation and answer, the most it could have cost stays on the day's count."""
    environment = {**os.environ, "PYTHONPATH": PLACE, "BELLEK_FAILPOINT": "spend-reserved"}
    done = subprocess.run([sys.executable, "-c", CRASHES, home.path], env=environment, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert [(state, micros) for state, micros, _, _ in rows(home.memory)] == [("reserved", 404)]
    assert spend.today(home.memory)[0] == 404 / MICROS


@given(
    tokens_in=st.integers(0, 10**7),
    tokens_out=st.integers(0, 10**6),
    price=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)),
)
def test_what_a_call_costs_is_never_above_what_was_reserved(tokens_in, tokens_out, price):
    """A prompt of n bytes has at most n tokens, so its price is at most the reserved one."""
    made = Price(*price)
    prompt = "x" * min(tokens_in, 1000)
    assert made.of(len(prompt), tokens_out) <= made.most(prompt, tokens_out)


BROKEN = [
    ("spend.day_usd = -1", "spend.day_usd"),
    ("spend.day_usd = nan", "spend.day_usd"),
    ("spend.day_usd = true", "spend.day_usd"),
    ("spend.day_tokens = 1.5", "spend.day_tokens"),
    ("spent = 1", "spent"),
    ("[spend]\nday = 1", "spend.day"),
    ("profile = 'fast'", "profile"),
    ("sleep.model = 'gone'", "sleep.model"),
    ("[models.a]\nmodel = 'x'", "models.a.runner"),
    ("[models.a]\nrunner = 'claude'\ninput_usd = 3.0", "models.a.input_usd"),
    ("[models.a]\nrunner = 'openai'\nurl = 'file:///etc/passwd'", "models.a.url"),
    ("models = 3", "models"),
    ("embedder.name = 'best'", "embedder.name"),
    ("[embedder]\nname = 'openai'\nmodel = 'x'", "embedder.url"),
    ("[embedder]\nkey = 'x'", "embedder.key"),
    ("[sleeps]", "sleeps"),
    ("[models.a]", "models.a"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key"), BROKEN)
def test_a_config_with_a_fault_sets_nothing(home, text, key):
    """A key that is off is named with its line, its value is not quoted, and what was set before stays in force."""
    path = Path(home.path) / "config/config.toml"
    path.write_text("spend.day_usd = 0.5\n", encoding="utf-8")
    assert config.compile_into(home.memory, home.path) is None
    path.write_text(f"# one\n{text}\n", encoding="utf-8")
    fault = config.compile_into(home.memory, home.path)
    assert key in fault.what
    assert config.read(home.memory).spend.day_usd == 0.5


def test_a_good_config_is_compiled_once(home):
    """What the file says is what is read; a file that is gone sets the defaults again; a broken line is told with its number."""
    path = Path(home.path) / "config/config.toml"
    path.write_text(config_text("http://127.0.0.1:1/v1", extra="[spend]\nday_usd = 0.25\n"), encoding="utf-8")
    assert config.compile_into(home.memory, home.path) is None
    made = config.read(home.memory)
    assert (made.sleep_model, made.models["small"].output_usd, made.spend.day_usd, made.spend.call_usd) == (
        "small",
        4.0,
        0.25,
        1.0,
    )
    path.write_text("[embedder]\nname = 'none'\n", encoding="utf-8")
    assert config.compile_into(home.memory, home.path) is None
    assert config.read(home.memory).embedder.name == embedders.chosen(home.memory).name == "none"
    path.write_text("a = 1\nb = [", encoding="utf-8")
    assert config.compile_into(home.memory, home.path).line == 2
    path.unlink()
    assert config.compile_into(home.memory, home.path) is None
    assert config.read(home.memory).sleep_model == ""


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=20),
        lambda inner: st.dictionaries(st.text(max_size=8), inner, max_size=4),
    )
)
def test_parsing_is_total(value):
    """Whatever a TOML file holds, it gives settings or the key that is off."""
    made = parse(flat(value if isinstance(value, dict) else {"profile": value}))
    assert isinstance(made, Wrong) or made.spend == Ceilings()
