import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAs, type TestSession } from '../../harness/session.ts';
import { findFreePort, startTestApp, type TestApp } from '../../harness/test-app.ts';
import { allowInBrowser } from '../../harness/user-browser.ts';
import { runAuthorization } from './run-authorization.ts';
import type { Revision } from './run-suite.ts';

const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];
/** The suite waits on its own timers. */
const SUITE_MS = 60_000;

describe('the authorization scenarios of the public conformance suite', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  it.each(REVISIONS)(
    'find nothing wrong by %s',
    { tags: ['agent-sign-in.conformance'], timeout: SUITE_MS },
    async (revision) => {
      const port = await findFreePort();
      const redirectUri = `http://127.0.0.1:${port}/callback`;
      const body = { client_name: 'Conformance', redirect_uris: [redirectUri] };
      const { client_id: clientId } = (await server.call('POST', '/oauth/register', { key: null, body })).body;
      const report = await runAuthorization({
        ...{ url: server.baseUrl, clientId, port, revision, resource: `${server.baseUrl}/mcp` },
        visit: async (url) => {
          await fetch(await allowInBrowser(server, owner, url));
        },
      });
      console.log(`authorization ${revision}: ${report.scenarios.join(', ')}: ${report.checks} checks`);
      expect(report.scenarios).toEqual(['authorization-code-grant', 'authorization-server-metadata-endpoint']);
      expect(report.failures).toEqual([]);
      expect(report.checks).toBeGreaterThan(2);
    },
  );
});
