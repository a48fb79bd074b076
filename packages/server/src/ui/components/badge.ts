import { type Html, html } from '../../html/page-markup.ts';

export type Tone = 'neutral' | 'good' | 'info' | 'warn' | 'bad';

/** A status in a word, with a color that repeats what the word says. */
export function badge(text: string, tone: Tone = 'neutral'): Html {
  return html`<span class="badge ${tone === 'neutral' ? '' : tone}">${text}</span>`;
}

/** The tone of each status of any record. */
const TONES: Readonly<Record<string, Tone>> = {
  ...{
    delivered: 'good',
    verified: 'good',
    approved: 'good',
    succeeded: 'good',
    enabled: 'good',
    active: 'good',
    pass: 'good',
    good: 'good',
    solved: 'good',
  },
  ...{
    sent: 'info',
    sending: 'info',
    queued: 'info',
    invited: 'info',
    open: 'info',
    scheduled: 'info',
    opened: 'info',
    clicked: 'info',
  },
  ...{
    pending_approval: 'warn',
    deferred: 'warn',
    pending: 'warn',
    degraded: 'warn',
    suppressed: 'warn',
    paused: 'warn',
    watch: 'warn',
  },
  ...{
    bounced: 'bad',
    complained: 'bad',
    failed: 'bad',
    rejected: 'bad',
    disabled: 'bad',
    revoked: 'bad',
    fail: 'bad',
    at_risk: 'bad',
    suspended: 'bad',
  },
};

const WORDS: Readonly<Record<string, string>> = {
  pending_approval: 'Waiting for approval',
  at_risk: 'At risk',
  watch: 'Watch',
};

/** The badge of a status as the API names it: `pending_approval` reads "Waiting for approval". */
export function statusBadge(status: string): Html {
  return badge(statusWords(status), toneOf(status));
}

export function toneOf(status: string): Tone {
  return TONES[status] ?? 'neutral';
}

export function statusWords(status: string): string {
  const words = WORDS[status] ?? status.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
