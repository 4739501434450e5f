// Preparations of the states of containers: networks in one form, and an image that exists.
import { type Dict, failure, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { answered, namesOf, repacked } from './report.ts'

/** Return networks by name, each with its settings; a network that does not exist is an error. */
export async function parseNetworks(ctx: StateContext, given: Value): Promise<Dict> {
  const named =
    typeof given === 'string' ? new Map(namesOf(given).map((name): [Value, Value] => [name, null])) : repacked(given)
  if (truthy(given) && named.size === 0) throw failure('Invalid network configuration (see documentation)')
  const networks: Dict = new Map()
  for (const [name, settings] of named) {
    const parts = settings === null ? new Map<Value, Value>() : repacked(settings)
    if (settings !== null && parts.size === 0) {
      throw failure(`Invalid configuration for network '${str(name)}' (see documentation)`)
    }
    for (const [key, value] of parts) {
      if (value === null) throw failure(`Config option '${str(key)}' for network '${str(name)}' is missing a value`)
    }
    networks.set(name, parts)
  }
  if (networks.size === 0) return networks
  const known = (await ctx.call('docker.networks')).map((network) => network.get('Name'))
  const missing = [...networks.keys()].map((name) => str(name)).filter((name) => !known.includes(name))
  if (missing.length > 0) throw failure(`The following networks are not present: ${missing.sort().join(', ')}`)
  return networks
}

/** Return the ID of an image, which is pulled if missing; false in a dry run that would pull it. */
export async function resolveImage(ctx: StateContext, image: string, changes: Record<string, Value>): Promise<Value> {
  const id = await ctx.call('docker.resolve_image_id', [image])
  if (id !== false || ctx.test) return id
  const pulled = await answered(() => ctx.call('docker.pull', [image]))
  if ('refusal' in pulled) throw failure(`Failed to pull ${image}: ${pulled.refusal}`)
  changes['image'] = pulled.value
  const now = await ctx.call('docker.resolve_image_id', [image])
  if (now === false) throw failure(`Image '${image}' not present despite a docker pull raising no errors`)
  return now
}

export const settingsOf = (networks: Dict, name: Value): Record<string, Value> => {
  const settings = networks.get(name) ?? null
  return isDict(settings) ? Object.fromEntries([...settings].map(([key, value]) => [str(key), value])) : {}
}
