// Parameters that functions and states of memcached share.
import { arg } from '../../../sdk/mod.ts'

/** Address of the server. */
export const server = {
  host: arg.text('Host of the server', { default: '127.0.0.1' }),
  port: arg.count('Port of the server', { default: 11211 }),
}

/** How a value is stored. */
export const storingOptions = {
  time: arg.integer('Seconds until the key expires, above 2592000 seconds since the epoch; 0 for never', {
    default: 0,
  }),
  min_compress_len: arg.integer('Compress values of more bytes; 0 for none', { default: 0 }),
}

export const deletingTime = arg.integer(
  'Seconds during which the key cannot be added again; most servers refuse any but 0',
  {
    default: 0,
  },
)
