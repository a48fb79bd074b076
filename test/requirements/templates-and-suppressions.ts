import { active, section } from './requirement.ts';

export const templates = section('Templates', [
  active(
    'templates.manage',
    '`GET /templates`, `POST /templates`, `GET /templates/:id`, `PATCH /templates/:id`, `DELETE /templates/:id`: versioned Liquid templates with rollback.',
  ),
  active('templates.render', '`POST /templates/:id/render`: render against sample variables without sending.'),
  active(
    'templates.test',
    "`POST /templates/:id/test`: test send of a template with custom JSON variables to the caller's own inbox.",
  ),
  active('templates.bodies', 'Request and response bodies: not shown.'),
  active(
    'templates.record-fields',
    'Template: create `{slug?,name,subject,html,text,note?}`; record `{id,slug,name,subject,html,text,version,currentVersion,versions:[{version,createdAt,createdBy,note}],variables:[{name,required}],createdAt,updatedAt}`.',
  ),
  active('templates.list-shape', 'Answers are `{templates: […], total, nextCursor}`.'),
  active('templates.broken-liquid', 'Broken Liquid is 422 when it is stored.'),
  active(
    'templates.versions',
    'Every content PATCH is a new immutable version; `PATCH {rollbackTo:n}` makes a new version equal to n.',
  ),
  active(
    'templates.render-fields',
    'Render `{variables,version?}` → `{subject,html,text,version,missing[]}`, 200 also where some are missing.',
  ),
  active('templates.escaping', 'HTML output is escaped by default; missing variables are 422 on a send.'),
  active(
    'templates.test-fields',
    "Test `{variables?,to?}` → 202 `{id,status}` to the signed-in person's address or that of the key's creator; `to` may only equal it.",
  ),
  active(
    'templates.delete',
    'Delete: accepted messages keep their rendered body; later sends naming it are 422 `template_not_found`.',
  ),
]);

export const suppressions = section('Suppressions', [
  active(
    'suppressions.manage',
    '`GET /suppressions`, `POST /suppressions`, `DELETE /suppressions/:id`: read, add, remove suppressions.',
  ),
  active('suppressions.removal-audited', 'Removal is audited.'),
  active('suppressions.bodies', 'Request and response bodies: not shown.'),
  active(
    'suppressions.record-fields',
    'Suppression: `{id,email,reason: hard_bounce|complaint|unsubscribe|manual,emailId,note,createdAt,expiresAt}`.',
  ),
  active('suppressions.list-shape', 'Answers are `{suppressions: […], total, nextCursor}`.'),
  active(
    'suppressions.add-fields',
    'POST `{email|emails (≤ 1,000),reason?,note?,expiresAt?}`, 201, already there 200.',
  ),
  active('suppressions.remove-fields', 'DELETE by id or address, audited with actor and `?note=`.'),
  active(
    'suppressions.automatic',
    'Hard bounces, complaints and one-click unsubscribes add themselves; soft and block do not.',
  ),
  active('suppressions.fail-closed', 'The check fails closed.'),
]);
