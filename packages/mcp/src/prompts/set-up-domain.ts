import { sendingDomains } from '../resources/find-ids.ts';
import { type Prompt, say } from './prompt.ts';

export const setUpDomain: Prompt = {
  name: 'set_up_domain',
  title: 'Set up a sending domain',
  description: 'Adds a domain, walks through the DNS records to publish, and verifies it.',
  arguments: [{ name: 'domain', description: 'The domain to send from, such as mail.example.com.', required: true }],
  scopes: ['domains:read'],
  completions: { domain: sendingDomains },
  get: async ({ domain = '' }) => [
    say(
      [
        `Set up the sending domain ${JSON.stringify(domain)} with me. This needs the tools of the toolset \`domains\` (create_domain, get_domain_records, verify_domain); if you do not have them, tell me to connect with it.`,
        '1. Check with list_domains whether it exists. If not, ask me once, then call create_domain.',
        '2. Call get_domain_records and show me each record with type, host and value, exactly as returned, and its purpose. Ask me where the DNS of the domain is managed and explain how to enter records there.',
        '3. When I say they are published, call verify_domain. For each record that is not found yet, say what was found instead. DNS changes take time: wait for me before you call it again.',
        '4. Once it is verified, offer to send a test message from it to an address that I choose.',
      ].join('\n'),
    ),
  ],
};
