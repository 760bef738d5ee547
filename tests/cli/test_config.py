"""`bellek config list`: every setting with where its value comes from."""

from bellek.curator import settings_listed
from bellek.kg.home import open_home
from bellek.schemas.settings import KEYS


def test_each_setting_names_the_line_that_set_it_or_the_default(world):
    """Issue 9: all keys are listed; what the file sets comes with its line, the rest is the default; tables of models too."""
    open_home(str(world.home)).close()
    file = world.home / "config" / "config.toml"
    file.write_text(
        'profile = "companion"\n[spend]\nday_usd = 1.5\n[models.small]\nrunner = "openai"\nurl = "http://127.0.0.1:1"\n',
        "utf-8",
    )
    rows = {row["id"]: (row["value"], row["source"]) for row in world.json("config", "list")}
    assert rows["profile"] == ("companion", f"{file}:1")
    assert rows["spend.day_usd"] == (1.5, f"{file}:3")
    assert rows["models.small.url"] == ("http://127.0.0.1:1", f"{file}:6")
    assert rows["spend.call_usd"] == (1.0, "default")
    assert set(KEYS) <= set(rows)
    assert f"{file}:3" in world.bellek("config", "list")
    file.write_text("profile = 1\n", "utf-8")
    done = world.run("config", "list")
    assert done.returncode == 2
    assert "config.toml, line 1" in done.stderr.decode()


def test_every_key_has_a_default():
    """A key that may be set has a value when nobody sets it."""
    assert all(settings_listed.default(key) is not None for key in KEYS)
