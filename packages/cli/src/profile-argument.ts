import { formArgument } from './own-flag.ts';
import { PROFILE_NAME } from './profile-name.ts';

export const PROFILE_ARGUMENT = formArgument('Name of the profile.', {
  pattern: PROFILE_NAME,
  fix: 'Use letters, digits, hyphens, dots and underscores.',
});
