import { COMMANDS } from '@postrider/cli';
import { CALLER_POLICY, OPERATIONS, type Operation, type Reach } from '@postrider/core';
import { TOOLS } from '@postrider/mcp';
import type { Citation } from '../../test/requirements/citations.ts';
import type { Requirement } from '../../test/requirements.ts';
import { KINDS } from '../../test/surfaces/restricted/callers.ts';
import { changesOne, OWN_STATES } from '../../test/surfaces/restricted/own-messages.ts';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** Holes that the reach policy closes. The other rows are enforced by code that their test checks. */
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
  'holes.own-decided': ['outbound', 'controls'],
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
  const rows = holes.map(({ id, sentence }) => {
    const files = [...new Set((proofs.get(id) ?? []).map(({ file }) => file))];
    const tests = files.map((file) => `[${file}](../${file})`).join('<br>');
    return [sentence, tests || 'no test', policyOf(id)];
  });
  return `${[INTRODUCTION, renderTable(['guarantee', 'tests', 'policy'], rows), renderEnumeration()].join('\n\n')}\n`;
}

const INTRODUCTION = `${MARKDOWN_NOTICE}

# What restricted callers cannot do

A key can be held for approval, in test mode, limited to certain recipients, or limited in the number of sends. One policy decides what each may cause: every
operation declares its reach, and the policy judges reach and caller ([keys.md](keys.md#what-a-restricted-key-may-cause)). Each row below was once
a way to bypass that policy or to stop the server. A test tries it, so that it stays closed. To report another one, see
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

/** The number of calls the enumeration makes: every operation on every surface, by every kind of restricted key, plus SMTP. */
function renderEnumeration(): string {
  const operations: readonly Operation[] = OPERATIONS;
  const tried = operations.filter(({ id }) => !id.startsWith('service.') && id !== 'auth.logout');
  const counts = countBySurface(tried);
  const held = KINDS.filter(({ is }) => is === 'held');
  const own = held.length * OWN_STATES.length * sumOf(countBySurface(tried.filter(changesOne)));
  const calls = KINDS.length * (sumOf(counts) + 1) + own;
  const surfaces = Object.entries(counts).map(([name, count]) => `${count} over ${name}`);
  return `## The enumeration

[test/surfaces/restricted-callers.test.ts](../test/surfaces/restricted-callers.test.ts) calls ${tried.length} operations, ${surfaces.join(', ')}, and sends over SMTP,
as ${KINDS.map(({ name }) => name).join(', ')}. Each has every scope. It also tries each operation that changes a message or a hold on messages of the held
keys that are ${OWN_STATES.join(', ')}. These are ${calls.toLocaleString('en')} calls. Before and after each call, it compares what was sent from the
installation, what the account's users decided, the held keys' own messages, and what other senders' mail depends on. A held key can only cancel its
own message, before or after the decision, because that stops mail.

## Load without a key

\`pnpm bench hostile\` starts a server and probes \`/health\` while each of 200 hostile requests runs: large anonymous bodies, JSON that is
expensive to parse, slow bodies, batches of dry runs with bodies of 2 MB, and templates, headers and MIME structures that expand. It fails if a probe takes more than 250 ms at p99, or
if memory grows by 200 MB.`;
}

function countBySurface(operations: readonly Operation[]) {
  return {
    REST: operations.length,
    SDK: operations.filter(({ response }) => response === 'json').length,
    MCP: operations.filter(({ id }) => TOOLS.some(({ operation }) => operation.id === id)).length,
    CLI: operations.filter(({ id }) => id !== 'webhooks.stream' && COMMANDS.some((command) => command.id === id))
      .length,
  };
}

function sumOf(counts: ReturnType<typeof countBySurface>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
