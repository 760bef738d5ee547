// bellek: memory for Pi and Oh My Pi. Written by `bellek install {{client}}`; `bellek uninstall {{client}}` takes it away.
// Before a turn it asks what memory has to tell, after a turn it says that there is something to hear. A fault of
// memory never costs a turn: whatever fails, nothing is added. spawnSync with input: execFileSync throws EPIPE.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";

const [PYTHON, HOOK, HOME, CLIENT] = {{words}};

function ask(event: string, fields: Record<string, unknown>): string {
  try {
    const done = spawnSync(PYTHON, ["-I", HOOK, event, "--client", CLIENT, "--home", HOME], {
      input: JSON.stringify(fields), timeout: 5000, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"],
    });
    return done.stdout ? (JSON.parse(done.stdout).context ?? "") : "";
  } catch {
    return "";
  }
}

function about(ctx: any): Record<string, unknown> {
  const manager = ctx?.sessionManager;
  return {
    session_id: manager?.getSessionId?.() ?? "", transcript_path: manager?.getSessionFile?.() ?? "",
    cwd: ctx?.cwd ?? process.cwd(),
  };
}

export default function (pi: any) {
  let standing = "";
  pi.on("session_start", async (event: any, ctx: any) => {
    standing = ask("session_start", { ...about(ctx), source: event?.reason ?? "startup" });
  });
  pi.on("session_compact", async (_: any, ctx: any) => {
    standing = ask("session_compact", { ...about(ctx), source: "compact" });
  });
  // Only here does Pi say that a line was typed; the session file would not. A hash: what was typed stands there anyway.
  pi.on("input", async (event: any, ctx: any) => {
    if (event?.source !== "interactive" || ctx?.mode !== "tui" || event.images?.length) return;
    try {
      pi.appendEntry("bellek-typed", { sha256: createHash("sha256").update(event.text.trim()).digest("hex") });
    } catch {}
  });
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const fitting = ask("before_agent_start", { ...about(ctx), prompt: event.prompt });
    const content = [standing, fitting].filter(Boolean).join("\n\n");
    standing = "";
    return content ? { message: { customType: "bellek", content, display: false } } : undefined;
  });
  pi.on("agent_end", async (_: any, ctx: any) => {
    ask("agent_end", about(ctx));
  });
  pi.on("session_shutdown", async (_: any, ctx: any) => {
    ask("session_shutdown", about(ctx));
  });
}
