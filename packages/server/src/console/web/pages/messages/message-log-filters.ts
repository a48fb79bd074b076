import { CHANNELS, LIMITS, MESSAGE_STATUSES, type Problem, SOURCES } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusWords } from '../../../../ui/components/badge.ts';
import { button } from '../../../../ui/components/button.ts';
import { chips, removableChip } from '../../../../ui/components/chip.ts';
import { faultOf, select, textField } from '../../../../ui/components/field.ts';
import { activeFilters, LOG_PATH, type LogFilters, logAddress, withFilter } from './message-log-state.ts';
import { CHANNEL_WORDS, FILTER_WORDS, SOURCE_WORDS } from './message-words.ts';

const VIEWS = [
  { label: 'All', status: '' },
  { label: 'Waiting for approval', status: 'pending_approval' },
  { label: 'Queued and scheduled', status: 'queued' },
  { label: 'Delivered', status: 'delivered' },
  { label: 'Bounced', status: 'bounced' },
  { label: 'Failed', status: 'failed' },
  { label: 'Complained', status: 'complained' },
  { label: 'Suppressed', status: 'suppressed' },
  { label: 'Deferred', status: 'deferred' },
] as const;

/** Views of the log by status. Other filters are kept. */
export function logViews(filters: LogFilters): Html {
  const links = VIEWS.map(({ label, status }) => ({
    label,
    href: logAddress(withFilter(filters, 'status', status)),
    isCurrent: (filters.status ?? '') === status,
  }));
  return chips('Views', links);
}

/** The search box, and every other filter behind "More filters". It works without scripts: the address has the state. */
export function filterForm(filters: LogFilters, problem: Problem | null): Html {
  const fault = (name: string) => faultOf(problem?.errors, name);
  const field = (name: keyof typeof FILTER_WORDS & keyof LogFilters & string, hint: string) =>
    textField({
      ...{ name, label: FILTER_WORDS[name], hint, fault: fault(name) },
      value: name === 'tag' ? filters.tag.join(', ') : (filters[name] ?? ''),
    });
  const day = (name: 'from' | 'to', label: string) =>
    isDay(filters[name])
      ? textField({ ...{ name, label, type: 'date', value: filters[name] ?? '', fault: fault(name) } })
      : textField({ ...{ name, label, value: filters[name] ?? '', fault: fault(name) } });
  const hasHiddenFault = problem?.errors?.some(({ path }) => path !== 'q' && path !== 'status') === true;
  return html`<form class="filter-form" method="get" action="${LOG_PATH}" role="search">
<div class="filters"><div class="grow">${textField({ name: 'q', label: 'Subject or recipient contains', type: 'search', value: filters.q ?? '', maxLength: LIMITS.searchCharactersMax, fault: fault('q') })}</div>
${choice('status', filters, Object.keys(MESSAGE_STATUSES), statusWords)}${button('Search')}</div>
<details class="more"${hasHiddenFault ? html` open` : null}><summary>More filters</summary><div class="filter-grid">
${field('tag', 'Separate several with commas; all must match.')}${field('agent_name', 'The exact name.')}
${field('recipient', 'A full address, in to, cc or bcc.')}${field('sender', 'A full address.')}
${field('domain', 'For example acme.example.')}
${choice('channel', filters, CHANNELS, (name) => CHANNEL_WORDS[name])}${choice('source', filters, SOURCES, (name) => SOURCE_WORDS[name])}
${day('from', 'From day, in UTC')}${day('to', 'Before day, in UTC')}
<div class="actions">${button('Apply filters')}</div></div></details></form>`;
}

/** The filters in force; each is a link that removes it. */
export function activeChips(filters: LogFilters): Html | null {
  const active = activeFilters(filters);
  if (active.length === 0) return null;
  const list = active.map(({ name, value, without }) =>
    removableChip(FILTER_WORDS[name], wordsOf(name, value), logAddress(without)),
  );
  const clear = active.length > 1 ? [{ label: 'Clear all', href: LOG_PATH }] : [];
  return chips('Filters in force', [...list, ...clear]);
}

function wordsOf(name: string, value: string): string {
  if (name === 'status') return statusWords(value);
  if (name === 'channel') return wordOf(CHANNEL_WORDS, value);
  return name === 'source' ? wordOf(SOURCE_WORDS, value) : value;
}

/** The address can have any value. */
function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

function choice<Name extends string>(
  name: 'status' | 'channel' | 'source',
  filters: LogFilters,
  values: readonly Name[],
  label: (value: Name) => string,
): Html {
  const given = filters[name] ?? '';
  const known = values.map((value) => ({ value, label: label(value) }));
  // A value that does not exist stays chosen, so that the form shows what the address says.
  const unknown = given === '' || known.some(({ value }) => value === given) ? [] : [{ value: given, label: given }];
  return select({
    ...{ name, label: FILTER_WORDS[name], value: given },
    options: [{ value: '', label: 'Any' }, ...unknown, ...known],
  });
}

/** A date field shows days only; the address may have a time. */
function isDay(value: string | undefined): boolean {
  return value === undefined || value === '' || /^\d{4}-\d\d-\d\d$/.test(value);
}
