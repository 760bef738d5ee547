"""`bellek init`: the first questions, their defaults, and what is left alone."""

from bellek.kg import paths


def test_every_default_in_one_go(world):
    """Issue 9: without questions the clients that are here are bound, a timer is written, and no file of the person's is made up."""
    world.config.mkdir(parents=True)
    out = world.bellek("init", "--yes")
    assert "claude-code: bound" in out
    assert "turn it on yourself" in out
    assert "codex" not in out
    assert not (world.home / "config" / "identity.md").exists()
    assert "nothing changed" in world.bellek("init", "--yes")


def test_a_trial_writes_nothing(world):
    """With --dry-run neither a data home nor a client's file comes to be."""
    world.config.mkdir(parents=True)
    world.bellek("init", "--yes", "--dry-run")
    assert list(world.config.iterdir()) == []
    assert not world.home.exists()


def test_nobody_is_asked_where_nobody_can_answer(world):
    """Standard input that is no terminal gets exit 2 and the way without questions."""
    done = world.run("init")
    assert done.returncode == 2
    assert "bellek init --yes" in done.stderr.decode()


def test_a_person_is_asked(person, world):
    """Answers are written where nothing was: the line about the person, the profile; an identity that is there stays."""
    world.config.mkdir(parents=True)
    types = (
        ("bind claude-code", "no"),
        ("a line about you", "Ayşe, veri mühendisi"),
        ("profile:", "companion"),
        ("write a timer", "no"),
    )
    done = person.bellek("init", types=types, wrap="{{ {} > /dev/tty; }}")
    assert done.rc == 0, done.err
    identity = world.home / "config" / "identity.md"
    assert str(identity) == paths.identity_file(str(world.home))
    assert identity.read_text("utf-8") == "Ayşe, veri mühendisi\n"
    assert (world.home / "config" / "config.toml").read_text("utf-8") == 'profile = "companion"\n'
    assert list(world.config.iterdir()) == []
    again = (*types[:1], ("a line about you", "başkası"), *types[2:])
    assert person.bellek("init", types=again, wrap="{{ {} > /dev/tty; }}").rc == 0
    assert identity.read_text("utf-8") == "Ayşe, veri mühendisi\n"
