import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { EXPECTED_OF_CATALOGUE, EXPECTED_OF_TRANSPORT } from './expected-failures.ts';
import { type FixtureEndpoint, startFixtureEndpoint } from './fixture-endpoint.ts';
import { type KeyedProxy, startKeyedProxy } from './keyed-proxy.ts';
import { type Revision, runSuite, type SuiteReport } from './run-suite.ts';

const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];
/** The suite waits on its own timers. */
const SUITE_MS = 60_000;

/** For anyone who reads the output of the tests. */
function print(name: string, { summary, passed, required, failures }: SuiteReport): void {
  console.log(
    `${name}: ${passed} of ${required} required scenarios pass\n${summary.join('\n')}\n${failures.join('\n')}`,
  );
}

describe('the public conformance suite', () => {
  let fixture: FixtureEndpoint;
  let server: TestApp;
  let proxy: KeyedProxy;

  beforeAll(async () => {
    fixture = await startFixtureEndpoint();
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    // Something to list and to read.
    await server.call('POST', '/templates', { body: { name: 'Welcome', subject: 'Hi', text: 'Hello' } });
    proxy = await startKeyedProxy(new URL(`${server.baseUrl}/mcp`), server.key);
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
    await fixture.close();
  });

  it.each(REVISIONS)(
    'finds everything that %s requires in our transport, with the tools it expects',
    async (revision) => {
      const report = await runSuite(fixture.url, revision);
      print(`conformance ${revision}, fixture catalog`, report);
      expect(report.failures).toEqual(EXPECTED_OF_TRANSPORT[revision]);
      expect(report.passed).toBe(report.required - report.failures.length);
    },
    SUITE_MS,
  );

  it.each(REVISIONS)(
    'finds nothing wrong with our own tools by %s, except that the suite’s own ones are missing',
    async (revision) => {
      const report = await runSuite(proxy.url, revision);
      print(`conformance ${revision}, own catalog`, report);
      expect(report.failures).toEqual(EXPECTED_OF_CATALOGUE[revision]);
    },
    SUITE_MS,
  );
});
