import {
  CaseTag,
  type Context,
  evalToken,
  ForTag,
  IfTag,
  type Scope,
  TablerowTag,
  type Template,
  type Token,
  TypeGuards,
  toValueSync,
  UnlessTag,
  Value,
} from 'liquidjs';

/** A variable that the caller of a template passes. */
export interface UsedVariable {
  /** The path from the caller's variables, such as `user.name`; `[]` means every element of a list, as in `items[].price`. */
  readonly name: string;
  /** Whether the template uses it outside all conditions and without `default`. */
  readonly required: boolean;
}

/** `needed`: used in every rendering. `reached`: used if a condition leads to it. `tolerated`: may be absent. */
type Use = 'needed' | 'reached' | 'tolerated';

interface Names {
  /** The names that the template has assigned up to this point of the walk. */
  readonly assigned: Set<string>;
  /** Loop variables and the list they iterate over; null if the list is not the caller's. */
  readonly loops: ReadonlyMap<string, string | null>;
  readonly found: Map<string, boolean>;
}

interface WatchedToken {
  readonly name: string;
  readonly token: Token;
  /** The path in the scopes; null if a part of it is known only during rendering. */
  readonly path: readonly string[] | null;
}

const REGISTER = 'missing variables';

/**
 * Finds the variables that a parsed part takes from its caller, in order of first use, and makes every rendering record the ones it needed
 * but did not get. Conditions (`if`, `unless`, `case`) and `default` tolerate absent variables. Names that the template assigns are its own
 * from there on.
 * @param reserved names that are always set
 */
export function watchVariables(templates: readonly Template[], reserved: readonly string[]): readonly UsedVariable[] {
  const names: Names = { assigned: new Set(reserved), loops: new Map(), found: new Map() };
  visitAll(templates, 'needed', names);
  return [...names.found].map(([name, required]) => ({ name, required }));
}

/** Starts recording missing variables. Call this before rendering. */
export function recordMissing(context: Context): void {
  context.setRegister(REGISTER, new Set());
}

