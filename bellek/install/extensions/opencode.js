// bellek: memory for OpenCode. Written by `bellek install opencode`; `bellek uninstall opencode` takes it away.
// Before a turn it asks what memory has to tell, after a turn it pipes what was said to bellek, which redacts it before
// anything is stored. A fault of memory never costs a turn: whatever fails, nothing is added.
import { spawnSync } from "node:child_process";

const [PYTHON, HOOK, HOME, CLIENT] = {{words}};
const OWN_AGENTS = ["memory-curator", "memory-quick"];

function ask(event, fields) {
  try {
    const done = spawnSync(PYTHON, ["-I", HOOK, event, "--client", CLIENT, "--home", HOME], {
      input: JSON.stringify(fields), timeout: 5000, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"],
    });
    return done.stdout ? (JSON.parse(done.stdout).context ?? "") : "";
  } catch {
    return "";
  }
}

export const BellekMemory = async ({ directory }) => {
  const said = new Map(); // session → what was said since the last turn was over
  const ours = new Set(); // sessions of bellek's own agents: neither told nor heard
  const keep = (session, message) => said.set(session, [...(said.get(session) ?? []), { at: Date.now(), ...message }]);
  return {
    "chat.message": async (input, output) => {
      const part = output.parts.find((one) => one.type === "text" && !one.synthetic);
      if (OWN_AGENTS.includes(input.agent)) ours.add(input.sessionID);
      if (!part || ours.has(input.sessionID)) return;
      keep(input.sessionID, { id: part.id, role: "user", text: part.text });
      const text = ask("prompt", { session_id: input.sessionID, cwd: directory, prompt: part.text });
      if (!text) return;
      const id = "prt_" + Date.now().toString(16).padStart(12, "0") + "bellekmemory";
      output.parts.push({ ...part, id, text, synthetic: true });
      keep(input.sessionID, { id, role: "context", text });
    },
    "experimental.text.complete": async (input, output) => {
      if (!ours.has(input.sessionID)) keep(input.sessionID, { id: input.partID, role: "assistant", text: output.text });
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID;
      if (event.type === "session.idle" && said.has(session)) {
        const messages = said.get(session);
        said.delete(session);
        ask("over", { session_id: session, cwd: directory, messages });
      }
      if (event.type === "session.compacted") ask("compacted", { session_id: session, cwd: directory, source: "compact" });
    },
  };
};
