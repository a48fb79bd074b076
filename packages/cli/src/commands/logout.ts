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
      'Ends the session of the profile on the server and deletes the profile, even if the session has already ended.',
    needsKey: false,
    scope: null,
    examples: ['postrider logout', 'postrider logout --profile work'],
  },
  async runAlone({ options }, output, io) {
    const found = await findProfile(io, options.profile);
    if (found === null) {
      const fix = 'To sign in: postrider login';
      throw ownFailure(EXIT_CODES.authentication, 'not_signed_in', 'Not signed in', 'there is no profile', fix);
    }
    const { name, profile } = found;
    await connectTo({ apiKey: profile.token, baseUrl: profile.baseUrl }, options, io).call('auth.logout', {});
    await writeProfiles(io, withoutProfile(await readProfiles(io), name));
    if (output.isJson) output.writeJson({ profile: name, signedOut: true });
    else output.writeText(`Signed out of ${singleLine(profile.accountName)} and deleted the profile ${name}.\n`);
    return EXIT_CODES.done;
  },
});
