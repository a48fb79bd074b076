import { active, section } from './requirement.ts';

export const domains = section('Domains', [
  active(
    'domains.create',
    '`POST /domains`: register a sending domain (generates a DKIM keypair and returns the records to publish).',
  ),
  active('domains.list', '`GET /domains`: list domains with verification status.'),
  active('domains.records', '`GET /domains/:id/records`: read SPF/DKIM/DMARC/MX records.'),
  active('domains.verify', '`POST /domains/:id/verify`: verify by live DNS lookup.'),
  active('domains.history', '`GET /domains/history`: list deleted domains with preserved DKIM records.'),
  active('domains.restore', '`POST /domains/:id/restore`: restore.'),
  active('domains.delete', '`DELETE /domains/:id`: delete.'),
  active('domains.bodies', 'Request and response bodies: not shown.'),
  active(
    'domains.domain-fields',
    'Create `{name,dkimSelector?,returnPath?}` → `{id,name,status,dkimSelector,records[],createdAt,verifiedAt,lastCheckedAt}`.',
  ),
  active(
    'domains.record-fields',
    'Record: `{purpose: spf|dkim|dmarc|mx, type,name,host,value,priority,ttl,required,status: pass|fail|pending,reason,found[],checkedAt}`. `host` is the full name, `name` the part before the domain.',
  ),
  active('domains.required-records', "DKIM and the return path's SPF and MX are required; DMARC is advisory."),
  active('domains.answers', '`GET …/records` → `{records}`; verify → 200 with the domain.'),
  active('domains.list-shape', 'Answers are `{domains: […], total, nextCursor}`.'),
  active('domains.statuses', 'Status `pending verified failed degraded removed`.'),
  active(
    'domains.pending-checks',
    'Pending: re-checked every 5 min growing to 1 h for 72 h, then `failed` (verify starts again).',
  ),
  active(
    'domains.degraded',
    'Verified: daily. A lost record: `degraded`, still sends for 72 h, then `failed`; an event at each step.',
  ),
  active(
    'domains.history-and-restore',
    '`GET /domains/history` lists removed ones with their DKIM records; restore → 200, same keys, `pending`, checked at once.',
  ),
  active(
    'domains.claimed',
    'A name verified by another account is 409 `domain_claimed` with a TXT challenge that settles it.',
  ),
  active('domains.keys-encrypted', 'DKIM private keys are encrypted at rest.'),
]);
