import type { KeyObject } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { type ReceiverRow, readReceivers } from '../db/queries/webhook-receivers.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { toSigningKey } from './sign-webhook.ts';

/** An endpoint with its keys ready to sign. */
export interface Receiver {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly revision: number;
  /** The key whose permissions limit what it receives. Null means that it receives everything. */
  readonly chosenBy: string | null;
  /** The keys that sign now, the newest first. */
  keysAt(now: Date): readonly KeyObject[];
}

/** The endpoints that this process delivers to, cached until they change. */
export interface Receivers {
  /** The cached endpoint; null if unknown. */
  get(id: string): Receiver | null;
  /** Reads these again and forgets removed ones. Returns those whose URL has changed. */
  load(ids: readonly string[]): Promise<readonly string[]>;
  forget(id: string): void;
}

export function createReceivers(sql: Sql, box: SecretBox, onError: (error: unknown, what: string) => void): Receivers {
  const known = new Map<string, Receiver>();

  /** An endpoint whose secret cannot be decrypted counts as disabled: its deliveries stay queued, and other endpoints are not affected. */
  function open(row: ReceiverRow): Receiver {
    try {
      return toReceiver(row, box);
    } catch (error) {
      onError(error, `decrypting the secret of webhook endpoint ${row.id}`);
      const { id, accountId, url, revision } = row;
      return { id, accountId, url, enabled: false, revision, chosenBy: null, keysAt: () => [] };
    }
  }

  return {
    get: (id) => known.get(id) ?? null,
    async load(ids) {
      if (ids.length === 0) return [];
      const moved: string[] = [];
      const rows = new Map((await readReceivers(sql, ids)).map((row) => [row.id, row]));
      for (const id of ids) {
        const row = rows.get(id);
        if (row === undefined) known.delete(id);
        // Keys are derived again only if something changed.
        else if (known.get(id)?.revision !== row.revision) {
          if (known.has(id) && known.get(id)?.url !== row.url) moved.push(id);
          known.set(id, open(row));
        }
      }
      return moved;
    },
    forget: (id) => void known.delete(id),
  };
}

function toReceiver(row: ReceiverRow, box: SecretBox): Receiver {
  const { id, accountId, url, enabled, revision, chosenBy, previousSecret, previousSecretEndsAt } = row;
  const present = toSigningKey(box.open(row.secret));
  const previous = previousSecret === null ? null : toSigningKey(box.open(previousSecret));
  const alone = [present];
  const both = previous === null ? alone : [present, previous];
  const keysAt = (now: Date) => (previousSecretEndsAt !== null && now < previousSecretEndsAt ? both : alone);
  return { id, accountId, url, enabled, revision, chosenBy, keysAt };
}
