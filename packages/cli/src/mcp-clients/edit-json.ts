import { type JsonMember, type JsonNode, parseJsonWithComments } from './json-with-comments.ts';

const INDENT = '  ';

/** The fields of each kind of entry that are replaced. Those of the other kind conflict with them. */
const OURS = {
  program: { command: undefined, args: undefined, env: undefined },
  remote: { url: undefined, httpUrl: undefined, serverUrl: undefined },
} as const;

const CONFLICTING: Readonly<Record<keyof typeof OURS, ReadonlySet<string>>> = {
  program: new Set([...Object.keys(OURS.remote), 'headers']),
  remote: new Set(Object.keys(OURS.program)),
};

/**
 * Puts a server at `section.name` of a JSON text and leaves every other character unchanged. In an existing entry of the same kind only our
 * fields change. Null if the text or the section is not an object, because an edit could lose content.
 */
export function putIntoJson(text: string, section: string, name: string, value: object): string | null {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: value } }, null, INDENT)}\n`;
  const root = parseJsonWithComments(text);
  if (root === null || root.members === null) return null;
  const sectionNode = last(root, section)?.value;
  if (sectionNode === undefined) return addMember(text, root, section, { [name]: value }, 1);
  if (sectionNode.members === null) return null;
  const present = last(sectionNode, name)?.value;
  if (present === undefined) return addMember(text, sectionNode, name, value, 2);
  const kind = 'command' in value ? 'program' : 'remote';
  if (present.members === null || present.members.some((member) => CONFLICTING[kind].has(member.name))) {
    return replace(text, present, value, 2);
  }
  const edited = putFields(text, [section, name], { ...OURS[kind], ...value });
  return kind === 'program' || edited === null ? edited : dropAuthorization(edited, [section, name]);
}

/** Removes `section.name` from a JSON text. Without that entry the text is unchanged; null as above. */
export function removeFromJson(text: string, section: string, name: string): string | null {
  if (text.trim() === '') return text;
  const root = parseJsonWithComments(text);
  if (root === null || root.members === null) return null;
  const sectionNode = last(root, section)?.value;
  if (sectionNode === undefined) return text;
  if (sectionNode.members === null) return null;
  const member = last(sectionNode, name);
  // Of several members with one name the last counts, so all are removed.
  return member === undefined ? text : removeFromJson(removeMember(text, sectionNode, member), section, name);
}

/** One field at a time, because each edit moves the text after it. */
function putFields(text: string, [section, name]: readonly [string, string], value: object): string | null {
  let edited = text;
  for (const [field, inner] of Object.entries(value)) {
    const server = findServer(edited, [section, name]);
    if (server === null) return null;
    const member = last(server, field);
    const present = member?.value;
    if (member === undefined || present === undefined) {
      if (inner !== undefined) edited = addMember(edited, server, field, inner, 3);
    } else if (inner === undefined) edited = removeMember(edited, server, member);
    else if (!isSame(edited.slice(present.start, present.end), inner)) edited = replace(edited, present, inner, 3);
  }
  return edited;
}

/** With this header, the client would use its key instead of signing in. Other headers stay, since a proxy may need them. */
function dropAuthorization(text: string, path: readonly [string, string]): string | null {
  const server = findServer(text, path);
  const headers = server === null ? undefined : last(server, 'headers');
  const key = headers?.value.members?.find((header) => header.name.toLowerCase() === 'authorization');
  if (server === null || headers === undefined || key === undefined) return text;
  if (headers.value.members?.length === 1) return removeMember(text, server, headers);
  return dropAuthorization(removeMember(text, headers.value, key), path);
}

function findServer(text: string, [section, name]: readonly [string, string]): JsonNode | null {
  const root = parseJsonWithComments(text);
  const servers = root === null ? undefined : last(root, section)?.value;
  return servers === undefined ? null : (last(servers, name)?.value ?? null);
}

function isSame(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    // A value with comments is written again.
    return false;
  }
}

function last(node: JsonNode, name: string): JsonMember | undefined {
  return node.members?.findLast((member) => member.name === name);
}

function replace(text: string, present: JsonNode, value: unknown, depth: number): string {
  return `${text.slice(0, present.start)}${write(value, depth)}${text.slice(present.end)}`;
}

function addMember(text: string, object: JsonNode, name: string, value: unknown, depth: number): string {
  const member = `${INDENT.repeat(depth)}${JSON.stringify(name)}: ${write(value, depth)}`;
  const final = object.members?.at(-1);
  if (final === undefined) {
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
    return `${text.slice(0, object.start + 1)}${inside}\n${member}\n${INDENT.repeat(depth - 1)}${text.slice(object.end - 1)}`;
  }
  const end = final.value.end;
  // The comma directly follows the previous value, before any comment on it.
  const between = text.slice(end, object.end - 1).trimEnd();
  const comma = object.hasTrailingComma ? '' : ',';
  return `${text.slice(0, end)}${comma}${between}\n${member}\n${INDENT.repeat(depth - 1)}${text.slice(object.end - 1)}`;
}

/** Also removes the comma after the member, or before it if it is the last. Comments around it stay. */
function removeMember(text: string, object: JsonNode, member: JsonMember): string {
  const members = object.members ?? [];
  const index = members.indexOf(member);
  const hasOwnComma = index < members.length - 1 || object.hasTrailingComma;
  const before = members[index - 1];
  const after = member.value.end;
  const own = hasOwnComma ? commaAfter(text, after) : null;
  const without = own === null ? text : cutOut(text, own, own + 1);
  const [start, end] = wholeLine(without, member.start, after);
  const cut = cutOut(without, start, end);
  return own !== null || before === undefined ? cut : cutAt(cut, commaAfter(cut, before.value.end));
}

const BLANK = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;

/** The position of the comma after a value; comments can come before it. */
function commaAfter(text: string, end: number): number {
  BLANK.lastIndex = end;
  return end + (BLANK.exec(text)?.[0].length ?? 0);
}

function cutAt(text: string, at: number): string {
  return cutOut(text, at, at + 1);
}

function cutOut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

/** Extends the span to the whole line if it contains nothing else. */
function wholeLine(text: string, start: number, end: number): readonly [number, number] {
  const [indent = ''] = /[ \t]*$/.exec(text.slice(0, start)) ?? [];
  const [rest = ''] = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end)) ?? [];
  const isAlone = text[start - indent.length - 1] === '\n' && rest !== '';
  return isAlone ? [start - indent.length, end + rest.length] : [start, end];
}

function write(value: unknown, depth: number): string {
  return JSON.stringify(value, null, INDENT).replaceAll('\n', `\n${INDENT.repeat(depth)}`);
}
