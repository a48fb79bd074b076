import { isRecord, type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { problemText } from '../problem-text.ts';
import { renderBlock, renderBody, renderSheet, type SheetLine, withinBlock } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';

/** The result of a dry run, and the message as it would be sent. */
export function showDryRun(response: JsonRecord, output: Output): void {
  const { paint } = output;
  const inner = withinBlock(output);
  const message = isRecord(response['message']) ? response['message'] : {};
  const isHeld = response['approvalRequired'] === true;
  const verdict = response['ok'] !== true ? 'would be refused' : isHeld ? 'would be held' : 'would be accepted';
  output.writeText(
    [
      renderSheet(
        [
          ['dry run', response['ok'] === true ? paint.title(verdict) : paint.bad(verdict)],
          ['held because', singleLine(textOf(response['reasons']))],
          ['quota', quotaText(response['quota'])],
        ],
        output,
      ),
      renderBlock('Checks', renderSheet(recordsOf(response['checks']).map(checkLine), inner), output),
      renderBlock('Recipients', renderSheet(recordsOf(response['recipients']).map(recipientLine), inner), output),
      renderBlock('Message', renderSheet(messageLines(message), inner), output),
      renderBody('Text', severalLines(textOf(message['text'])), output),
    ].join(''),
  );
  output.remark('Nothing was sent, stored or charged.');
}

function checkLine({ name, ok, code, message, fix }: JsonRecord): SheetLine {
  const said = ok === true ? 'ok' : `${textOf(code)}: ${textOf(message)} Fix: ${problemText(fix)}`;
  return [singleLine(textOf(name)), singleLine(said)];
}

function recipientLine({ email, kind, ok, code }: JsonRecord): SheetLine {
  return [singleLine(textOf(kind)), singleLine(`${textOf(email)}  ${ok === true ? 'ok' : textOf(code)}`)];
}

function quotaText(quota: unknown): string {
  if (!isRecord(quota)) return '';
  return singleLine(
    `costs ${textOf(quota['cost'])}; ${textOf(quota['used'])} of ${textOf(quota['limit'])} used this month`,
  );
}

function messageLines(message: JsonRecord): readonly SheetLine[] {
  const text = (name: string) => singleLine(textOf(message[name]));
  const files = recordsOf(message['attachments']).map(
    ({ filename, size }) => `${textOf(filename)} (${size === null ? 'not fetched' : `${textOf(size)} bytes`})`,
  );
  const html = message['html'];
  return [
    ['from', text('from')],
    ['to', text('to')],
    ['cc', text('cc')],
    ['bcc', text('bcc')],
    ['reply to', text('replyTo')],
    ['subject', text('subject')],
    [
      'sent by',
      singleLine([text('agentName'), text('source'), text('channel')].filter((part) => part !== '').join(', ')),
    ],
    ['tags', text('tags')],
    ['template', text('template')],
    ['scheduled', formatTime(text('scheduledAt'))],
    ['attachments', singleLine(files.join(', '))],
    [
      'html',
      typeof html === 'string' ? `${Buffer.byteLength(html).toLocaleString('en')} bytes, shown with --json` : '',
    ],
  ];
}
