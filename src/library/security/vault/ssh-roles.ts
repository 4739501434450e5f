// Fields of roles of the secrets engine for SSH.

/** Fields of roles that are lists; Vault accepts them as texts with commas. */
export const ROLE_LISTS: readonly string[] = [
  'allowed_users',
  'allowed_critical_options',
  'allowed_domains',
  'allowed_extensions',
  'cidr_list',
  'exclude_cidr_list',
]
