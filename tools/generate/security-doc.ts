import { COMMANDS } from '@postrider/cli';
import { CALLER_POLICY, OPERATIONS, type Operation, type Reach } from '@postrider/core';
import { TOOLS } from '@postrider/mcp';
import type { Citation } from '../../test/requirements/citations.ts';
import type { Requirement } from '../../test/requirements.ts';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** Holes that a row of the policy closes; the others are closed where the row's test looks. */
const REACH_OF_HOLE: Readonly<Record<string, readonly Reach[]>> = {
  'holes.every-surface': ['outbound', 'shapes-outbound', 'notifies', 'controls'],
  'holes.resend': ['outbound'],
  'holes.template-drafts': ['shapes-outbound'],
  'holes.template-authors': ['shapes-outbound'],
  'holes.reschedule': ['outbound'],
  'holes.accept-facts': ['outbound'],
  'holes.ended-callers': ['outbound'],
  'holes.deciding-keys': ['controls'],
  'holes.made-keys': ['controls'],
  'holes.shared-limits': ['outbound', 'controls'],
  'holes.attachment-urls': ['outbound'],
  'holes.held-webhooks': ['notifies'],
  'holes.held-quota': ['outbound'],
  'holes.resume': ['controls'],
  'holes.device-consent': ['controls'],
};

/** docs/security.md: what restricted callers cannot do, and the test that tries each. */
export function renderSecurityDoc(holes: readonly Requirement[], citations: readonly Citation[]): string {
  const proofs = Map.groupBy(citations, ({ id }) => id);
  const rows = holes.map(({ id, sentence, deferredTo }) => {
    const files = [...new Set((proofs.get(id) ?? []).map(({ file }) => file))];
    const tests = files.map((file) => `[${file}](../${file})`).join('<br>');
    return [sentence, deferredTo === null ? tests || 'no test' : 'open', policyOf(id)];
  });
  return `${[INTRODUCTION, renderTable(['guarantee', 'tests', 'policy'], rows), renderEnumeration()].join('\n\n')}\n`;
}

const INTRODUCTION = `${MARKDOWN_NOTICE}

# What restricted callers cannot do

A key can be held for approval, in test mode, limited to certain recipients, or limited in the number of sends. One policy decides what each may cause: every
operation declares its reach, and the policy judges reach and caller ([keys.md](keys.md#what-a-restricted-key-may-cause)). Each row below was once
a proven way around that policy, or to stop the server. It stays closed because a test tries it. To report another one, see
[SECURITY.md](../SECURITY.md).`;

function policyOf(id: string): string {
  const reaches = REACH_OF_HOLE[id] ?? [];
  return reaches
    .map(
      (reach) =>
        `\`${reach}\`: held key ${CALLER_POLICY['held key'][reach]}, test key ${CALLER_POLICY['test key'][reach]}`,
    )
    .join('<br>');
}

/** How many calls the enumeration makes: every operation on every surface that offers it, by both keys, and SMTP. */
function renderEnumeration(): string {
  const operations: readonly Operation[] = OPERATIONS;
  const tried = operations.filter(({ id }) => !id.startsWith('service.') && id !== 'auth.logout');
  const surfaces = {
    REST: tried.length,
    SDK: tried.filter(({ response }) => response === 'json').length,
    MCP: tried.filter(({ id }) => TOOLS.some(({ operation }) => operation.id === id)).length,
    CLI: tried.filter(({ id }) => id !== 'webhooks.stream' && COMMANDS.some((command) => command.id === id)).length,
  };
  const counts = Object.entries(surfaces).map(([name, count]) => `${count} over ${name}`);
  const calls = 2 * Object.values(surfaces).reduce((sum, count) => sum + count, 0) + 2;
  return `## The enumeration

[test/surfaces/restricted-callers.test.ts](../test/surfaces/restricted-callers.test.ts) calls ${tried.length} operations as a held key and as a test key,
${counts.join(', ')}, and sends over SMTP: ${calls} calls. Before and after each it compares what left the installation, what the account's
people decided, and what other senders' mail depends on.

## Load without a key

\`pnpm bench hostile\` starts a server and probes \`/health\` while each of 200 hostile requests runs: large anonymous bodies, JSON made to be
expensive, slow bodies, batches of two-megabyte dry runs, bombs in templates, headers and MIME. It fails if a probe takes over 250 ms at p99, or
where memory grows by 200 MB. The bound on memory is not reached yet: batches of two-megabyte messages exceed it.`;
}
