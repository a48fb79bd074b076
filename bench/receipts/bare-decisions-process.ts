import { generateKeyPairSync, sign } from 'node:crypto';
import { fastify } from 'fastify';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface BareDecisionsSettings {
  readonly target: DatabaseTarget;
  readonly port: number;
  readonly connections: number;
}

/**
 * The least that a durable, signed decision must do: one transaction that locks a row, changes it, and stores a signed statement about it.
 * No caller, rules, quota, events or audit log.
 */
const settings = childSettings<BareDecisionsSettings>();
const sql = tagged(
  openDatabase({ target: settings.target, maxConnections: settings.connections, applicationName: 'bare' }),
);
const { privateKey } = generateKeyPairSync('ed25519');
const app = fastify({ logger: false });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

app.post<{ Params: { id: string }; Body: { decision: string } }>('/decide/:id', async (request, reply) => {
  const { id } = request.params;
  const { decision } = request.body;
  const at = new Date();
  await sql.begin(async (transaction) => {
    const [held] = await transaction<{ content: string }[]>`
      SELECT content FROM bare_holds WHERE id = ${id} AND status = 'pending' FOR UPDATE`;
    if (held === undefined) throw new Error('already decided');
    const signed = `${encode({ alg: 'EdDSA' })}.${encode({ id, decision, content: held.content, at })}`;
    const receipt = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    await transaction`UPDATE bare_holds SET status = ${decision}, decided_at = ${at} WHERE id = ${id}`;
    await transaction`INSERT INTO bare_receipts (id, receipt, created_at) VALUES (${id}, ${receipt}, ${at})`;
  });
  return reply.code(200).send({ id, status: decision });
});

await app.listen({ host: '127.0.0.1', port: settings.port });
serveParent({}, () => Promise.resolve(ownUsage()));
