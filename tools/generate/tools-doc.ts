import { OPERATIONS, type Operation, TOOL_FINDINGS } from '@postrider/core';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** docs/tools.md: the tools that need no key, and all their findings. */
export function renderToolsDoc(): string {
  const operations: readonly Operation[] = OPERATIONS;
  const tools = operations.filter(({ path }) => path.startsWith('/tools/'));
  return `${MARKDOWN_NOTICE}

# Free tools

These tools need no key and store nothing. \`GET /tools\` lists them with the JSON Schema of their input. Call them with \`postrider tools\` or
\`tools\` of the SDK. A client address can make 20 requests a minute, over all tools together, with bodies of at most 64 KB.

${renderTable(
  ['tool', 'what it does', 'example'],
  tools.map(({ method, path, summary, cli }) => [`\`${method} ${path}\``, summary, exampleOf(cli?.examples?.[0])]),
)}

## What a check returns

\`{ok, check, target, status, records, findings, checkedAt}\`. \`records\` are the DNS records that were read. \`findings\` are listed worst first:
\`{level, code, message, fix}\`. \`status\` is the worst level among them:

- \`pass\`: correct.
- \`warn\`: worth fixing, or it could not be checked. A DNS server that does not respond is a finding too, never an error of the call.
- \`fail\`: broken. Then \`ok\` is false.

Codes are stable. \`message\` is the text below with details of the case. Some details are third-party text.

A check sends at most 250 DNS queries and takes at most 10 seconds for them. What is not found by then is reported as not checked. A check connects only to the
installation's DNS servers and, if \`POSTRIDER_SPAMD\` is set, to SpamAssassin.

## Blocklists

\`POSTRIDER_BLOCKLISTS\` names the lists. The server uses a list only while its test points work (RFC 5782): it must list 127.0.0.2 (for domains
\`test\`) and must not list 127.0.0.1 (\`invalid\`). That result is cached for an hour. A response of 127.255.255.x, of 127.0.0.1 or from outside
127.0.0.0/8 is an error of the list, not a listing. So each list is \`listed\`, \`not_listed\` or \`could_not_check\`. Most large lists refuse queries
through public DNS servers.

## Inbox placement

This is an estimate from the message itself: authentication, headers, content, links, blocklists and, if it is set up, the score of SpamAssassin. It is
not a seed test: nothing is sent, and only a mailbox provider knows how it rates a sender. For SPF, DKIM and DMARC, pass the whole source of a received
message as \`raw\`. With \`from\`, \`subject\`, \`html\` and \`text\`, only the content is checked.

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
