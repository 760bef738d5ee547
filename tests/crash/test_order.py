"""What was said first is written first, however fast it was heard and in whatever order the files lie."""

from road import line

from bellek.kg import projects, tasks
from bellek.kg.home import open_home


def said(world, text, *, id, session, minute=0):
    """A line of an assistant with a task mark."""
    return line(text, id=id, session=session, cwd=str(world.work), timestamp=f"2026-11-30T12:{minute:02d}:00.000Z")


def states(world):
    """Text → state of the project's tasks."""
    with open_home(str(world.home)) as home:
        here = projects.find(home.memory, str(world.work))
        return {row.text: row.state for row in tasks.listed(home.memory, here, closed=True)}


def test_tasks_of_one_breath_keep_their_order(world):
    """Forty tasks opened and closed within one line's millisecond end closed: a mark is never written before the one it needs."""
    marks = "\n".join(
        f"<!-- task: SELF_TASK: iş numara {n} -->\n<!-- task: TASK_DONE: iş numara {n} -->" for n in range(40)
    )
    world.transcript().write_bytes(said(world, marks, id="m-1", session="s"))
    world.settle()
    assert states(world) == {f"iş numara {n}": "done" for n in range(40)}


def test_the_order_of_files_does_not_decide(world):
    """A task opened in one session and closed later in another is closed, though the later file is read first."""
    world.transcript("a").write_bytes(
        said(world, "<!-- task: TASK_DONE: yedeği dene -->", id="m-2", session="a", minute=9)
    )
    world.transcript("b").write_bytes(
        said(world, "<!-- task: SELF_TASK: yedeği dene -->", id="m-1", session="b", minute=1)
    )
    world.settle()
    assert states(world) == {"yedeği dene": "done"}


def test_a_refused_item_that_is_said_again_waits_again(world):
    """R39: a task mark that was parked because its task was not known yet closes the task when it is said again."""
    world.transcript("a").write_bytes(
        said(world, "<!-- task: TASK_DONE: yedeği dene -->", id="m-1", session="a", minute=1)
    )
    world.hear()
    assert len(world.drain().failed) == 1
    with world.transcript("a").open("ab") as out:
        out.write(said(world, "<!-- task: SELF_TASK: yedeği dene -->", id="m-2", session="a", minute=2))
        out.write(said(world, "<!-- task: TASK_DONE: yedeği dene -->", id="m-3", session="a", minute=3))
    world.settle()
    world.drain()
    assert states(world) == {"yedeği dene": "done"}