/** The variables that were needed but absent. Null counts as absent, as everywhere in this API. */
export function missingIn(context: Context): readonly string[] {
  return [...notesOf(context)];
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Reads the value at a path in a rendering's scopes, as the engine does. */
export function readPath([root = '', ...rest]: readonly string[], context: Context): unknown {
  let value: unknown = context.getSync([root]);
  // The engine's reader accepts any value, not only scopes.
  for (const name of rest) value = context.readProperty(value as Scope, name);
  return value;
}

/** Whether `default` replaces the value. */
function isReplaced(value: unknown): boolean {
  return isMissing(value) || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

function notesOf(context: Context): Set<string> {
  return context.getRegister(REGISTER) as Set<string>; // Only recordMissing writes this register.
}

function visitAll(templates: readonly Template[], use: Use, names: Names): void {
  for (const template of templates) visit(template, use, names);
}

function visit(template: Template, use: Use, names: Names): void {
  if (template instanceof IfTag || template instanceof UnlessTag) visitCondition(template, names);
  else if (template instanceof CaseTag) visitCase(template, names);
  else if (template instanceof ForTag || template instanceof TablerowTag) visitLoop(template, use, names);
  else visitOther(template, use, names);
}

function visitCondition(tag: IfTag | UnlessTag, names: Names): void {
  for (const { value, templates } of tag.branches) {
    listValue(value, 'tolerated', names);
    visitAll(templates, 'reached', names);
  }
  visitAll(tag.elseTemplates ?? [], 'reached', names);
}

function visitCase(tag: CaseTag, names: Names): void {
  listValue(tag.value, 'tolerated', names);
  for (const { values, templates } of tag.branches) {
    for (const token of values) listToken(token, 'tolerated', names);
    visitAll(templates, 'reached', names);
  }
  visitAll(tag.elseTemplates, 'reached', names);
}

function visitLoop(tag: ForTag | TablerowTag, use: Use, names: Names): void {
  const watched = [...tag.arguments()].flatMap((argument) =>
    argument instanceof Value ? listValue(argument, use, names) : listToken(argument, use, names),
  );
  if (watched.length > 0) watchRender(tag, watched);
  const list = TypeGuards.isPropertyAccessToken(tag.collection) ? nameOf(tag.collection, names) : null;
  const loops = new Map(names.loops).set(tag.variable, list === null ? null : `${list}[]`);
  for (const drop of tag.blockScope()) if (drop !== tag.variable) loops.set(drop, null);
  visitAll(tag.templates, use, { ...names, loops });
  if (tag instanceof ForTag) visitAll(tag.elseTemplates, 'reached', names);
}

function visitOther(template: Template, use: Use, names: Names): void {
  for (const argument of template.arguments?.() ?? []) {
    if (argument instanceof Value) watchValue(argument, use, names);
    else listToken(argument, use, names);
  }
  for (const own of template.localScope?.() ?? []) names.assigned.add(own.content);
  if (template.children !== undefined) visitAll(toValueSync(template.children(false, true)), use, names);
}

function watchValue(value: Value, use: Use, names: Names): void {
  const watched = listValue(value, use, names);
  const fallback = fallbackOf(value, use, names);
  if (watched.length === 0 && fallback.length === 0) return;
  const evaluate = value.value.bind(value);
  // This runs for every output of a template, so it evaluates the value a second time only if there is a fallback.
  value.value = (context, lenient) => {
    note(watched, context);
    if (fallback.length > 0 && isReplaced(toValueSync(value.initial.evaluate(context, true)))) note(fallback, context);
    return evaluate(context, lenient);
  };
}

/** Lists a value's variables. Returns those whose absence a rendering must record. */
function listValue(value: Value, use: Use, names: Names): readonly WatchedToken[] {
  const hasDefault = value.filters.some(({ name }) => name === 'default');
  const initial = value.initial.postfix.flatMap((token) => listToken(token, hasDefault ? 'tolerated' : use, names));
  const given = argumentsOf(value, (name) => name !== 'default').flatMap((token) => listToken(token, use, names));
  return [...initial, ...given];
}

/** The variables of a value's `default`. They are always evaluated, but count as missing only if the value is absent. */
function fallbackOf(value: Value, use: Use, names: Names): readonly WatchedToken[] {
  const reached = use === 'tolerated' ? 'tolerated' : 'reached';
  return argumentsOf(value, (name) => name === 'default').flatMap((token) => listToken(token, reached, names));
}

function argumentsOf({ filters }: Value, wanted: (name: string) => boolean): readonly Token[] {
  const given = filters.filter(({ name }) => wanted(name)).flatMap(({ args }) => args);
  // Keyword arguments are pairs of a name and a token.
  return given.flatMap((argument) => (Array.isArray(argument) ? (argument[1] ?? []) : argument));
}

function listToken(token: Token, use: Use, names: Names): readonly WatchedToken[] {
  if (TypeGuards.isRangeToken(token)) {
    return [...listToken(token.lhs, use, names), ...listToken(token.rhs, use, names)];
  }
  if (!TypeGuards.isPropertyAccessToken(token)) return [];
  const inner = token.props.slice(1).flatMap((prop) => listToken(prop, use, names));
  const name = nameOf(token, names);
  if (name === null) return inner;
  // The list's own entry already says that it has elements.
  if (!name.endsWith('[]')) names.found.set(name, names.found.get(name) === true || use === 'needed');
  return use === 'tolerated' ? inner : [...inner, { name, token, path: pathOf(token.props) }];
}

/** The path of a token from the caller's variables; null if it starts elsewhere. */
function nameOf(token: Token, names: Names): string | null {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return null;
  const [root, ...rest] = token.props.map(segmentOf);
  if (root === undefined || root === null) return null;
  const loop = names.loops.get(root);
  const start = loop !== undefined ? loop : names.assigned.has(root) ? null : root;
  if (start === null) return null;
  return rest.reduce<string>((path, segment) => (segment === null ? `${path}[]` : `${path}.${segment}`), start);
}

/** Returns null for an index, or a name that is known only during rendering. */
function segmentOf(token: Token): string | null {
  return TypeGuards.isWordToken(token) || TypeGuards.isQuotedToken(token) ? token.content : null;
}

function pathOf(props: readonly Token[]): readonly string[] | null {
  const path = props.map(segmentOf);
  return path.every((segment) => segment !== null) ? path : null;
}

function watchRender(tag: ForTag | TablerowTag, watched: readonly WatchedToken[]): void {
  const render = tag.render.bind(tag);
  tag.render = (context, emitter) => {
    note(watched, context);
    return render(context, emitter);
  };
}

function note(watched: readonly WatchedToken[], context: Context): void {
  for (const { name, token, path } of watched) {
    const value: unknown = path === null ? toValueSync(evalToken(token, context)) : readPath(path, context);
    if (isMissing(value)) notesOf(context).add(name);
  }
}
