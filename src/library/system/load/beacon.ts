// Load averages outside limits, with the two digits of the kernel; Salt uses another interface and reports more digits.
import { type Dict, decodeBytes, float, isList, truthy, type Value } from '../../../data/mod.ts'
import { defineBeacon, dictOption, floatOf } from '../../../sdk/mod.ts'

const AVERAGES = ['1m', '5m', '15m'] as const

function validate(config: Dict): string | undefined {
  for (const option of ['emitatstartup', 'onchangeonly']) {
    if (config.has(option) && typeof config.get(option) !== 'boolean') {
      return `Configuration for load beacon option ${option} must be a boolean.`
    }
  }
  if (!config.has('averages')) return 'Averages configuration is required for load beacon.'
  const averages = dictOption(config, 'averages')
  if (!AVERAGES.some((name) => averages.has(name))) {
    return 'Averages configuration for load beacon must contain 1m, 5m or 15m items.'
  }
  for (const name of AVERAGES) {
    const bounds = averages.get(name) ?? null
    if (!isList(bounds)) {
      return 'Averages configuration for load beacon: 1m, 5m and 15m items must be a list of two items.'
    }
    if ([...bounds].length !== 2) {
      return 'Configuration for load beacon: 1m, 5m and 15m items must be a list of two items.'
    }
  }
  return undefined
}

const boundsOf = (averages: Dict, name: string): [number, number] => {
  const [low, high] = [...(averages.get(name) as Value[])].map(floatOf)
  return [low!, high!]
}

export default defineBeacon({
  name: 'load',
  doc: 'Report load averages outside their limits; with `onchangeonly`, load averages that cross a limit.',
  validate,
  beacon: async ({ host, memory }, config) => {
    const now = decodeBytes(await host.read('/proc/loadavg'))
      .split(' ')
      .slice(0, 3)
      .map(Number)
    const averages = dictOption(config, 'averages')
    const onlyChanges = truthy(config.get('onchangeonly') ?? false)
    const last = (memory.get('last') as number[] | undefined) ?? now
    const isFirst = !memory.has('last')
    if (onlyChanges) memory.set('last', now)
    if (onlyChanges && isFirst && !truthy(config.get('emitatstartup') ?? true)) return []
    const isTold = AVERAGES.some((name, index) => {
      if (!averages.has(name)) return false
      const [low, high] = boundsOf(averages, name)
      const [value, before] = [now[index]!, last[index]!]
      if (!onlyChanges) return value < low || value > high
      return (value > high && before < high) || (value < low && before > low)
    })
    return isTold ? [new Map<Value, Value>(AVERAGES.map((name, index) => [name, float(now[index]!)]))] : []
  },
})
