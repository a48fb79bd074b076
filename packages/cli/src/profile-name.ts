/** A valid profile name. In a file of its own because help does not need the code that reads profiles. */
export const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
