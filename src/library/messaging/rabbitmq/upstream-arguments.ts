// Arguments that describe the upstream of a federation, for the function and the state.
import { arg } from '../../../sdk/mod.ts'

const option = (name: string) => arg.any(`Option \`${name}\` of the upstream, a text or number`, { optional: true })
export const definition = {
  uri: arg.text('URI of the upstream'),
  prefetch_count: option('prefetch-count'),
  reconnect_delay: option('reconnect-delay'),
  ack_mode: option('ack-mode'),
  trust_user_id: option('trust-user-id'),
  exchange: option('exchange'),
  max_hops: option('max-hops'),
  expires: option('expires'),
  message_ttl: option('message-ttl'),
  ha_policy: option('ha-policy'),
  queue: option('queue'),
}
