import { defineConfig } from 'vitest/config';
import { REQUIREMENTS } from './test/requirements.ts';

/** What starts the product's processes and databases of their own, again and again. */
const PROCESSES = [
  'test/running/**',
  'test/postgres/embedded-postgres.test.ts',
  'test/commands/erase-and-rebuild.test.ts',
  'test/faults/kill-server.test.ts',
  'test/faults/stopped-postgres.test.ts',
  'test/mcp/stdio.test.ts',
];

/** What tries everything a restricted or hostile caller can do, and measures the server meanwhile: it needs the machine for itself. */
const GUARDS = [
  'test/http/documented-responses.test.ts',
  'test/http/hostile-work.test.ts',
  'test/http/linear-work.test.ts',
  'test/http/anonymous-bodies.test.ts',
  'test/surfaces/restricted-callers.test.ts',
];

/** The pages of the console in a browser: minutes on a busy machine. */
const CONSOLE = [
  'test/console/every-page.test.ts',
  'test/console/roles.test.ts',
  'test/console/approval-pages.test.ts',
  'test/console/approval-stories.test.ts',
  'test/console/approval-undo.test.ts',
  'test/console/pdf-view.test.ts',
  'test/console/templates.test.ts',
  'test/console/messages.test.ts',
  'test/console/configure-stories.test.ts',
  'test/console/webhooks.test.ts',
  'test/console/mailbox.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes long, and what needs more than Node: each has a command of its own.
    exclude: [
      ...(process.env['FAULTS'] === 'long' ? [] : ['test/faults/**/*.long.test.ts']),
      ...(process.env['PROCESSES'] === 'run' ? [] : PROCESSES),
      ...(process.env['GUARDS'] === 'run' ? [] : GUARDS),
      ...(process.env['CONSOLE'] === 'run' ? [] : CONSOLE),
      ...(process.env['LIGHTHOUSE'] === 'run' ? [] : ['test/lighthouse/**']),
      // The suite measures by timers of its own, and needs the machine for itself.
      ...(process.env['CONFORMANCE'] === 'run' ? [] : ['test/mcp/conformance/**']),
      ...(process.env['POSTFIX'] === 'installed' ? [] : ['test/postfix/**']),
      ...(process.env['PGBOUNCER'] === 'installed' ? [] : ['test/postgres-pooler/**']),
    ],
    // A test names the requirements that it proves: `--tags-filter` selects by them, and a tag that is none fails.
    tags: REQUIREMENTS.map(({ id, sentence }) => ({ name: id, description: sentence })),
    reporters: ['default', './test/run-reporter.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    // Starting a server with its Postgres takes some seconds, and more where others start beside it.
    testTimeout: ['PROCESSES', 'CONSOLE', 'LIGHTHOUSE'].some((name) => process.env[name] === 'run') ? 60_000 : 20_000,
    hookTimeout: 60_000,
    // What is to come about comes late on a busy machine; tests of how fast it has to be say so themselves.
    expect: { poll: { timeout: 10_000 } },
    // One more than the cores of a small machine: much of a test is waiting.
    maxWorkers: 3,
    // Modules hold no state, so files share them: importing the server for each of hundreds took as long as the tests.
    isolate: false,
  },
});
