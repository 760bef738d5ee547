"""The installer: binds bellek's hooks to Claude Code and takes them away again, leaving everything else as it was.

Read in this order: ``target`` (where and with what) · ``command`` (the one line a client runs) · ``jsontext`` (edits of
JSON text that keep every other byte) · ``settings`` (what our entries are) · ``selftest`` (tried before written) ·
``files`` (whole or not at all) · ``receipt`` (what we did) · ``claude_code`` (install, uninstall) · ``bound`` (doctor).

It must never write to a settings file that it could not read in full, and never say that something happened before it
has been read back.
"""
