// bellek: memory for OpenClaw. Written by `bellek install openclaw`; `bellek uninstall openclaw` takes it away.
// Before a turn it asks what memory has to tell, after a turn it pipes what was said to bellek, which redacts it before
// anything is stored. A fault of memory never costs a turn: whatever fails, nothing is added.
import { spawnSync } from "node:child_process";

const [PYTHON, HOOK, HOME, CLIENT] = {{words}};

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

function about(context) {
  return { session_id: context?.sessionId ?? "", cwd: context?.workspaceDir ?? process.cwd() };
}

function texts(content) {
  if (typeof content === "string") return content;
  return (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

export default {
  id: "bellek",
  name: "bellek",
  description: "memory: told before each turn, heard after it",
  register(api) {
    api.on("before_prompt_build", (event, context) => {
      const text = ask("prompt", { ...about(context), prompt: event.prompt });
      return text ? { prependContext: text } : undefined;
    });
    api.on("agent_end", (event, context) => {
      const said = (event.messages ?? []).filter((one) => one.role === "user" || one.role === "assistant");
      const messages = said.map((one) => ({ role: one.role, text: texts(one.content), at: one.timestamp }));
      ask("over", { ...about(context), messages });
    });
  },
};
