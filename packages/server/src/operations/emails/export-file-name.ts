import type { ExportFormat } from '@postrider/core';

const NAME_CHARACTERS_MAX = 60;

/** `acme-gmbh-messages-2026-01-31.csv`: the account's name as a slug and the date in UTC. */
export function exportFileName(accountName: string, now: Date, format: ExportFormat): string {
  return `${toSlug(accountName)}-messages-${now.toISOString().slice(0, 10)}.${format}`;
}

/** Letters without accents, digits and single hyphens. A name without letters or digits becomes `account`. */
function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARACTERS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'account' : slug;
}
