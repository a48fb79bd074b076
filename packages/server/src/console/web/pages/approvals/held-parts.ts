import type { Approval } from '@postrider/core';
import { readFileIndex } from '../../../../approvals/held-file.ts';
import { readEditFields } from '../../../../approvals/web/edit-form.ts';
import {
  type HeldContent,
  type HeldContentTools,
  serveHeldFile,
  serveHeldHtml,
  serveHeldText,
} from '../../../../approvals/web/held-content.ts';
import { ProblemError } from '../../../../problem.ts';
import type { RawResult } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { fieldsIn } from './script-result.ts';

export function contentToolsOf({ services, caller: { accountId } }: PageRequest): HeldContentTools {
  const { database, threads } = services.forAccount(accountId);
  return { sql: database.sql, threads, accountId };
}

/** The HTML of a held message, for its frame. */
export async function showHtml(request: PageRequest): Promise<RawResult> {
  return raw(await serveHeldHtml(contentToolsOf(request), await read(request), request.query.has('pictures')));
}

/** The HTML as it was edited, for the frame of a form that is not sent yet. */
export async function showEditedHtml(request: PageRequest): Promise<RawResult> {
  const { html } = readEditFields(fieldsIn(request.form));
  return raw(await serveHeldHtml(contentToolsOf(request), { ...(await read(request)), html }, false));
}

export async function showText(request: PageRequest): Promise<RawResult> {
  return raw(await serveHeldText(contentToolsOf(request), await read(request), request.query.has('of')));
}

/** A file of it. Its index must be one that the caller was shown: the record has no files for those who may not see them. */
export async function showFile(request: PageRequest): Promise<RawResult> {
  const approval = await read(request);
  const index = readFileIndex(request.path);
  const isVisible = index !== null && approval.attachments[index] !== undefined;
  const file = isVisible ? await serveHeldFile(contentToolsOf(request), approval, index) : null;
  if (file === null) throw new ProblemError('not_found', { detail: 'The message has no such file.' });
  return raw(file);
}

/** The receipt of the decision, as a file to keep (RFC 7515 §9.2.1). */
export async function showReceipt(request: PageRequest): Promise<RawResult> {
  const { id, receipt } = await read(request);
  if (receipt === null) throw new ProblemError('not_found', { detail: 'The message has no receipt.' });
  const headers = {
    'content-disposition': `attachment; filename="receipt-${id}.jws"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return { kind: 'raw', contentType: 'application/jose', headers, body: `${receipt}\n` };
}

async function read(request: PageRequest): Promise<Approval> {
  return await request.call('approvals.get', { params: { id: request.param('id') } });
}

function raw(content: HeldContent): RawResult {
  return { kind: 'raw', ...content };
}
