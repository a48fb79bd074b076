import { type JsonNode, parseJsonWithComments } from './json-with-comments.ts';

const INDENT = '  ';

/**
 * Puts a value at `section.name` of a JSON text, in the place of one that stands there, and leaves every other character as it is. Null where
 * the text is no object, or the section is none: then nobody can say what would be lost.
 */
export function putIntoJson(text: string, section: string, name: string, value: object): string | null {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: value } }, null, INDENT)}\n`;
  const root = parseJsonWithComments(text);
  if (root === null || root.members === null) return null;
  const holder = last(root, section);
  if (holder === undefined) return addMember(text, root, section, { [name]: value }, 1);
  if (holder.members === null) return null;
  const present = last(holder, name);
  if (present === undefined) return addMember(text, holder, name, value, 2);
  return `${text.slice(0, present.start)}${write(value, 2)}${text.slice(present.end)}`;
}

/** Of members of one name the last counts. */
function last(node: JsonNode, name: string): JsonNode | undefined {
  return node.members?.findLast((member) => member.name === name)?.value;
}

function addMember(text: string, object: JsonNode, name: string, value: object, depth: number): string {
  const member = `${INDENT.repeat(depth)}${JSON.stringify(name)}: ${write(value, depth)}`;
  const final = object.members?.at(-1);
  if (final === undefined) {
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
    return `${text.slice(0, object.start + 1)}${inside}\n${member}\n${INDENT.repeat(depth - 1)}${text.slice(object.end - 1)}`;
  }
  const end = final.value.end;
  // The comma goes right behind the value before; a comment that stands behind that one stays with it.
  const behind = text.slice(end, object.end - 1).trimEnd();
  const comma = object.hasTrailingComma ? '' : ',';
  return `${text.slice(0, end)}${comma}${behind}\n${member}\n${INDENT.repeat(depth - 1)}${text.slice(object.end - 1)}`;
}

function write(value: object, depth: number): string {
  return JSON.stringify(value, null, INDENT).replaceAll('\n', `\n${INDENT.repeat(depth)}`);
}
