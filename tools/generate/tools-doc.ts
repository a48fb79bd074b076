import { OPERATIONS, type Operation, TOOL_FINDINGS } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/tools.md: the tools that need no key, and everything they can find. */
export function renderToolsDoc(): string {
  const operations: readonly Operation[] = OPERATIONS;
  const tools = operations.filter(({ path }) => path.startsWith('/tools/'));
  return `${MARKDOWN_NOTICE}

# The free tools

They need no key and store nothing. \`GET /tools\` lists them with the JSON Schema of what they take; \`postrider tools\` and
\`tools\` of the SDK call them. One client address may make 20 requests a minute, over all tools together, with bodies of at
most 64 KB.

${renderTable(
  ['tool', 'what it does', 'example'],
  tools.map(({ method, path, summary, cli }) => [`\`${method} ${path}\``, summary, exampleOf(cli?.examples?.[0])]),
)}

## What a check answers

\`{ok, check, target, status, records, findings, checkedAt}\`. \`records\` are what was read, \`findings\` what is to be said of it,
the worst first: \`{level, code, message, fix}\`. \`status\` is the worst level among them:

- \`pass\`: as it should be.
- \`warn\`: worth mending, or it could not be checked. A DNS that does not answer is a finding too, never an error of the call.
- \`fail\`: broken. Then \`ok\` is false.

Codes are stable; \`message\` holds the particulars behind what stands here, some of it text of others.

A check asks the DNS at most 250 questions and takes at most 10 seconds for them; what is missing then could not be checked.
Nothing is connected to but the DNS servers of the installation and, where \`POSTRIDER_SPAMD\` names one, SpamAssassin.

## Blocklists

\`POSTRIDER_BLOCKLISTS\` names the lists. Before a list is believed its test points are asked for (RFC 5782): it has to list
127.0.0.2 (for domains \`test\`) and must not list 127.0.0.1 (\`invalid\`). What passes, or fails, is remembered for an hour. An
answer of 127.255.255.x, of 127.0.0.1 or from outside of 127.0.0.0/8 is an error of the list, not a listing. So each list is
\`listed\`, \`not_listed\` or \`could_not_check\`. Most large lists refuse questions that come through public DNS servers.

## Inbox placement

It is an estimate, from what can be seen of a message: authentication, headers, content, links, blocklists and, where the
installation has one, the score of SpamAssassin. It is not a seed test; nothing is sent, and nobody outside of a mailbox provider
knows what it thinks of a sender. Give the whole source of a message that arrived somewhere as \`raw\` for SPF, DKIM and DMARC; of
\`from\`, \`subject\`, \`html\` and \`text\` the content alone can be judged.

${Object.entries(TOOL_FINDINGS)
  .map(([check, findings]) => `## Findings of \`${check}\`\n\n${renderFindings(findings)}`)
  .join('\n\n')}
`;
}

function exampleOf(example: string | undefined): string {
  return example === undefined ? '' : `\`${example}\``;
}

function renderFindings(
  findings: Readonly<Record<string, { readonly level: string; readonly message: string; readonly fix: string }>>,
): string {
  return renderTable(
    ['code', 'level', 'what it means', 'what to do'],
    Object.entries(findings).map(([code, { level, message, fix }]) => [`\`${code}\``, level, message, fix]),
  );
}
