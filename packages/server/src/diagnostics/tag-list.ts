/** One tag of a list as DKIM and DMARC write it. */
export interface Tag {
  /** As given: names differ by case. */
  readonly name: string;
  readonly value: string;
}

export type TagListVerdict =
  | { readonly ok: true; readonly tags: readonly Tag[] }
  | { readonly ok: false; readonly reason: string };

/** Reads `a=b; c=d` (RFC 6376 §3.2): white space around names, values and semicolons counts for nothing, and no tag stands twice. */
export function readTagList(text: string): TagListVerdict {
  const tags: Tag[] = [];
  const names = new Set<string>();
  const parts = text.split(';').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return { ok: false, reason: `\`${part.slice(0, 60)}\` is no tag.` };
    if (names.has(name)) return { ok: false, reason: `The tag \`${name.slice(0, 60)}\` stands twice.` };
    names.add(name);
    tags.push({ name, value: part.slice(at + 1).trim() });
  }
  return { ok: true, tags };
}

export function tagValue(tags: readonly Tag[], name: string): string | null {
  return tags.find((tag) => tag.name === name)?.value ?? null;
}
