import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface BareSettings {
  readonly target: DatabaseTarget;
  readonly port: number;
  readonly connections: number;
}

/**
 * The upper bound: the least that a durable send endpoint must do. Fastify validates the same body with a compiled JSON Schema and inserts
 * one row; no key, rules, recipients or events.
 */
const settings = childSettings<BareSettings>();
const sql = tagged(
  openDatabase({ target: settings.target, maxConnections: settings.connections, applicationName: 'bare' }),
);
const app = fastify({ logger: false });

export interface Send {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly tags: string[];
}

const address = { type: 'string', minLength: 3, maxLength: 512 };
const schema = {
  body: {
    type: 'object',
    required: ['from', 'to', 'subject'],
    additionalProperties: false,
    properties: {
      from: address,
      to: address,
      subject: { type: 'string', maxLength: 998 },
      html: { type: 'string', maxLength: 2_000_000 },
      text: { type: 'string', maxLength: 2_000_000 },
      tags: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 64 } },
    },
  },
};

app.post<{ Body: Send }>('/emails', { schema }, async (request, reply) => {
  const { from, to, subject, html, text, tags } = request.body;
  const id = randomUUID();
  await sql`INSERT INTO bare_messages (id, from_address, to_address, subject, html, text, tags, status, created_at)
    VALUES (${id}, ${from}, ${to}, ${subject}, ${html}, ${text}, ${tags}, 'queued', ${new Date()})`;
  return reply.code(202).send({ id, status: 'queued' });
});

await app.listen({ host: '127.0.0.1', port: settings.port });
serveParent({}, () => Promise.resolve(ownUsage()));
