import { requirement, section } from './requirement.ts';

export const templates = section('Templates', [
  requirement(
    'templates.manage',
    '`GET /templates`, `POST /templates`, `GET /templates/:id`, `PATCH /templates/:id`, `DELETE /templates/:id`: versioned Liquid templates with rollback.',
  ),
  requirement('templates.render', '`POST /templates/:id/render`: render against sample variables without sending.'),
  requirement(
    'templates.preview',
    '`POST /templates/render {subject?,html?,text?,variables?}` → `{subject,html,text,variables,missing[]}`: renders content that is not stored, under the rules of a stored template.',
  ),
  requirement(
    'templates.test',
    "`POST /templates/:id/test`: test send of a template with custom JSON variables to the caller's own inbox.",
  ),
  requirement('templates.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'templates.record-fields',
    'Template: create `{slug?,name,subject,html,text,note?}`; record `{id,slug,name,subject,html,text,version,currentVersion,versions:[{version,createdAt,createdBy,note}],variables:[{name,required}],createdAt,updatedAt}`.',
  ),
  requirement('templates.list-shape', 'A list returns `{templates: […], total, nextCursor}`.'),
  requirement('templates.broken-liquid', 'Broken Liquid is 422 when it is stored.'),
  requirement(
    'templates.versions',
    'Every PATCH of content creates an immutable version. `PATCH {rollbackTo:n}` creates a version with the content of n.',
  ),
  requirement(
    'templates.render-fields',
    'Render `{variables,version?}` → `{subject,html,text,version,missing[]}`: 200 even if some variables are missing.',
  ),
  requirement('templates.escaping', 'HTML output is escaped by default; missing variables are 422 on a send.'),
  requirement(
    'templates.test-fields',
    "Test `{variables?,to?}` → 202 `{id,status}` to the address of the signed-in user or of the key's creator. `to` may be only that address.",
  ),
  requirement(
    'templates.delete',
    'Delete: accepted messages keep their rendered body. Later sends that name the template are 422 `template_not_found`.',
  ),
]);

export const suppressions = section('Suppressions', [
  requirement(
    'suppressions.manage',
    '`GET /suppressions`, `POST /suppressions`, `DELETE /suppressions/:id`: read, add, remove suppressions.',
  ),
  requirement('suppressions.removal-audited', 'Removal is audited.'),
  requirement('suppressions.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'suppressions.record-fields',
    'Suppression: `{id,email,reason: hard_bounce|complaint|unsubscribe|manual,emailId,note,createdAt,expiresAt}`.',
  ),
  requirement('suppressions.list-shape', 'A list returns `{suppressions: […], total, nextCursor}`.'),
  requirement(
    'suppressions.add-fields',
    'POST `{email|emails (≤ 1,000),reason?,note?,expiresAt?}`, 201, or 200 if all are already on the list.',
  ),
  requirement('suppressions.remove-fields', 'DELETE by id or address, audited with actor and `?note=`.'),
  requirement(
    'suppressions.automatic',
    'Hard bounces, complaints and one-click unsubscribes are added automatically. Bounces classified `soft` or `block` are not.',
  ),
  requirement('suppressions.fail-closed', 'If the list cannot be read, the send is refused.'),
]);
