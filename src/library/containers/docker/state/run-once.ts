// A container that runs to its end, as a state.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { parseNetworks, resolveImage } from './prepare.ts'
import { answered, type Given, report } from './report.ts'

const UNSUPPORTED = ['watch_action', 'start', 'shutdown_timeout', 'follow']

export async function runOnce(ctx: StateContext, given: Given, options: Map<string, Value>): Promise<StateReturn> {
  const { name = null, image = null, bg = null, replace = null, force = null } = given
  const refused = UNSUPPORTED.find((option) => options.has(option))
  if (refused !== undefined) return report(name, false, `The '${refused}' argument is not supported`)
  if (image === null) return report(name, false, "The 'image' argument is required")
  const changes: Record<string, Value> = {}
  const prepared = await answered(async () => {
    const networks = await parseNetworks(ctx, given['networks'] ?? null)
    await resolveImage(ctx, str(image), changes)
    return networks
  })
  if ('refusal' in prepared) return report(name, false, prepared.refusal, changes)
  if (ctx.test) return report(name, null, `Container would be run${truthy(bg) ? ' in the background' : ''}`, changes)
  const wanted = Object.fromEntries([...options].filter(([key]) => key !== 'auto_remove' && key !== 'rm'))
  const cleans = !truthy(bg) && truthy(options.get('auto_remove') ?? options.get('rm') ?? null)
  const keywords = { ...wanted, name, bg, replace, force, networks: prepared.value }
  const outcome = await answered(() => ctx.call('docker.run_container', [image], keywords))
  if ('refusal' in outcome)
    return report(name, false, `Encountered error running container: ${outcome.refusal}`, changes)
  const run = outcome.value as Dict
  if (cleans) await ctx.call('docker.rm', [run.get('Id')!])
  if (truthy(bg)) return report(name, true, 'Container was run in the background', run)
  const code = run.get('ExitCode') ?? null
  const failed = truthy(given['failhard']!) && code !== 0
  return report(name, !failed, `Container ran and exited with a return code of ${str(code)}`, run)
}
