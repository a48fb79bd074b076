import { type DomainRecord, toZoneFile } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { badge } from '../../../ui/components/badge.ts';
import { facts } from '../../../ui/components/facts.ts';
import { card, copyable } from '../../../ui/components/surfaces.ts';
import { time } from '../../../ui/components/time.ts';

const PURPOSES: Readonly<Record<DomainRecord['purpose'], readonly [title: string, why: string]>> = {
  dkim: ['DKIM', 'Signs every message, so that receivers know it was not changed.'],
  spf: ['SPF', 'Lets this server send for the return path.'],
  mx: ['MX', 'Receives bounces at the return path.'],
  dmarc: ['DMARC', 'Tells receivers what to do with mail that fails both checks.'],
};

/** One card for each record: what to publish, what was found, and the verdict. */
export function recordCards(records: readonly DomainRecord[]): Html {
  return html`<div class="halves">${records.map(recordCard)}</div>`;
}

function recordCard(record: DomainRecord): Html {
  const { purpose, type, name, host, value, priority, ttl, required, reason, found, checkedAt } = record;
  const [title, why] = PURPOSES[purpose];
  const publish = facts([
    ['Type', html`<code>${type}</code>`],
    ['Name', copyable(name === '' ? '@' : name, `Copy the name of the ${title} record`)],
    ['Full name', html`<code class="small">${host}</code>`],
    ['Value', copyable(value, `Copy the value of the ${title} record`)],
    ['Priority', priority === null ? null : String(priority)],
    ['TTL', `${ttl} seconds`],
  ]);
  const seen =
    found.length === 0
      ? null
      : html`<details class="more"><summary>Found in DNS</summary><div class="stack-tight">${found.map((text) => html`<pre>${text}</pre>`)}</div></details>`;
  return card(
    html`${title} <span class="faint small">${required ? 'required' : 'recommended'}</span>`,
    html`<p class="soft small">${why}</p>${reason === null ? null : html`<p${record.status === 'fail' ? html` class="strong"` : null}>${reason}</p>`}${publish}${seen}
${checkedAt === null ? null : html`<p class="small faint">Looked up ${time(checkedAt, 'age')}</p>`}`,
    { actions: verdict(record) },
  );
}

function verdict({ status }: DomainRecord): Html {
  if (status === 'pass') return badge('Found', 'good');
  return status === 'fail' ? badge('Not found', 'bad') : badge('Not checked yet', 'warn');
}

/** All records at once, for DNS hosts that import zone files. */
export function zoneFileCard(domain: string, records: readonly DomainRecord[]): Html {
  const zone = toZoneFile(domain, records);
  return card(
    'All records as a zone file',
    html`<p class="soft small">Many DNS hosts can import this text.</p><details class="more"><summary>Show the zone file</summary><pre>${zone}</pre></details>${copyButton(zone)}`,
  );
}

function copyButton(zone: string): Html {
  return html`<div><button type="button" class="small" data-action="copy" data-copy="${zone}" hidden>Copy the zone file</button></div>`;
}
