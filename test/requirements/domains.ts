import { requirement, section } from './requirement.ts';

export const domains = section('Domains', [
  requirement(
    'domains.create',
    '`POST /domains`: register a sending domain (generates a DKIM keypair and returns the records to publish).',
  ),
  requirement('domains.list', '`GET /domains`: list domains with verification status.'),
  requirement('domains.records', '`GET /domains/:id/records`: read SPF/DKIM/DMARC/MX records.'),
  requirement('domains.verify', '`POST /domains/:id/verify`: verify by live DNS lookup.'),
  requirement('domains.history', '`GET /domains/history`: list deleted domains with preserved DKIM records.'),
  requirement('domains.restore', '`POST /domains/:id/restore`: restore.'),
  requirement('domains.delete', '`DELETE /domains/:id`: delete.'),
  requirement('domains.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'domains.domain-fields',
    'Create `{name,dkimSelector?,returnPath?}` → `{id,name,status,dkimSelector,records[],createdAt,verifiedAt,lastCheckedAt}`.',
  ),
  requirement(
    'domains.record-fields',
    'Record: `{purpose: spf|dkim|dmarc|mx, type,name,host,value,priority,ttl,required,status: pass|fail|pending,reason,found[],checkedAt}`. `host` is the full name, `name` the part before the domain.',
  ),
  requirement('domains.required-records', "DKIM and the return path's SPF and MX are required; DMARC is advisory."),
  requirement('domains.answers', '`GET …/records` → `{records}`; verify → 200 with the domain.'),
  requirement('domains.list-shape', 'A list returns `{domains: […], total, nextCursor}`.'),
  requirement('domains.statuses', 'Status `pending verified failed degraded removed`.'),
  requirement(
    'domains.pending-checks',
    '`pending`: checked after 5 minutes, then at growing intervals of up to 1 h, for 72 h; then `failed` (verifying starts again).',
  ),
  requirement(
    'domains.degraded',
    '`verified`: checked daily. If a required record is lost, the domain is `degraded` and can still send for 72 h, then `failed`. Each change causes an event.',
  ),
  requirement(
    'domains.history-and-restore',
    '`GET /domains/history` lists removed ones with their DKIM records; restore → 200, same keys, `pending`, checked at once.',
  ),
  requirement(
    'domains.claimed',
    'A name verified by another account is 409 `domain_claimed` with a TXT challenge that decides it.',
  ),
  requirement('domains.keys-encrypted', 'DKIM private keys are encrypted at rest.'),
]);
