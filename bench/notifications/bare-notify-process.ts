import { createServer, type ServerResponse } from 'node:http';
import postgres from 'postgres';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';

export interface BareNotifySettings {
  readonly target: DatabaseTarget;
  readonly port: number;
}

/**
 * The least that a notification from a database needs: `POST /decide/<group>/<id>` changes a row and calls NOTIFY in one transaction, and
 * a connection that listens writes the id to every event stream of the group (`GET /stream/<group>`).
 */
const { target, port } = childSettings<BareNotifySettings>();
if (target.kind !== 'socket') throw new Error('The database of a benchmark is reached over a socket.');
const sql = postgres({ host: target.host, database: target.database, user: target.user, max: 4 });
const streams = new Map<string, Set<ServerResponse>>();
let event = 0;

await sql.listen('bare_decided', (payload) => {
  const [group = '', id = ''] = payload.split(' ');
  event += 1;
  const text = `id: ${event}\nevent: message\ndata: ${JSON.stringify({ decided: id })}\n\n`;
  for (const stream of streams.get(group) ?? []) stream.write(text);
});

const server = createServer((request, response) => {
  const [, path, group = '', id = ''] = (request.url ?? '').split('/');
  request.resume();
  if (path === 'stream') {
    const members = streams.get(group) ?? new Set();
    streams.set(group, members.add(response));
    response.on('close', () => members.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  } else {
    decide(group, id).then(
      () => response.end('{}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }
});

async function decide(group: string, id: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`UPDATE bare_holds SET status = 'approved', decided_at = now() WHERE id = ${id}`;
    await transaction`SELECT pg_notify('bare_decided', ${`${group} ${id}`})`;
  });
}

await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
serveParent({}, () => Promise.resolve(ownUsage()));
