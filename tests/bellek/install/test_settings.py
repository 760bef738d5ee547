"""The edits of a settings text, against any JSON in any formatting."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from bellek.install import jsontext, settings
from bellek.install.command import EVENTS, wanted_hooks
from bellek.install.target import Target

WANTED = wanted_hooks(Target(Path("/c"), Path("/ev d'/$h"), Path("/şey/python3"), Path("/x/bellek/hook.py"), "1"))
OLDER = wanted_hooks(Target(Path("/c"), Path("/other"), Path("/gone/python3"), Path("/y/bellek/hook.py"), "0"))

leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
foreign_hooks = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)}) | values
groups = st.fixed_dictionaries(
    {"hooks": st.lists(foreign_hooks, max_size=2)}, optional={"matcher": st.text(max_size=3)}
)
hook_tables = st.dictionaries(
    st.sampled_from((*EVENTS, "PreToolUse")), st.lists(groups | values, max_size=2), max_size=4
)


@st.composite
def settings_texts(draw: st.DrawFn) -> str:
    """A settings object with foreign hooks, written with any blanks JSON allows, or as programs write it."""
    data = draw(st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), values, max_size=3))
    if draw(st.booleans()):
        rest = list(data.items())
        rest.insert(draw(st.integers(0, len(rest))), ("hooks", draw(hook_tables)))
        data = dict(rest)
    escaped = draw(st.booleans())
    if draw(st.booleans()):
        text = json.dumps(data, ensure_ascii=escaped, indent=draw(st.sampled_from([None, 0, 2, 4, "\t"])))
        return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))) + draw(st.sampled_from(["", "\n", "\r\n"]))
    return scattered(data, lambda: draw(st.sampled_from(["", " ", "\n", "\r\n  ", "\t", "\n\n    "])), escaped)


def scattered(value, blank, escaped: bool) -> str:
    """JSON text with `blank()` between all tokens."""
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=escaped)}{blank()}:{scattered(item, blank, escaped)}"
            for key, item in value.items()
        ]
        core = "{" + blank() + f",{blank()}".join(parts) + "}"
    elif isinstance(value, list):
        core = "[" + blank() + ",".join(scattered(item, blank, escaped) for item in value) + "]"
    else:
        core = json.dumps(value, ensure_ascii=escaped)
    return blank() + core + blank()


def own_commands(text: str) -> list[tuple[str, str]]:
    """Event and command of each hook of ours."""
    return [(entry.event, entry.command) for entry in settings.own_entries(jsontext.parsed(text))]


@bounds(deadline=None, max_examples=60)
@given(settings_texts())
def test_install_then_uninstall_is_the_identity(text):
    """R63: for any settings object with foreign hooks, in any formatting, the bytes come back."""
    edit = settings.bound_edit(text, WANTED, {})
    assert settings.unbound_edit(edit.text, edit.interiors).text == text


@bounds(deadline=None, max_examples=60)
@given(settings_texts())
def test_an_upgrade_in_between_changes_nothing_of_that(text):
    """R63: install by an older environment, install by a newer one, uninstall: the bytes come back."""
    older = settings.bound_edit(text, OLDER, {})
    newer = settings.bound_edit(older.text, WANTED, older.interiors)
    assert own_commands(newer.text) == own_commands(settings.bound_edit(text, WANTED, {}).text)
    assert settings.unbound_edit(newer.text, newer.interiors).text == text


@bounds(deadline=None, max_examples=60)
@given(settings_texts())
def test_each_hook_is_bound_exactly_once_and_again_is_a_no_op(text):
    """R63: after an edit each event has our hook once, the second edit changes nothing, and the rest is equal."""
    edit = settings.bound_edit(text, WANTED, {})
    assert sorted(own_commands(edit.text)) == sorted((event, str(hook["command"])) for event, hook in WANTED.items())
    assert settings.bound_edit(edit.text, WANTED, edit.interiors).text == edit.text
    before, after = json.loads(text), json.loads(edit.text)
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert {key: after[key] for key in before if key != "hooks"} == {k: v for k, v in before.items() if k != "hooks"}


@bounds(deadline=None, max_examples=60)
@given(settings_texts(), st.text(min_size=1, max_size=4).filter(lambda key: key != "hooks"))
def test_uninstall_keeps_what_was_added_since(text, key):
    """Keys and hooks that others add after us, in front or behind, stay when we go."""
    edit = settings.bound_edit(text, WANTED, {})
    later = jsontext.appended(edit.text, ("hooks", "Stop"), None, {"hooks": [{"command": "later"}]})
    if key not in json.loads(text):
        later = jsontext.appended(later, (), key, [1])
    left = json.loads(settings.unbound_edit(later, edit.interiors).text)
    assert left["hooks"]["Stop"][-1] == {"hooks": [{"command": "later"}]}
    assert left.get(key) == (json.loads(text) | {key: json.loads(text).get(key, [1])})[key]
    assert own_commands(json.dumps(left)) == []


def test_the_edit_follows_the_files_own_style():
    """What is entered has the file's indent and separators, and goes behind what is there."""
    text = '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}'
    hook = {"type": "command", "command": "'p' -I '/bellek/hook.py' Stop --client claude-code --home 'h'", "timeout": 5}
    edit = settings.bound_edit(text, {"Stop": hook}, {})
    entered = '{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n'
    assert text.replace("[]}\n", "[]},\n\t\t\t" + entered).split(entered)[0] == edit.text.split(entered)[0]
    assert edit.text.endswith("\n\t\t\t}\n\t\t]\n\t}\n}")
    small = settings.bound_edit('{"a":1}', {"Stop": hook}, {}).text
    assert small.startswith('{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command",')


