"""kill -9 at every named step of draining, promoting, forgetting, backup, restore, export, import, migration and vaults, in drawn order.

A round lets a child die at a drawn place of a drawn road, does the same order again without a kill, and compares the store
with a model in memory. ``pytest tests/crash/test_steps.py --rounds 2000`` in full; each run prints its seed and its account.
"""

import json
import shutil
from collections import Counter
from pathlib import Path

import child
import vault_rounds

from bellek.curator import drain, forgetting, review
from bellek.kg import (
    archive,
    archive_load,
    archive_read,
    backups,
    blast,
    check,
    forget,
    memories,
    migrate,
    queue,
    restore,
    shelf,
)
from bellek.kg.home import open_home
from bellek.schemas.backup import STORES
from bellek.schemas.queue import Sighting

PERSON = "person:terminal"
P = "p_0"
ROADS = {
    "drain": ("rows-written", "item-written", "item-committed"),
    "promote": ("promote-written",),
    "forget": ("forget-hidden", "forget-begun", "forget-blanked", "forget-scrubbed", "forget-truncated"),
    "backup": ("backup-copied", "backup-packed", "backup-listed", "backup-made", "backup-rotated"),
    "restore": ("restore-unpacked", "restore-prepared", "restore-linked", "restore-placed"),
    "export": ("export-written",),
    "import": ("import-messages", "import-written"),
    "migrate": ("migrate-kept", "migrate-written", "migrate-committed"),
    "vault": vault_rounds.PLACES,
}
LATER = [
    *migrate.migrations("memory"),
    (
        migrate.newest("memory") + 1,
        "CREATE TABLE later (id TEXT PRIMARY KEY) STRICT; INSERT INTO later SELECT id FROM memories;",
    ),
]


class Model:
    """What the store must hold: texts of lessons that stand, those that are permanent, and payloads that wait."""

    def __init__(self):
        self.texts = Counter()
        self.permanent = set()
        self.waiting = Counter()

    def without(self, gone):
        """The same without some texts."""
        other = self.copy()
        for text in gone:
            del other.texts[text], other.waiting[text]
        other.permanent -= gone
        return other

    def copy(self):
        """The same, for a copy of the store."""
        other = Model()
        other.texts, other.permanent, other.waiting = self.texts.copy(), set(self.permanent), self.waiting.copy()
        return other


