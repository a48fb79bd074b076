import { cut, type Finding, type FindingPlace, rankFindings, TARGET_CHARACTERS, TEXT_CHARACTERS } from './finding.ts';
import { hostOfMailbox, hostsNamedIn } from './hosts.ts';
import { findInvisible } from './invisible-characters.ts';
import { judgeLine, judgeMailbox } from './judge-lines.ts';
import { type FoundLink, judgeLink } from './judge-link.ts';
import { judgeCompleteness, judgeShape } from './judge-shape.ts';
import { judgeStyles, type StyleRemark } from './judge-styles.ts';
import { findLookAlikes, type LookAlikeFinder } from './look-alikes.ts';
import { type HtmlReading, readHtml } from './read-html.ts';
import { readTextLinks } from './text-links.ts';

/** The message as it would be sent. */
export interface MessageToReview {
  /** Mailboxes: `a@b.example` or `Name <a@b.example>`. */
  readonly from: string;
  readonly replyTo: string | null;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly { readonly filename: string }[];
}

export interface ReviewedLink {
  readonly kind: FoundLink['kind'];
  /** Its number in `text` of the body. */
  readonly number: number;
  readonly text: string;
  /** The whole target, with the host as in DNS. */
  readonly target: string;
  readonly host: string | null;
  readonly findings: readonly Finding[];
}

export interface ReviewedBody {
  /** The body as text. In HTML, each link is followed by its number in brackets. */
  readonly text: string;
  readonly links: readonly ReviewedLink[];
  /** How many links there are, with those that were left out. */
  readonly linkCount: number;
}

export interface MessageReview {
  /** Everything to look at in the message, the most important first. */
  readonly findings: readonly Finding[];
  readonly html: ReviewedBody | null;
  readonly text: ReviewedBody | null;
}

/** Links without findings. As many again may have findings, so that ordinary links leave out no dangerous one. */
const LINKS_MAX = 500;

/** Of one body. Each takes up to 20 microseconds. */
const JUDGED_MAX = 20_000;

/** Reads a message for its approver. The time is linear in its length, and the number of findings and links is bounded. */
export function reviewMessage(message: MessageToReview): MessageReview {
  const html = message.html === null ? null : readHtml(message.html);
  const textLinks = message.text === null ? null : readTextLinks(message.text);
  const lookAlikeOf = findLookAlikes(knownHosts(message, html));
  const [htmlBody, htmlFindings] = html === null ? NO_BODY : judgeLinks(html.text, html.links, 'html', lookAlikeOf);
  const [textBody, textFindings] =
    textLinks === null ? NO_BODY : judgeLinks(message.text ?? '', textLinks, 'text', lookAlikeOf);
  const findings = [
    // First, because the number of findings is limited.
    ...(html === null ? [] : remarkOn('html', '', judgeCompleteness(html.isCut || html.links.length > JUDGED_MAX))),
    ...remarkOn('text', '', judgeCompleteness((textLinks?.length ?? 0) > JUDGED_MAX)),
    ...headFindings(message, lookAlikeOf),
    ...htmlFindings,
    ...(html === null ? [] : hiddenFindings(html)),
    ...(html === null ? [] : judgeStyles(html.changes, message.from).flatMap(styleFinding)),
    ...(html === null ? [] : remarkOn('html', '', judgeShape(html, message.from))),
    ...textFindings,
    ...remarkOn('text', message.text ?? '', [findInvisible(message.text ?? '')]),
  ];
  return { findings: rankFindings(findings), html: htmlBody, text: textBody };
}

const NO_BODY = [null, []] as const;

function knownHosts({ from, to, cc, bcc, subject, text }: MessageToReview, html: HtmlReading | null) {
  const recipients = [...to, ...cc, ...bcc].map(hostOfMailbox).filter((host) => host !== null);
  const texts = [subject, html?.visible ?? '', text ?? ''];
  const named = new Set(texts.flatMap((one) => [...hostsNamedIn(one)].map(({ host }) => host)));
  return { sender: hostOfMailbox(from), recipients, named };
}

function headFindings(message: MessageToReview, lookAlikeOf: LookAlikeFinder): readonly Finding[] {
  const { from, replyTo, to, cc, bcc, subject, attachments } = message;
  return [
    ...remarkOn('subject', subject, judgeLine(subject)),
    ...remarkOn(
      'from',
      from,
      judgeMailbox(from, () => null),
    ),
    ...remarkOn('replyTo', replyTo ?? '', replyTo === null ? [] : judgeMailbox(replyTo, lookAlikeOf)),
    ...[...to, ...cc, ...bcc].flatMap((mailbox) => remarkOn('recipients', mailbox, judgeMailbox(mailbox, lookAlikeOf))),
    ...attachments.flatMap(({ filename }) => remarkOn('files', filename, [findInvisible(filename)])),
  ];
}

function remarkOn(place: FindingPlace, text: string, remarks: ReturnType<typeof judgeLine>): readonly Finding[] {
  const about = { place, text: cut(text, TEXT_CHARACTERS), target: null, host: null };
  return remarks.flatMap((remark) => (remark === null ? [] : [{ ...remark, ...about }]));
}

function styleFinding({ text, remark }: StyleRemark): readonly Finding[] {
  return remarkOn('html', text, [remark]);
}

function hiddenFindings({ hidden, visible }: HtmlReading): readonly Finding[] {
  return [
    ...hidden.flatMap(({ text, remark }) => remarkOn('html', text, [remark])),
    ...remarkOn('html', '', [findInvisible(visible)]),
  ];
}

function judgeLinks(
  text: string,
  found: readonly FoundLink[],
  place: FindingPlace,
  lookAlikeOf: LookAlikeFinder,
): readonly [ReviewedBody, readonly Finding[]] {
  const links: ReviewedLink[] = [];
  const all: Finding[] = [];
  let [plain, marked] = [0, 0];
  for (const [index, link] of found.slice(0, JUDGED_MAX).entries()) {
    const { target, host, remarks } = judgeLink(link, lookAlikeOf);
    const about = { place, text: cut(link.text, TEXT_CHARACTERS), target: cut(target, TARGET_CHARACTERS), host };
    const findings = remarks.map((remark) => ({ ...remark, ...about }));
    for (const finding of findings) all.push(finding);
    const isMarked = findings.some(({ level }) => level !== 'note');
    if (isMarked) marked += 1;
    else plain += 1;
    if ((isMarked ? marked : plain) > LINKS_MAX) continue;
    links.push({ kind: link.kind, number: index + 1, text: link.text, target, host, findings });
  }
  return [{ text, links, linkCount: found.length }, all];
}
