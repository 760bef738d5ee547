"""The real Claude Code client against a scripted model on loopback: installer, model, laboratory."""
