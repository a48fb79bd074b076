import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';

const SENDS = 1_000;
const CLIENTS = 16;
/** When this many have been accepted, the process is killed. */
const KILL_AT = 400;
/** Attempts under way at once: at most these can be known to the relay and not yet to us. */
const RELAY_CONNECTIONS = 20;

describe('a server killed in the middle of a thousand sends', () => {
  let dataDir: string;
  let sink: SmtpSink;
  let server: ServerProcess;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'postrider-kill-'));
    sink = await startSmtpSink();
  });
  afterEach(async () => {
    server.child.kill('SIGTERM');
    await server.finished;
    await sink.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  function startServer(port: string): ServerProcess {
    return startServerProcess(['start'], {
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_PORT: port,
      POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none`,
    });
  }

  it('loses nothing it accepted, and sends at most what was in flight twice, under the same Message-ID', async () => {
    server = startServer('0');
    let baseUrl = await server.ready;
    const { key } = JSON.parse(await readFile(path.join(dataDir, 'quickstart.json'), 'utf8'));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const accepted: string[] = [];
    const killed = Promise.withResolvers<void>();
    let next = 0;

    const send = async (number: number): Promise<string | null> => {
      const body = JSON.stringify({
        from: 'app@sandbox.test',
        to: `r${number}@example.com`,
        subject: `Number ${number}`,
        text: 'One of many.',
      });
      const response = await fetch(`${baseUrl}/emails`, { method: 'POST', headers, body }).catch(() => null);
      return response?.status === 202 ? ((await response.json()) as { id: string }).id : null;
    };
    const client = async () => {
      for (let number = next++; number < SENDS; number = next++) {
        let id = await send(number);
        while (id === null) {
          // The process has ended: the send without a response is repeated to its successor, as a client would.
          await killed.promise;
          id = await send(number);
        }
        accepted.push(id);
        if (accepted.length === KILL_AT) server.child.kill('SIGKILL');
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    await server.finished;
    server = startServer(new URL(baseUrl).port);
    baseUrl = await server.ready;
    killed.resolve();
    await clients;

    expect(accepted).toHaveLength(SENDS);
    const statuses = new Map<string, number>();
    for (const id of accepted) {
      const response = await fetch(`${baseUrl}/emails/${id}?wait=60`, { headers });
      const { status } = (await response.json()) as { status: string };
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ sent: SENDS });

    const copies = new Map<string, number>();
    const recipients = new Set<string>();
    for (const { raw, recipients: envelope } of sink.messages) {
      const messageId = /^Message-ID: <([^@]+)@/im.exec(raw.toString('latin1'))?.[1] ?? '';
      copies.set(messageId, (copies.get(messageId) ?? 0) + 1);
      for (const recipient of envelope) recipients.add(recipient);
    }
    expect(accepted.filter((id) => !copies.has(id))).toEqual([]);
    expect(recipients.size).toBe(SENDS);
    expect([...copies.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(RELAY_CONNECTIONS);
    expect(Math.max(...copies.values())).toBeLessThanOrEqual(2);
  }, 120_000);
});
