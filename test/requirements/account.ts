import { requirement, section } from './requirement.ts';

export const account = section('Account endpoints', [
  requirement(
    'account.update',
    '`PATCH /account`: body may contain `trackOpens` (boolean), `trackClicks` (boolean), an organization name, and a flag to cancel scheduled account deletion (field names of the last two: not specified).',
  ),
  requirement('account.update-fields', 'PATCH `trackOpens`, `trackClicks`, `name`, `cancelDeletion:true`.'),
  requirement(
    'account.read',
    '`GET /account`: account read (plan, quota, utilization, reputation level, retention days). Bodies: not specified.',
  ),
  requirement(
    'account.record-fields',
    'Account: `{id,name,plan,monthlyQuota,monthlyUsed,quotaResetsAt,domains:{used,limit},seats:{used,limit},reputationLevel: good|watch|at_risk|suspended,retentionDays,trackOpens,trackClicks,deletionScheduledAt}`.',
  ),
  requirement('account.plan', 'Plan `self_hosted`, quota 100,000, 50 domains, 25 seats unless set.'),
  requirement('account.delete', '`DELETE /account` → 202 `{deletionScheduledAt}` (30 days).'),
  requirement('account.checklist', '`GET /account/checklist`: a checklist. Bodies: not specified.'),
  requirement('account.checklist-fields', 'Checklist: `{items:[{id,label,done,fix}],completed,total}`.'),
]);

export const statistics = section('Statistics endpoints', [
  requirement(
    'statistics.volume-window',
    '`GET /account/volume`: query `window` (form like `14d`, default `14d`, at most 90 days).',
  ),
  requirement('statistics.window-too-large', '`window`: default `14d`, 1–90 days, more is 422 `window_too_large`.'),
  requirement(
    'statistics.volume',
    '`GET /account/volume` returns an array of volume history points (item shape: not specified).',
  ),
  requirement(
    'statistics.volume-item',
    'Volume: a bare array, oldest first, zero-filled UTC days: `{date,sent,delivered,bounced,complained,opened,clicked}`.',
  ),
  requirement(
    'statistics.volume-by',
    '`by=tag|channel|source|agent` adds to each point `groups:[{value,sent,delivered,bounced,complained,opened,clicked}]`, the ten values that sent most in the window, and `other`; with `value=`, points count only that value.',
  ),
  requirement(
    'statistics.query',
    '`GET /account/stats`: query `window`, `provenance`, `by_tag`, `bounces`, `engagement` (booleans as `true`).',
  ),
  requirement(
    'statistics.base',
    'Base data: sends, deliveries, bounce rate, complaint rate (field names: not specified).',
  ),
  requirement(
    'statistics.base-fields',
    'Stats: `{window,sent,delivered,bounced,complained,deliveryRate,bounceRate,complaintRate}`, rates in percent with two decimals, 0 where the denominator is 0, against `sent` (messages that got a final response to the delivery attempt, refusals included, by UTC day of acceptance).',
  ),
  requirement(
    'statistics.by-tag',
    '`by_tag=true` adds a bounce rate and a complaint rate for each tag, relative to the sends with that tag.',
  ),
  requirement(
    'statistics.by-tag-fields',
    '`byTag:[{tag,sent,delivered,bounced,complained,bounceRate,complaintRate}]`.',
  ),
  requirement('statistics.bounces', '`bounces=true` splits bounces by kind (shape: not specified).'),
  requirement('statistics.bounces-fields', '`bounces:{hard,soft,block,spam,unknown}`.'),
  requirement('statistics.engagement', '`engagement=true` adds `opens` and `clicks` blocks.'),
  requirement('statistics.provenance', '`provenance=true` adds `byChannel`, `bySource`, `topAgents`.'),
  requirement(
    'statistics.provenance-fields',
    '`byChannel:[{channel,…}]` and `bySource:[{source,…}]` list every value of the enum; `topAgents:[{agentName,…}]` ≤ 10 by `sent`.',
  ),
  requirement('statistics.freshness', '`monthlyUsed` is correct immediately, statistics within 2 s.'),
  requirement(
    'statistics.reputation',
    'Reputation is updated hourly from the last 7 days, if they have ≥ 100 sends: `watch` from 3 % bounces or 0.05 % complaints, `at_risk` 5 % or 0.1 %, `suspended` 10 % or 0.5 %, which refuses sends.',
  ),
]);
