/** What is known of an account that a newcomer's steps can be read from. */
export interface ChecklistFacts {
  readonly keyUsed: boolean;
  readonly messageSent: boolean;
  readonly messageDelivered: boolean;
  readonly domainAdded: boolean;
  readonly domainVerified: boolean;
  readonly keyRestricted: boolean;
  readonly templateStored: boolean;
}

export interface ChecklistItem {
  readonly id: string;
  readonly label: string;
  readonly done: boolean;
  /** How to do it. */
  readonly fix: string;
}

/** The steps of a newcomer, in the order in which they make sense. Only what this version can do is one of them. */
export function toChecklist(facts: ChecklistFacts, sandboxDomain: string): readonly ChecklistItem[] {
  return [
    {
      id: 'key_used',
      label: 'Call the API with a key',
      done: facts.keyUsed,
      fix: 'Ask GET /keys/self with `Authorization: Bearer <key>`, or run `postrider doctor`.',
    },
    {
      id: 'first_message_sent',
      label: 'Send a first message',
      done: facts.messageSent,
      fix: `Send one to a test address by POST /emails, from you@${sandboxDomain} to delivered@${sandboxDomain}.`,
    },
    {
      id: 'first_message_delivered',
      label: 'See a message delivered',
      done: facts.messageDelivered,
      fix: 'Read the message by GET /emails/:id?wait=30; its events and `lastError` say what keeps it.',
    },
    {
      id: 'domain_added',
      label: 'Add a sending domain',
      done: facts.domainAdded,
      fix: 'Add your domain by POST /domains, or `postrider domains create <name>`.',
    },
    {
      id: 'domain_verified',
      label: 'Verify a sending domain',
      done: facts.domainVerified,
      fix: 'Publish the records of GET /domains/:id/records, then POST /domains/:id/verify.',
    },
    {
      id: 'restricted_key_made',
      label: 'Make a key that may do only what it needs',
      done: facts.keyRestricted,
      fix: 'Give each program a key of its own, with the scope `sending` or less, by POST /keys, or `postrider-server keys create --scope sending`.',
    },
    {
      id: 'template_stored',
      label: 'Store a template',
      done: facts.templateStored,
      fix: 'Store one by POST /templates, or `postrider templates push`.',
    },
  ];
}
