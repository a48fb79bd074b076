import { toPlain } from './mail-text.ts';
import { breakLinks } from './sender-text.ts';
import type { MailFact, MailLink, MailPart, QuotedPart, WrittenMail } from './written-mail.ts';

export function renderText({ heading, opening, button, rest, footer }: WrittenMail): string {
  const blocks = [
    [toPlain(heading)],
    ...opening.map(linesOf),
    ...(button === null ? [] : [linkLines(button)]),
    ...rest.map(linesOf),
    [toPlain(footer)],
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function linesOf(part: MailPart): readonly string[] {
  if (part.kind === 'list') return part.items.map((item) => `- ${toPlain(item)}`);
  if (part.kind === 'facts') return part.facts.map(factLine);
  if (part.kind === 'letter') return [part.text];
  if (part.kind === 'commands') return part.lines.map((line) => `  ${line}`);
  if (part.kind === 'link') return linkLines(part);
  return part.kind === 'quoted' ? quotedLines(part) : [toPlain(part.text)];
}

function factLine({ name, lines }: MailFact): string {
  return `${name}: ${lines.map(toPlain).join(', ')}`;
}

function linkLines({ label, url }: MailLink): readonly string[] {
  return [`${label}:`, url];
}

/** Every line of the sender begins with a mark, so that none can pass for one of ours. */
function quotedLines({ title, facts, apart, lines, note }: QuotedPart): readonly string[] {
  const own = lines.map((line) => `> ${breakLinks(line)}`.trimEnd());
  return [
    title,
    ...facts.map((fact) => `> ${factLine(fact)}`),
    ...(apart === null ? [] : ['', apart.name, ...apart.lines.map((line) => `> ${toPlain(line)}`)]),
    ...(own.length === 0 ? [] : ['', ...own]),
    ...(note === null ? [] : ['', note]),
  ];
}
