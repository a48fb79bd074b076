import { type Requirement, requirement, section } from './requirement.ts';

/** Agents that sign in with OAuth instead of an API key: what the user decides, and what an attacker tries. */
export const agentSignIn: readonly Requirement[] = section('Agents that sign in', [
  requirement(
    'agent-sign-in.discovery',
    'A 401 of `POST /mcp` names the metadata by which a client finds out where to sign in, and says that an API key works too.',
  ),
  requirement(
    'agent-sign-in.clients',
    'The official SDK clients of both protocol generations sign in, send a first message, renew their token and ask for one more permission, without a pasted key.',
  ),
  requirement(
    'agent-sign-in.conformance',
    'The authorization scenarios of the public conformance suite find nothing wrong, by protocol 2025-11-25 and 2026-07-28.',
  ),
  requirement(
    'agent-sign-in.set-up',
    '`postrider mcp install` writes the address of the server and no key for every client that can sign in.',
  ),
  requirement(
    'agent-sign-in.held',
    'If the user changes nothing on the page, every message of the agent waits for approval.',
  ),
  requirement(
    'agent-sign-in.choices',
    'The user chooses recipients, approvals, messages a day, reading and the end. Nothing else in the form has an effect.',
  ),
  requirement(
    'agent-sign-in.grant',
    'A grant is a key of its own: it is listed, narrowed, paused, revoked and audited as one, and has no secret.',
  ),
  requirement(
    'agent-sign-in.user',
    'An agent may never do more than the current role of its user, and loses its access when the user leaves the team.',
  ),
  requirement('agent-sign-in.resource', 'An access token is valid for `POST /mcp` only.'),
  requirement(
    'agent-sign-in.expiry',
    'An agent loses its access with its access token, and with the end of the grant.',
  ),
  requirement(
    'agent-sign-in.replay',
    'A code or a refresh token works once. Using one again ends the sign-in with all its tokens. The key stays, with what it holds.',
  ),
  requirement(
    'agent-sign-in.binding',
    'A code is worth nothing without its verifier, redirect URI, client and resource, nor a refresh token without its client. A refresh gives no further scope.',
  ),
  requirement('agent-sign-in.revocation', 'Revoking either token ends the sign-in with all its tokens.'),
  requirement(
    'agent-sign-in.continuing',
    'A program that signs in again continues with its own key if the user says so: the limits stay, only scopes are added, and the former sign-in ends.',
  ),
  requirement(
    'agent-sign-in.redirects',
    'The browser is sent only to a registered redirect URI: over https, to the user’s own machine, or to an app. Before the user decides, it is sent to no other site.',
  ),
  requirement(
    'agent-sign-in.request',
    'A request needs PKCE with S256 and a resource of this server. Every response names the issuer.',
  ),
  requirement(
    'agent-sign-in.public',
    'Every program is a public client with a readable name and no secret, whatever it asks for.',
  ),
  requirement(
    'agent-sign-in.identity',
    'The page names the host that published the program’s details, or says that no one verified its name, and warns of names and hosts that imitate others.',
  ),
  requirement(
    'agent-sign-in.consent',
    'Only the user in the browser in which the request began decides about it, once, and no other site can decide or frame the page.',
  ),
  requirement(
    'agent-sign-in.metadata',
    'Metadata of programs is fetched from public addresses over https only, without redirects, up to 8 KB.',
  ),
  requirement(
    'agent-sign-in.limits',
    'One address can register 30 programs, and have the metadata of 20 fetched, in a minute.',
  ),
  requirement('agent-sign-in.storage', 'The database contains no token, code or request id, only hashes of them.'),
]);
