/** The subject of a sample. */
export interface SampleFacts {
  readonly recipient: string;
  readonly returnPath: string;
  readonly messageId: string;
}

const RETURNED = ({ recipient, returnPath, messageId }: SampleFacts) => `Return-Path: <${returnPath}>
Received: from out.example.org (out.example.org [192.0.2.7]) by mx.example.com with ESMTPS id 4F3A
DKIM-Signature: v=1; a=rsa-sha256; d=sandbox.test; s=postrider; h=from:to:subject; bh=aaaa; b=bbbb
Message-ID: <${messageId}@sandbox.test>
Date: Sat, 21 Nov 2026 10:00:00 +0000
From: Ada <ada@sandbox.test>
To: ${recipient}
Subject: Hello
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8`;

/** Postfix format: comments in the first part, X-Postfix fields, and the recipient before and after rewriting. */
export function postfixBounce(
  facts: SampleFacts,
  fields: Partial<Record<'action' | 'status' | 'diagnostic', string>> = {},
) {
  const { recipient, returnPath } = facts;
  const { action = 'failed', status = '5.1.1' } = fields;
  const diagnostic =
    fields.diagnostic ??
    `smtp; 550 5.1.1 <${recipient}>: Recipient address rejected: User unknown in virtual mailbox table`;
  return `Received: by mx.example.com (Postfix) id 5D3; Sat, 21 Nov 2026 10:00:01 +0000 (UTC)
Date: Sat, 21 Nov 2026 10:00:01 +0000 (UTC)
From: MAILER-DAEMON@mx.example.com (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: ${returnPath}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="5D3.1700/mx.example.com"
Content-Transfer-Encoding: 8bit
Message-Id: <20261121100001.5D3@mx.example.com>

This is a MIME-encapsulated message.

--5D3.1700/mx.example.com
Content-Description: Notification
Content-Type: text/plain; charset=utf-8

This is the mail system at host mx.example.com.

--5D3.1700/mx.example.com
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com
X-Postfix-Queue-ID: 4F3A
X-Postfix-Sender: rfc822; ${returnPath}
Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
Action: ${action}
Status: ${status}
Remote-MTA: dns; store.example.com
Diagnostic-Code: ${diagnostic}

--5D3.1700/mx.example.com
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

${RETURNED(facts)}

--5D3.1700/mx.example.com--
`;
}

/** Exim format: the whole message returned, fields without an original recipient, a folded diagnostic. */
export function eximBounce(facts: SampleFacts) {
  const { recipient, returnPath } = facts;
  return `Received: from Debian-exim by mail.example.net with local (Exim 4.96) id 1r5; Sat, 21 Nov 2026 10:00:01 +0000
X-Failed-Recipients: ${recipient}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mail.example.net>
To: ${returnPath}
References: <${facts.messageId}@sandbox.test>
Content-Type: multipart/report; report-type=delivery-status; boundary=1700560801-eximdsn-1
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender
Message-Id: <E1r5-0001@mail.example.net>
Date: Sat, 21 Nov 2026 10:00:01 +0000

--1700560801-eximdsn-1
Content-type: text/plain; charset=us-ascii

A message that you sent could not be delivered to one or more of its recipients.

--1700560801-eximdsn-1
Content-type: message/delivery-status

Reporting-MTA: dns; mail.example.net

Action: failed
Final-Recipient: rfc822;${recipient}
Status: 5.0.0
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550-5.1.1 The mailbox you wrote to
 550 5.1.1 does not exist here: no such user

--1700560801-eximdsn-1
Content-type: message/rfc822

${RETURNED(facts)}

Hi there

--1700560801-eximdsn-1--
`;
}

/** Exchange format: comments in three languages, the report as the second of three parts, its own status in the text. */
export function exchangeBounce(facts: SampleFacts) {
  const { recipient, returnPath } = facts;
  return `From: <postmaster@contoso.example>
To: <${returnPath}>
Date: Sat, 21 Nov 2026 10:00:02 +0000
Content-Type: multipart/report; report-type=delivery-status;
	boundary="0f42df6d-9e1c-4c5a"
X-MS-Exchange-Message-Is-Ndr:
Content-Language: de-DE
Message-ID: <0f42df6d@contoso.example>
In-Reply-To: <${facts.messageId}@sandbox.test>
Subject: =?utf-8?B?VW56dXN0ZWxsYmFyOiBIZWxsbw==?=
Auto-Submitted: auto-replied
MIME-Version: 1.0

--0f42df6d-9e1c-4c5a
Content-Type: multipart/alternative; differences=Content-Type;
	boundary="7a1b"

--7a1b
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: quoted-printable

Fehler bei der Nachrichten=C3=BCbermittlung an folgende Empf=C3=A4nger

--7a1b
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

PGh0bWw+PC9odG1sPg==

--7a1b--

--0f42df6d-9e1c-4c5a
Content-Type: message/delivery-status

Reporting-MTA: dns;DB9PR01.contoso.example
Received-From-MTA: dns;out.example.org
Arrival-Date: Sat, 21 Nov 2026 10:00:01 +0000

Original-Recipient: rfc822;${recipient}
Final-Recipient: rfc822;${recipient}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ${recipient} not found by SMTP address lookup
X-Display-Name: ${recipient}

--0f42df6d-9e1c-4c5a
Content-Type: message/rfc822

${RETURNED(facts)}

Hi there

--0f42df6d-9e1c-4c5a--
`;
}

