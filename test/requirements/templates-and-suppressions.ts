import { deferred, section } from './requirement.ts';

export const templates = section('Templates', [
  deferred(
    'templates',
    'templates.manage',
    '`GET /templates`, `POST /templates`, `GET /templates/:id`, `PATCH /templates/:id`, `DELETE /templates/:id`: versioned Liquid templates with rollback.',
  ),
  deferred(
    'templates',
    'templates.render',
    '`POST /templates/:id/render`: render against sample variables without sending.',
  ),
  deferred(
    'templates',
    'templates.test',
    "`POST /templates/:id/test`: test send of a template with custom JSON variables to the caller's own inbox.",
  ),
  deferred('templates', 'templates.bodies', 'Request and response bodies: not shown.'),
  deferred(
    'templates',
    'templates.record-fields',
    'Template: create `{slug?,name,subject,html,text,note?}`; record `{id,slug,name,subject,html,text,version,currentVersion,versions:[{version,createdAt,createdBy,note}],variables:[{name,required}],createdAt,updatedAt}`.',
  ),
  deferred('templates', 'templates.list-shape', 'Answers are `{templates: […], total, nextCursor}`.'),
  deferred('templates', 'templates.broken-liquid', 'Broken Liquid is 422 when it is stored.'),
  deferred(
    'templates',
    'templates.versions',
    'Every content PATCH is a new immutable version; `PATCH {rollbackTo:n}` makes a new version equal to n.',
  ),
  deferred(
    'templates',
    'templates.render-fields',
    'Render `{variables,version?}` → `{subject,html,text,version,missing[]}`, 200 also where some are missing.',
  ),
  deferred(
    'templates',
    'templates.escaping',
    'HTML output is escaped by default; missing variables are 422 on a send.',
  ),
  deferred(
    'templates',
    'templates.test-fields',
    "Test `{variables?,to?}` → 202 `{id,status}` to the signed-in person's address or that of the key's creator; `to` may only equal it.",
  ),
  deferred(
    'templates',
    'templates.delete',
    'Delete: accepted messages keep their rendered body; later sends naming it are 422 `template_not_found`.',
  ),
]);

export const suppressions = section('Suppressions', [
  deferred(
    'suppressions',
    'suppressions.manage',
    '`GET /suppressions`, `POST /suppressions`, `DELETE /suppressions/:id`: read, add, remove suppressions.',
  ),
  deferred('suppressions', 'suppressions.removal-audited', 'Removal is audited.'),
  deferred('suppressions', 'suppressions.bodies', 'Request and response bodies: not shown.'),
  deferred(
    'suppressions',
    'suppressions.record-fields',
    'Suppression: `{id,email,reason: hard_bounce|complaint|unsubscribe|manual,emailId,note,createdAt,expiresAt}`.',
  ),
  deferred('suppressions', 'suppressions.list-shape', 'Answers are `{suppressions: […], total, nextCursor}`.'),
  deferred(
    'suppressions',
    'suppressions.add-fields',
    'POST `{email|emails (≤ 1,000),reason?,note?,expiresAt?}`, 201, already there 200.',
  ),
  deferred('suppressions', 'suppressions.remove-fields', 'DELETE by id or address, audited with actor and `?note=`.'),
  deferred(
    'suppressions',
    'suppressions.automatic',
    'Hard bounces, complaints and one-click unsubscribes add themselves; soft and block do not.',
  ),
  deferred('suppressions', 'suppressions.fail-closed', 'The check fails closed.'),
]);
