// Usage of swap space above a limit.
import { decodeBytes, float } from '../../../data/mod.ts'
import { defineBeacon, percentOf, roundedPercent } from '../../../sdk/mod.ts'

export default defineBeacon({
  name: 'swapusage',
  doc: 'Report when the usage of swap space reaches a percentage.',
  validate: (config) => (config.has('percent') ? undefined : 'Configuration for swapusage beacon requires percent.'),
  beacon: async ({ host }, config) => {
    const facts = decodeBytes(await host.read('/proc/meminfo'))
    const of = (name: string): number => Number(new RegExp(`^${name}: *(\\d+)`, 'm').exec(facts)?.[1] ?? 0)
    const usage = roundedPercent(of('SwapTotal') - of('SwapFree'), of('SwapTotal'))
    return usage >= percentOf(config.get('percent')!) ? [new Map([['swapusage', float(usage)]])] : []
  },
})
