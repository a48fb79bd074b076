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

/** What docs/security.md lists. */
export interface Guarantees {
  readonly holes: readonly Requirement[];
  readonly agentSignIn: readonly Requirement[];
}

/** docs/security.md: what restricted callers and programs that sign in cannot do, and the test that tries each. */
export function renderSecurityDoc({ holes, agentSignIn }: Guarantees, citations: readonly Citation[]): string {
  const proofs = Map.groupBy(citations, ({ id }) => id);
  const testsOf = (id: string) => {
    const files = [...new Set((proofs.get(id) ?? []).map(({ file }) => file))];
    return files.map((file) => `[${file}](../${file})`).join('<br>') || 'no test';
  };
  const rows = holes.map(({ id, sentence }) => [sentence, testsOf(id), policyOf(id)]);
  const attacks = agentSignIn.map(({ id, sentence }) => [sentence, testsOf(id)]);
  const parts = [
    ...[INTRODUCTION, renderTable(['guarantee', 'tests', 'policy'], rows)],
    ...[SIGN_IN, renderTable(['guarantee', 'tests'], attacks), renderEnumeration()],
  ];
  return `${parts.join('\n\n')}\n`;
}

const SIGN_IN = `## Programs that sign in

Programs sign in to \`POST /mcp\` with OAuth ([agent-sign-in.md](agent-sign-in.md)). These attacks were considered:

- **Open redirects.** The browser is sent only to a redirect URI that the program registered or published, and to another site only after the user
  decided. Otherwise the user sees a page of this server. A redirect URI cannot lead to this server. The consent page shows where the result goes, and warns of hosts that imitate others.
- **Stolen codes.** A code is bound to a PKCE verifier (S256 only), to the client, the redirect URI and the resource, and works once within 60 seconds.
- **Replay.** Refresh tokens rotate. If a code or a refresh token is used again, one of the two holders is a thief: the sign-in ends with all
  its tokens.
- **Mixed-up servers.** Every authorization response has \`iss\`. Tokens name one resource and are valid for \`POST /mcp\` only.
- **Requests to internal addresses.** The metadata of a program is fetched like every URL that a caller supplies: over https, from public addresses that
  are checked at the connection, without redirects, up to 8 KB, and 20 times a minute for one client address. No logo is fetched.
- **Forged consent.** The form accepts only posts of its own origin, with the session and the cookie of the browser in which the request began, once, and
  for the account that the page showed.
  \`frame-ancestors 'none'\` keeps other sites from framing the page. The session cookie of users has no effect on the token endpoint.
- **Too much power.** A program cannot get scopes over keys, approvals, the team, the account and the logs. It may never do more than the current role
  of its user, and the form can express only the limits that it shows.
- **Names.** A registered program can use any name, and the page says that it is not verified. Invisible characters are removed, and mixed alphabets are
  pointed out.
- **Floods.** One address can register 30 programs a minute. Unused registrations are deleted after 90 days, and beyond 10,000 the oldest sooner.`;

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
