import { parse } from 'parse5';
import { scanHtml } from '../../packages/server/src/links/html-scanner.ts';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { tagHtml } from '../../packages/server/src/links/tag-html.ts';
import { planTracking, trackHtml } from '../../packages/server/src/links/track-html.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import { toUtmTags } from '../../packages/server/src/links/utm-tags.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';

const CHARACTERS = 100_000;
const LINKS = 50;
const MAX_LINK_WORK_MS = 1;
/** Relative to building a tree: the scan must cost far less, on any machine. */
const MAX_SCAN_SHARE = 1 / 15;
const PASSES = 200;

/**
 * `pnpm bench links`: the cost of finding, tagging and tracking the links of a 100 KB newsletter, compared with copying it and with
 * building its tree with parse5, in the same run.
 */
export function benchLinks({ rounds }: { readonly rounds: number }): boolean {
  const html = newsletter();
  const target = Buffer.alloc(Buffer.byteLength(html));
  const tags = toUtmTags({ source: 'newsletter', medium: 'email', campaign: 'spring', override_existing: false });
  const none = readProtectedLinks({});
  const tagged = tagHtml(html, tags, none, Number.POSITIVE_INFINITY) ?? '';
  const tracking = planTracking(tagged, { opens: true, clicks: true }, none) ?? { openPixel: true, links: [] };
  const urlsOf = createTrackingUrls(createTrackingTokens(Buffer.alloc(32, 7)), 'https://post.example.com');
  const message = {
    accountId: '01936a2e-0000-7000-8000-000000000000',
    messageId: '01936a2e-0000-7000-8000-000000000001',
  };
  const trackAll = () => {
    const { open, clicks } = urlsOf(tracking, message);
    return trackHtml(tagged, tracking, { open, click: (link) => clicks[link] ?? '' });
  };
  console.log(`${describeMachine({})}\nhtml: ${round(html.length)} characters, ${scanHtml(html).links.length} links`);

  const copyMs = time('copy it as UTF-8', rounds, PASSES, () => target.write(html, 'utf8'));
  const scanMs = time('find the links', rounds, PASSES, () => scanHtml(html).links.length);
  const tagMs = time(
    'tag them',
    rounds,
    PASSES,
    () => tagHtml(html, tags, none, Number.POSITIVE_INFINITY)?.length ?? 0,
  );
  const planMs = time(
    'plan their tracking',
    rounds,
    PASSES,
    () => planTracking(tagged, { opens: true, clicks: true }, none)?.links.length ?? 0,
  );
  const trackMs = time('rewrite them, sign each, append the image', rounds, PASSES, () => trackAll().length);
  const treeMs = time('build the tree with parse5', rounds, PASSES / 20, () => parse(html).childNodes.length);

  console.log(`a scan is ${round(scanMs / copyMs, 1)} copies; parse5 takes ${round(treeMs / scanMs)} scans`);
  const verdicts = [
    { what: 'finding the links, in trees of parse5', value: scanMs / treeMs, bound: MAX_SCAN_SHARE },
    { what: 'tagging, in ms', value: tagMs, bound: MAX_LINK_WORK_MS },
    { what: 'planning what to track, in ms', value: planMs, bound: MAX_LINK_WORK_MS },
    { what: 'rewriting for tracking, in ms', value: trackMs, bound: MAX_LINK_WORK_MS },
  ];
  for (const { what, value, bound } of verdicts) console.log(judge(what, value, bound, 'at most'));
  return verdicts.every(({ value, bound }) => value <= bound);
}

/** Processor milliseconds of one pass, so that other load does not count: the median of the rounds. */
function time(what: string, rounds: number, passes: number, work: () => number): number {
  let sum = 0;
  for (let pass = 0; pass < passes; pass += 1) sum += work();
  const roundsMs = Array.from({ length: rounds }, () => {
    const began = process.cpuUsage();
    for (let pass = 0; pass < passes; pass += 1) sum += work();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000 / passes;
  });
  const ms = median(roundsMs);
  console.log(`${what}: ${round(ms * 1_000)} µs${sum === 0 ? ' (nothing)' : ''}`);
  return ms;
}

/** Nested tables with inline styles, as newsletter editors write them, and a link every few cells. */
function newsletter(): string {
  const cell = (index: number) =>
    `<td class="cell" style="padding:12px 8px;font-family:Arial,Helvetica,sans-serif;font-size:14px;color:#333333" align="left" valign="top">Item ${index}: words about it, and a few more of them.</td>`;
  const link = (index: number) =>
    `<td><a href="https://shop.example.com/items/${index}?ref=mail&amp;pos=${index}#details" target="_blank" style="color:#0b66c3;text-decoration:none">Look at item ${index}</a></td>`;
  const body =
    '<!DOCTYPE html><html><head><title>News</title><style>.cell > p { margin: 0 }</style></head><body><table>';
  const rows: string[] = [body];
  let length = body.length;
  for (let index = 0, links = 0; length < CHARACTERS; index += 1) {
    const isLinkDue = length >= (CHARACTERS / LINKS) * links && links < LINKS;
    const row = `<tr>${isLinkDue ? link(index) : cell(index)}</tr>\n`;
    links += isLinkDue ? 1 : 0;
    rows.push(row);
    length += row.length;
  }
  return `${rows.join('')}</table></body></html>`;
}
