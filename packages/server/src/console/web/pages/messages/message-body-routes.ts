import type { Message } from '@postrider/core';
import { readFileIndex } from '../../../../approvals/held-file.ts';
import { serveHeldFile } from '../../../../approvals/web/held-content.ts';
import { ProblemError } from '../../../../problem.ts';
import { QUIET_HTML } from '../../../quiet-html.ts';
import { BODY_HEADERS } from '../../body-policy.ts';
import type { RawResult } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { contentToolsOf } from '../approvals/held-parts.ts';

/** The HTML of a message, for a frame: nothing in it runs or loads anything. */
export async function frameBody(request: PageRequest): Promise<RawResult> {
  const markup = (await readMessage(request)).html ?? missing();
  const { caller, services } = request;
  const quiet = await services.threads.run({ accountId: caller.accountId }, QUIET_HTML, markup, markup.length);
  if (quiet.kind !== 'done')
    throw new ProblemError('unavailable', { detail: 'Too many messages are being read right now.' });
  return { kind: 'raw', contentType: 'text/html; charset=utf-8', body: quiet.output, headers: BODY_HEADERS };
}

/** A file of the message. Its index must be one that the user was shown: there are none for a role without the content. */
export async function showFile(request: PageRequest): Promise<RawResult> {
  const { id, attachments } = await readMessage(request);
  const index = readFileIndex(request.path);
  const isVisible = index !== null && attachments?.[index] !== undefined;
  const file = isVisible ? await serveHeldFile(contentToolsOf(request), { emailId: id }, index) : null;
  if (file === null)
    throw new ProblemError('not_found', {
      detail: 'The message has no such file, or its content is not shown to your role.',
    });
  return { kind: 'raw', ...file };
}

/** The source of the HTML. It is a file of text, because a page would run when it is opened from a disk. */
export async function downloadHtml(request: PageRequest): Promise<RawResult> {
  const { id, html } = await readMessage(request);
  return textFile(html ?? missing(), `${id}-html.txt`);
}

export async function downloadText(request: PageRequest): Promise<RawResult> {
  const { id, text } = await readMessage(request);
  return textFile(text ?? missing(), `${id}-text.txt`);
}

async function readMessage(request: PageRequest): Promise<Message> {
  return await request.call('emails.get', { params: { id: request.param('id') } });
}

function missing(): never {
  throw new ProblemError('not_found', {
    detail: 'The message has no such body, or its content is not shown to your role.',
  });
}

function textFile(body: string, name: string): RawResult {
  const headers = {
    ...BODY_HEADERS,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  };
  return { kind: 'raw', contentType: 'text/plain; charset=utf-8', body, headers };
}
