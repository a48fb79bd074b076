import { type Effect, TOOLSET_NAMES, TOOLSETS, type Toolset } from '@postrider/core';
import { PROMPTS, RESOURCE_KINDS, TOOLS, type Tool } from '@postrider/mcp';
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

\`postrider mcp install\` adds the stdio program to the settings of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Codex, Gemini CLI and Zed: those
that it finds, or those that \`--client\` names. In a clone, it uses the clone’s program; otherwise, the package through \`npx\`.

- It keeps everything else in a file, comments included, and stores a copy of the file next to it. It does not change a file that it cannot parse.
- Running it again updates its entry, and keeps other settings of the server.
- \`--print\` shows the entry and writes nothing.
- Use a separate key for the agent: \`--api-key\` and \`--base-url\`, or the directory of a server in development.
- \`postrider mcp uninstall\` removes the entry, everywhere or from the clients in \`--client\`. The key works until it is revoked.

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
changes within 250 ms. Over stdio, it and \`resources/subscribe\` of the 2025 protocol report them within 5 s. Over HTTP, the 2025 protocol has no
notifications here, because it would need sessions. A stream watches at most 100 resources (over stdio 10), and ends when its key is revoked or expires.

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
only the decision on the page counts. \`get_email\`, \`get_approval\` and \`wait_for_email\` name the page too. \`wait_for_email\` of a held message returns
with the decision, or with the outcome if that follows within seconds.

## Repeated sends

Without an \`idempotency_key\`, the same content from the same key within ten minutes is one message. Later and simultaneous calls return the first id and
\`deduplicated\`. A temporary refusal says how many seconds to wait.

## The default tools

${renderTools(null)}
${TOOLSET_NAMES.map(renderToolset).join('\n')}`;
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
