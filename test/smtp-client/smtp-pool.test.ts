import { describe, expect, it } from 'vitest';
import {
  openSmtpConnection,
  type SmtpConnectionOptions,
} from '../../packages/server/src/smtp-client/smtp-connection.ts';
import { BareLineEndingError } from '../../packages/server/src/smtp-client/smtp-dot-stuffing.ts';
import { UnsafeEnvelopeError } from '../../packages/server/src/smtp-client/smtp-message.ts';
import { SmtpPool } from '../../packages/server/src/smtp-client/smtp-pool.ts';
import type { RecipientVerdict } from '../../packages/server/src/smtp-client/transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type Conversation, startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { clientOptions, makeOutgoingMessage } from '../harness/smtp-client-options.ts';
import { type SinkMessage, type SmtpSinkOptions, startSmtpSink } from '../harness/smtp-sink.ts';

const afterTest = useCleanUps();

async function serve(script: (conversation: Conversation) => Promise<void> | void) {
  const server = await startScriptedServer(script);
  afterTest(() => server.close());
  return server;
}

async function sink(options: SmtpSinkOptions = {}) {
  const server = await startSmtpSink(options);
  afterTest(() => server.close());
  return server;
}

function makePool(port: number, maxConnections: number, changes: Partial<SmtpConnectionOptions> = {}): SmtpPool {
  const pool = new SmtpPool({ open: () => openSmtpConnection(clientOptions(port, changes)), maxConnections });
  afterTest(() => pool.close());
  return pool;
}

function sendTo(pool: SmtpPool, recipient: string): Promise<readonly RecipientVerdict[]> {
  return pool.send(makeOutgoingMessage({ recipients: [recipient] }));
}

function sendMany(pool: SmtpPool, count: number): Promise<(readonly RecipientVerdict[])[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => sendTo(pool, `r${index}@x.test`)));
}

function outcomesOf(results: readonly (readonly RecipientVerdict[])[]): string[] {
  return results.flat().map(({ outcome }) => outcome);
}

function connectionsOf(messages: readonly SinkMessage[]): number {
  return new Set(messages.map(({ connection }) => connection)).size;
}

