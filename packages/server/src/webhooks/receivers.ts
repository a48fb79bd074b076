import type { KeyObject } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { type ReceiverRow, readReceivers } from '../db/queries/webhook-receivers.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { toSigningKey } from './sign-webhook.ts';

/** An endpoint as it is delivered to, its keys ready to sign. */
export interface Receiver {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly revision: number;
  /** The key whose sight it has; null: it is sent everything. */
  readonly chosenBy: string | null;
  /** The keys that sign at this moment, the newest first. */
  keysAt(now: Date): readonly KeyObject[];
}

/** The endpoints that this process delivers to, kept until they change. */
export interface Receivers {
  /** What is known; null where that is nothing. */
  get(id: string): Receiver | null;
  /** Reads these anew; what is gone is forgotten. Answers those that have another URL than before. */
  load(ids: readonly string[]): Promise<readonly string[]>;
  forget(id: string): void;
}

export function createReceivers(sql: Sql, box: SecretBox, onError: (error: unknown, what: string) => void): Receivers {
  const known = new Map<string, Receiver>();

  /** One whose secret cannot be opened counts as disabled: what waits for it stays, and costs the endpoints beside it nothing. */
  function open(row: ReceiverRow): Receiver {
    try {
      return toReceiver(row, box);
    } catch (error) {
      onError(error, `opening the secret of webhook endpoint ${row.id}`);
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
        // Keys are derived again only where something changed.
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
