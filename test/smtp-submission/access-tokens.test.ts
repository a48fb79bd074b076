import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../harness/oauth-program.ts';
import { signInAs } from '../harness/session.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';

describe('an access token', () => {
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp();
  });
  afterAll(() => server.close());

  it('is no password: programs that signed in send over MCP only', async () => {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const program = await createProgram(server);
    const { access, refresh } = await program.signIn(owner);
    const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi!' };
    for (const key of [access, refresh]) {
      const { id, reply } = await sendBySmtp(server, { key }, mail);
      expect([id, reply]).toEqual([null, expect.stringMatching(/^535 .*not a valid Postrider API key/)]);
    }
  });
});
