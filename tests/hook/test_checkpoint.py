"""A session that was killed in the middle of its turn, and the next one."""

from world import Session


def test_a_killed_session_opens_the_next_one(world):
    """R78: of a session that ended in the middle of its work the next start is told the last checkpoint; once, and not itself."""
    killed = Session(world, "s-1")
    killed.lines({"type": "user", "message": {"role": "user", "content": "şema göçünü yaz"}, "promptSource": "typed"})
    for n in range(21):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "ls"}}
        killed.lines({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
    world.bellek("tick")
    told = world.begin(session="s-2")
    assert "şema göçünü yaz; 20 tool calls; last Bash" in told
    assert "your last checkpoint" in told
    assert "20 tool calls" not in world.begin(session="s-1", source="resume")
