import type { CallableId } from '@postrider/core';
import type { Html } from '../../html/page-markup.ts';
import type { PageQuery } from './page-query.ts';
import type { PageRequest } from './page-request.ts';

/** The places of the navigation. */
export const SECTIONS = [
  'overview',
  'approvals',
  'messages',
  'mailbox',
  'domains',
  'templates',
  'suppressions',
  'webhooks',
  'keys',
  'team',
  'audit',
  'requests',
  'tickets',
  'settings',
] as const;

export type Section = (typeof SECTIONS)[number];

/** What a route of the console responds with. */
export type PageResult =
  | PageContent
  /** To another page, with GET. The notice is shown there once. */
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: string }
  /** Something that is not a page of the console: the HTML of a message in its frame, a file, JSON for the script. */
  | RawResult;

export interface PageContent {
  readonly kind: 'page';
  readonly title: string;
  readonly section: Section;
  readonly content: Html;
  /** 200 by default; that of the problem for a form that is shown again. */
  readonly status?: number;
  /** What of the account the page shows, so that it is loaded again when that changes: see live changes. */
  readonly watch?: readonly string[];
}

export interface RawResult {
  readonly kind: 'raw';
  readonly contentType: string;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** With `:name` parameters. */
  readonly path: string;
  /** The operation that a role must be allowed to call to see the page; null if every member sees it. */
  readonly needs: CallableId | null;
  /** The parameters of its address; none if left out. Others are refused, so that nothing is silently ignored. */
  readonly query?: PageQuery;
  /** The largest form in bytes, if it can contain bodies of messages or templates. */
  readonly formBytes?: number;
  /** The form changes nothing, as for a preview, so it is no entry of the request log. */
  readonly isRead?: boolean;
  readonly run: (request: PageRequest) => Promise<PageResult>;
}

export function page(content: Omit<PageContent, 'kind'>): PageContent {
  return { kind: 'page', ...content };
}

/** @param notice what was done, in words: "The key was revoked." */
export function redirect(to: string, notice?: string): PageResult {
  return notice === undefined ? { kind: 'redirect', to } : { kind: 'redirect', to, notice };
}
