import { newestOf } from '../resources/find-ids.ts';
import { resourceUri } from '../resources/resource-kinds.ts';
import { attach, type Prompt, say } from './prompt.ts';

export const composeFromTemplate: Prompt = {
  name: 'compose_from_template',
  title: 'Compose an email from a template',
  description: 'Fills in a stored template for a recipient, shows the result, and sends it once you agree.',
  arguments: [
    { name: 'template', description: 'Slug of the template.', required: true },
    { name: 'to', description: 'Recipient.', required: false },
    { name: 'purpose', description: 'What the email is about, in your own words.', required: false },
  ],
  scopes: ['templates:read', 'emails:send'],
  completions: { template: (call) => newestOf('templates', call) },
  get: async ({ template = '', to, purpose }, call) => [
    await attach(resourceUri('templates', template), call),
    say(
      [
        `Compose an email from the stored template ${JSON.stringify(template)}${to ? ` to ${to}` : ''}.`,
        ...(purpose ? [`It is about: ${purpose}`] : []),
        '1. Check which variables the template needs. Ask me for every value you do not know; do not invent any.',
        ...(to ? [] : ['2. Ask me for the recipient and the sender address.']),
        'Then call preview_email with `template` and `variables`, and show me the subject, the text and every recipient, including cc and bcc.',
        'Call send_email only after I have agreed to exactly that. If the result says that it is held, tell me and do not send it again. Otherwise call wait_for_email and tell me the outcome.',
      ].join('\n'),
    ),
  ],
};