/** Something that happens when the test says so. */
function makeBarrier(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Takes one message of a client that pipelines and gives it the final reply; false where the client has left. */
async function takeMessage(c: Conversation, final = '250 taken\r\n'): Promise<boolean> {
  for (const response of ['250 ok\r\n', '250 ok\r\n', '354 go\r\n']) {
    const line = await c.reply(response);
    if (line === null || line === 'QUIT') return false;
  }
  await c.body();
  c.say(final);
  return true;
}

async function takeMessages(c: Conversation): Promise<void> {
  let goesOn = true;
  while (goesOn) goesOn = await takeMessage(c);
}

describe('connections', () => {
  it('are opened when they are needed and never more than allowed', async () => {
    const barrier = makeBarrier();
    let held = 0;
    const allHeld = makeBarrier();
    const server = await sink({
      replies: {
        message: async () => {
          held += 1;
          if (held === 3) allHeld.open();
          await barrier.opened;
          return undefined;
        },
      },
    });
    const pool = makePool(server.port, 3);
    expect(server.connections).toBe(0);
    const results = sendMany(pool, 12);
    await allHeld.opened;
    expect(server.openConnections).toBe(3);
    barrier.open();
    expect(outcomesOf(await results)).toEqual(Array(12).fill('accepted'));
    expect(server.connections).toBe(3);
  });

  it('are kept for the next message', async () => {
    const server = await sink();
    const pool = makePool(server.port, 5);
    for (let message = 0; message < 10; message += 1) await sendTo(pool, 'ann@x.test');
    expect(server.connections).toBe(1);
  });

  it('are assigned to waiting messages in order', async () => {
    const server = await sink();
    await sendMany(makePool(server.port, 1), 30);
    expect(server.messages.flatMap(({ recipients }) => recipients)).toEqual(
      Array.from({ length: 30 }, (_, index) => `r${index}@x.test`),
    );
  });

  it('are replaced after their maximum number of messages, and no message is lost', async () => {
    const server = await sink();
    const pool = makePool(server.port, 2, { maxMessages: 3 });
    expect(outcomesOf(await sendMany(pool, 20))).toEqual(Array(20).fill('accepted'));
    const perConnection = Map.groupBy(server.messages, ({ connection }) => connection);
    expect(server.messages).toHaveLength(20);
    expect(Math.max(...[...perConnection.values()].map((messages) => messages.length))).toBe(3);
  });

  it('become more and fewer as the limit changes', async () => {
    const barrier = makeBarrier();
    const server = await sink({ replies: { message: () => barrier.opened.then(() => undefined) } });
    const pool = makePool(server.port, 1);
    const results = sendMany(pool, 4);
    pool.resize(4);
    // Otherwise one connection may be done with all of them before the others are greeted.
    await expect.poll(() => server.connections).toBe(4);
    barrier.open();
    await results;
    pool.resize(1);
    await sendMany(pool, 4);
    expect(server.connections).toBe(4);
    expect(connectionsOf(server.messages.slice(4))).toBe(1);
  });

  it('become fewer also when all are in use when the limit falls', async () => {
    const barrier = makeBarrier();
    const server = await sink({ replies: { message: () => barrier.opened.then(() => undefined) } });
    const pool = makePool(server.port, 4);
    const results = sendMany(pool, 4);
    pool.resize(1);
    barrier.open();
    expect(outcomesOf(await results)).toEqual(Array(4).fill('accepted'));
    await sendMany(pool, 4);
    expect(connectionsOf(server.messages.slice(4))).toBe(1);
  });
});

describe('a kept connection that is dead', () => {
  it.each([
    ['closed', (c: Conversation) => c.socket.end()],
    ['reset', (c: Conversation) => c.socket.resetAndDestroy()],
    ['said 421', (c: Conversation) => c.say('421 idle too long\r\n')],
  ])('(%s) costs one new connection and no message', async (_name, die) => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await takeMessage(c);
      if (c.number > 1) return;
      await c.line();
      die(c);
    });
    const pool = makePool(server.port, 1);
    expect(outcomesOf([await sendTo(pool, 'a@x.test')])).toEqual(['accepted']);
    expect(outcomesOf([await sendTo(pool, 'b@x.test')])).toEqual(['accepted']);
    expect(server.connections).toBe(2);
  });

  it('is retried only once, and stays within the limit of connections', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      if (c.number === 1) await takeMessage(c);
      await c.line();
      c.socket.destroy();
    });
    const pool = makePool(server.port, 1);
    await sendTo(pool, 'a@x.test');
    const results = await Promise.all([sendTo(pool, 'b@x.test'), sendTo(pool, 'c@x.test')]);
    expect(outcomesOf(results)).toEqual(['deferred', 'deferred']);
    expect(server.connections).toBe(3);
  });

  it('is not retried once the body has begun', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await takeMessage(c);
      await takeMessage(c, '');
      c.socket.destroy();
    });
    const pool = makePool(server.port, 1);
    await sendTo(pool, 'a@x.test');
    expect((await sendTo(pool, 'b@x.test'))[0]).toMatchObject({ outcome: 'deferred', ambiguous: true });
    expect(server.connections).toBe(1);
  });

  it('is not retried on a connection that was new', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await c.line();
      c.socket.destroy();
    });
    const [verdict] = await sendTo(makePool(server.port, 1), 'a@x.test');
    expect(verdict).toMatchObject({ outcome: 'deferred', ambiguous: false, reply: null });
    expect(server.connections).toBe(1);
  });

  it('frees its place: what waited after a lost connection continues', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      if (c.number === 1) {
        await takeMessage(c, '');
        c.socket.destroy();
      } else {
        await takeMessages(c);
      }
    });
    const results = await sendMany(makePool(server.port, 1), 3);
    expect(outcomesOf(results)).toEqual(['deferred', 'accepted', 'accepted']);
  });
});

