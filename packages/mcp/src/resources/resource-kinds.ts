import type { Scope } from '@postrider/core';

/** One kind of object that can be read, completed and watched by its own URI. */
export interface ResourceKind {
  readonly name: 'messages' | 'approvals' | 'templates';
  readonly title: string;
  readonly description: string;
  /** The name of the variable in the URI template. */
  readonly variable: 'id' | 'slug';
  /** The tool whose text is the resource's content. */
  readonly reader: string;
  readonly scope: Scope | null;
}

/** All resource kinds. Each uses the text of its tool, so that both show the same content with the same fences. */
export const RESOURCE_KINDS: readonly ResourceKind[] = [
  {
    name: 'messages',
    title: 'Message',
    description: 'One message with its status, recipients, events and content. Updated on every event.',
    variable: 'id',
    reader: 'get_email',
    scope: 'emails:read',
  },
  {
    name: 'approvals',
    title: 'Held send',
    description: 'One held send with the reasons and the decision. Updated when it is decided.',
    variable: 'id',
    reader: 'get_approval',
    scope: null,
  },
  {
    name: 'templates',
    title: 'Template',
    description: 'One template with its subject, bodies and variables. Updated with every version.',
    variable: 'slug',
    reader: 'get_template',
    scope: 'templates:read',
  },
];

export function uriTemplateOf({ name, variable }: ResourceKind): string {
  return `email://${name}/{${variable}}`;
}

export function resourceUri(name: ResourceKind['name'], id: string): string {
  return `email://${name}/${encodeURIComponent(id)}`;
}

/** The kind and id in a URI; null if the URI is not ours. */
export function parseResourceUri(uri: string): { readonly kind: ResourceKind; readonly id: string } | null {
  const [, name, encoded] = /^email:\/\/([a-z]+)\/([^/?#\s]{1,300})$/.exec(uri) ?? [];
  const kind = RESOURCE_KINDS.find((known) => known.name === name);
  const id = encoded === undefined ? null : decode(encoded);
  return kind === undefined || id === null ? null : { kind, id };
}

function decode(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
