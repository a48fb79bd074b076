import { LIMITS } from '@postrider/core';
import type { TemplateName } from '../db/queries/templates.ts';
import { isUuid } from '../uuid-v7.ts';

/** A template as a send refers to it. */
export interface TemplateReference {
  readonly name: TemplateName;
  /** Null for the current version. */
  readonly version: number | null;
}

const PINNED = /^(.*)@([1-9]\d{0,8})$/;

/** Parses `welcome`, an id, or either with a version, as in `welcome@3`. Returns null if the text cannot refer to a template. */
export function parseTemplateReference(given: string): TemplateReference | null {
  const [, name = given, version = null] = PINNED.exec(given) ?? [];
  if (name.includes('@')) return null;
  return { name: toTemplateName(name), version: version === null ? null : Number(version) };
}

/** A template's id or slug, as used in paths and sends. */
export function toTemplateName(given: string): TemplateName {
  const folded = given.toLowerCase();
  return isUuid(folded) ? { id: folded } : { slug: folded };
}

/** The default slug of a template. It comes from `id` if the name has no letter or digit that a slug can contain. */
export function slugOf(name: string, id: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LIMITS.templateSlugCharacters)
    .replace(/^-|-$/g, '');
  if (slug !== '' && !isUuid(slug)) return slug;
  return `template-${id.slice(-12)}`;
}
