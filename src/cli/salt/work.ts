// The shared context of the parts of `salt`.
import type { Log } from '../../base/mod.ts'
import type { LocalClient } from '../../client/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { Streams } from '../streams.ts'

export interface SaltWork {
  client: LocalClient
  opts: Dict
  log: Log
  streams: Streams
}
