import { type Approval, REJECTIONS } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { notice } from '../../../ui/components/surfaces.ts';
import { time } from '../../../ui/components/time.ts';

/** What became of a hold, who decided and when, in words. */
export function decidedNotice(approval: Approval, decider: string | null): Html {
  const { status, outcome, problem, decidedAt, note, rejectCode, edited, scheduledAt, votes } = approval;
  const who = html`${decider === null ? 'Someone' : revealed(decider)}`;
  const when = decidedAt === null ? null : html` ${time(decidedAt)}`;
  const they = decider === 'You' ? 'You' : 'They';
  const said = note === null || note === '' ? null : html` ${they} wrote: “${revealed(note)}”`;
  switch (status) {
    case 'approved': {
      const changed =
        edited.length === 0 ? null : html` ${votes.length > 1 ? 'Approvers' : they} changed: ${editedInWords(edited)}.`;
      if (outcome === 'failed')
        return notice(
          'bad',
          'Approved, but it could not be sent',
          html`${who} approved it${when}. ${problem?.detail ?? ''}${changed}${said}`,
        );
      const sending =
        scheduledAt === null ? null : html` It is sent on ${time(scheduledAt)}, or was if that has passed.`;
      return notice('good', 'Approved', html`${who} approved it${when}.${sending}${changed}${said}`);
    }
    case 'rejected': {
      const why = rejectCode === null ? null : html` ${REJECTIONS[rejectCode]}.`;
      return notice('info', 'Rejected', html`${who} rejected it${when}, and it was not sent.${why}${said}`);
    }
    case 'expired':
      return notice('info', 'Expired', html`No one decided in time, and it was not sent.`);
    case 'withdrawn':
      return notice('info', 'Withdrawn', html`Its sender withdrew it${when}, and it was not sent.`);
    case 'pending':
      return html``;
  }
}

/** `the subject, the text` */
export function editedInWords(edited: Approval['edited']): string {
  return edited.map((field) => FIELDS[field] ?? field).join(', ');
}

const FIELDS: Readonly<Record<string, string>> = {
  ...{ to: 'the recipients', cc: 'the copies', bcc: 'the blind copies', subject: 'the subject' },
  ...{ html: 'the HTML', text: 'the text', scheduled_at: 'the time of sending' },
};
