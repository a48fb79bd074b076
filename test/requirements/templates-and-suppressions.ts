import { requirement, section } from './requirement.ts';

export const templates = section('Templates', [
  requirement(
    'templates.manage',
    '`GET /templates`, `POST /templates`, `GET /templates/:id`, `PATCH /templates/:id`, `DELETE /templates/:id`: versioned Liquid templates with rollback.',
  ),
  requirement('templates.render', '`POST /templates/:id/render`: render against sample variables without sending.'),
  requirement(
    'templates.test',
    "`POST /templates/:id/test`: test send of a template with custom JSON variables to the caller's own inbox.",
  ),
  requirement('templates.bodies', 'Request and response bodies: not shown.'),
  requirement(
    'templates.record-fields',
    'Template: create `{slug?,name,subject,html,text,note?}`; record `{id,slug,name,subject,html,text,version,currentVersion,versions:[{version,createdAt,createdBy,note}],variables:[{name,required}],createdAt,updatedAt}`.',
  ),
  requirement('templates.list-shape', 'Answers are `{templates: […], total, nextCursor}`.'),
  requirement('templates.broken-liquid', 'Broken Liquid is 422 when it is stored.'),
  requirement(
    'templates.versions',
    'Every content PATCH is a new immutable version; `PATCH {rollbackTo:n}` makes a new version equal to n.',
  ),
  requirement(
    'templates.render-fields',
    'Render `{variables,version?}` → `{subject,html,text,version,missing[]}`, 200 also where some are missing.',
  ),
  requirement('templates.escaping', 'HTML output is escaped by default; missing variables are 422 on a send.'),
  requirement(
    'templates.test-fields',
    "Test `{variables?,to?}` → 202 `{id,status}` to the signed-in person's address or that of the key's creator; `to` may only equal it.",
  ),
  requirement(
    'templates.delete',
    'Delete: accepted messages keep their rendered body; later sends naming it are 422 `template_not_found`.',
  ),
]);

export const suppressions = section('Suppressions', [
  requirement(
    'suppressions.manage',
    '`GET /suppressions`, `POST /suppressions`, `DELETE /suppressions/:id`: read, add, remove suppressions.',
  ),
  requirement('suppressions.removal-audited', 'Removal is audited.'),
  requirement('suppressions.bodies', 'Request and response bodies: not shown.'),
  requirement(
    'suppressions.record-fields',
    'Suppression: `{id,email,reason: hard_bounce|complaint|unsubscribe|manual,emailId,note,createdAt,expiresAt}`.',
  ),
  requirement('suppressions.list-shape', 'Answers are `{suppressions: […], total, nextCursor}`.'),
  requirement(
    'suppressions.add-fields',
    'POST `{email|emails (≤ 1,000),reason?,note?,expiresAt?}`, 201, already there 200.',
  ),
  requirement('suppressions.remove-fields', 'DELETE by id or address, audited with actor and `?note=`.'),
  requirement(
    'suppressions.automatic',
    'Hard bounces, complaints and one-click unsubscribes add themselves; soft and block do not.',
  ),
  requirement('suppressions.fail-closed', 'The check fails closed.'),
]);
