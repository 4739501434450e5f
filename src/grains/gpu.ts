// Graphics adapters by vendor and model.
import { type Dict, dictFrom } from '../data/mod.ts'
import type { Machine } from './machine.ts'

const VENDORS = ['nvidia', 'amd', 'ati', 'intel', 'cirrus logic', 'vmware', 'matrox', 'aspeed']
const CLASSES = new Set(['3d controller', 'display controller', 'processing accelerators', 'vga compatible controller'])

interface Adapter {
  vendor: string
  model: string
}

export function gpuGrains(adapters: readonly Adapter[]): Dict {
  return dictFrom({ num_gpus: adapters.length, gpus: adapters.map(({ vendor, model }) => dictFrom({ vendor, model })) })
}

/** Empty if `enable_lspci` or `enable_gpu_grains` is False, or lspci is missing. */
export async function linuxGpus(machine: Machine, opts: Dict): Promise<Adapter[]> {
  if (opts.get('enable_lspci') === false || opts.get('enable_gpu_grains') === false) return []
  const lspci = await machine.which('lspci')
  return lspci === undefined ? [] : parseLspci(await machine.output(lspci, '-vmm'))
}

/** Records of `Name:	value` lines with a blank line after each. */
export function parseLspci(listing: string): Adapter[] {
  return listing.split(/\n\n+/).flatMap((record) => {
    const fields = new Map<string, string>()
    for (const line of record.split('\n')) {
      const match = /^(\w+):\s+(.*)/.exec(line)
      if (match) fields.set(match[1]!, match[2]!.trim())
    }
    if (!CLASSES.has((fields.get('Class') ?? '').toLowerCase())) return []
    const words = (fields.get('Vendor') ?? '').toLowerCase().split(/[^a-z0-9]/)
    return [{ vendor: VENDORS.find((name) => words.includes(name)) ?? 'unknown', model: fields.get('Device') ?? '' }]
  })
}

/** Parse the output of macOS' `system_profiler SPDisplaysDataType`. */
export function parseDisplays(profile: string): Adapter[] {
  return profile.split('\n').flatMap((line) => {
    const match = /^\s*Chipset Model: (\S*) ?(.*)/.exec(line)
    return match ? [{ vendor: match[1]!.toLowerCase(), model: match[2]! }] : []
  })
}
