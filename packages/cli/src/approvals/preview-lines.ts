import { foldText } from '../output/fold-text.ts';
import { formatTime } from '../output/time.ts';
import { severalLines, singleLine, withoutInvisibles } from '../output/untrusted-text.ts';
import { type Hold, recipientsOf } from './hold.ts';
import { type JudgedLink, judgeLink, linksInText } from './judge-links.ts';
import { readHtml } from './read-html.ts';
import type { ShownLine, Tone } from './shown-line.ts';
import { formatTimeLeft } from './time-left.ts';

const LABEL_COLUMNS = 12;

/** The full preview of a held send for an approver. */
export function previewLines(hold: Hold, columns: number, now: Date): readonly ShownLine[] {
  return [...factLines(hold, columns, now), ...contentLines(hold, columns)];
}

/** The links and the bodies, which do not depend on the time. */
export function contentLines(hold: Hold, columns: number): readonly ShownLine[] {
  const html = hold.html === null ? null : readHtml(hold.html);
  return [
    ...linkBlock('Links in the HTML', (html?.links ?? []).map(judgeLink), columns),
    ...linkBlock('Links in the text', linksInText(hold.text ?? ''), columns),
    ...bodyBlock('Text', hold.text, columns, 'The message has no plain text.'),
    ...bodyBlock('HTML, as text', html?.text ?? null, columns, 'The message has no HTML.'),
  ];
}

/** The subject, the recipients, the reasons for the hold and other details. */
export function factLines(hold: Hold, columns: number, now: Date): readonly ShownLine[] {
  const { to, cc, bcc, attachments, headers } = hold;
  const count = recipientsOf(hold).length;
  return [
    ...fact('Subject', hold.subject, columns, 'title'),
    ...fact('From', hold.from, columns),
    ...fact('Reply to', hold.replyTo ?? '', columns),
    ...facts('To', to, columns),
    ...facts('Cc', cc, columns),
    ...facts('Bcc', bcc, columns),
    ...(bcc.length > 0 ? fact('', `${bcc.length} blind: other recipients do not see them`, columns, 'faint') : []),
    ...fact('Total', `${count} ${count === 1 ? 'recipient' : 'recipients'}`, columns),
    ...fact('Held by', hold.reasons.join(', '), columns),
    ...fact('Agent', hold.agentName, columns),
    ...fact('Sent via', [hold.source, hold.channel, `key ${hold.keyName || '(deleted)'}`].join(', '), columns),
    ...facts(
      'Headers',
      headers.map(([name, value]) => `${name}: ${value}`),
      columns,
    ),
    ...fact('Unsubscribe', hold.unsubscribe ? 'each recipient gets their own link' : '', columns),
    ...facts('Files', attachments.map(describeFile), columns),
    ...fact('Sends', hold.scheduledAt === null ? 'at once' : formatTime(hold.scheduledAt), columns),
    ...(hold.status === 'pending' ? expiryLines(hold, columns, now) : endLines(hold, columns)),
    ...fact('Revision', hold.revision > 1 ? `${hold.revision}, edited: ${hold.edited.join(', ')}` : '1', columns),
    ...fact('Id', hold.id, columns, 'faint'),
  ];
}

function expiryLines({ expiresAt }: Hold, columns: number, now: Date): readonly ShownLine[] {
  return fact('Expires', `in ${formatTimeLeft(expiresAt, now)} (${formatTime(expiresAt)})`, columns);
}

/** The decision and who made it. */
export function endLines(hold: Hold, columns: number): readonly ShownLine[] {
  const by = hold.decidedBy === null ? '' : ` by ${hold.decidedBy}`;
  const at = hold.decidedAt === null ? '' : ` on ${formatTime(hold.decidedAt)}`;
  const isBad = hold.status !== 'approved' || hold.outcome === 'failed';
  return [
    ...fact('Status', `${hold.status}${by}${at}`, columns, isBad ? 'bad' : 'good'),
    ...fact('Code', hold.rejectCode ?? '', columns),
    ...fact('Note', hold.note ?? '', columns),
    ...fact('Edited', hold.edited.join(', '), columns),
    ...(hold.outcome === 'failed' ? fact('Not sent', hold.problem ?? 'refused', columns, 'bad') : []),
  ];
}

function describeFile({ filename, contentType, size }: Hold['attachments'][number]): string {
  return `${filename}  ${contentType}  ${formatSize(size)}`;
}

function formatSize(bytes: number): string {
  if (!(bytes >= 1_000)) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** One labeled value of a preview; no line if it is empty. */
export function fact(label: string, value: string, columns: number, tone?: Tone): readonly ShownLine[] {
  return facts(label, [value], columns, tone);
}

/** Values below each other with one label; no line if there are none. */
function facts(label: string, values: readonly string[], columns: number, tone?: Tone): readonly ShownLine[] {
  const lines = values
    .map((value) => withoutInvisibles(singleLine(value)))
    .filter((value) => value !== '')
    .flatMap((value) => foldText(value, columns - LABEL_COLUMNS));
  return lines.map((line, index) => ({
    text: `${(index === 0 ? label : '').padEnd(LABEL_COLUMNS)}${line}`,
    ...(tone === undefined ? {} : { tone }),
  }));
}

/** The full target of each link, with its warnings below it. */
function linkBlock(title: string, links: readonly JudgedLink[], columns: number): readonly ShownLine[] {
  if (links.length === 0) return [];
  const marked = links.filter(({ warnings }) => warnings.length > 0).length;
  const lines = links.flatMap(({ kind, target, shown, warnings }, index): readonly ShownLine[] => {
    const words = kind === 'link' ? (shown === target ? '' : ` “${clean(shown)}”`) : ` (${KINDS[kind]})`;
    const head = `${warnings.length > 0 ? '!' : ' '} [${index + 1}]${words}`;
    return [
      ...indented(head, columns, 0, warnings.length > 0 ? 'bad' : undefined),
      ...indented(clean(target), columns, 6),
      ...warnings.flatMap((warning) => indented(`! ${clean(warning)}`, columns, 6, 'bad')),
    ];
  });
  const counted = `${title} (${links.length}${marked > 0 ? `, ${marked} to look at` : ''})`;
  return [{ text: '' }, { text: counted, tone: 'title' }, ...lines];
}

const KINDS = { form: 'a form submits to it', image: 'loaded when the message is opened' } as const;

function bodyBlock(title: string, body: string | null, columns: number, nothing: string): readonly ShownLine[] {
  const head: readonly ShownLine[] = [{ text: '' }, { text: title, tone: 'title' }];
  if (body === null) return [...head, ...indented(nothing, columns, 2, 'faint')];
  const lines = withoutInvisibles(severalLines(body)).trimEnd().split('\n');
  return [...head, ...lines.flatMap((line) => indented(line, columns, 2))];
}

function indented(text: string, columns: number, by: number, tone?: Tone): readonly ShownLine[] {
  const lines = foldText(text, columns - by);
  return lines.map((line) => ({ text: `${' '.repeat(by)}${line}`.trimEnd(), ...(tone === undefined ? {} : { tone }) }));
}

function clean(text: string): string {
  return withoutInvisibles(singleLine(text));
}
