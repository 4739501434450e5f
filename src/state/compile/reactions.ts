// The compiler for the reactor: converts high data whose state modules are kinds of clients to chunks in their order.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { compileLow } from './compile-low.ts'
import { Places } from './places.ts'
import type { LowResult } from './types.ts'
import { verifyHigh } from './verify-high.ts'

export function compileReactions(high: Dict, opts: Dict, log: Log): LowResult {
  const places = new Places()
  const errors = verifyHigh(high, places)
  if (errors.length > 0) return { chunks: [], errors }
  return compileLow(high, { opts, states: { has: () => false }, places, log, aggregate: false })
}
