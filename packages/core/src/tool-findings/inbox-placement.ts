import { broken, good, worth } from './finding.ts';

const AUTHENTICATION = {
  inbox_authenticated: good('The message is authenticated: DMARC passes.'),
  inbox_auth_not_checked: worth(
    'SPF, DKIM and DMARC were not checked: they need the whole message as it was received.',
    'Send the message to one of your mailboxes and pass its source as `raw`.',
  ),
  inbox_spf_not_checked: worth(
    'SPF was not checked: neither the topmost Received header nor `ip` says which address sent the message.',
    'Pass the sending address as `ip`.',
  ),
  inbox_spf_fail: broken(
    'The sending address is not allowed to send for the domain that SPF was checked for.',
    'Add the address to the domain’s SPF record; the check `spf` shows what is in it.',
  ),
  inbox_spf_missing: worth(
    'The domain that SPF was checked for has no SPF record, or one without effect.',
    'Publish one.',
  ),
  inbox_spf_error: broken('The SPF record cannot be evaluated.', 'Correct it; the check `spf` shows what is wrong.'),
  inbox_spf_not_aligned: worth(
    'SPF passes for another domain than the one in From, which does not count for DMARC.',
    'Use a return path within the domain in From.',
  ),
  inbox_dkim_missing: broken(
    'The message has no DKIM signature.',
    'Have your mail server or provider sign with your domain.',
  ),
  inbox_dkim_fail: broken(
    'A DKIM signature does not verify: the message was changed, or the key is missing or wrong.',
    'Check the key with the check `dkim`, and that nothing changes messages after signing.',
  ),
  inbox_dkim_not_aligned: worth(
    'The message is signed for another domain than the one in From, which does not count for DMARC.',
    'Sign with the domain in From.',
  ),
  inbox_dmarc_missing: worth(
    'The domain in From has no DMARC policy, which large receivers require.',
    'Publish one; the check `dmarc` shows how.',
  ),
  inbox_dmarc_fail: broken(
    'DMARC fails: neither SPF nor DKIM passes for the domain in From.',
    'Sign with the domain in From, or use a return path within it.',
  ),
  inbox_auth_could_not_check: worth(
    'SPF, DKIM or DMARC could not be checked, usually because DNS did not respond.',
    'Try again.',
  ),
} as const;

const UNSUBSCRIBE = {
  inbox_unsubscribe_missing: worth(
    'There is no List-Unsubscribe header, which large receivers require for bulk mail.',
    'Add `List-Unsubscribe: <https://…>` and `List-Unsubscribe-Post: List-Unsubscribe=One-Click`; mail that one user requested, such as receipts, does not need it.',
  ),
  inbox_unsubscribe_invalid: worth(
    'List-Unsubscribe has no https or mailto URI in angle brackets (RFC 2369).',
    'Write it as `List-Unsubscribe: <https://example.com/u/123>`.',
  ),
  inbox_one_click_missing: worth(
    'Unsubscribing takes more than one click: there is no valid List-Unsubscribe-Post header (RFC 8058).',
    'Add `List-Unsubscribe-Post: List-Unsubscribe=One-Click`.',
  ),
  inbox_one_click_without_https: worth(
    'List-Unsubscribe-Post needs an https URI in List-Unsubscribe to post to (RFC 8058).',
    'Add an https URI to List-Unsubscribe.',
  ),
} as const;

const HEADERS = {
  inbox_from_missing: broken('There is no From header.', 'Add one with the sender’s address.'),
  inbox_from_several: broken(
    'There is more than one sender in From, or more than one From header; receivers reject that.',
    'Name one sender.',
  ),
  inbox_from_invalid: broken('The sender’s address cannot be parsed.', 'Write it as `Name <name@example.com>`.'),
  inbox_date_missing: worth('There is no Date header, which is required (RFC 5322 §3.6).', 'Add one.'),
  inbox_date_invalid: worth(
    'The Date header cannot be parsed, or is more than a day in the future or a week in the past.',
    'Write the time of sending.',
  ),
  inbox_message_id_missing: worth('There is no Message-ID header.', 'Add one that is unique for each message.'),
  inbox_message_id_invalid: worth(
    'The Message-ID does not have the form `<left@right>` (RFC 5322 §3.6.4).',
    'Write it as `<unique@your.domain>`.',
  ),
  inbox_recipient_missing: worth('There is neither To nor Cc.', 'Name the recipient in To.'),
  inbox_header_repeated: broken(
    'A header that may occur only once occurs more than once (RFC 5322 §3.6).',
    'Remove the repeated one.',
  ),
  inbox_header_not_ascii: worth(
    'A header contains non-ASCII characters that are not encoded (RFC 2047).',
    'Encode them as `=?utf-8?…?=`.',
  ),
  inbox_line_too_long: worth(
    'A line is longer than 998 characters, which servers in transit may reject or break (RFC 5322 §2.1.1).',
    'Encode the body as quoted-printable or base64.',
  ),
} as const;

