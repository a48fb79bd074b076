import { requirement, section } from './requirement.ts';

export const tools = section('Tools', [
  requirement(
    'tools.utm-request',
    '`POST /tools/utm`: request `url` (string), `source`, `medium`, `campaign`, `content` (strings; `term` also accepted as a UTM field).',
  ),
  requirement(
    'tools.utm-response',
    '`POST /tools/utm`: response `200`: `{ok, original, tagged, params}`. Existing query parameters and anchors are preserved.',
  ),
  requirement(
    'tools.utm-decided',
    '`POST /tools/utm`: `{url,source,medium,campaign,term?,content?,override_existing?}` → `{ok,original,tagged,params}`, http and https only.',
  ),
  requirement(
    'tools.checks',
    '`POST /tools/:check`: checks named: SPF, DKIM, DMARC, MX, blocklist, inbox placement, UTM campaign builder.',
  ),
  requirement('tools.nothing-stored', 'Nothing is stored.'),
  requirement('tools.check-bodies', 'Request and response bodies and the exact check path names: not specified.'),
  requirement(
    'tools.check-fields',
    'Checks `POST /tools/{spf,dkim,dmarc,mx,blocklist,inbox-placement}`: `{domain}` (+`selector`), blocklist `{target}`, inbox-placement `{from,subject,html,text}` or `{raw}` → `{ok,check,target,status: pass|warn|fail,records,findings:[{level,code,message,fix}],checkedAt}`.',
  ),
  requirement('tools.list', '`GET /tools`: lists the tools. Response shape: not specified.'),
  requirement('tools.list-fields', '`GET /tools` → `{tools:[{name,method,path,description,input (JSON Schema)}]}`.'),
  requirement('tools.limits', '20 requests per minute and address, 64 KB bodies, nothing stored.'),
]);
