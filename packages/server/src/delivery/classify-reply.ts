import type { Classification } from '@postrider/core';
import type { ServerReply } from '../smtp-client/transport.ts';
import { readWords } from './classify-reply-words.ts';
import { REPLY_PATTERNS } from './reply-patterns.ts';
import type { WordFinding } from './word-finding.ts';

export type { Classification };

/** What a delivery status notification (RFC 3464) says about one recipient. */
export interface Diagnostic {
  /** The Status field, such as `5.1.1`; null if absent. */
  readonly status: string | null;
  /** The Diagnostic-Code field with its type, or any other text of the reporting server; empty if there is none. */
  readonly diagnostic: string;
  readonly action: 'failed' | 'delayed';
}

/**
 * Classifies the reply that ended a delivery: by its enhanced status code (RFC 3463), then by its text. Only `hard` and `spam` suppress an
 * address, so a doubtful reply is never `hard`; `spam` is only for complaints and never returned.
 * @param reply the last one, or null if the network failed or one of our rules decided.
 * @param kind `refused` by the server, or `expired` after attempts that were all deferred, which is `soft` whatever the last reply was.
 */
export function classifyReply(reply: ServerReply | null, kind: 'refused' | 'expired'): Classification {
  if (kind === 'expired' || (reply !== null && reply.code < 500)) return 'soft';
  if (reply === null) return 'unknown';
  const verdict = classifyRefusal({ code: reply.code, enhanced: reply.enhanced, text: reply.text });
  return verdict === 'hard' && reply.aboutRecipient === false ? 'unknown' : verdict;
}

/**
 * Classifies what a report says about one recipient. A delay, or a failure after 4xx replies, is `soft`.
 *
 * The code of the rejecting server takes precedence over the Status of the reporting server, which is often only
 * `5.0.0`.
 */
export function classifyDiagnostic({ status, diagnostic, action }: Diagnostic): Classification {
  const said = readDiagnostic(diagnostic);
  const reported = STATUS.exec(status ?? '')?.[1] ?? null;
  if (
    action === 'delayed' ||
    (said.code !== null && said.code < 500) ||
    (said.code === null && reported?.startsWith('4'))
  ) {
    return 'soft';
  }
  return classifyRefusal({ ...said, reported });
}

interface Refusal {
  readonly code: number | null;
  readonly enhanced: string | null;
  readonly text: string;
  /** The status from the other server. */
  readonly reported?: string | null;
}

function classifyRefusal({ code, enhanced, text, reported = null }: Refusal): Classification {
  const words = text.slice(0, MAX_TEXT_CHARACTERS);
  const status = enhanced ?? EMBEDDED_STATUS.exec(words)?.[1] ?? reported;
  const verdict = weigh(readCode(code, readStatus(status), words), findWords(words));
  // 535 is about our credentials (RFC 4954).
  if (verdict === 'hard' && code === 535) return 'unknown';
  if (status?.startsWith('4') !== true) return verdict ?? 'unknown';
  return verdict === null || verdict === 'hard' ? 'soft' : verdict;
}

function readCode(code: number | null, status: StatusFinding | null, words: string): StatusFinding | null {
  // With 521 a server rejects every connection from us, so it is not about a mailbox, whatever status it adds.
  if (code === 521 && (status === 'destination' || status === 'disabled')) return 'policy';
  // "Unable to route" is about the address only if the domain cannot be routed.
  if (status === 'route') return DOMAIN.test(words) ? 'destination' : null;
  // 556 is "domain does not accept mail" (RFC 7504), but older servers use it for other errors.
  return status ?? (code === 556 && (DOMAIN.test(words) || /\bmail\b/i.test(words)) ? 'destination' : null);
}

const DOMAIN = /\b(domain|mx)\b/i;

// The same limit as for a stored reply.
const MAX_TEXT_CHARACTERS = 1_000;

