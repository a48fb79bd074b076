import type { Sql } from '../db/client.ts';
import { ping } from '../db/queries/maintenance.ts';
import type { Transport } from '../smtp-client/transport.ts';

export interface Check {
  readonly status: 'ok' | 'failing';
  readonly reason: string | null;
}

export interface Readiness {
  readonly database: Check;
  readonly queue: Check;
  readonly transport: Check;
}

export interface ReadinessProbe {
  check(): Promise<Readiness>;
}

export interface ReadinessOptions {
  readonly sql: Sql;
  readonly transport: Transport;
  /** Null if this process has no worker. Otherwise returns its problem, or null. */
  readonly queueFault: () => string | null;
}

/** A probe that hangs must not block the load balancer's probe. */
const DATABASE_PATIENCE_MS = 1_500;

export function createReadinessProbe({ sql, transport, queueFault }: ReadinessOptions): ReadinessProbe {
  async function checkDatabase(): Promise<Check> {
    try {
      await withPatience(ping(sql), DATABASE_PATIENCE_MS);
      return ok;
    } catch (error) {
      return failing(`The database does not respond: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  return {
    async check() {
      const [database, outgoing] = await Promise.all([checkDatabase(), transport.check()]);
      const fault = queueFault();
      return {
        database,
        queue:
          fault === null ? (database.status === 'ok' ? ok : failing('The queue is in the database.')) : failing(fault),
        transport: outgoing.ok ? ok : failing(outgoing.reason ?? 'The transport is not usable.'),
      };
    },
  };
}

const ok: Check = { status: 'ok', reason: null };

function failing(reason: string): Check {
  return { status: 'failing', reason };
}

function withPatience<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no response within ${patienceMs} ms`)), patienceMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