def test_a_filled_container_closes_where_it_opened():
    """An empty array or object that gets our hook has its closing bracket under the line that opened it."""
    hook = {"type": "command", "command": "'p' -I '/bellek/hook.py' Stop --client claude-code --home 'h'", "timeout": 5}
    inner = json.dumps([{"hooks": [hook]}], indent=2).replace("\n", "\n    ")
    for empty in ("[]", "[ ]"):
        edit = settings.bound_edit('{\n  "hooks": {\n    "Stop": ' + empty + "\n  }\n}\n", {"Stop": hook}, {})
        assert edit.text == '{\n  "hooks": {\n    "Stop": ' + inner + "\n  }\n}\n"
    assert settings.bound_edit("{}", {"Stop": hook}, {}).text == settings.snippet({"Stop": hook})


def test_a_hook_of_ours_moved_into_a_foreign_group_goes_alone():
    """Only our hook leaves a group that a person has put it into; the group and its matcher stay."""
    ours = str(WANTED["Stop"]["command"])
    group = {"matcher": "x", "hooks": [{"command": "a"}, {"command": ours}, {"command": "b"}]}
    text = json.dumps({"hooks": {"Stop": [group]}})
    after = json.loads(settings.unbound_edit(text, {}).text)
    assert after == {"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "a"}, {"command": "b"}]}]}}


def test_doubled_hooks_become_one():
    """A hook that stands twice is entered once by the next edit."""
    once = settings.bound_edit("{}", WANTED, {}).text
    group = json.loads(once)["hooks"]["Stop"][0]
    twice = jsontext.appended(once, ("hooks", "Stop"), None, group)
    assert settings.bound_edit(twice, WANTED, {}).text == once


@pytest.mark.parametrize("number", ["1" * 5000, "1e400", "-0", "1.10", "12345678901234567890"])
def test_numbers_stay_as_they_are_written(number):
    """Numbers that Python would refuse, round or reprint come through an edit unchanged."""
    text = f'{{"n": {number}}}'
    edit = settings.bound_edit(text, WANTED, {})
    assert edit.text.startswith(text[:-1])
    assert settings.unbound_edit(edit.text, edit.interiors).text == text


def test_odd_shapes_around_foreign_hooks_are_passed_over():
    """Shapes that the client would not understand, at places that are not ours, neither break the edit nor change."""
    text = (
        '{"hooks": {"PreToolUse": "x", "Other": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}, {"command": "\'"}]}]}}'
    )
    edit = settings.bound_edit(text, WANTED, {})
    assert settings.unbound_edit(edit.text, edit.interiors).text == text