class Rounds:
    """A home, its copies, the model of each, and the orders that are given."""

    def __init__(self, root, dice):
        self.root, self.dice, self.home = root, dice, str(root / "ev")
        self.place = str(root / "kopyalar")
        self.model, self.copies, self.count = Model(), {}, 0
        self.gone = set()  # every text of what was ever forgotten: no copy brings it back
        open_home(self.home).close()

    def within(self, act):
        """Open the home, act, close it."""
        with open_home(self.home) as home:
            return act(home)

    def hear(self):
        """Some payloads more wait."""

        def enqueue(home):
            with home.memory.transaction():
                for _ in range(self.dice.randrange(1, 4)):
                    self.count += 1
                    payload = f"ders {self.count}: önbelleği {self.count} numaralı işten sonra boşalt"
                    queue.enqueue(
                        home.memory,
                        Sighting(P, "*", "s", "learning", payload, "agent", f"m-{self.count}", 0, 1_796_000_000_000, 0),
                    )
                    self.model.waiting[payload] += 1

        self.within(enqueue)

    def pick(self, *, permanent):
        """The id and text of a lesson that stands, drawn; None where there is none."""
        found = self.within(
            lambda home: home.memory.rows(
                "SELECT id, text FROM memories WHERE kind = 'lesson' AND status = 'current' AND (tier = 'T2') = ? ORDER BY id",
                (int(permanent),),
            )
        )
        return self.dice.choice(found) if found else None

    def mark_gone(self, id_):
        """A row is about to be forgotten: its words of all revisions."""
        self.gone |= self.within(
            lambda home: {
                json.loads(str(body))["text"]
                for (body,) in home.memory.rows("SELECT body FROM revisions WHERE id = ?", (id_,))
            }
        )

    def drain(self, crash):
        """What waits becomes lessons."""

        def act():
            return self.within(lambda home: drain.drain_offline(home, P, limit=1000))

        crash(act)
        act()
        self.model.texts += self.model.waiting
        self.model.waiting = Counter()

    def promote(self, crash):
        """One lesson becomes permanent."""
        if row := self.pick(permanent=False):

            def act():
                def once(home):
                    if memories.read(home.memory, row[0]).tier != "T2":
                        with home.memory.transaction():
                            review.promote(home, row[0], actor=PERSON)

                self.within(once)

            crash(act)
            act()
            self.model.permanent.add(row[1])

    def forget(self, crash):
        """One lesson is forgotten for good."""
        if row := self.pick(permanent=self.dice.random() < 0.3):

            def act():
                def once(home):
                    there = home.memory.value("SELECT 1 FROM memories WHERE id = ? AND status = 'current'", (row[0],))
                    if there:
                        forgetting.carry_out(home, blast.reach(home, blast.Asked(P, (row[0],))), actor=PERSON)
                    return [one.state for one in forget.finish(home)]

                return self.within(once)

            self.mark_gone(row[0])
            crash(act)
            assert all(state == "proven" for state in act())
            del self.model.texts[row[1]]
            self.model.permanent.discard(row[1])

    def backup(self, crash):
        """A copy more; those that a killed run named hold the same."""
        crash(lambda: self.within(lambda home: backups.make(home, self.place, program="t")))
        self.within(lambda home: backups.make(home, self.place, program="t"))
        copies, broken = shelf.listed(self.place)
        assert broken == []
        for copy in copies:
            self.copies.setdefault(_key(copy), self.model.copy())
        assert not [name for name in Path(self.place).iterdir() if name.name.startswith(".")]

    def restore(self, crash):
        """The home is again what one of the copies holds."""
        copies, _ = shelf.listed(self.place)
        if copies:
            copy = self.dice.choice(copies)

            def act():
                return restore.carry_out(self.home, copy, STORES, force=True, again=forgetting.again)

            crash(act)
            assert act().unproven == ()
            assert restore.half_done(self.home) == ""
            self.model = self.copies[_key(copy)].without(self.gone)
            assert all(one.state == "proven" for one in self.within(forget.finish))
            shutil.rmtree(f"{self.home}/{restore.REPLACED}")

    def export(self, crash):
        """An archive is whole or is not there."""
        target = str(self.root / f"archive-{self.count}-{self.dice.random()}")

        def act():
            return self.within(lambda home: archive.write(home, target))

        crash(act)
        if not Path(target).exists():
            act()
        archive_read.read(target)
        shutil.rmtree(target)

    def import_(self, crash):
        """Another home gets all of it once, whatever the first try left there."""
        source, other = str(self.root / f"from-{self.dice.random()}"), str(self.root / f"other-{self.dice.random()}")
        self.within(lambda home: archive.write(home, source))

        def act():
            with open_home(other) as home:
                archive_load.load(home, archive_read.read(source))

        crash(act)
        act()
        with open_home(other) as home:
            assert check.check_home(home) == []
            assert texts(home) == self.model.texts
        shutil.rmtree(source)
        shutil.rmtree(other)

    def migrate(self, crash):
        """A copy of the file comes up one version, once."""
        path = str(self.root / f"up-{self.dice.random()}.db")
        self.within(lambda home: home.memory.backup_to(path))

        def act():
            return migrate.open_migrated(path, "memory", steps=LATER).close()

        crash(act)
        act()
        db = migrate.open_migrated(path, "memory", steps=LATER)
        assert db.value("SELECT count(*) FROM later") == db.value("SELECT count(*) FROM memories")
        db.close()

    def vault(self, crash):
        """What a person did in the files is asked about or taken in, once."""
        vault_rounds.walk(self, crash)

    def account(self):
        """(lost, doubled) of lessons and waiting items; every invariant holds."""
        with open_home(self.home) as home:
            assert check.check_home(home) == []
            held = texts(home)
            waits = Counter(str(payload) for (payload,) in home.memory.rows("SELECT payload FROM queue"))
            permanent = {
                str(text)
                for (text,) in home.memory.rows("SELECT text FROM memories WHERE tier = 'T2' AND status = 'current'")
            }
        assert permanent == self.model.permanent
        lost = sum((self.model.texts - held).values()) + sum((self.model.waiting - waits).values())
        return lost, sum((held - self.model.texts).values()) + sum((waits - self.model.waiting).values())


def _key(copy):
    """A copy's name may be given again within the second in which its bearer lost its place; the millisecond tells them apart."""
    return copy.manifest.id, copy.manifest.made_at


def texts(home):
    """The texts of lessons that stand."""
    return Counter(
        str(text)
        for (text,) in home.memory.rows("SELECT text FROM memories WHERE kind = 'lesson' AND status = 'current'")
    )


def test_killed_at_every_named_step(tmp_path, dice, rounds, capsys):
    """R13, R38, R106-R108, R116, R128: whatever road is walked and wherever it is cut, the same order given again ends as if there had been no kill."""
    world, killed, walked = (
        Rounds(tmp_path, dice),
        Counter(),
        [(road, place) for road, places in ROADS.items() for place in places],
    )
    dice.shuffle(walked)
    for number in range(rounds):
        world.hear()
        road, place = walked[number % len(walked)]
        nth = dice.choice((1, 1, 1, 1, 2))

        def crash(act, at=place, nth=nth):
            return killed.update([child.run(act, at=at, nth=nth)])

        getattr(world, road.replace("import", "import_"))(crash)
        assert world.account() == (0, 0), (number, road, place, nth)
    with capsys.disabled():
        print(
            f"\n{rounds} rounds, {killed['killed']} killed, {len(world.model.texts)} lessons at the end: 0 lost, 0 doubled"
        )
