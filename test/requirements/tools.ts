import { active, deferred, section } from './requirement.ts';

export const tools = section('Tools', [
  active(
    'tools.utm-request',
    '`POST /tools/utm`: request `url` (string), `source`, `medium`, `campaign`, `content` (strings; `term` also accepted as a UTM field).',
  ),
  active(
    'tools.utm-response',
    '`POST /tools/utm`: response `200`: `{ok, original, tagged, params}`. Existing query parameters and anchors are preserved.',
  ),
  active(
    'tools.utm-decided',
    '`POST /tools/utm`: `{url,source,medium,campaign,term?,content?,override_existing?}` → `{ok,original,tagged,params}`, http and https only.',
  ),
  deferred(
    'diagnostic-tools',
    'tools.checks',
    '`POST /tools/:check`: checks named: SPF, DKIM, DMARC, MX, blocklist, inbox placement, UTM campaign builder.',
  ),
  deferred('diagnostic-tools', 'tools.nothing-stored', 'Nothing is stored.'),
  deferred(
    'diagnostic-tools',
    'tools.check-bodies',
    'Request and response bodies and the exact check path names: not shown.',
  ),
  deferred(
    'diagnostic-tools',
    'tools.check-fields',
    'Checks `POST /tools/{spf,dkim,dmarc,mx,blocklist,inbox-placement}`: `{domain}` (+`selector`), blocklist `{target}`, inbox-placement `{from,subject,html,text}` or `{raw}` → `{ok,check,target,status: pass|warn|fail,records,findings:[{level,code,message,fix}],checkedAt}`.',
  ),
  deferred('diagnostic-tools', 'tools.list', '`GET /tools`: lists the tools. Response shape: not shown.'),
  deferred(
    'diagnostic-tools',
    'tools.list-fields',
    '`GET /tools` → `{tools:[{name,method,path,description,input (JSON Schema)}]}`.',
  ),
  deferred('diagnostic-tools', 'tools.limits', '20 requests per minute and address, 64 KB bodies, nothing stored.'),
]);
