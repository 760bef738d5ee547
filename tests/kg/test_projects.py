"""Which folders are one project, told from real folders and real git repositories."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from made import lesson

from bellek.kg import memories, projects, registry
from bellek.kg.db import Database
from bellek.schemas.errors import NotFound, Refused


def git(*words: str, at: Path) -> None:
    """Run git without this machine's settings."""
    identity = {
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@t",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@t",
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    command = ["git", "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, cwd=at, env=environment, check=True, capture_output=True)


def register(db: Database, folder: Path | str) -> str:
    """The folder's project, as hearing registers it."""
    with db.transaction():
        return registry.register(db, str(folder))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit."""
    folder = tmp_path / "eski"
    folder.mkdir()
    git("init", "-q", at=folder)
    (folder / "a").write_text("a", encoding="utf-8")
    git("add", "a", at=folder)
    git("commit", "-qm", "a", at=folder)
    return folder


def test_a_worktree_shares_the_memory_of_its_checkout(home, checkout, tmp_path, monkeypatch):
    """B129: what was learned in a linked worktree is found from the main checkout, after the worktree was removed, without git."""
    tree = tmp_path / "dal"
    git("worktree", "add", "-q", str(tree), at=checkout)
    (tree / "iç").mkdir()
    monkeypatch.setenv("PATH", "/nowhere")
    project = register(home.memory, tree / "iç")
    with home.memory.transaction():
        memories.write(home.memory, lesson("dalda öğrenilen", project=project), actor="test")
    shutil.rmtree(tree)
    assert projects.find(home.memory, str(checkout)) == project
    assert register(home.memory, checkout) == project


def test_folders_that_a_client_writes_alike_are_apart(home, tmp_path):
    """B131: müze and möze, my_project and my-project, a/b and a-b are projects of their own: the folder decides, never a name."""
    names = ["müze", "möze", "my_project", "my-project", "a/b", "a-b"]
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    assert len({register(home.memory, tmp_path / name) for name in names}) == len(names)


def test_a_renamed_checkout_keeps_its_memory(home, checkout, tmp_path):
    """B132: a repository that was moved is the same project at its new place, at once and without a command."""
    project = register(home.memory, checkout)
    new = tmp_path / "yeni"
    checkout.rename(new)
    assert projects.find(home.memory, str(new)) == project
    assert register(home.memory, new) == project
    (listed,) = registry.listed(home.memory)
    assert (listed.path, listed.exists) == (str(new), True)


def test_a_renamed_plain_folder_is_offered(home, tmp_path):
    """B132: a folder outside git that was moved is offered by its device and inode, and only a person's `move` makes it so."""
    old, new = tmp_path / "eski", tmp_path / "yeni"
    old.mkdir()
    project = register(home.memory, old)
    old.rename(new)
    assert registry.offers(home.memory) == [(project, str(old), str(new))]
    assert projects.find(home.memory, str(new)) == ""
    assert registry.move(home.memory, str(old), str(new)) == project
    assert projects.find(home.memory, str(new)) == project
    assert registry.offers(home.memory) == []


@pytest.mark.parametrize("cwd", ["", ".", "göreli/yol", "a\0b"])
def test_without_a_folder_there_is_no_project(home, tmp_path, monkeypatch, cwd):
    """B133: an empty, relative or broken folder belongs to no project, never to the one that this process stands in."""
    register(home.memory, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert projects.find(home.memory, cwd) == ""


def test_a_folder_that_is_gone_keeps_its_project(home, tmp_path):
    """B133: a folder that no longer exists has a project of its own by its path, and is listed as gone."""
    folder = tmp_path / "gitti"
    project = register(home.memory, folder)
    assert projects.find(home.memory, str(folder)) == project
    assert register(home.memory, tmp_path / "başka") != project
    assert registry.gone(home.memory) == sorted(registry.gone(home.memory))
    assert project in registry.gone(home.memory)
    assert not next(p for p in registry.listed(home.memory) if p.id == project).exists


def test_a_copy_of_a_checkout_is_another_project(home, checkout, tmp_path):
    """A copied repository carries the id file with it; while the original stands, the copy is a project of its own."""
    project = register(home.memory, checkout)
    copy = tmp_path / "kopya"
    shutil.copytree(checkout, copy)
    assert projects.find(home.memory, str(copy)) == ""
    other = register(home.memory, copy)
    assert other != project
    assert register(home.memory, checkout) == project
    assert register(home.memory, copy) == other


def test_two_folders_of_one_name_are_two_projects(home, tmp_path):
    """Folders that share only their last name share no memory."""
    for name in ("bir/app", "iki/app"):
        (tmp_path / name).mkdir(parents=True)
    assert register(home.memory, tmp_path / "bir/app") != register(home.memory, tmp_path / "iki/app")


def test_a_foreign_repository_gets_nothing_by_an_id_file(home, make_home, checkout, tmp_path):
    """An id file that another home wrote, or that a repository brought, gives no access to a project of this home."""
    project = register(home.memory, tmp_path)
    node = home.memory.value("SELECT value FROM meta WHERE key = 'node'")
    foreign = make_home("other")
    (checkout / ".git" / projects.ID_FILE).write_text(f"n_another {project}\n", encoding="ascii")
    assert projects.find(home.memory, str(checkout)) == ""
    (checkout / ".git" / projects.ID_FILE).write_text(f"{node} {project}\n", encoding="ascii")
    assert projects.find(home.memory, str(checkout)) == "", (
        "its own node's line, yet the project's folder stands elsewhere"
    )
    mine, theirs = register(home.memory, checkout), register(foreign.memory, checkout)
    assert mine not in (project, theirs)
    assert (register(home.memory, checkout), register(foreign.memory, checkout)) == (mine, theirs), (
        "both lines are kept"
    )


def test_a_link_to_a_folder_is_that_folder(home, tmp_path):
    """A symbolic link and the folder that it points to are one project."""
    (tmp_path / "gerçek").mkdir()
    (tmp_path / "bağ").symlink_to("gerçek")
    assert register(home.memory, tmp_path / "bağ") == register(home.memory, tmp_path / "gerçek")


def test_a_submodule_is_a_project_of_its_own(home, checkout, tmp_path):
    """A submodule has its own git dir and so its own memory; its outer repository's stays apart."""
    inner = tmp_path / "iç"
    shutil.copytree(checkout, inner)
    git("submodule", "--quiet", "add", str(inner), "alt", at=checkout)
    outer, sub = register(home.memory, checkout), register(home.memory, checkout / "alt")
    assert outer != sub
    assert projects.find(home.memory, str(checkout / "alt")) == sub
    assert projects.find(home.memory, str(checkout)) == outer


def test_a_folder_below_a_checkout_belongs_to_it(home, checkout):
    """Every folder inside a repository is the repository's project."""
    (checkout / "src/derin").mkdir(parents=True)
    assert register(home.memory, checkout / "src/derin") == register(home.memory, checkout)


def test_the_id_is_never_in_a_tracked_place(home, checkout):
    """Registering leaves the repository's work tree clean: the id lies in the git dir."""
    register(home.memory, checkout)
    done = subprocess.run(["git", "status", "--porcelain"], cwd=checkout, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert (checkout / ".git" / projects.ID_FILE).exists()


def test_a_person_may_link_a_folder(home, tmp_path):
    """`link` joins a folder to a known project by id or by path; an unknown project is an error."""
    project = register(home.memory, tmp_path / "bir")
    (tmp_path / "iki").mkdir()
    assert registry.link(home.memory, str(tmp_path / "iki"), project) == project
    assert projects.find(home.memory, str(tmp_path / "iki")) == project
    with pytest.raises(NotFound):
        registry.link(home.memory, str(tmp_path / "iki"), "p_none")


def test_a_move_onto_another_project_is_refused(home, tmp_path):
    """A folder that is a project already is not taken over by `move`, and nothing changes."""
    one, other = register(home.memory, tmp_path / "bir"), register(home.memory, tmp_path / "iki")
    with pytest.raises(Refused):
        registry.move(home.memory, str(tmp_path / "bir"), str(tmp_path / "iki"))
    assert projects.find(home.memory, str(tmp_path / "bir")) == one
    assert projects.find(home.memory, str(tmp_path / "iki")) == other
