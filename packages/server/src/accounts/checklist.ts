import { nameOperation } from '@postrider/core';

/** The facts about an account that complete a newcomer's steps. */
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
  /** How to complete the step. */
  readonly fix: string;
}

/** A newcomer's steps, in the order that makes sense. Only features of this version are included. */
export function toChecklist(facts: ChecklistFacts, sandboxDomain: string): readonly ChecklistItem[] {
  return [
    {
      id: 'key_used',
      label: 'Call the API with a key',
      done: facts.keyUsed,
      fix: `Call ${nameOperation('keys.self')} with the key, or run \`postrider doctor\`.`,
    },
    {
      id: 'first_message_sent',
      label: 'Send a first message',
      done: facts.messageSent,
      fix: `Send a test message with ${nameOperation('emails.send')}, from you@${sandboxDomain} to delivered@${sandboxDomain}.`,
    },
    {
      id: 'first_message_delivered',
      label: 'See a message delivered',
      done: facts.messageDelivered,
      fix: `Read the message with ${nameOperation('emails.get')}: its events and \`lastError\` show why it is not delivered.`,
    },
    {
      id: 'domain_added',
      label: 'Add a sending domain',
      done: facts.domainAdded,
      fix: `Add your domain with ${nameOperation('domains.create')}.`,
    },
    {
      id: 'domain_verified',
      label: 'Verify a sending domain',
      done: facts.domainVerified,
      fix: `Publish the DNS records that ${nameOperation('domains.records')} returns, then verify the domain with ${nameOperation('domains.verify')}.`,
    },
    {
      id: 'restricted_key_made',
      label: 'Create a key with only the scopes it needs',
      done: facts.keyRestricted,
      fix: `Create a separate key for each program with ${nameOperation('keys.create')}, with the scope \`sending\` or less.`,
    },
    {
      id: 'template_stored',
      label: 'Create a template',
      done: facts.templateStored,
      fix: `Create a template with ${nameOperation('templates.create')}.`,
    },
  ];
}
