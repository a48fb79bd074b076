import { requirement, section } from './requirement.ts';

export const notices = section('Notices by mail', [
  requirement(
    'notices.kinds',
    'Users get a mail when an API key expires within days, a domain is degraded or failed, 80 % or 100 % of the quota is used, or an endpoint was disabled, with one button to the page that solves it.',
  ),
  requirement(
    'notices.readers',
    'A notice is mailed to the active members whose role can act on it: owners, admins and developers; about the quota owners and admins.',
  ),
  requirement('notices.once', 'Each member gets one mail about an event, with many processes and after a crash.'),
  requirement(
    'notices.repeats',
    'Members get at most one mail about the same key, domain or endpoint in the same state within 24 hours.',
  ),
  requirement(
    'notices.spacing',
    'After a mail, later notices of its kind wait for an hour and then share one mail; the quota is exempt.',
  ),
  requirement('notices.solved', 'What was solved before the mail is written is not mailed.'),
  requirement('notices.hostile', 'Names that others chose are text in a notice: they add no link and no header.'),
]);