/** Gmail format: related parts with an image first, an upper-case type, fields after the diagnostic. */
export function gmailBounce(facts: SampleFacts) {
  const { recipient, returnPath } = facts;
  return `Received: by 2002:a05:6402:1111 with SMTP id x1; Sat, 21 Nov 2026 02:00:03 -0800 (PST)
From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>
To: ${returnPath}
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
References: <${facts.messageId}@sandbox.test>
Message-ID: <655c8023.x1.GMR@mx.googlemail.example>
Date: Sat, 21 Nov 2026 02:00:03 -0800 (PST)
Content-Type: multipart/report; boundary="0000000000002f1b"; report-type=delivery-status

--0000000000002f1b
Content-Type: multipart/related; boundary="0000000000002f1e"

--0000000000002f1e
Content-Type: multipart/alternative; boundary="0000000000002f20"

--0000000000002f20
Content-Type: text/plain; charset="UTF-8"

** Address not found **

--0000000000002f20--
--0000000000002f1e
Content-Type: image/png; name="icon.png"
Content-Transfer-Encoding: base64
Content-ID: <icon.png>

iVBORw0KGgo=
--0000000000002f1e--
--0000000000002f1b
Content-Type: message/delivery-status

Reporting-MTA: dns; googlemail.example
Arrival-Date: Sat, 21 Nov 2026 02:00:02 -0800 (PST)
X-Original-Message-ID: <${facts.messageId}@sandbox.test>

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.l.example. (192.0.2.27, the server for the domain example.com.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550 5.1.1 unnecessary spaces. x1-20020a - gsmtp
Last-Attempt-Date: Sat, 21 Nov 2026 02:00:03 -0800 (PST)

--0000000000002f1b
Content-Type: message/rfc822

${RETURNED(facts)}

Hi there
--0000000000002f1b--
`;
}

/** qmail format (QSBMF). */
export function qmailBounce(facts: SampleFacts) {
  return `Received: (qmail 21100 invoked for bounce); 21 Nov 2026 10:00:01 -0000
Date: 21 Nov 2026 10:00:01 -0000
From: MAILER-DAEMON@mail.example.edu
To: ${facts.returnPath}
Subject: failure notice

Hi. This is the qmail-send program at mail.example.edu.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${facts.recipient}>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

${RETURNED(facts)}

Hi there
`;
}

interface ComplaintOptions {
  readonly type?: string;
  readonly recipient?: string | null;
  /** Null omits it. */
  readonly mailFrom?: string | null;
}

/** Yahoo's feedback loop: the fields of RFC 5965 with the recipient named, and the whole message returned. */
export function yahooComplaint(facts: SampleFacts, options: ComplaintOptions = {}) {
  const { type = 'abuse', recipient = facts.recipient, mailFrom = facts.returnPath } = options;
  return `From: <feedback@arf.mail.example>
To: <${facts.returnPath}>
Subject: FW: Hello
Date: Sat, 21 Nov 2026 11:00:00 +0000
Message-ID: <arf-1@arf.mail.example>
MIME-Version: 1.0
Content-Type: multipart/report; boundary="arf_e1"; report-type=feedback-report

--arf_e1
Content-Type: text/plain; charset="US-ASCII"
Content-Transfer-Encoding: 7bit

This is an email abuse report for an email message received from 192.0.2.7.

--arf_e1
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: Example!-Mail-Feedback/2.0
Version: 0.1
${mailFrom === null ? '' : `Original-Mail-From: <${mailFrom}>\n`}${recipient === null ? '' : `Original-Rcpt-To: ${recipient}\n`}Arrival-Date: Sat, 21 Nov 2026 10:00:02 +0000
Reported-Domain: sandbox.test
Source-IP: 192.0.2.7

--arf_e1
Content-Type: message/rfc822
Content-Disposition: inline

${RETURNED(facts)}

Hi there

--arf_e1--
`;
}

/** Outlook's junk mail reporting, as far as it follows RFC 5965: the envelope is only in the returned message. */
export function outlookComplaint(facts: SampleFacts) {
  return yahooComplaint(facts, { recipient: null, mailFrom: null });
}

/** An out-of-office reply. */
export function vacation({ returnPath, recipient }: SampleFacts) {
  return `From: ${recipient}
To: ${returnPath}
Subject: Out of office: Hello
Auto-Submitted: auto-replied (vacation)
Message-ID: <v1@example.com>
Content-Type: text/plain

I am away until Monday. 550 5.1.1 User unknown
`;
}