const SUBJECT = {
  inbox_subject_missing: worth('There is no subject.', 'Write one that says what the message is about.'),
  inbox_subject_caps: worth('The subject is in capitals, as spam often is.', 'Write it as a sentence.'),
  inbox_subject_punctuation: worth(
    'The subject has repeated or many exclamation marks, question marks or currency signs, as spam often has.',
    'Use at most one.',
  ),
  inbox_subject_fake_reply: worth(
    'The subject looks like a reply or a forwarded message, and the message is neither.',
    'Remove `Re:` or `Fwd:`.',
  ),
} as const;

const CONTENT = {
  inbox_unreadable: broken(
    'The structure of the message cannot be parsed.',
    'Nest fewer parts, and check the boundaries.',
  ),
  inbox_empty: broken('The message has no content.', 'Write a text.'),
  inbox_text_missing: worth(
    'There is no text part beside the HTML.',
    'Add a text part that says the same; mail programs without HTML, and filters, read it.',
  ),
  inbox_html_too_large: worth(
    'The HTML is larger than 100 KB: Gmail truncates a message at 102 KB and hides the rest.',
    'Make it smaller; remove repeated styles.',
  ),
  inbox_mostly_images: worth(
    'The message shows images and hardly any text, as spam that hides its words does.',
    'Put the important content in text.',
  ),
  inbox_alt_missing: worth(
    'Images have no `alt` text, so that readers who do not load images see nothing.',
    'Add an `alt` to each image, an empty one for decoration.',
  ),
  inbox_form: worth(
    'The HTML has a form; most mail programs disable it and show a warning.',
    'Link to a page with the form.',
  ),
  inbox_script: broken('The HTML has a script; it is removed, and counts against the message.', 'Remove it.'),
  inbox_embedded: broken(
    'The HTML has a frame or an embedded object; it is removed, and counts against the message.',
    'Use an image that links to a page.',
  ),
  inbox_charset_unknown: worth('A part names an unknown character set.', 'Use utf-8.'),
  inbox_charset_wrong: worth(
    'A part is not encoded in the character set that it names.',
    'Encode it as utf-8 and declare that.',
  ),
  inbox_attachment_risky: broken(
    'A file has a type that receivers reject, because it can run as a program.',
    'Send a link to it, or another type.',
  ),
} as const;

const LINKS = {
  inbox_link_mismatch: broken(
    'A link shows a different address from the one that it opens, as phishing does.',
    'Show the address that it opens, or words. Click tracking changes links, so use words if it is on.',
  ),
  inbox_link_shortener: worth(
    'A link goes through a public shortener, which spam uses to hide the target.',
    'Link to your own domain.',
  ),
  inbox_link_not_https: worth('A link is not encrypted (http).', 'Use https.'),
  inbox_link_to_address: worth('A link opens an IP address instead of a name, as phishing does.', 'Use a name.'),
  inbox_link_listed: broken(
    'A link opens a domain that is on a blocklist.',
    'Remove the link, or have the domain removed from the list.',
  ),
} as const;

const REPUTATION = {
  inbox_sender_listed: broken(
    'The sender’s domain or address is on a blocklist.',
    'Fix the cause, then request removal from the list.',
  ),
  inbox_lists_could_not_check: worth(
    'Not every blocklist could be queried. That means neither listed nor not listed.',
    'Try again, or use your own resolver (POSTRIDER_DNS_SERVERS).',
  ),
  inbox_spamd_ham: good('SpamAssassin rates it as wanted mail.'),
  inbox_spamd_spam: broken('SpamAssassin rates it as spam.', 'See the rules that are named.'),
  inbox_spamd_could_not_check: worth('SpamAssassin did not respond.', 'Check the address in POSTRIDER_SPAMD.'),
} as const;

/** What the inbox placement check can find. */
export const INBOX_PLACEMENT_FINDINGS = {
  inbox_estimate: good(
    'This is an estimate from authentication, content, blocklists and, if one is configured, a SpamAssassin score. It is not a seed test: nothing was sent, and only receivers know the history of a sender.',
  ),
  ...AUTHENTICATION,
  ...UNSUBSCRIBE,
  ...HEADERS,
  ...SUBJECT,
  ...CONTENT,
  ...LINKS,
  ...REPUTATION,
} as const;
