import { readDeclarations, withoutComments } from './style-values.ts';

/** The declarations of an element, from rules for its name, its classes and its id. */
export interface StyleSheet {
  declarationsOf(name: string, attributes: ReadonlyMap<string, string>): readonly ReadonlyMap<string, string>[];
}

const RULES_MAX = 5_000;
const CLASSES_MAX = 50;
/** Other selectors are ignored: mail clients support few of them. */
const SELECTOR = /^([a-z][a-z0-9]{0,20})?([.#][\w-]{1,100})?$/i;

/** Reads the rules that apply on every screen. Those in `@media` for small screens hide ordinary things. */
export function readStyleSheet(sheets: readonly string[]): StyleSheet {
  const rules = new Map<string, Map<string, string>>();
  for (const sheet of sheets) readRules(withoutComments(sheet), rules);
  return {
    declarationsOf(name, attributes) {
      if (rules.size === 0) return [];
      const classes = (attributes.get('class') ?? '').slice(0, 2_000).split(/\s/).slice(0, CLASSES_MAX);
      const parts = ['', ...classes.filter((part) => part !== '').map((part) => `.${part}`)];
      const id = attributes.get('id');
      if (id !== undefined) parts.push(`#${id.slice(0, 200)}`);
      return parts.flatMap((part) =>
        [rules.get(part), rules.get(`${name}${part}`)].filter((rule) => rule !== undefined),
      );
    },
  };
}

function readRules(css: string, rules: Map<string, Map<string, string>>): void {
  let at = 0;
  while (rules.size < RULES_MAX) {
    const open = css.indexOf('{', at);
    if (open < 0) return;
    const selectors = css
      .slice(at, open)
      .replaceAll(/[}\s]/g, ' ')
      .replaceAll(/<!--|-->/g, '')
      .trim();
    if (selectors.startsWith('@')) {
      at = isForScreens(selectors) ? open + 1 : blockEnd(css, open);
      continue;
    }
    const close = css.indexOf('}', open);
    const end = close < 0 ? css.length : close;
    const declarations = readDeclarations(css.slice(open + 1, end));
    for (const selector of selectors.split(',').slice(0, RULES_MAX)) {
      const key = selector.trim();
      if (key === '' || !SELECTOR.test(key)) continue;
      const rule = rules.get(key) ?? new Map<string, string>();
      for (const [property, value] of declarations) if (SEEN.has(property)) rule.set(property, value);
      rules.set(key, rule);
    }
    at = end + 1;
  }
}

/** The properties that can hide text. */
const SEEN = new Set(
  (
    'display visibility opacity font-size font color background background-color background-image overflow overflow-x overflow-y height ' +
    'max-height width max-width position left top right text-indent margin-left margin-top clip clip-path transform mso-hide filter'
  ).split(' '),
);

function isForScreens(rule: string): boolean {
  return /^@media (?:only )?(?:screen|all)$/i.test(
    rule
      .slice(0, 100)
      .replaceAll(/\s{1,100}/g, ' ')
      .trim(),
  );
}

/** The index after a block with the blocks in it. */
function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === '{') depth += 1;
    if (css[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return css.length;
}
