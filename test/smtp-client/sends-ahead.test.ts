import { describe, expect, it } from 'vitest';
import { openSmtpConnection } from '../../packages/server/src/smtp-client/smtp-connection.ts';
import { SmtpPool } from '../../packages/server/src/smtp-client/smtp-pool.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type Conversation, startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { clientOptions, makeOutgoingMessage } from '../harness/smtp-client-options.ts';

const afterTest = useCleanUps();

/** Sends messages over one connection at a time. `end` replies to each body; by default it accepts it. */
async function sendOver(
  count: number,
  end: (conversation: Conversation, nth: number) => void,
  keywords: readonly string[] = ['PIPELINING'],
) {
  const server = await startScriptedServer(async (conversation) => {
    await conversation.open(...keywords);
    for (let nth = 1; ; nth += 1) {
      for (const reply of ['250 ok\r\n', '250 ok\r\n', '354 go\r\n']) {
        const line = await conversation.reply(reply);
        if (line === null || line === 'QUIT') return;
      }
      await conversation.body();
      end(conversation, nth);
    }
  });
  afterTest(() => server.close());
  const open = () => openSmtpConnection(clientOptions(server.port));
  const pool = new SmtpPool({ open, maxConnections: 1, sendsAhead: true });
  afterTest(() => pool.close());
  const results = await Promise.all(
    Array.from({ length: count }, (_, n) => pool.send(makeOutgoingMessage({ recipients: [`r${n}@x.test`] }))),
  );
  const outcomes = results.flat().map(({ outcome, ambiguous }) => (ambiguous ? 'ambiguous' : outcome));
  return { server, outcomes, first: await server.conversation(1) };
}

const accept = (conversation: Conversation) => conversation.say('250 taken\r\n');
const onlyOn = (nth: number, act: (conversation: Conversation) => void) => (conversation: Conversation, at: number) => {
  if (conversation.number === 1 && at === nth) act(conversation);
  else accept(conversation);
};

describe('a connection with waiting messages', () => {
  it('writes the next envelope together with a body after the server has replied quickly', async () => {
    const { outcomes, first, server } = await sendOver(4, accept);
    expect(outcomes).toEqual(Array(4).fill('accepted'));
    expect(server.connections).toBe(1);
    expect(first.chunks.filter((chunk) => chunk.includes('\r\n.\r\nMAIL FROM'))).toHaveLength(2);
  });

  it('writes the envelope separately if the server does not support pipelining', async () => {
    const { outcomes, first } = await sendOver(4, accept, []);
    expect(outcomes).toEqual(Array(4).fill('accepted'));
    expect(first.chunks.filter((chunk) => chunk.includes('\r\n.\r\nMAIL'))).toEqual([]);
  });

  it('continues with the next message when one is refused', async () => {
    const { outcomes, server } = await sendOver(
      4,
      onlyOn(2, (conversation) => conversation.say('554 no\r\n')),
    );
    expect(outcomes).toEqual(['accepted', 'refused', 'accepted', 'accepted']);
    expect(server.connections).toBe(1);
  });

  it('sends the next message over another connection when the connection is lost', async () => {
    const { outcomes, server } = await sendOver(
      4,
      onlyOn(2, ({ socket }) => void socket.destroy()),
    );
    expect(outcomes).toEqual(['accepted', 'ambiguous', 'accepted', 'accepted']);
    expect(server.connections).toBe(2);
  });

  it('sends the next message over another connection when the server closes with 421', async () => {
    const { outcomes, server } = await sendOver(
      4,
      onlyOn(2, (conversation) => conversation.say('421 closing\r\n')),
    );
    expect(outcomes).toEqual(['accepted', 'deferred', 'accepted', 'accepted']);
    expect(server.connections).toBe(2);
  });
});
