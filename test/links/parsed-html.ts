import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** Attributes that lead somewhere wherever they are, beside those that do within frames. */
const LEADING = new Set([
  'href',
  'xlink:href',
  'action',
  'formaction',
  'ping',
  'content',
  'values',
  'to',
  'from',
  'by',
]);
const FRAMING = new Set(['src', 'data', 'codebase', 'archive', 'classid', 'value']);
const FRAMES = ['iframe', 'frame', 'embed', 'object'];
const HOST = /^(?:https:)?\/\/(h\d+\.com)/;

/** The hosts that the attributes of the tree lead to. */
export function parsedAttributes(text: string): readonly string[] {
  return nodesOf(text).flatMap((node) => {
    if (!('attrs' in node)) return [];
    return node.attrs.flatMap(({ name, prefix, value }) => {
      const full = prefix ? `${prefix}:${name}` : name;
      const counts = LEADING.has(full) || (FRAMES.includes(node.tagName) && FRAMING.has(full));
      return counts ? (HOST.exec(value)?.[1] ?? []) : [];
    });
  });
}

/** The host names that the texts of the tree show. */
export function parsedTexts(text: string): readonly string[] {
  return nodesOf(text).flatMap((node) => {
    if (node.nodeName !== '#text' || !('value' in node)) return [];
    return node.parentNode?.nodeName === 'style'
      ? []
      : [...node.value.matchAll(/(?<![\w.])t\d+\.com(?![\w.])/g)].map(([host]) => host);
  });
}

function nodesOf(text: string): readonly Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node) => {
    nodes.push(node);
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  // Mail programs run no scripts: `noscript` is shown.
  visit(parse(text, { scriptingEnabled: false }));
  return nodes;
}

const TAGS = [
  'a',
  'p',
  'area',
  'svg',
  'animate',
  'set',
  'meta',
  'math',
  'title',
  'style',
  'xmp',
  'textarea',
  'noscript',
  'b',
  'template',
  'select',
  'option',
  'table',
  'td',
  'script',
  'plaintext',
  'noembed',
];
const NAMES = [...LEADING, ...FRAMING, 'title', 'x', 'HREF'];
const JUNK = ['<', '>', '"', "'", '=', ' ', '/', '<!--', '-->', '</', '&quot;', '<![CDATA[', 'x', '\n', '<!>', '<?'];

/** Markup well-formed and malformed, with its own host at every place; the same for the same round. */
export function randomHtml(round: number): { readonly html: string; readonly seed: number } {
  const seed = Number(process.env['POSTRIDER_TEST_SEED'] ?? 1) * 1_000 + round;
  const random = mulberry(seed);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  let count = 0;
  const attribute = () => {
    count += 1;
    const quote = pick(['"', "'", '']);
    const url = `${pick(['https://', '//', '&#104;ttps&colon;//'])}h${count}.com${pick(['', '/', '/p?x=1'])}`;
    return `${pick([' ', '/', '\n'])}${pick(NAMES)}${pick(['=', ' = '])}${quote}${url}${quote}`;
  };
  const part = (): string => {
    count += 1;
    const kind = random();
    const tag = pick([...TAGS, ...FRAMES]);
    if (kind < 0.5) return `<${tag}${attribute()}${random() < 0.5 ? attribute() : ''}>`;
    if (kind < 0.65) return ` t${count}.com `;
    if (kind < 0.8) return `</${tag}>`;
    return pick(JUNK);
  };
  return { html: Array.from({ length: 24 }, part).join(''), seed };
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
