import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let sink: SmtpSink;
let server: TestApp;
let owner: TestSession;

beforeAll(async () => {
  sink = await startSmtpSink({
    replies: {
      recipient: (email) =>
        email.startsWith('gone') ? { code: 550, text: '5.1.1 No such user <script>alert(1)</script>' } : undefined,
    },
  });
  server = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}` } });
  await server.addDomain('acme.example');
  owner = await signInAs(server, 'owner@sandbox.test');
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

async function sent(body: Readonly<Record<string, unknown>>): Promise<string> {
  const { body: accepted } = await server.send({ from: 'Ada <ada@acme.example>', ...body });
  await server.settled(accepted.id);
  return accepted.id;
}

const get = async (path: string, session = owner) => (await session.call('GET', `/console/messages/${path}`)).body;

describe('the delivery attempts of a message', () => {
  it('show the server, the outcome in words and the whole conversation, escaped', {
    tags: ['console.messages.attempts'],
  }, async () => {
    const id = await sent({ to: 'gone@receiver.example' });
    const body = await get(`${id}/attempts`);
    expect(body).toContain('The server refused the recipients permanently.');
    expect(body).toContain('Through the SMTP relay');
    expect(body).toContain(`port ${sink.port}`);
    expect(body).toMatch(/<dd><bdi>RCPT TO:&lt;gone@receiver\.example&gt;/);
    expect(body).toContain('550 5.1.1 No such user &lt;script&gt;alert(1)&lt;/script&gt;');
    // What went wrong last is open.
    expect(body).toMatch(/<details class="more" open><summary>SMTP conversation/);
    expect(await get(id)).toContain(`href="/console/messages/${id}/attempts">See the delivery attempts`);
  });

  it('show blind recipients and what was said about them only to roles that may know them', {
    tags: ['console.messages.attempts'],
  }, async () => {
    const id = await sent({ to: 'ann@receiver.example', bcc: 'gone-blind@receiver.example' });
    expect(await get(`${id}/attempts`)).toContain('gone-blind@receiver.example');
    const viewer = await joinAs(server, owner, 'viewer');
    const seen = await get(`${id}/attempts`, viewer);
    expect(seen).not.toContain('gone-blind@receiver.example');
    expect(seen).toContain('Your role does not include the replies');
  });

  it('are none for a message that was not sent yet', { tags: ['console.messages.attempts'] }, async () => {
    const { body } = await server.send({ from: 'ada@acme.example', scheduled_at: 'P1D' });
    expect(await get(`${body.id}/attempts`)).toContain('No delivery attempts');
  });
});
