"""``python -m bellek``, and a start file by its path: the same as the installed command.

``'<python>' -I '<bellek/__main__.py>' VERB …`` needs no PATH, no variable and no folder to stand in, so it is the form
that the installer writes into agents and skills. It must never do anything but start.
"""

if not __package__:  # started by its path: the package is found in the one way in which the hook's start file finds it
    from pathlib import Path
    from runpy import run_path

    run_path(str(Path(__file__).with_name("hook.py")))["find_own_package"]()

from bellek.hook import console

console()
