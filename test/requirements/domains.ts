import { active, deferred, section } from './requirement.ts';

export const domains = section('Domains', [
  deferred(
    'domains',
    'domains.create',
    '`POST /domains`: register a sending domain (generates a DKIM keypair and returns the records to publish).',
  ),
  deferred('domains', 'domains.list', '`GET /domains`: list domains with verification status.'),
  deferred('domains', 'domains.records', '`GET /domains/:id/records`: read SPF/DKIM/DMARC/MX records.'),
  deferred('domains', 'domains.verify', '`POST /domains/:id/verify`: verify by live DNS lookup.'),
  deferred('domains', 'domains.history', '`GET /domains/history`: list deleted domains with preserved DKIM records.'),
  deferred('domains', 'domains.restore', '`POST /domains/:id/restore`: restore.'),
  deferred('domains', 'domains.delete', '`DELETE /domains/:id`: delete.'),
  deferred('domains', 'domains.bodies', 'Request and response bodies: not shown.'),
  deferred(
    'domains',
    'domains.domain-fields',
    'Create `{name,dkimSelector?,returnPath?}` → `{id,name,status,dkimSelector,records[],createdAt,verifiedAt,lastCheckedAt}`.',
  ),
  deferred(
    'domains',
    'domains.record-fields',
    'Record: `{purpose: spf|dkim|dmarc|mx, type,name,host,value,priority,ttl,required,status: pass|fail|pending,reason,found[],checkedAt}`. `host` is the full name, `name` the part before the domain.',
  ),
  deferred(
    'domains',
    'domains.required-records',
    "DKIM and the return path's SPF and MX are required; DMARC is advisory.",
  ),
  deferred('domains', 'domains.answers', '`GET …/records` → `{records}`; verify → 200 with the domain.'),
  deferred('domains', 'domains.list-shape', 'Answers are `{domains: […], total, nextCursor}`.'),
  deferred('domains', 'domains.statuses', 'Status `pending verified failed degraded removed`.'),
  deferred(
    'domains',
    'domains.pending-checks',
    'Pending: re-checked every 5 min growing to 1 h for 72 h, then `failed` (verify starts again).',
  ),
  deferred(
    'domains',
    'domains.degraded',
    'Verified: daily. A lost record: `degraded`, still sends for 72 h, then `failed`; an event at each step.',
  ),
  deferred(
    'domains',
    'domains.history-and-restore',
    '`GET /domains/history` lists removed ones with their DKIM records; restore → 200, same keys, `pending`, checked at once.',
  ),
  deferred(
    'domains',
    'domains.claimed',
    'A name verified by another account is 409 `domain_claimed` with a TXT challenge that settles it.',
  ),
  active('domains.keys-encrypted', 'DKIM private keys are encrypted at rest.'),
]);
