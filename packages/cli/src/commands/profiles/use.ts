import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { PROFILE_ARGUMENT } from '../../profile-argument.ts';
import { knownProfiles, writeProfiles } from '../../profiles.ts';

export const definition = defineCommand({
  id: 'profiles use',
  about: {
    summary: 'Choose the profile in use',
    description: 'From now on commands that name no profile use this one.',
    needsKey: false,
    scope: null,
    examples: ['postrider profiles use work'],
  },
  args: { name: PROFILE_ARGUMENT },
  async runAlone({ own: { name } }, output, io) {
    const profiles = await knownProfiles(io, name);
    await writeProfiles(io, { ...profiles, current: name });
    if (output.isJson) output.writeJson({ profile: name, current: true });
    else output.writeText(`${name} is in use.\n`);
    return EXIT_CODES.done;
  },
});
