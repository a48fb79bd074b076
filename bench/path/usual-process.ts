import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { Logger, run } from 'graphile-worker';
import { createTransport } from 'nodemailer';
import { Pool } from 'pg';
import { type DatabaseTarget, toConnectionString } from '../../packages/server/src/db/client.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface UsualSettings {
  readonly target: DatabaseTarget;
  readonly port: number;
  readonly sinkPort: number;
  readonly privateKeyPem: string;
}

const CONNECTIONS = 20;

/**
 * The usual design of such a service: a transaction that stores the message and its job for each request, a job queue that runs one job for
 * each message, and nodemailer's pooled transport. It has no keys, rules, recipients or events.
 */
const settings = childSettings<UsualSettings>();
const pool = new Pool({ connectionString: toConnectionString(settings.target), max: CONNECTIONS });
pool.on('error', () => undefined);
const transport = createTransport({
  ...{ pool: true, host: '127.0.0.1', port: settings.sinkPort, secure: false, ignoreTLS: true },
  maxConnections: CONNECTIONS,
  dkim: { domainName: 'sandbox.test', keySelector: 'bench', privateKey: settings.privateKeyPem },
});

interface Send {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

async function accept({ from, to, subject, html, text }: Send): Promise<string> {
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO usual_messages (id, from_address, to_address, subject, html, text, status) VALUES ($1, $2, $3, $4, $5, $6, 'queued')`,
      [id, from, to, subject, html, text],
    );
    await client.query(`SELECT graphile_worker.add_job('usual:deliver', json_build_object('id', $1::text))`, [id]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return id;
}

async function deliver(payload: unknown): Promise<void> {
  const { id } = payload as { id: string }; // Added by `accept`.
  const { rows } = await pool.query<Send>(
    'SELECT from_address AS from, to_address AS to, subject, html, text FROM usual_messages WHERE id = $1',
    [id],
  );
  await transport.sendMail({ ...rows[0] });
  await pool.query(`UPDATE usual_messages SET status = 'sent' WHERE id = $1`, [id]);
}

const app = fastify({ logger: false });
app.post<{ Body: Send }>('/emails', async (request, reply) => {
  return reply.code(202).send({ id: await accept(request.body), status: 'queued' });
});
await run({
  ...{ pgPool: pool, concurrency: CONNECTIONS, noHandleSignals: true, logger: new Logger(() => () => undefined) },
  taskList: { 'usual:deliver': deliver },
});
await app.listen({ host: '127.0.0.1', port: settings.port });
process.on('SIGTERM', () => process.exit(0));
serveParent({}, () => Promise.resolve(ownUsage()));
