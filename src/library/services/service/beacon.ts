// Whether services run. `onchangeonly` reports only changes, and `delay` only changes that last.
import {
  type Dict,
  isDict,
  isNumeric,
  numberOf,
  str,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption } from '../../../sdk/mod.ts'

interface Known {
  running: Value
  /** Time of a change that is not reported yet. */
  since?: number
}

function validate(config: Dict): string | undefined {
  if (!config.has('services')) return 'Configuration for service beacon requires services.'
  const services = config.get('services')!
  if (!isDict(services)) return 'Services configuration item for service beacon must be a dictionary.'
  if ([...services.values()].some((options) => !isDict(options))) {
    return 'Configuration for service beacon must be a list of dictionaries.'
  }
  return undefined
}

/** Return whether a state is reported now. */
function isReported(memory: Map<string, unknown>, name: string, running: Value, options: Dict, now: number): boolean {
  if (options.get('onchangeonly') !== true) return true
  const delay = options.get('delay') ?? 0
  if (!isNumeric(delay)) throw typeError(`'>' not supported between instances of '${typeName(delay)}' and 'int'`)
  return isDue(memory, name, running, { options, now, delay: numberOf(delay) ?? 0 })
}

interface Check {
  options: Dict
  now: number
  delay: number
}

function isDue(memory: Map<string, unknown>, name: string, running: Value, { options, now, delay }: Check): boolean {
  const known = memory.get(name) as Known | undefined
  if (known === undefined || known.running !== running) {
    memory.set(name, { running, ...(delay > 0 && { since: now }) } satisfies Known)
    if (known === undefined && !truthy(options.get('emitatstartup') ?? true)) {
      memory.set(name, { running } satisfies Known)
      return false
    }
    return delay <= 0
  }
  if (known.since === undefined || Math.round(now - known.since) <= delay) return false
  memory.set(name, { running } satisfies Known)
  return true
}

async function stateOf(ctx: BeaconContext, name: string, options: Dict): Promise<Dict> {
  const running = await ctx.call('service.status', [name])
  const state: Dict = new Map<Value, Value>([['running', running]])
  if (options.has('uncleanshutdown') && !truthy(running)) {
    state.set('uncleanshutdown', (await ctx.host.stat(str(options.get('uncleanshutdown')!))) !== undefined)
  }
  return state
}

export default defineBeacon({
  name: 'service',
  doc: 'Report whether services run.',
  when: (ctx) => ctx.has('service.status') || 'service.status is missing.',
  validate,
  beacon: async (ctx, config) => {
    const reports: Dict[] = []
    for (const [key, given] of dictOption(config, 'services')) {
      const name = str(key)
      const options = isDict(given) ? given : new Map()
      const state = await stateOf(ctx, name, options)
      const running = state.get('running')!
      const wanted = options.get('is_running_state')
      if (typeof wanted === 'boolean' && wanted !== running) continue
      if (!isReported(ctx.memory, name, running, options, Date.now() / 1000)) continue
      reports.push(
        new Map<Value, Value>([
          [name, state],
          ['service_name', name],
          ['tag', name],
        ]),
      )
    }
    return reports
  },
})
