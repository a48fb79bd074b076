import { isRecord, recordsOf, textOf } from '../output/json-value.ts';

/** A held send. Its texts are unfiltered: code that shows them must remove control characters. */
export interface Hold {
  readonly kind: 'send';
  readonly id: string;
  readonly emailId: string;
  readonly status: string;
  readonly reasons: readonly string[];
  readonly revision: number;
  /** Null if the caller cannot see the content. */
  readonly contentHash: string | null;
  readonly keyName: string;
  readonly agentName: string;
  readonly source: string;
  readonly channel: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly HeldFile[];
  readonly scheduledAt: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly note: string | null;
  readonly rejectCode: string | null;
  readonly edited: readonly string[];
  /** For an approval, `queued` or `failed`. */
  readonly outcome: string | null;
  /** Why it failed. */
  readonly problem: string | null;
  readonly replyTo: string | null;
  /** Pairs of name and value. */
  readonly headers: readonly (readonly [string, string])[];
  readonly unsubscribe: boolean;
  /** How many people must approve it, and how many of them have. */
  readonly needed: number;
  readonly given: number;
  readonly needsPasskey: boolean;
}

export interface HeldFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
}

export function readHold(response: unknown): Hold {
  const record = isRecord(response) ? response : {};
  const text = (name: string) => textOf(record[name]);
  const orNull = (name: string) => (typeof record[name] === 'string' ? record[name] : null);
  const list = (name: string) => (Array.isArray(record[name]) ? record[name].map(textOf) : []);
  const { problem, revision, headers } = record;
  return {
    kind: 'send',
    ...{ id: text('id'), emailId: text('emailId'), status: text('status'), reasons: list('reasons') },
    ...{ revision: typeof revision === 'number' ? revision : 1, contentHash: orNull('contentHash') },
    ...{ keyName: text('keyName'), agentName: text('agentName'), source: text('source'), channel: text('channel') },
    ...{ from: text('from'), to: list('to'), cc: list('cc'), bcc: list('bcc') },
    ...{ subject: text('subject'), text: orNull('text'), html: orNull('html') },
    attachments: recordsOf(record['attachments']).map((file) => ({
      filename: textOf(file['filename']),
      contentType: textOf(file['contentType']),
      size: Number(file['size']),
    })),
    ...{ scheduledAt: orNull('scheduledAt'), createdAt: text('createdAt'), expiresAt: text('expiresAt') },
    ...{ decidedAt: orNull('decidedAt'), decidedBy: orNull('decidedBy'), note: orNull('note') },
    ...{ rejectCode: orNull('rejectCode'), edited: list('edited'), outcome: orNull('outcome') },
    problem: isRecord(problem) ? textOf(problem['detail']) : null,
    replyTo: orNull('replyTo'),
    headers: Object.entries(isRecord(headers) ? headers : {}).map(([name, value]) => [name, textOf(value)] as const),
    unsubscribe: record['unsubscribe'] === true,
    ...approversOf(record['approvers']),
    given: recordsOf(record['votes']).length,
  };
}

function approversOf(approvers: unknown): Pick<Hold, 'needed' | 'needsPasskey'> {
  const { count, requirePasskey } = isRecord(approvers) ? approvers : {};
  return { needed: typeof count === 'number' ? count : 1, needsPasskey: requirePasskey === true };
}

/** `1 of 2 people have approved it, 1 more must`; empty if one is enough, or if it is decided. */
export function progressOf({ status, needed, given }: Pick<Hold, 'status' | 'needed' | 'given'>): string {
  if (status !== 'pending' || needed < 2) return '';
  if (given === 0) return `${needed} people must approve it`;
  const more = needed - given;
  return `${given} of ${needed} people have approved it, ${more > 0 ? `${more} more must` : 'any approver can now send it'}`;
}

/** What an edit means where several people must approve; empty if one is enough. */
export function editNoticeOf({ needed, given }: Pick<Hold, 'needed' | 'given'>): string {
  if (needed < 2) return '';
  const others = needed === 2 ? '1 more person' : `${needed - 1} more people`;
  const cleared = given === 0 ? '' : ' Earlier approvals will no longer count.';
  return `It will not be sent yet: ${others} must approve your version.${cleared}`;
}

/** The addresses without display names, which could hide an address or make it count twice. */
export function recipientsOf({ to, cc, bcc }: Pick<Hold, 'to' | 'cc' | 'bcc'>): readonly string[] {
  return [...to, ...cc, ...bcc].map((mailbox) => /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox);
}
