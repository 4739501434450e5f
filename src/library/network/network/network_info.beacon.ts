// Counters of network interfaces that reach or exceed a limit.
import { type Dict, decodeBytes, dictFrom, isDict, str, type Value } from '../../../data/mod.ts'
import { defineBeacon, dictOption, intOf } from '../../../sdk/mod.ts'

/** The counters and their columns in `/proc/net/dev`. */
const COUNTERS: ReadonlyArray<[string, number]> = [
  ['bytes_sent', 8],
  ['bytes_recv', 0],
  ['packets_sent', 9],
  ['packets_recv', 1],
  ['errin', 2],
  ['errout', 10],
  ['dropin', 3],
  ['dropout', 11],
]
const NAMES = new Set(['type', ...COUNTERS.map(([name]) => name)])

function validate(config: Dict): string | undefined {
  for (const options of dictOption(config, 'interfaces').values()) {
    if (!isDict(options)) return 'Configuration for network_info beacon must be a list of dictionaries.'
    if (![...options.keys()].some((name) => NAMES.has(str(name)))) {
      return 'Invalid configuration item in Beacon configuration.'
    }
  }
  return undefined
}

export default defineBeacon({
  name: 'network_info',
  doc: 'Report network interfaces whose counters equal a limit, or exceed it with `type: greater`.',
  validate,
  beacon: async ({ host }, config) => {
    const reports: Dict[] = []
    const lines = decodeBytes(await host.read('/proc/net/dev')).split('\n')
    for (const [name, options] of dictOption(config, 'interfaces')) {
      const line = lines.find((text) => text.trim().startsWith(`${str(name)}:`))
      if (line === undefined || !isDict(options)) continue
      const numbers = line
        .slice(line.indexOf(':') + 1)
        .trim()
        .split(/\s+/)
        .map(Number)
      const isGreater = options.get('type') === 'greater'
      const isReached = COUNTERS.some(([counter, place]) => {
        if (!options.has(counter)) return false
        const limit = intOf(options.get(counter)!)
        return isGreater ? numbers[place]! > limit : numbers[place] === limit
      })
      if (!isReached) continue
      const info = new Map<Value, Value>(COUNTERS.map(([counter, place]) => [counter, numbers[place]!]))
      reports.push(dictFrom({ interface: name, network_info: info }))
    }
    return reports
  },
})
