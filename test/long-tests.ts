/**
 * Tests with a command of their own, `pnpm test:<name>`: they take long, need the machine for themselves, or need more than Node.
 * `pnpm test` runs all others.
 */
export const LONG_TESTS = {
  // The product's processes and databases, started again and again, and its programs in a terminal.
  processes: [
    'test/running/dev-command.test.ts',
    'test/running/killed-mid-delivery.test.ts',
    'test/running/processes.test.ts',
    'test/running/several-hosts.test.ts',
    'test/running/signals.test.ts',
    'test/running/start.test.ts',
    'test/cli/inbox-drafts.test.ts',
    'test/cli/inbox.test.ts',
    'test/cli/screens.test.ts',
    'test/commands/doctor.test.ts',
    'test/commands/erase-and-rebuild.test.ts',
    'test/commands/operator-commands.test.ts',
    'test/faults/kill-server.test.ts',
    'test/faults/stopped-postgres.test.ts',
    'test/inbound/lifecycle.test.ts',
    'test/mcp/stdio.test.ts',
    'test/postgres/embedded-postgres.test.ts',
    'test/repository/node-for-old-machines.test.ts',
    'test/smtp-submission/lifecycle.test.ts',
    'test/surfaces/stdio.test.ts',
  ],
  // Everything that a restricted or hostile caller can do.
  guards: [
    'test/faults/silent-database.test.ts',
    'test/http/anonymous-bodies.test.ts',
    'test/http/connection-limits.test.ts',
    'test/http/documented-responses.test.ts',
    'test/http/short-lived-objects.test.ts',
    'test/http/unread-responses.test.ts',
    'test/inbound/hostile-clients.test.ts',
    'test/routing/direct-bad-servers.test.ts',
    'test/smtp-submission/connection-places.test.ts',
    'test/smtp-submission/hostile-clients.test.ts',
    'test/surfaces/restricted-callers.test.ts',
    'test/surfaces/visibility.test.ts',
    'test/tenancy/foreign-ids.test.ts',
    'test/threads/thread-pool.test.ts',
    'test/webhooks/fairness.test.ts',
  ],
  // What hostile content costs, and what the server does meanwhile. It is measured, so it needs the machine for itself.
  hostile: [
    'test/http/hostile-work.test.ts',
    'test/http/linear-work.test.ts',
    'test/links/linear-link-hosts.test.ts',
    'test/review/bounds.test.ts',
    'test/sending/content/body-shaper.test.ts',
  ],
  // What users do on pages, in a real browser.
  console: [
    'test/approvals/approval-page.test.ts',
    'test/approvals/form-origin.test.ts',
    'test/console/all-text.test.ts',
    'test/console/approval-layout.test.ts',
    'test/console/approval-notes.test.ts',
    'test/console/approval-pages.test.ts',
    'test/console/approval-stories.test.ts',
    'test/console/approval-undo.test.ts',
    'test/console/configure-stories.test.ts',
    'test/console/mailbox.test.ts',
    'test/console/messages.test.ts',
    'test/console/quiet-html.test.ts',
    'test/console/roles.test.ts',
    'test/console/templates.test.ts',
    'test/console/webhooks.test.ts',
    'test/mcp/held-view-frame.test.ts',
    'test/oauth-server/consent-page.test.ts',
    'test/surfaces/approval-page-keys.test.ts',
    'test/surfaces/held-preview.test.ts',
    'test/surfaces/sign-in-pages.test.ts',
    'test/surfaces/unsubscribe-page.test.ts',
  ],
  // Every page at every size and in both color schemes, and what else takes a browser minutes.
  pages: [
    'test/console/every-page.test.ts',
    'test/console/pdf-view.test.ts',
    'test/installation-mail/in-a-browser.test.ts',
    'test/surfaces/pages.test.ts',
    'test/surfaces/passkey-approval-pages.test.ts',
    'test/surfaces/several-approver-pages.test.ts',
    'test/surfaces/passkey-pages.test.ts',
    'test/surfaces/signed-in-agent.test.ts',
  ],
  // The packages as they are published and installed, and every way to start the programs.
  packages: ['test/running/packed-packages.test.ts', 'test/running/starters.test.ts'],
  // The suite measures by its own timers.
  conformance: ['test/mcp/conformance/**/*.test.ts'],
  // Agent frameworks and the MCP bundle's own program, which are installed apart from the workspace.
  agents: ['test/agents/**/*.test.ts'],
  lighthouse: ['test/lighthouse/**/*.test.ts'],
  postfix: ['test/postfix/**/*.test.ts'],
  pgbouncer: ['test/postgres-pooler/**/*.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type LongTests = keyof typeof LONG_TESTS;

/** The tests that `LONG_TESTS=<name>` selects. */
export function selectTests(name: string | undefined): { readonly include: string[]; readonly exclude: string[] } {
  if (name === undefined) return { include: ['test/**/*.test.ts'], exclude: Object.values(LONG_TESTS).flat() };
  if (!Object.hasOwn(LONG_TESTS, name))
    throw new Error(`LONG_TESTS=${name} is none of ${Object.keys(LONG_TESTS).join(', ')}.`);
  return { include: [...LONG_TESTS[name as LongTests]], exclude: [] }; // Just checked.
}
