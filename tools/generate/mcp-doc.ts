import { type Effect, LIMITS, TOOLSET_NAMES, TOOLSETS, type Toolset } from '@postrider/core';
import { HELD_VIEW_TOOLS, PROMPTS, RESOURCE_KINDS, TOOLS, type Tool } from '@postrider/mcp';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/mcp.md: the tools of every toolset, and how a connection selects them. */
export function renderMcpDoc(): string {
  return `${MARKDOWN_NOTICE}

# Tools for agents

\`POST /mcp\` and the program \`postrider-mcp\` have the same tools. Every connection has the default tools. A connection requests more by toolset,
because agents work badly with many tools. A key sees only the tools that its scopes allow, with every toolset and in read-only mode.

| | over HTTP | over stdio |
| --- | --- | --- |
| more tools | \`/mcp?toolsets=templates,domains\` | \`postrider-mcp --toolsets templates,domains\` |
| only tools that change and send nothing | \`/mcp?readonly=true\` | \`postrider-mcp --readonly\` |

An unknown toolset is refused, and the error lists the known ones. A toolset without tools is valid and empty.

## Set up a client

\`postrider mcp install\` adds the server to the settings of Claude Code, Cursor, VS Code, Windsurf, Codex, Gemini CLI, Zed and Claude Desktop: those
that it finds, or those that \`--client\` names. The entry is the address of the server, without a key: you
[sign in from the client](agent-sign-in.md), and the command says how. It first checks that the server can be reached and goes by that address.

With \`--key\` or \`--api-key\`, the entry is the stdio program with a key. So it is for Claude Desktop, which cannot sign in by its settings. In a clone,
it uses the clone’s program; otherwise, the package through \`npx\`.

- It keeps everything else in a file, comments included, and stores a copy of the file next to it. It does not change a file that it cannot parse.
- Running it again updates its entry, and keeps other settings of the server.
- An entry with a key becomes one without, and the other way round, by running it again. A key in a header of the entry is removed.
- \`--print\` shows the entry and writes nothing.
- If you write a key, use a separate one for the agent: \`--api-key\` and \`--base-url\`, or the directory of a server in development.
- \`postrider mcp uninstall\` removes the entry, everywhere or from the clients in \`--client\`. The key or the sign-in works until it is revoked.

There are also a plugin with a skill for Claude Code, and a bundle for desktop clients: see [clients.md](clients.md).

## Resources

${renderTable(
  ['address', 'content', 'scope'],
  RESOURCE_KINDS.map(({ name, variable, description, scope }) => [
    `\`email://${name}/{${variable}}\``,
    description,
    scope === null ? 'any key' : `\`${scope}\``,
  ]),
)}

A resource has the same text as the tool that reads the same thing, with the same marks and limits. \`resources/list\` contains the templates and the holds
that wait for a decision. \`completion/complete\` completes ids and slugs from the newest ones. \`subscriptions/listen\` (protocol 2026-07-28) reports
changes within 250 ms; \`resources/subscribe\` of the 2025 revisions reports them within a second. Over stdio, both report them within 5 s. A stream or
session watches at most ${LIMITS.mcpSubscriptionsPerSession} resources (over stdio 10). Streams end when their key is revoked or expires.

## Sessions of the 2025 revisions

Over HTTP, \`initialize\` returns an \`Mcp-Session-Id\`. A client that sends it back has a session. Requests without it are served too, without
subscriptions, log messages and requests of the server.

| request | in a session |
| --- | --- |
| \`POST /mcp\` | calls, \`resources/subscribe\`, \`logging/setLevel\`, and responses to requests of the server |
| \`GET /mcp\` | the event stream: \`notifications/resources/updated\` and \`notifications/elicitation/complete\` |
| \`DELETE /mcp\` | ends the session |

- Every process and host of an installation serves every session; a load balancer needs no configuration. A stream that was interrupted can be opened again
  anywhere: changes in the meantime are notified, and \`Last-Event-ID\` repeats what was lost on the way.
- A notification says that a resource has changed. Read it for its state: several changes may be one notification.
- A session belongs to its key. With another key, or once it has ended, its id gets 404: initialize again.
- Sessions end after ${LIMITS.mcpSessionDays} days, and those with subscriptions after ${LIMITS.mcpSessionIdleHours} hours without a request or stream.
- A key has ${LIMITS.mcpSessionsPerKey} sessions with subscriptions; beyond it, the one that was unused for the longest time ends. An account has ${LIMITS.mcpSessionStreamsPerAccount} streams on each
  process; beyond it, \`GET /mcp\` is 503. Everything else works without a stream.
- Once a client has set a log level, each call is a log message with its request id: \`info\`, or \`warning\` for a refused one.

## Prompts

${renderTable(
  ['prompt', 'arguments', 'purpose'],
  PROMPTS.map(({ name, description, arguments: list }) => [
    `\`${name}\``,
    list.map((argument) => (argument.required ? argument.name : `${argument.name} (optional)`)).join(', '),
    description,
  ]),
)}

