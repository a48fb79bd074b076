const LINE_CHARACTERS = 120;

/** A doc comment of these paragraphs with its line ending; an empty string if there are none. */
export function renderDocComment(paragraphs: readonly string[], indent: string): string {
  const width = LINE_CHARACTERS - indent.length - ' * '.length;
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrap(clean(paragraph), width),
  ]);
  if (lines.length === 0) return '';
  const [first] = lines;
  if (lines.length === 1 && `${indent}/** ${first} */`.length <= LINE_CHARACTERS) return `${indent}/** ${first} */\n`;
  const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('');
  return `${indent}/**\n${body}${indent} */\n`;
}

/** A description must not end the comment. */
function clean(text: string): string {
  return text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim();
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
