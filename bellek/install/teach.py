"""The marker habit in a few lines, for the packet's standing part at session start.

Own-line HTML comments in CLAUDE.md are taken out before the model sees them, so the habit is taught here and in the
skill file. It must never import anything (the hook reads it) nor grow past 900 characters: it goes out with every
session.
"""

TEACH = """\
When this session teaches something worth keeping (bug fix, decision, pattern, anti-pattern, discovery, convention), \
mark it in your reply, once, where you learned it: a visible line and beside it the hidden mark, in the user's language, \
one learning per mark, always with the reason.

📝 Learned: pytest runs through uv here.
<!-- learning: run pytest with uv run, because the plain one misses the lock file -->

📝 Öğrenildi: testler uv ile koşuluyor.
<!-- learning: testleri uv run pytest ile koş, çünkü düz pytest kilit dosyasını görmüyor -->

No mark for greetings, look-ups, status talk or what is in the repository already. Never mark secrets. \
Past learnings: `bellek search WORDS`; past talks: `bellek conversations search WORDS`. More: skill bellek-memory.\
"""
