"""The MCP server: typed memory for any client that speaks the Model Context Protocol. Needs the extra ``bellek[mcp]``."""
