// Selects the traces to send, by `sampler` and `sampler_arg` of the option `tracing`.
import { type Log, shownText } from '../../base/mod.ts'
import { type Dict, numberOf, str } from '../../data/mod.ts'
import type { TraceContext } from './context.ts'

export type Sampler = (parent: TraceContext | undefined, traceId: string) => boolean

export function samplerOf(settings: Dict, log: Log): Sampler {
  const name = str(settings.get('sampler') ?? 'parent_based').toLowerCase()
  const given = settings.get('sampler_arg') ?? 1
  const number = numberOf(given) ?? Number.parseFloat(str(given))
  if (Number.isNaN(number))
    log('warning', `Ignoring tracing:sampler_arg, which is not a number: ${shownText(str(given))}`)
  const ratio = Number.isNaN(number) ? 1 : number
  const byRatio: Sampler = (_, traceId) => ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio
  const parentBased: Sampler = (parent, traceId) => parent?.isSampled ?? byRatio(parent, traceId)
  switch (name) {
    case 'always_on':
      return () => true
    case 'always_off':
      return () => false
    case 'trace_id_ratio':
      return byRatio
    case 'parent_based':
      return parentBased
    default:
      log('warning', `Unknown tracing sampler ${shownText(name)}; taking parent_based`)
      return parentBased
  }
}