## Held sends

No tool approves a send. The result of a held send says so, and names the page where a signed-in approver decides: \`/approvals/open/{id}\`. If the client can open
addresses for its user (URL-mode elicitation), the server asks it to open that page; for a batch, the page of the first held item. Whatever the client replies,
only the decision on the page counts. A call of the 2025 revisions waits 30 s for the reply, and then returns. \`get_email\`, \`get_approval\` and \`wait_for_email\` name the page too. \`wait_for_email\` of a held message returns
with the decision, or with the outcome if that follows within seconds.

Each of the first ten holds of a result also has a resource link, \`email://approvals/{id}\`, which the client can read and watch. Clients of protocol
revisions before 2025-06-18 get no links, because they do not know them.

### The view of a held send

A client with [MCP Apps](https://modelcontextprotocol.io/seps/1865-mcp-apps-interactive-user-interfaces-for-mcp) (\`io.modelcontextprotocol/ui\`) shows a held
send in the conversation as the console does: recipients with blind copies apart, why it is held, findings such as a link whose text names another host, the
target of every link, files, the content hash, the time left, and the decision as soon as there is one. Its button opens \`/approvals/open/{id}\`. Such a
client is not asked to open the page as well.

- The view belongs to ${listOf([...HELD_VIEW_TOOLS])}. A key that is not in approval mode gets it only for \`resend_email\` and \`get_approval\`.
- The view decides nothing. It has no key, its policy allows no request, and the content of a message is text in it. Through the client it can call one tool,
  \`read_held_send\`, which only reads what the key may read. Models do not see that tool, and views may not call the others (\`visibility\`).
- The view needs a client that lets it call that tool (\`serverTools\`). Otherwise it shows the state and the button.
- Over HTTP with a 2025 protocol, a client needs a session to get the view, because it declares the extension in \`initialize\`.

## Repeated sends

Without an \`idempotency_key\`, the same content from the same key within ten minutes is one message. Later and simultaneous calls return the first id and
\`deduplicated\`. A temporary refusal says how many seconds to wait.

## The default tools

${renderTools(null)}
${TOOLSET_NAMES.map(renderToolset).join('\n')}`;
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function renderToolset(name: Toolset): string {
  return `## ${name}\n\n${TOOLSETS[name]}\n\n${renderTools(name)}`;
}

function renderTools(toolset: Toolset | null): string {
  const tools = TOOLS.filter((tool) => tool.toolset === toolset);
  if (tools.length === 0) return 'No tools yet.\n';
  return `${renderTable(['tool', 'purpose', 'scope', 'effect'], tools.map(rowOf))}\n`;
}

function rowOf({ definition: { name, title = '' }, scope, operation }: Tool): readonly string[] {
  return [`\`${name}\``, title, scope === null ? 'any key' : `\`${scope}\``, EFFECTS[operation.effect]];
}

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'reads',
  create: 'adds',
  update: 'changes',
  replace: 'replaces',
  delete: 'removes',
  send: 'sends',
};
