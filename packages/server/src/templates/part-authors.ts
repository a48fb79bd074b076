import type { PartAuthor, PartAuthors } from '../db/schema/templates.ts';
import { TEMPLATE_PARTS, type TemplatePart, type TemplateSource } from './template-job.ts';

/** A version with its stored authors; `authors` is null for versions stored before the column existed. */
export interface AuthoredVersion extends TemplateSource {
  readonly authors: PartAuthors | null;
  readonly createdBy: string | null;
}

/** The author of each part of a stored version. */
function authorsOf(version: AuthoredVersion): PartAuthors {
  const { authors, createdBy } = version;
  return forParts(version, (part) => {
    if (authors === null) return { author: createdBy, vouchedBy: createdBy };
    return authors[part] ?? UNKNOWN;
  });
}

/**
 * The authors of a version made from another one. An unchanged part keeps its author even if the change included it, because clients that
 * send all parts to change one must not vouch for the others.
 */
export function carryAuthors(before: AuthoredVersion | null, after: TemplateSource, maker: string): PartAuthors {
  const known = before === null ? {} : authorsOf(before);
  return forParts(after, (part) => {
    const isSame = before !== null && before[part] === after[part];
    return isSame ? (known[part] ?? UNKNOWN) : { author: maker, vouchedBy: maker };
  });
}

/** The authors of a published draft: the publisher vouches for the parts that differ from the current version. */
export function vouchForChanges(
  draft: AuthoredVersion,
  current: TemplateSource | null,
  publisher: string,
): PartAuthors {
  const known = authorsOf(draft);
  return forParts(draft, (part) => {
    const own = known[part] ?? UNKNOWN;
    return current !== null && current[part] === draft[part] ? own : { ...own, vouchedBy: publisher };
  });
}

/** The distinct users and keys that vouch for the parts a send uses. `leaves` is the part that the send replaces. */
export function vouchersOf(version: AuthoredVersion, leaves: TemplatePart | null): readonly (string | null)[] {
  const authors = authorsOf(version);
  const used = TEMPLATE_PARTS.filter((part) => part !== leaves && version[part] !== null);
  return [...new Set(used.map((part) => authors[part]?.vouchedBy ?? null))];
}

/** No one vouches for a part whose author is unknown. */
const UNKNOWN: PartAuthor = { author: null, vouchedBy: null };

function forParts(version: TemplateSource, find: (part: TemplatePart) => PartAuthor): PartAuthors {
  const present = TEMPLATE_PARTS.filter((part) => version[part] !== null);
  return Object.fromEntries(present.map((part) => [part, find(part)]));
}
