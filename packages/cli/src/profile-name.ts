/** What a profile may be called. It stands apart from what is kept of profiles, which help does not need. */
export const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
