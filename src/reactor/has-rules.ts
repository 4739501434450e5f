// Whether the reactor has rules. A daemon without rules loads nothing else of this room.
import { rawOption } from '../config/mod.ts'
import { type Dict, str } from '../data/mod.ts'

/** Whether any rule is configured. */
export const hasRules = (opts: Dict): boolean => {
  const reactor = rawOption(opts, 'reactor')
  return Array.isArray(reactor) ? reactor.length > 0 : typeof reactor === 'string' && str(reactor) !== ''
}