describe('a connection that cannot be opened', () => {
  it('defers everything that waits, each with the reason, when there is no other', async () => {
    const server = await startScriptedServer(() => undefined);
    await server.close();
    const results = await sendMany(makePool(server.port, 2), 50);
    expect(outcomesOf(results)).toEqual(Array(50).fill('deferred'));
    for (const [verdict] of results) expect(verdict?.reason).toContain('ECONNREFUSED');
  });

  it('reports the reply if the server sent one', async () => {
    const server = await serve((c) => c.say('554 5.7.1 not from you\r\n'));
    const [verdict] = await sendTo(makePool(server.port, 1), 'a@x.test');
    expect(verdict).toMatchObject({
      outcome: 'deferred',
      reply: { code: 554, enhanced: '5.7.1', aboutRecipient: false },
    });
  });

  it('includes one that is closed before it could be used', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await c.reply('221 bye\r\n');
    });
    const open = async () => {
      const connection = await openSmtpConnection(clientOptions(server.port));
      await connection.quit();
      return connection;
    };
    const [verdict] = await sendTo(new SmtpPool({ open, maxConnections: 2 }), 'a@x.test');
    expect(verdict).toMatchObject({ outcome: 'deferred', ambiguous: false });
    expect(server.connections).toBe(1);
  });

  it('is retried for the next message', async () => {
    const server = await sink({ replies: { connect: (number) => (number === 1 ? 'drop' : undefined) } });
    const pool = makePool(server.port, 1);
    expect(outcomesOf([await sendTo(pool, 'a@x.test')])).toEqual(['deferred']);
    expect(outcomesOf([await sendTo(pool, 'b@x.test')])).toEqual(['accepted']);
  });

  it('costs nothing when another works: a server that allows two gets everything over these two', async () => {
    let open = 0;
    const server = await serve(async (c) => {
      open += 1;
      c.socket.on('close', () => {
        open -= 1;
      });
      if (open > 2) {
        c.say('421 too many connections\r\n');
        return;
      }
      await c.open('PIPELINING');
      await takeMessages(c);
    });
    const results = await sendMany(makePool(server.port, 10), 100);
    expect(outcomesOf(results)).toEqual(Array(100).fill('accepted'));
    // Ten at the beginning, and none while the two do the work.
    expect(server.connections).toBe(10);
  });
});

describe('what must not be sent', () => {
  it('is rejected before a connection is opened', async () => {
    const server = await sink();
    const pool = makePool(server.port, 1);
    await expect(sendTo(pool, 'a@x.test>\r\nDATA')).rejects.toThrow(UnsafeEnvelopeError);
    await expect(pool.send(makeOutgoingMessage({ data: Buffer.from('a\nb') }))).rejects.toThrow(BareLineEndingError);
    expect(await pool.send(makeOutgoingMessage({ recipients: [] }))).toEqual([]);
    expect(server.connections).toBe(0);
  });
});

describe('closing', () => {
  it('completes a message in flight, defers those that wait, and accepts no more', async () => {
    const barrier = makeBarrier();
    const arrived = makeBarrier();
    const server = await sink({
      replies: {
        message: async () => {
          arrived.open();
          await barrier.opened;
          return undefined;
        },
      },
    });
    const pool = makePool(server.port, 1);
    const inFlight = sendTo(pool, 'a@x.test');
    const waiting = sendTo(pool, 'b@x.test');
    await arrived.opened;
    const closed = pool.close();
    expect(outcomesOf([await waiting, await sendTo(pool, 'c@x.test')])).toEqual(['deferred', 'deferred']);
    barrier.open();
    expect(outcomesOf([await inFlight])).toEqual(['accepted']);
    await closed;
    expect(server.messages).toHaveLength(1);
  });

  it('sends QUIT on idle connections and ends when they are closed', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await takeMessage(c);
      await c.reply('221 bye\r\n');
    });
    const pool = makePool(server.port, 1);
    await sendTo(pool, 'a@x.test');
    await pool.close();
    await pool.close();
    expect((await server.conversation(1)).chunks.at(-1)).toBe('QUIT\r\n');
  });

  it('waits for a connection that is still being opened', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await c.reply('221 bye\r\n');
    });
    const pool = makePool(server.port, 1);
    const sent = sendTo(pool, 'a@x.test');
    await server.conversation(1);
    await pool.close();
    expect(outcomesOf([await sent])).toEqual(['deferred']);
    expect((await server.conversation(1)).chunks.at(-1)).toBe('QUIT\r\n');
  });

  it('is immediate when nothing was ever sent', async () => {
    await makePool(1, 1).close();
  });
});
