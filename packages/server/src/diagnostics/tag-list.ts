/** One tag of a tag list in DKIM and DMARC. */
export interface Tag {
  /** As written: names are case-sensitive. */
  readonly name: string;
  readonly value: string;
}

export type TagListVerdict =
  | { readonly ok: true; readonly tags: readonly Tag[] }
  | { readonly ok: false; readonly reason: string };

/** Parses `a=b; c=d` (RFC 6376 §3.2): white space around names, values and semicolons is ignored, and no tag may be repeated. */
export function readTagList(text: string): TagListVerdict {
  const tags: Tag[] = [];
  const names = new Set<string>();
  const parts = text.split(';').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
      return { ok: false, reason: `\`${part.slice(0, 60)}\` is not a valid tag.` };
    if (names.has(name)) return { ok: false, reason: `The tag \`${name.slice(0, 60)}\` is repeated.` };
    names.add(name);
    tags.push({ name, value: part.slice(at + 1).trim() });
  }
  return { ok: true, tags };
}

export function tagValue(tags: readonly Tag[], name: string): string | null {
  return tags.find((tag) => tag.name === name)?.value ?? null;
}
