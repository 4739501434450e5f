// Memory usage above a limit.
import { decodeBytes, float } from '../../../data/mod.ts'
import { defineBeacon, percentOf, roundedPercent } from '../../../sdk/mod.ts'

export default defineBeacon({
  name: 'memusage',
  doc: 'Report when the memory usage reaches a percentage.',
  validate: (config) => (config.has('percent') ? undefined : 'Configuration for memusage beacon requires percent.'),
  beacon: async ({ host }, config) => {
    const facts = decodeBytes(await host.read('/proc/meminfo'))
    const of = (name: string): number => Number(new RegExp(`^${name}: *(\\d+)`, 'm').exec(facts)?.[1] ?? 0)
    const usage = roundedPercent(of('MemTotal') - of('MemAvailable'), of('MemTotal'))
    return usage >= percentOf(config.get('percent')!) ? [new Map([['memusage', float(usage)]])] : []
  },
})
