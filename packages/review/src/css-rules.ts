import { unescapeCss, withoutComments } from './style-values.ts';

/** A rule of a style sheet, in order. */
export interface CssRule {
  readonly selectors: string;
  readonly declarations: string;
  /**
   * `screen`: always on screens. `media`: under a condition such as a width. `nested`: within another rule. The others are no rules for
   * elements: a step of an animation, a font, and an `@import`, whose whole statement is in `declarations`.
   */
  readonly applies: 'screen' | 'media' | 'nested' | 'keyframes' | 'font' | 'import';
}

interface Block {
  readonly selectors: string | null;
  readonly applies: CssRule['applies'] | 'never';
  readonly declarations: string[];
}

const NEVER = /^@(?:font-(?:feature|palette)|page|property|counter-style|color-profile|view-transition|position-try)/i;

const KEYFRAMES = /^@(?:-[a-z]{1,9}-)?keyframes/i;
const FONT = /^@font-face/i;

/** Reads the rules of a sheet in one pass. Strings, escapes and statements such as `@import` are skipped as browsers do. */
export function* readCssRules(sheet: string): Generator<CssRule, void> {
  const css = withoutComments(sheet);
  const special = /[{};"'\\]/g;
  const open: Block[] = [];
  let start = 0;
  for (let found = special.exec(css); found !== null; found = special.exec(css)) {
    const { index } = found;
    const [mark] = found;
    const top = open.at(-1);
    if (mark === '\\') special.lastIndex = index + 2;
    else if (mark === '"' || mark === "'") special.lastIndex = stringEnd(css, index);
    else {
      const segment = css.slice(start, index);
      start = index + 1;
      if (mark === '{') open.push(blockOf(segment, top));
      else {
        if (top === undefined && mark === ';') yield* importIn(segment);
        top?.declarations.push(segment);
        if (mark === '}' && top !== undefined) {
          open.pop();
          yield* ruleOf(top);
        }
      }
    }
  }
  if (open.length === 0) yield* importIn(css.slice(start));
  open.at(-1)?.declarations.push(css.slice(start));
  for (const block of open.reverse()) yield* ruleOf(block);
}

function blockOf(segment: string, outer: Block | undefined): Block {
  const prelude = segment.replaceAll(/<!--|-->/g, '').trim();
  const applies = outer?.applies ?? 'screen';
  if (!prelude.startsWith('@'))
    return {
      selectors: prelude,
      applies: outer?.selectors == null || applies === 'never' ? applies : 'nested',
      declarations: [],
    };
  const selectors = FONT.test(prelude) ? '' : (outer?.selectors ?? null);
  return { selectors, applies: appliesAt(prelude, applies), declarations: [] };
}

function appliesAt(rule: string, outer: Block['applies']): Block['applies'] {
  const words = rule
    .slice(0, 300)
    .replaceAll(/\s{1,300}/g, ' ')
    .trim();
  if (outer === 'never' || outer === 'keyframes' || outer === 'font') return outer;
  if (KEYFRAMES.test(words)) return 'keyframes';
  if (FONT.test(words)) return 'font';
  if (NEVER.test(words) || /^@media (?:only )?print(?: and [^,]*)?$/i.test(words)) return 'never';
  return /^@media (?:only )?(?:screen|all)$/i.test(words) ? outer : outer === 'nested' ? 'nested' : 'media';
}

function* ruleOf({ selectors, applies, declarations }: Block): Generator<CssRule, void> {
  if (selectors === null || applies === 'never') return;
  yield { selectors, applies, declarations: declarations.join(';') };
}

/** Escapes are possible in the name too: `@\\69mport`. */
function* importIn(segment: string): Generator<CssRule, void> {
  const statement = unescapeCss(segment.slice(0, 3_000).replaceAll(/<!--|-->/g, '')).trim();
  if (/^@import/i.test(statement)) yield { selectors: '', declarations: statement, applies: 'import' };
}

/** The index after a string, which also ends with its line. */
function stringEnd(css: string, open: number): number {
  const end = /\\[\s\S]|["'\n]/g;
  end.lastIndex = open + 1;
  for (let found = end.exec(css); found !== null; found = end.exec(css)) {
    if (found[0] === css[open] || found[0] === '\n') return end.lastIndex;
  }
  return css.length;
}
