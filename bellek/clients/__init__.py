"""One module a client, loaded by name: event fields in, transcript lines in, output form, settings snippet."""
