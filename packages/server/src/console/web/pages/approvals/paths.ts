export const APPROVALS = '/console/approvals';

export function pathOf(id: string): string {
  return `${APPROVALS}/${encodeURIComponent(id)}`;
}

export function draftPathOf(slug: string, version: number): string {
  return `${APPROVALS}/drafts/${encodeURIComponent(slug)}/${version}`;
}
