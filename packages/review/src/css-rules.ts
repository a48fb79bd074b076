import { readCssText, unescapeCss, unitEnd } from './css-text.ts';

/** A rule of a style sheet, in order. */
export interface CssRule {
  readonly selectors: string;
  readonly declarations: string;
  /**
   * `screen`: always on screens. `media`: under a condition such as a width. `nested`: within another rule. The others are no rules for
   * elements: a step of an animation, a font, an `@import`, whose whole statement is in `declarations`, and a part whose effect is not
   * known, with its name in `declarations`.
   */
  readonly applies: 'screen' | 'media' | 'nested' | 'keyframes' | 'font' | 'import' | 'unread';
}

interface Block {
  readonly selectors: string | null;
  readonly applies: CssRule['applies'] | 'never';
  readonly declarations: string[];
}

const NEVER =
  /^@(?:font-(?:feature|palette)-values|page|property|color-profile|view-transition|viewport|-ms-viewport)(?![\w-])/i;
/** They contain rules, which apply under a condition. */
const CONDITIONAL = /^@(?:media|supports|container|layer|-moz-document)(?![\w-])/i;

const KEYFRAMES = /^@(?:-[a-z]{1,9}-)?keyframes/i;
const FONT = /^@font-face/i;

/** Reads the rules of a sheet in one pass. Strings, escapes and statements such as `@import` are skipped as browsers do. */
export function* readCssRules(sheet: string): Generator<CssRule, void> {
  const css = readCssText(sheet);
  const special = /[{};"'\\([]/g;
  const open: Block[] = [];
  let start = 0;
  for (let found = special.exec(css); found !== null; found = special.exec(css)) {
    const { index } = found;
    const [mark] = found;
    const top = open.at(-1);
    if (!/[{};]/.test(mark)) special.lastIndex = unitEnd(css, index);
    else if (mark !== '}' || top !== undefined) {
      // A bracket that closes nothing belongs to the next selector, and browsers drop that rule.
      const segment = css.slice(start, index);
      start = index + 1;
      if (mark === '{') {
        open.push(blockOf(segment, top));
        yield* unreadBlock(segment, top);
      } else {
        if (top === undefined && mark === ';') yield* statementIn(segment);
        top?.declarations.push(segment);
        if (mark === '}' && top !== undefined) {
          open.pop();
          yield* ruleOf(top);
        }
      }
    }
  }
  if (open.length === 0) yield* statementIn(css.slice(start));
  open.at(-1)?.declarations.push(css.slice(start));
  for (const block of open.reverse()) yield* ruleOf(block);
}

function blockOf(segment: string, outer: Block | undefined): Block {
  const prelude = preludeOf(segment);
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

function preludeOf(segment: string): string {
  const prelude = segment.replaceAll(/<!--|-->/g, '').trim();
  // Escapes are possible in the name of an at-rule: `@\\69mport`.
  return prelude.startsWith('@') ? unescapeCss(prelude.slice(0, 3_000)).trim() : prelude;
}

/** Rules of which it is not known what they do, such as `@scope`. */
function* unreadBlock(segment: string, outer: Block | undefined): Generator<CssRule, void> {
  const prelude = preludeOf(segment);
  if (!prelude.startsWith('@') || outer?.applies === 'never') return;
  if (![NEVER, CONDITIONAL, KEYFRAMES, FONT].some((known) => known.test(prelude))) yield unread(prelude);
}

function* statementIn(segment: string): Generator<CssRule, void> {
  const statement = preludeOf(segment);
  if (/^@import/i.test(statement)) yield { selectors: '', declarations: statement, applies: 'import' };
  else if (/^@(?!charset|layer)/i.test(statement)) yield unread(statement);
}

function unread(statement: string): CssRule {
  return {
    selectors: '',
    declarations: /^@[a-z-]{1,30}/i.exec(statement)?.[0].toLowerCase() ?? '@',
    applies: 'unread',
  };
}
