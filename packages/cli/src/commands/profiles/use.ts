import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { PROFILE_ARGUMENT } from '../../profile-argument.ts';
import { knownProfiles, writeProfiles } from '../../profiles.ts';

export const definition = defineCommand({
  id: 'profiles use',
  about: {
    summary: 'Choose the current profile',
    description: 'Commands use this profile unless they name another one.',
    needsKey: false,
    scope: null,
    examples: ['postrider profiles use work'],
  },
  args: { name: PROFILE_ARGUMENT },
  async runAlone({ own: { name } }, output, io) {
    const profiles = await knownProfiles(io, name);
    await writeProfiles(io, { ...profiles, current: name });
    if (output.isJson) output.writeJson({ profile: name, current: true });
    else output.writeText(`The current profile is ${name}.\n`);
    return EXIT_CODES.done;
  },
});
