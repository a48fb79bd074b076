-- Every refusal of a batch says which items failed: refuse_items took the place of this.
DROP FUNCTION refuse_stale_acceptance(boolean);
