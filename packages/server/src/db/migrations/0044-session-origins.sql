-- Where a session was begun, so that users can tell their sessions apart. `client` is from now on also what a browser says of itself.
ALTER TABLE sessions ADD COLUMN address text; -- null of sessions from before
