// A minion for tests of the views of minions.
import type { Minion } from './facts.ts'

/** Return an accepted minion that is connected. */
export const minion = (id: string, more: Partial<Minion> = {}): Minion => ({
  id,
  key: 'accepted',
  presence: { connected: true, since: null },
  os: 'Debian 12',
  version: '3008.2',
  brineVersion: '0.1.0',
  lastJob: null,
  lastHighstate: null,
  drift: null,
  ...more,
})
