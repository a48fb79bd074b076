import { type Effect, TOOLSET_NAMES, TOOLSETS, type Toolset } from '@postrider/core';
import { PROMPTS, RESOURCE_KINDS, TOOLS, type Tool } from '@postrider/mcp';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/mcp.md: the tools of every toolset, and how a connection chooses among them. */
export function renderMcpDoc(): string {
  return `${MARKDOWN_NOTICE}

# Tools for agents

\`POST /mcp\` and the program \`postrider-mcp\` have the same tools. Every connection has the default ones; more come in toolsets, which a
connection asks for by name, as agents do badly with many tools. Neither a toolset nor read-only mode gives a key more than its scopes allow: a key
sees only the tools that it may use.

| | over HTTP | over stdio |
| --- | --- | --- |
| more tools | \`/mcp?toolsets=templates,domains\` | \`postrider-mcp --toolsets templates,domains\` |
| only tools that change and send nothing | \`/mcp?readonly=true\` | \`postrider-mcp --readonly\` |

An unknown name is refused, with the names there are. A toolset without tools is known and empty: what it is for comes later.

## Setting up a program

\`postrider mcp install\` enters the stdio program into the settings of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Codex, Gemini CLI and Zed: those
it finds, or those that \`--client\` names. In a clone that is the clone’s own program, else the package by \`npx\`. It keeps everything else in a file, comments included, and a copy of the file beside it; a file it does not
understand it leaves alone. Installed again it changes what it entered, and keeps what else somebody set for the server. \`--print\` shows what it would
enter. An agent gets a key of its own: \`--api-key\` and \`--base-url\`, or the directory of a server in development. \`postrider mcp uninstall\` takes the
entry out again, everywhere or where \`--client\` says; the key goes on working until it is revoked.

## Resources

${renderTable(
  ['address', 'what', 'scope'],
  RESOURCE_KINDS.map(({ name, variable, description, scope }) => [
    `\`email://${name}/{${variable}}\``,
    description,
    scope === null ? 'any key' : `\`${scope}\``,
  ]),
)}

A resource is the text of the tool that reads the same thing: fenced the same, cut the same. \`resources/list\` holds the templates and the holds that wait
for a decision; \`completion/complete\` completes ids and slugs from the newest things there are. \`subscriptions/listen\` (protocol 2026-07-28) tells of
changes, at most 250 ms after them; over stdio both it and \`resources/subscribe\` of the 2025 protocol do, within 5 s. Over HTTP the 2025 protocol would
need a session for that. A stream watches at most 100 resources (over stdio 10), and ends when its key does.

## Prompts

${renderTable(
  ['prompt', 'arguments', 'what for'],
  PROMPTS.map(({ name, description, arguments: list }) => [
    `\`${name}\``,
    list.map((argument) => (argument.required ? argument.name : `${argument.name} (optional)`)).join(', '),
    description,
  ]),
)}

## Held sends

No tool approves. The answer to a held send says so, and names the page where a person decides, signed in: \`/approvals/open/{id}\`. A client that can open
addresses for its user (URL-mode elicitation) is asked to open that page, of a batch the first one's; whatever it answers, only the decision on the page
counts. \`get_email\`, \`get_approval\` and \`wait_for_email\` name the page too. \`wait_for_email\` of a held message ends with the decision, and goes on to
the outcome where that follows within seconds.

## The same send again

Without an \`idempotency_key\` the same content from the same key within ten minutes is one message: later calls answer with the first id and
\`deduplicated\`, calls at the same time as well. A refusal for now says how many seconds to wait.

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
  return `${renderTable(['tool', 'what for', 'scope', 'effect'], tools.map(rowOf))}\n`;
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
