import {
  type Arguments,
  type Context,
  type Emitter,
  type Template,
  type Token,
  TypeGuards,
  toValueSync,
  Value,
} from 'liquidjs';

/** What placeholders printed of the caller's variables. */
export interface Printed {
  /** Texts as they appear in the rendered part. Adjacent placeholders count as one text. */
  readonly texts: readonly string[];
  /** Whether a placeholder printed a whole list or object. */
  readonly hasList: boolean;
}

/** `record` keeps what the caller's variables print; `replace` prints `neutral` instead. */
export type PrintMode =
  | { readonly kind: 'record'; readonly given: ReadonlySet<string> }
  | { readonly kind: 'replace'; readonly given: ReadonlySet<string>; readonly neutral: string };

interface Recorder {
  readonly mode: PrintMode;
  readonly texts: string[];
  hasList: boolean;
  /** The end of the last text. */
  last: { readonly emitter: Emitter; readonly end: number } | null;
}

const REGISTER = 'printed values';
/** A name that is known only during rendering can be any of the caller's. */
const ANY = '*';
/** Filters that turn a list into one value. */
const REDUCING = new Set(['join', 'first', 'last', 'size', 'sum', 'find', 'find_index', 'has', 'json', 'inspect']);

/**
 * Makes renderings of a parsed part record what placeholders print of the caller's variables. Has no effect unless `recordPrinted` was
 * called.
 */
export function watchPrinted(templates: readonly Template[]): void {
  const definitions = new Map<string, Set<string>>();
  const leaves = collect(templates, definitions);
  for (const { template, roots } of leaves) watchLeaf(template, closureOf(roots, definitions));
}

/** Starts recording what is printed. Call this before rendering. */
export function recordPrinted(context: Context, mode: PrintMode): void {
  context.setRegister(REGISTER, { mode, texts: [], hasList: false, last: null } satisfies Recorder);
}

export function printedIn(context: Context): Printed {
  const { texts, hasList } = context.getRegister(REGISTER) as Recorder; // Only recordPrinted writes this register.
  return { texts, hasList };
}

type Argument = Arguments extends Iterable<infer Item> ? Item : never;

interface Leaf {
  readonly template: Template;
  readonly roots: ReadonlySet<string>;
}

/**
 * Collects the tags that print values: all with arguments but no content. Records for every name that the template defines which names it
 * depends on.
 */
function collect(templates: readonly Template[], definitions: Map<string, Set<string>>): readonly Leaf[] {
  return templates.flatMap((template) => {
    const names = [...(template.localScope?.() ?? [])].map(({ content }) => content);
    const own = [...(template.arguments?.() ?? [])].flatMap(rootsOf);
    const inner =
      template.children === undefined ? null : collect(toValueSync(template.children(false, true)), definitions);
    const made = [...own, ...(inner ?? []).flatMap(({ roots }) => [...roots])];
    const scope = [...names, ...(template.blockScope?.() ?? [])];
    for (const name of scope) definitions.set(name, new Set([...(definitions.get(name) ?? []), ...made]));
    if (inner !== null) return inner;
    const isLeaf = template.arguments !== undefined || template.localScope !== undefined;
    return isLeaf ? [{ template, roots: new Set([...own, ...names]) }] : [];
  });
}

function closureOf(roots: ReadonlySet<string>, definitions: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const all = new Set(roots);
  // The loop also visits names added during iteration.
  for (const name of all) for (const root of definitions.get(name) ?? []) all.add(root);
  return all;
}

function rootsOf(argument: Argument): readonly string[] {
  if (!(argument instanceof Value)) return rootsOfToken(argument);
  const given = argument.filters.flatMap(({ args }) => args);
  const tokens = given.flatMap((filterArgument) =>
    Array.isArray(filterArgument) ? (filterArgument[1] ?? []) : filterArgument,
  );
  return [...argument.initial.postfix, ...tokens].flatMap(rootsOfToken);
}

function rootsOfToken(token: Token): readonly string[] {
  if (TypeGuards.isRangeToken(token)) return [...rootsOfToken(token.lhs), ...rootsOfToken(token.rhs)];
  // The candidates of a `cycle` tag are parsed already.
  if ('initial' in token) return [ANY];
  if (!TypeGuards.isPropertyAccessToken(token)) return isConstant(token) ? [] : [ANY];
  const [first, ...rest] = token.props;
  const isName =
    token.variable === undefined &&
    first !== undefined &&
    (TypeGuards.isWordToken(first) || TypeGuards.isQuotedToken(first));
  return [isName ? first.content : ANY, ...(isName ? rest : token.props).flatMap(rootsOfToken)];
}

function isConstant(token: Token): boolean {
  return (
    TypeGuards.isLiteralToken(token) ||
    TypeGuards.isNumberToken(token) ||
    TypeGuards.isQuotedToken(token) ||
    TypeGuards.isWordToken(token) ||
    TypeGuards.isOperatorToken(token)
  );
}

function watchLeaf(template: Template, roots: ReadonlySet<string>): void {
  const render = template.render.bind(template);
  // Not a generator: most renderings record nothing, and one more generator for each placeholder would slow them down.
  template.render = (context: Context, emitter: Emitter) => {
    const recorder = context.getRegister(REGISTER) as Partial<Recorder> | undefined;
    if (recorder?.mode === undefined || !isGiven(roots, recorder.mode.given)) return render(context, emitter);
    return renderRecorded({ template, render }, recorder as Recorder, context, emitter);
  };
}

function* renderRecorded(
  { template, render }: { readonly template: Template; readonly render: Template['render'] },
  recorder: Recorder,
  context: Context,
  emitter: Emitter,
): Generator<unknown, unknown, unknown> {
  const start = emitter.buffer.length;
  const written: unknown[] = [];
  const rest = yield render(context, { buffer: '', write: (value: unknown) => written.push(value) });
  const text = [...written, rest].map(textOf).join('');
  if (text === '') return '';
  record(recorder, { text, start, isList: printsList(template, context) }, emitter);
  return '';
}

function record(
  recorder: Recorder,
  { text, start, isList }: { text: string; start: number; isList: boolean },
  emitter: Emitter,
): void {
  const { mode, texts, last } = recorder;
  if (mode.kind === 'replace') {
    emitter.write(mode.neutral);
    return;
  }
  emitter.write(text);
  const isJoined = last !== null && last.emitter === emitter && last.end === start;
  if (isJoined) texts[texts.length - 1] += text;
  else texts.push(text);
  recorder.last = { emitter, end: emitter.buffer.length };
  recorder.hasList ||= isList;
}

function isGiven(roots: ReadonlySet<string>, given: ReadonlySet<string>): boolean {
  if (roots.has(ANY)) return given.size > 0;
  for (const root of roots) if (given.has(root)) return true;
  return false;
}

function printsList(template: Template, context: Context): boolean {
  const value = 'value' in template ? template.value : null;
  if (!(value instanceof Value) || value.filters.some(({ name }) => REDUCING.has(name))) return false;
  const initial: unknown = toValueSync(value.initial.evaluate(context, true));
  return typeof initial === 'object' && initial !== null;
}

/** Converts a value to text as the engine does. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.map(textOf).join('') : String(value);
}
