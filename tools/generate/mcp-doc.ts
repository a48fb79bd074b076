import { type Effect, TOOLSET_NAMES, TOOLSETS, type Toolset } from '@postrider/core';
import { TOOLS, type Tool } from '@postrider/mcp';
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
