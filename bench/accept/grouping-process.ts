import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';
import type { BareSettings, Send } from './bare-process.ts';

interface Waiting {
  readonly id: string;
  readonly send: Send;
  readonly response: ServerResponse;
}

/** As many messages as the product writes in one statement, and the number from which it starts a second one. */
const MOST = 100;
const SECOND_FROM = 12;

/**
 * The limit for a service that writes sends together: node:http without a framework, no checks, no key, no rules, and one row of one table
 * for each message, in one INSERT for all that wait.
 */
const settings = childSettings<BareSettings>();
const sql = tagged(
  openDatabase({ target: settings.target, maxConnections: settings.connections, applicationName: 'grouping' }),
);
const waiting: Waiting[] = [];
let writing = 0;
let isStarting = false;

function start(): void {
  isStarting = false;
  if (waiting.length > 0 && (writing === 0 || (writing < settings.connections && waiting.length >= SECOND_FROM))) {
    void write(waiting.splice(0, MOST));
  }
}

async function write(batch: readonly Waiting[]): Promise<void> {
  writing += 1;
  const of = (field: 'from' | 'to' | 'subject' | 'html' | 'text') => batch.map(({ send }) => send[field]);
  // Arrays of arrays cannot be unnested row by row, so the tags are literals.
  const tags = batch.map(({ send }) => `{${send.tags.join(',')}}`);
  await sql`INSERT INTO bare_messages (id, from_address, to_address, subject, html, text, tags, status, created_at)
    SELECT id, sender, recipient, subject, html, text, tags::text[], 'queued', ${new Date()}
    FROM unnest(${batch.map(({ id }) => id)}::uuid[], ${of('from')}::text[], ${of('to')}::text[], ${of('subject')}::text[],
      ${of('html')}::text[], ${of('text')}::text[], ${tags}::text[]) AS sends (id, sender, recipient, subject, html, text, tags)`;
  writing -= 1;
  start();
  for (const { id, response } of batch) {
    const body = JSON.stringify({ id, status: 'queued' });
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const send = JSON.parse(Buffer.concat(chunks).toString()) as Send; // Sent by the load generator.
    waiting.push({ id: randomUUID(), send, response });
    if (waiting.length >= SECOND_FROM) start();
    else if (!isStarting) {
      isStarting = true;
      setImmediate(start);
    }
  });
});
server.listen(settings.port, '127.0.0.1', () => serveParent({}, () => Promise.resolve(ownUsage())));
