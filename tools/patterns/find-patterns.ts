import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** A regular expression of the sources. */
export interface FoundPattern {
  /** From the repository root. */
  readonly file: string;
  /** As written between slashes; for a pattern built of constants, with the constants filled in. */
  readonly source: string;
  readonly flags: string;
  /** `/source/flags`, or the code that builds it if its parts are known only at run time. */
  readonly written: string;
  /** Whether its parts are known only at run time. */
  readonly isDynamic: boolean;
}

/** The parts of a syntax tree node that are read here. */
type Node = Readonly<Record<string, unknown>>;

/** Finds every regular expression of a file: literals, `RegExp(…)`, and those in schemas, which are literals too. */
export function findPatterns(file: string, code = readFileSync(file, 'utf8')): readonly FoundPattern[] {
  const tree = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const nodes = [...nodesOf(tree)];
  const constants = constantsOf(nodes);
  return nodes.flatMap((node): FoundPattern[] => {
    const literal = literalOf(node);
    if (literal !== null)
      return [{ file, ...literal, written: `/${literal.source}/${literal.flags}`, isDynamic: false }];
    if (!isConstructor(node)) return [];
    const [pattern, flagsNode] = listOf(node['arguments']);
    const source = textOf(pattern, constants);
    const flags = flagsNode === undefined ? '' : textOf(flagsNode, constants);
    if (source !== null && flags !== null)
      return [{ file, source, flags, written: `/${source}/${flags}`, isDynamic: false }];
    const written = code.slice(Number(node['start']), Number(node['end'])).replaceAll(/\s+/g, ' ');
    return [{ file, source: '', flags: '', written, isDynamic: true }];
  });
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  else if (isNode(value)) {
    if (typeof value['type'] === 'string') yield value;
    for (const child of Object.values(value)) if (typeof child === 'object') yield* nodesOf(child);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp);
}

function literalOf(node: Node): { readonly source: string; readonly flags: string } | null {
  const { type, regex } = node;
  if (type !== 'Literal' || !isNode(regex)) return null;
  return { source: String(regex['pattern']), flags: String(regex['flags']) };
}

function isConstructor({ type, callee }: Node): boolean {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false;
  return isNode(callee) && callee['type'] === 'Identifier' && callee['name'] === 'RegExp';
}

/** The constants of the file by name. */
function constantsOf(nodes: readonly Node[]): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const { type, id, init } of nodes) {
    if (type !== 'VariableDeclarator' || !isNode(id) || typeof id['name'] !== 'string') continue;
    constants.set(id['name'], constants.has(id['name']) ? null : init);
  }
  return constants;
}

/** The text that an expression evaluates to; null if it is known only at run time. */
function textOf(node: unknown, constants: ReadonlyMap<string, unknown>): string | null {
  if (!isNode(node)) return null;
  const read = (part: unknown) => textOf(part, constants);
  const { type } = node;
  if (type === 'Literal') return literalOf(node)?.source ?? String(node['value']);
  if (type === 'Identifier') return read(constants.get(String(node['name'])));
  if (type === 'TemplateLiteral') return joined(node, 'cooked', read);
  if (type === 'TaggedTemplateExpression') return isNode(node['quasi']) ? joined(node['quasi'], 'raw', read) : null;
  if (type === 'MemberExpression')
    return isNode(node['property']) && node['property']['name'] === 'source' ? read(node['object']) : null;
  if (type !== 'BinaryExpression' || node['operator'] !== '+') return null;
  const [left, right] = [read(node['left']), read(node['right'])];
  return left === null || right === null ? null : left + right;
}

function joined(node: Node, form: 'cooked' | 'raw', read: (part: unknown) => string | null): string | null {
  const parts = listOf(node['expressions']).map(read);
  if (parts.includes(null)) return null;
  const texts = listOf(node['quasis']).map((quasi) => (isNode(quasi['value']) ? String(quasi['value'][form]) : ''));
  return texts.map((text, index) => text + (parts[index] ?? '')).join('');
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
