import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutStartParameters } from './startup-packet.ts';
import type { TestDatabase } from './test-database.ts';

export interface OpenedDatabase {
  /** The same database, through the proxy that removes the walls. */
  readonly database: TestDatabase;
  /** How many account conditions were removed from statements so far. */
  readonly removed: () => number;
  close(): Promise<void>;
}

const SOCKET = '.s.PGSQL.5432';
const APP_ROLE = 'postrider_app';
const SET_ROLE = `SET LOCAL ROLE ${APP_ROLE}`;
const PARSE = 'P'.charCodeAt(0);
const SIMPLE_QUERY = 'Q'.charCodeAt(0);

/**
 * Removes the first wall between accounts without changing the server: a proxy replaces every condition on the account (`account_id = $1`
 * and similar) in the requests' statements by one that is always true. Then only row-level security separates accounts. With `second`, that
 * is off too, because requests run as superuser: this proves that the first wall is really gone, and that a test would notice.
 */
export async function openWithoutFirstWall(
  database: TestDatabase,
  { second = false }: { readonly second?: boolean } = {},
): Promise<OpenedDatabase> {
  const { target } = database;
  if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const sockets = new Set<Socket>();
  let removed = 0;
  await openFunctions(database);

  const server = createServer((client) => {
    const upstream = connect(join(target.host, SOCKET));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    const rewrite = createRewriter(second, (count) => {
      removed += count;
    });
    client.on('data', (chunk: Buffer) => upstream.write(rewrite(chunk))).on('end', () => upstream.end());
    upstream.on('data', (chunk) => client.write(chunk)).on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, SOCKET), resolve));
  return {
    database: { ...database, target: { ...target, host: folder } },
    removed: () => removed,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `m.account_id = $1`, `d.account_id = account` and, from the query builder, `"keys"."account_id" = $1`. */
const CONDITION = /(?<![\w".])(?:"?\w+"?\.)?"?account_id"? = (?:\$\d+|account)(?![\w.])/g;
/** For the accounts table: `a.id = $1`, `id = $1`, `"accounts"."id" = $1`. */
const OWN_CONDITION = /(?<![\w".])(?:a\.|"accounts"\.)?"?id"? = \$\d+/g;

function withoutAccount(statement: string): { readonly statement: string; readonly count: number } {
  let count = 0;
  // The value is still used, so that the parameter keeps its type.
  const open = (condition: string): string => {
    count += 1;
    return `(${condition} OR true)`;
  };
  const opened = statement.replaceAll(CONDITION, open);
  const isOfAccounts = /\b(?:update|from) "?accounts\b/i.test(opened);
  return { statement: isOfAccounts ? opened.replaceAll(OWN_CONDITION, open) : opened, count };
}

/** Functions that requests call have the condition in their own statements, so they are changed in the database. */
async function openFunctions({ sql }: TestDatabase): Promise<void> {
  const functions = await sql<{ definition: string }[]>`
    SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND p.prosrc LIKE '%account_id = account%'
      AND p.proname <> 'is_domain_held_elsewhere'`;
  for (const { definition } of functions) await sql.unsafe(withoutAccount(definition).statement);
}

/** Rewrites what a client sends: its first packet, which has no type, and then messages of type, length and body. */
function createRewriter(second: boolean, onRemoved: (count: number) => void): (chunk: Buffer) => Buffer {
  let waiting: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let isRequest = false;

  function takePacket(): Buffer | null {
    const head = isStarted ? 1 : 0;
    if (waiting.length < head + 4) return null;
    const end = head + waiting.readUInt32BE(head);
    if (waiting.length < end) return null;
    const packet = waiting.subarray(0, end);
    waiting = waiting.subarray(end);
    return packet;
  }

  function rewriteStart(packet: Buffer): Buffer {
    isStarted = true;
    isRequest = packet.includes(`\0role\0${APP_ROLE}\0`, 8, 'latin1');
    return isRequest && second ? withoutStartParameters(packet, ['role']) : packet;
  }

  function rewriteMessage(packet: Buffer): Buffer {
    const [type] = packet;
    if (!isRequest || (type !== PARSE && type !== SIMPLE_QUERY)) return packet;
    // A name and a statement, or a statement alone; the numbers that follow are unchanged.
    const from = type === PARSE ? packet.indexOf(0, 5) + 1 : 5;
    const to = packet.indexOf(0, from);
    const sent = packet.toString('utf8', from, to);
    const { statement, count } = withoutAccount(second ? sent.replace(SET_ROLE, '') : sent);
    onRemoved(count);
    const message = Buffer.concat([packet.subarray(0, from), Buffer.from(statement), packet.subarray(to)]);
    message.writeUInt32BE(message.length - 1, 1);
    return message;
  }

  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    const sent: Buffer[] = [];
    for (let packet = takePacket(); packet !== null; packet = takePacket()) {
      sent.push(isStarted ? rewriteMessage(packet) : rewriteStart(packet));
    }
    return Buffer.concat(sent);
  };
}
