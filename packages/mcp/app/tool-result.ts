import type { HeldSendRecord } from '../src/apps/held-send-record.ts';
import { type Fields, fieldsOf } from './host.ts';

/** A hold that a result names, with what the result says about it. */
export interface NamedHold {
  readonly approvalId: string;
  readonly status: HeldSendRecord['status'];
  readonly expiresAt: string | null;
  /** The page where an approver decides. */
  readonly page: string | null;
}

/** What a tool's result is about: holds, or one sentence if nothing is held. */
export type Shown =
  | { readonly kind: 'holds'; readonly holds: readonly NamedHold[]; readonly count: number }
  | { readonly kind: 'said'; readonly title: string; readonly detail: string };

/** As many as the server names pages for. */
const HOLDS_MAX = 10;
const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;

/** Reads the result of any of the tools that show this view. */
export function readToolResult(result: Fields): Shown {
  const record = fieldsOf(result['structuredContent']);
  if (result['isError'] === true) return toRefusal(fieldsOf(record['error']));
  const pages = fieldsOf(fieldsOf(result['_meta'])['io.github.postrider/approvalPages']);
  const rows = Array.isArray(record['results']) ? record['results'].map(fieldsOf) : [record];
  const all = rows.flatMap((row) => toHold(row, pages));
  if (all.length > 0) return { kind: 'holds', holds: all.slice(0, HOLDS_MAX), count: all.length };
  const refused = rows.filter(({ ok }) => ok === false).length;
  if (Array.isArray(record['results']))
    return said(`${rows.length - refused} of ${rows.length} emails accepted`, 'None of them waits for approval.');
  const { status } = record;
  if (typeof status !== 'string') return said('Nothing waits for approval', '');
  return said(`Email ${wordOf(status)}`, 'It does not wait for approval.');
}

function toHold(row: Fields, pages: Fields): NamedHold[] {
  // `get_approval` returns the hold, a read of a message has it under `approval`, and a send has its id.
  const isHold = typeof row['emailId'] === 'string';
  const hold = isHold ? row : fieldsOf(row['approval']);
  const approvalId = hold['id'] ?? row['approvalId'];
  if (typeof approvalId !== 'string' || approvalId === '') return [];
  const expiresAt = hold['expiresAt'] ?? row['expiresAt'];
  return [
    {
      approvalId,
      status: STATUSES.find((status) => status === hold['status']) ?? 'pending',
      expiresAt: typeof expiresAt === 'string' ? expiresAt : null,
      page: pageOf(pages[approvalId], approvalId),
    },
  ];
}

/** The address of a page, if it is one: what the button opens is the page of this hold, or nothing. */
export function pageOf(given: unknown, approvalId: string): string | null {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  const isPage = url?.pathname.endsWith(`/approvals/open/${approvalId}`) === true && /^https?:$/.test(url.protocol);
  return isPage && url.username === '' && url.search === '' && url.hash === '' ? url.href : null;
}

function toRefusal({ code, detail }: Fields): Shown {
  return said(`Refused: ${wordOf(code)}`, typeof detail === 'string' ? detail.slice(0, 300) : '');
}

function said(title: string, detail: string): Shown {
  return { kind: 'said', title, detail };
}

/** A code in words. */
function wordOf(code: unknown): string {
  return typeof code === 'string' ? code.replaceAll('_', ' ').slice(0, 60) : 'unknown';
}
