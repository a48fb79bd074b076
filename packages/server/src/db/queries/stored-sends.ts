import type { Query } from '../client.ts';
import { readAttachments } from './message-attachments.ts';

/** A message as it was accepted: all that is needed to send it once more. */
export interface StoredSend {
  readonly id: string;
  readonly keyId: string;
  readonly fromGiven: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly channel: string;
  readonly source: string;
  readonly agentName: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly template: string | null;
  readonly unsubscribe: boolean;
  /** Null where it has aged out, or was canceled. */
  readonly body: {
    readonly html: string | null;
    readonly text: string | null;
    readonly headers: Readonly<Record<string, string>>;
  } | null;
  readonly recipients: readonly { readonly kind: string; readonly name: string | null; readonly email: string }[];
}

/** Null where the account has no message of that id. */
export async function readStoredSend(query: Query, accountId: string, id: string): Promise<StoredSend | null> {
  const [row] = await query<StoredSend[]>`
    SELECT m.id, m.key_id AS "keyId", m.from_given AS "fromGiven", m.reply_to AS "replyTo", m.subject, m.channel, m.source,
      m.agent_name AS "agentName", m.tags, m.metadata, m.template, m.unsubscribe,
      (SELECT json_build_object('html', b.html, 'text', b.text, 'headers', b.headers)
        FROM message_bodies b WHERE b.account_id = m.account_id AND b.message_id = m.id) AS body,
      (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
        FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id) AS recipients
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`;
  return row ?? null;
}

export interface StoredFile {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

/** The files of a message, in their order. */
export async function readStoredFiles(query: Query, accountId: string, id: string): Promise<readonly StoredFile[]> {
  return await readAttachments(query, accountId, id);
}
