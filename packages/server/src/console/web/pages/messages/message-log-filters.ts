import { CHANNELS, LIMITS, MESSAGE_STATUSES, type Problem, SOURCES } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusWords } from '../../../../ui/components/badge.ts';
import { button } from '../../../../ui/components/button.ts';
import { chips, removableChip } from '../../../../ui/components/chip.ts';
import { faultOf, select, textField } from '../../../../ui/components/field.ts';
import {
  activeFilters,
  type FilterName,
  LOG_PATH,
  type LogFilters,
  logAddress,
  withFilter,
} from './message-log-state.ts';
import { CHANNEL_WORDS, FILTER_WORDS, SOURCE_WORDS } from './message-words.ts';

const PROBLEMS = { status: 'problem', label: 'Problems' };

const VIEWS = [
  { label: 'All', status: '' },
  PROBLEMS,
  { label: 'Waiting for approval', status: 'pending_approval' },
  { label: 'Queued and scheduled', status: 'queued' },
  { label: 'Delivered', status: 'delivered' },
  { label: 'Bounced', status: 'bounced' },
  { label: 'Failed', status: 'failed' },
  { label: 'Complained', status: 'complained' },
  { label: 'Suppressed', status: 'suppressed' },
  { label: 'Deferred', status: 'deferred' },
];

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
  const field = (name: FilterName, hint: string) =>
    textField({
      ...{ name, label: FILTER_WORDS[name], hint, fault: fault(name) },
      value: name === 'tag' ? filters.tag.join(', ') : (filters[name] ?? ''),
    });
  // Chosen on the page of the key or of a message, and kept by a search.
  const key = filters.key_id === undefined ? null : html`<input type="hidden" name="key_id" value="${filters.key_id}">`;
  const day = (name: 'from' | 'to', label: string) =>
    isDay(filters[name])
      ? textField({ ...{ name, label, type: 'date', value: filters[name] ?? '', fault: fault(name) } })
      : textField({ ...{ name, label, value: filters[name] ?? '', fault: fault(name) } });
  const hasHiddenFault = problem?.errors?.some(({ path }) => path !== 'q' && path !== 'status') === true;
  return html`<form class="filter-form" method="get" action="${LOG_PATH}" role="search">${key}
<div class="filters"><div class="grow">${textField({ name: 'q', label: 'Subject or recipient contains', type: 'search', value: filters.q ?? '', maxLength: LIMITS.searchCharactersMax, fault: fault('q') })}</div>
${choice('status', filters.status, STATUS_OPTIONS)}${button('Search')}</div>
<details class="more"${hasHiddenFault ? html` open` : null}><summary>More filters</summary><div class="filter-grid">
${field('tag', 'Separate several with commas; all must match.')}${field('agent_name', 'The exact name.')}
${field('recipient', 'A full address, in to, cc or bcc.')}${field('sender', 'A full address.')}
${field('domain', 'For example acme.example.')}
${choice(
  'channel',
  filters.channel,
  wordsFor(CHANNELS, (name) => CHANNEL_WORDS[name]),
)}${choice(
  'source',
  filters.source,
  wordsFor(SOURCES, (name) => SOURCE_WORDS[name]),
)}
${day('from', 'From day, in UTC')}${day('to', 'Before day, in UTC')}
<div class="actions">${button('Apply filters')}</div></div></details></form>`;
}

/**
 * The filters in force; each is a link that removes it.
 * @param keyName the name of the key that is filtered by, if the role may read it
 */
export function activeChips(filters: LogFilters, keyName: string | null): Html | null {
  const active = activeFilters(filters);
  if (active.length === 0) return null;
  const list = active.map(({ name, value, without }) =>
    removableChip(
      FILTER_WORDS[name],
      name === 'key_id' ? (keyName ?? value) : wordsOf(name, value),
      logAddress(without),
    ),
  );
  const clear = active.length > 1 ? [{ label: 'Clear all', href: LOG_PATH }] : [];
  return chips('Active filters', [...list, ...clear]);
}

function wordsOf(name: string, value: string): string {
  if (name === 'status') return value === PROBLEMS.status ? PROBLEMS.label : statusWords(value);
  if (name === 'channel') return wordOf(CHANNEL_WORDS, value);
  return name === 'source' ? wordOf(SOURCE_WORDS, value) : value;
}

/** The address can have any value. */
function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function wordsFor<Name extends string>(values: readonly Name[], label: (value: Name) => string): readonly Option[] {
  return values.map((value) => ({ value, label: label(value) }));
}

const STATUS_OPTIONS: readonly Option[] = [
  { value: PROBLEMS.status, label: PROBLEMS.label },
  ...wordsFor(Object.keys(MESSAGE_STATUSES), statusWords),
];

function choice(name: 'status' | 'channel' | 'source', asked: string | undefined, known: readonly Option[]): Html {
  const given = asked ?? '';
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
