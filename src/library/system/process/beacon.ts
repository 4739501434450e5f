// Whether processes run, by name.
import { type Dict, decodeBytes, isDict, str, type Value } from '../../../data/mod.ts'
import { type BeaconContext, defineBeacon, dictOption, isHostError } from '../../../sdk/mod.ts'

/** Maximum length of a process name in the kernel. */
const COMM_LENGTH = 15

function validate(config: Dict): string | undefined {
  if (!config.has('processes')) return 'Configuration for ps beacon requires processes.'
  return isDict(config.get('processes')!) ? undefined : 'Processes for ps beacon must be a dictionary.'
}

async function nameOf(ctx: BeaconContext, pid: string): Promise<string | undefined> {
  try {
    const name = decodeBytes(await ctx.host.read(`/proc/${pid}/comm`)).trimEnd()
    if (name.length < COMM_LENGTH) return name
    const program = decodeBytes(await ctx.host.read(`/proc/${pid}/cmdline`)).split('\0')[0] ?? ''
    const full = program.slice(program.lastIndexOf('/') + 1)
    return full.startsWith(name) ? full : name
  } catch (error) {
    // the process has ended
    if (isHostError(error)) return undefined
    throw error
  }
}

async function processNames(ctx: BeaconContext): Promise<Set<string | undefined>> {
  const pids = (await ctx.host.list('/proc')).filter((name) => /^\d+$/.test(name))
  return new Set(await Promise.all(pids.map((pid) => nameOf(ctx, pid))))
}

export default defineBeacon({
  name: 'ps',
  doc: 'Report processes that run, or do not run.',
  validate,
  beacon: async (ctx, config) => {
    const names = await processNames(ctx)
    const reports: Dict[] = []
    for (const [key, wanted] of dictOption(config, 'processes')) {
      const runs = names.has(str(key))
      const report = (state: Value): number => reports.push(new Map([[key, state]]))
      if (wanted === 'running') {
        if (runs) report('Running')
      } else if (!runs) report(wanted === 'stopped' ? 'Stopped' : false)
    }
    return reports
  },
})
