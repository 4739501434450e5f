// Usage of file systems above a limit. Mount points are regular expressions.
import { compileRegex, type Dict, decodeBytes, dictFrom, float, str } from '../../../data/mod.ts'
import {
  type BeaconContext,
  defineBeacon,
  isHostError,
  ownOptions,
  percentOf,
  roundedPercent,
} from '../../../sdk/mod.ts'

async function mountPoints(ctx: BeaconContext): Promise<string[]> {
  const lines = decodeBytes(await ctx.host.read('/proc/self/mounts'))
    .trim()
    .split('\n')
  const decoded = (text: string): string =>
    text.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)))
  return lines.map((line) => decoded(line.split(' ')[1] ?? ''))
}

async function usageOf(ctx: BeaconContext, mount: string): Promise<number | undefined> {
  try {
    const { blocks, free, available } = await ctx.host.fileSystem(mount)
    const used = blocks - free
    return roundedPercent(used, used + available)
  } catch (error) {
    if (!isHostError(error)) throw error
    ctx.log('warning', `${mount} is not a valid mount point.`)
    return undefined
  }
}

export default defineBeacon({
  name: 'diskusage',
  doc: 'Report file systems whose usage reaches a percentage.',
  validate: () => undefined,
  beacon: async (ctx, config) => {
    const mounts = await mountPoints(ctx)
    const reports: Dict[] = []
    for (const [pattern, limit] of ownOptions(config)) {
      const text = str(pattern)
      const expression = compileRegex(text.endsWith('$') ? text : `${text}$`)
      for (const mount of mounts.filter((path) => expression.match(path))) {
        const usage = await usageOf(ctx, mount)
        if (usage === undefined || usage < percentOf(limit)) continue
        reports.push(dictFrom({ diskusage: float(usage), mount }))
      }
    }
    return reports
  },
})