// qmail and similar servers put the status into the text, (#5.1.1), and a gateway quotes the reply of the server behind
// it: 550 5.1.1.
const EMBEDDED_STATUS = /(?:#|\b5\d\d[ -]#?|\[)([45]\.[0-7]\.\d{1,3})(?![.\d])/;

const STATUS = /^\s*([45]\.\d{1,3}\.\d{1,3})(?![.\d])/;

/** What an enhanced status code means; null if it is too unspecific. */
type StatusFinding =
  | 'destination'
  | 'sender'
  | 'disabled'
  | 'full'
  | 'size'
  | 'network'
  | 'route'
  | 'ambiguous'
  | 'content'
  | 'policy';

function readStatus(status: string | null): StatusFinding | null {
  const [, subject, detail] = status?.split('.') ?? [];
  return STATUS_FINDINGS[`${subject}.${detail}`] ?? SUBJECT_FINDINGS[subject ?? ''] ?? null;
}

const STATUS_FINDINGS: Readonly<Record<string, StatusFinding>> = {
  // No such mailbox, system or syntax, ambiguous, moved, null MX (RFC 7505). Not 1.0, which is "something about an address".
  '1.1': 'destination',
  '1.2': 'destination',
  '1.3': 'destination',
  '1.4': 'destination',
  '1.6': 'destination',
  '1.10': 'destination',
  '1.7': 'sender',
  '1.8': 'sender',
  '2.1': 'disabled',
  '2.2': 'full',
  '3.1': 'full',
  // Message too big for the mailbox or the system. Some servers use this code for a full mailbox.
  '2.3': 'size',
  '3.4': 'size',
  // Microsoft 365 returns 4.1 both for unknown recipients and for misconfigured domains.
  '4.1': 'ambiguous',
  // Bad connection, directory failure, congestion, delivery time expired.
  '4.2': 'network',
  '4.3': 'network',
  '4.4': 'route',
  '4.5': 'network',
  '4.7': 'network',
  // With this code a server says that it does not support international addresses (RFC 6531).
  '6.7': 'ambiguous',
};

const SUBJECT_FINDINGS: Readonly<Record<string, StatusFinding>> = { '6': 'content', '7': 'policy' };

/**
 * The code takes precedence, with two exceptions. A code against the address is not trusted if the text is about
 * something else, because many servers put 5.1.1 before every rejection. A policy code gives way to text that asks to
 * retry later or clearly says that there is no such recipient.
 */
function weigh(code: StatusFinding | null, words: WordFinding | null): Classification | null {
  const said = words === null ? null : WORD_CLASSIFICATIONS[words];
  switch (code) {
    case 'destination':
    case 'disabled':
      return said ?? 'hard';
    case 'sender':
      return said === 'block' ? 'block' : 'unknown';
    case 'full':
    case 'network':
      return 'soft';
    case 'size':
      return said === 'block' || said === 'soft' ? said : 'unknown';
    case 'ambiguous':
      return words === 'absent' || words === 'patience' ? said : 'unknown';
    case 'content':
      return said ?? 'block';
    case 'policy':
      // Only findings with their own name outweigh the code.
      return said === words ? 'block' : (said ?? 'block');
    case 'route':
    case null:
      return said;
  }
}

const WORD_CLASSIFICATIONS: Readonly<Record<WordFinding, Classification>> = {
  absent: 'hard',
  patience: 'soft',
  oversize: 'unknown',
  hard: 'hard',
  soft: 'soft',
  block: 'block',
  spam: 'spam',
  unknown: 'unknown',
};

/** What a link or a host name says counts only if the text is unclear, and only when it means blocking. */
function findWords(text: string): WordFinding | null {
  const { words, named } = readWords(text);
  const said = findPattern(words);
  if ((said !== null && said !== 'unknown') || named === words) return said;
  return findPattern(named) === 'block' ? 'block' : said;
}

function findPattern(words: string): WordFinding | null {
  for (const [pattern, finding] of REPLY_PATTERNS) if (pattern.test(words)) return finding;
  return null;
}

/**
 * Extracts the reply from a Diagnostic-Code such as `smtp; 550-5.1.1 No such 550 5.1.1 user`: reporting servers join the
 * lines of a reply into one, each still with its code.
 */
function readDiagnostic(diagnostic: string): { code: number | null; enhanced: string | null; text: string } {
  // Characters that hide text or change its direction are neither ASCII nor letters of any language.
  const plain = diagnostic
    .slice(0, MAX_DIAGNOSTIC_CHARACTERS)
    .replace(/[^\x21-\x7e\p{L}\p{M}\p{N}\u2018\u2019\u00b4]+/gu, ' ');
  const words = plain.trim().replace(/^[\w-]{1,64}; ?/, '');
  const code = /^[245]\d\d(?=[ -])/.exec(words)?.[0] ?? null;
  if (code === null) return { code, enhanced: STATUS.exec(words)?.[1] ?? null, text: words };
  const enhanced = /^[ -]([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(words.slice(3))?.[1] ?? null;
  const lineHeads = new RegExp(
    `(^| )${code}[ -](${enhanced === null ? '' : enhanced.replaceAll('.', '\\.')}(?= |$))?`,
    'g',
  );
  return { code: Number(code), enhanced, text: words.replace(lineHeads, ' ').trim() };
}

// A report can be long, so only this much is read.
const MAX_DIAGNOSTIC_CHARACTERS = 8_192;
