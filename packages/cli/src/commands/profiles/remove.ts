import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { PROFILE_ARGUMENT } from '../../profile-argument.ts';
import { knownProfiles, withoutProfile, writeProfiles } from '../../profiles.ts';

export const definition = defineCommand({
  id: 'profiles remove',
  about: {
    summary: 'Delete a profile',
    description:
      'Deletes the profile from this machine. Its session stays valid until it expires; postrider logout ends it as well.',
    needsKey: false,
    scope: null,
    examples: ['postrider profiles remove work'],
  },
  args: { name: PROFILE_ARGUMENT },
  async runAlone({ own: { name } }, output, io) {
    await writeProfiles(io, withoutProfile(await knownProfiles(io, name), name));
    if (output.isJson) output.writeJson({ profile: name, removed: true });
    else output.writeText(`Deleted the profile ${name}.\n`);
    return EXIT_CODES.done;
  },
});
