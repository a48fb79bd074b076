import { type Scope, VISIBILITY_RULES, type VisibilityRule } from '@postrider/core';
import { renderTable } from './markdown.ts';

/** One row per part of what an account stores: which scope shows it. */
export function renderVisibility(): string {
  const rules: readonly VisibilityRule[] = Object.values(VISIBILITY_RULES);
  const rows = rules.map(({ shows, own, others, users, otherwise }) => [
    shows,
    scopesOf(own) || '–',
    [scopesOf(others), ...(users ? ['every signed-in user'] : [])].join(' or '),
    otherwise,
  ]);
  return renderTable(['what', 'of the key itself needs', 'of another key or a user needs', 'otherwise'], rows);
}

function scopesOf(scopes: readonly Scope[]): string {
  return scopes.map((scope) => `\`${scope}\``).join(' or ');
}
