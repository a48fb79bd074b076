import { connectTo } from '../api-connection.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import { singleLine } from '../output/untrusted-text.ts';
import { findProfile, readProfiles, withoutProfile, writeProfiles } from '../profiles.ts';

export const definition = defineCommand({
  id: 'logout',
  about: {
    summary: 'Sign out',
    description:
      'Ends the session of the profile on the server, and forgets the profile. A session that has already ended is forgotten too.',
    needsKey: false,
    scope: null,
    examples: ['postrider logout', 'postrider logout --profile work'],
  },
  async runAlone({ options }, output, io) {
    const found = await findProfile(io, options.profile);
    if (found === null) {
      const fix = 'postrider login signs in.';
      throw ownFailure(EXIT_CODES.authentication, 'not_signed_in', 'Nobody is signed in', 'there is no profile', fix);
    }
    const { name, profile } = found;
    await connectTo({ apiKey: profile.token, baseUrl: profile.baseUrl }, options, io).call('auth.logout', {});
    await writeProfiles(io, withoutProfile(await readProfiles(io), name));
    if (output.isJson) output.writeJson({ profile: name, signedOut: true });
    else output.writeText(`Signed out of ${singleLine(profile.accountName)}; the profile ${name} is forgotten.\n`);
    return EXIT_CODES.done;
  },
});
