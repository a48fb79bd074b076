import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Classification } from '../../../packages/server/src/delivery/classify-reply.ts';
import { SmtpReplyParser } from '../../../packages/server/src/smtp-client/smtp-reply-parser.ts';
import { toServerReply } from '../../../packages/server/src/smtp-client/smtp-reply-text.ts';
import type { ServerReply } from '../../../packages/server/src/smtp-client/transport.ts';

/** A published reply; README.md says what the fields mean. */
export interface CorpusEntry {
  readonly raw: readonly string[];
  readonly provider: string;
  readonly label: Classification;
  readonly kind: 'refused' | 'expired';
  readonly aboutRecipient?: false;
  readonly source: { readonly title: string; readonly url: string };
  readonly round?: 2 | 3 | 4 | 5 | 6;
  readonly movedToKnown?: true;
  readonly heldOut: boolean;
}

export function loadCorpus(): CorpusEntry[] {
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')) as CorpusEntry[]);
}

/** The rule of README.md: a third by a hash, and the sixth collection whole. */
export function isHeldOutByRule(entry: CorpusEntry): boolean {
  if (entry.round === 6) return true;
  const digest = createHash('sha256').update(entry.raw.join('\n')).digest('hex');
  return Number.parseInt(digest.slice(0, 8), 16) % 3 === 0;
}

/** Reads the entry the way a delivery does: bytes through the parser. */
export function readReply(entry: CorpusEntry): ServerReply {
  const replies: ServerReply[] = [];
  const parser = new SmtpReplyParser((code, text) => {
    replies.push(toServerReply(code, text, 'mx.test', entry.aboutRecipient ?? true));
  });
  parser.push(Buffer.from(entry.raw.map((line) => `${line}\r\n`).join('')));
  const [reply] = replies;
  if (reply === undefined || replies.length > 1) throw new Error(`not one reply: ${entry.raw.join(' ')}`);
  return reply;
}
