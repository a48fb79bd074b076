import { defineConfig } from 'vitest/config';
import { selectTests } from './test/long-tests.ts';
import { REQUIREMENTS } from './test/requirements.ts';

const longTests = process.env['LONG_TESTS'];

export default defineConfig({
  test: {
    ...selectTests(longTests),
    // A test names the requirements that it proves: `--tags-filter` selects by them, and a tag that is none fails.
    tags: REQUIREMENTS.map(({ id, sentence }) => ({ name: id, description: sentence })),
    reporters: ['default', './test/run-reporter.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    // Starting a server with its Postgres takes some seconds, and more where others start beside it.
    testTimeout: ['processes', 'packages', 'console', 'pages', 'lighthouse'].includes(longTests ?? '')
      ? 60_000
      : 20_000,
    hookTimeout: 60_000,
    // What is to come about comes late on a busy machine; tests of how fast it has to be say so themselves.
    expect: { poll: { timeout: 10_000 } },
    // One more than the cores of a small machine: much of a test is waiting.
    maxWorkers: 3,
    // Modules hold no state, so files share them: importing the server for each of hundreds took as long as the tests.
    isolate: false,
  },
});
