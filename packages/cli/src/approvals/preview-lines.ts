import { type Finding, type ReviewedBody, type ReviewedLink, reviewMessage } from '@postrider/review';
import { foldText } from '../output/fold-text.ts';
import { formatTime } from '../output/time.ts';
import { severalLines, singleLine, withoutInvisibles } from '../output/untrusted-text.ts';
import { type Hold, progressOf, recipientsOf } from './hold.ts';
import type { ShownLine, Tone } from './shown-line.ts';
import { formatTimeLeft } from './time-left.ts';

const LABEL_COLUMNS = 12;

/** The full preview of a held send for an approver. */
export function previewLines(hold: Hold, columns: number, now: Date): readonly ShownLine[] {
  return [...factLines(hold, columns, now), ...contentLines(hold, columns)];
}

/** The findings, the links and the bodies, which do not depend on the time. */
export function contentLines(hold: Hold, columns: number): readonly ShownLine[] {
  const { findings, html, text } = reviewMessage(hold);
  return [
    ...linkBlock('Links in the HTML', html, columns),
    ...linkBlock('Links in the text', text, columns),
    ...findingBlock(findings, columns),
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
    ...fact('Approvals', progressOf(hold), columns),
    ...fact(
      'Passkey',
      hold.status === 'pending' && hold.needsPasskey ? 'needed to approve it, in the console' : '',
      columns,
    ),
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
  // An approval before the last one leaves it pending.
  const isBad = (hold.status !== 'approved' && hold.status !== 'pending') || hold.outcome === 'failed';
  return [
    ...fact('Status', `${hold.status}${by}${at}`, columns, isBad ? 'bad' : 'good'),
    ...fact('Approvals', progressOf(hold), columns),
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

/** What is to look at, except for links. */
function findingBlock(findings: readonly Finding[], columns: number): readonly ShownLine[] {
  const others = findings.filter(({ target }) => target === null);
  if (others.length === 0) return [];
  const lines = others.flatMap((finding): readonly ShownLine[] => [
    ...findingLines(finding, columns, 2),
    ...(finding.text === '' ? [] : indented(`“${clean(finding.text)}”`, columns, 6)),
  ]);
  return [{ text: '' }, { text: 'Other things to look at', tone: 'title' }, ...lines];
}

/** A note has a dot, and anything more an exclamation mark. */
function findingLines({ level, message }: Finding, columns: number, by: number): readonly ShownLine[] {
  const isNote = level === 'note';
  return indented(`${isNote ? '·' : '!'} ${clean(message)}`, columns, by, isNote ? 'faint' : 'bad');
}

/** The full target of each link, with its findings below it. */
function linkBlock(title: string, body: ReviewedBody | null, columns: number): readonly ShownLine[] {
  if (body === null || body.linkCount === 0) return [];
  const { links, linkCount } = body;
  const marked = links.filter(isMarked).length;
  const lines = links.flatMap((link): readonly ShownLine[] => {
    const { kind, number, target, text, findings } = link;
    const words = kind === 'link' ? (text === target ? '' : ` “${clean(text)}”`) : ` (${KINDS[kind]})`;
    return [
      ...indented(`${isMarked(link) ? '!' : ' '} [${number}]${words}`, columns, 0, isMarked(link) ? 'bad' : undefined),
      ...indented(clean(target), columns, 6),
      ...findings.flatMap((finding) => findingLines(finding, columns, 6)),
    ];
  });
  const left = linkCount - links.length;
  const counted = `${title} (${linkCount}${marked > 0 ? `, ${marked} to look at` : ''})`;
  const rest = left > 0 ? indented(`${left} more links are not listed.`, columns, 2, 'faint') : [];
  return [{ text: '' }, { text: counted, tone: 'title' }, ...lines, ...rest];
}

function isMarked({ findings }: ReviewedLink): boolean {
  return findings.some(({ level }) => level !== 'note');
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
