// The fields of an AppRole, for the module and the state.
import { arg } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })

export const roleFields = {
  bind_secret_id: optional('Whether a login needs a secret id'),
  secret_id_bound_cidrs: optional('Addresses from which secret ids can be used'),
  secret_id_num_uses: optional('How often a secret id can be used; 0 for no limit'),
  secret_id_ttl: optional('Life of secret ids'),
  local_secret_ids: optional('Whether secret ids stay in the cluster that created them'),
  token_ttl: optional('Life of tokens'),
  token_max_ttl: optional('Longest life of tokens'),
  token_policies: optional('Policies of tokens'),
  token_bound_cidrs: optional('Addresses from which tokens can be used'),
  token_explicit_max_ttl: optional('Life of tokens that no renewal extends'),
  token_no_default_policy: optional('Whether tokens lack the policy `default`'),
  token_num_uses: optional('How often a token can be used; 0 for no limit'),
  token_period: optional('Time by which a renewal extends tokens'),
  token_type: optional('`service`, `batch` or `default`'),
  alias_metadata: optional('Metadata of the alias of the entity'),
  token_strictly_bind_ip: optional('Whether tokens can be used only from the address of the login'),
}
