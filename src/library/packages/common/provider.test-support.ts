// A provider of `pkg` on a machine with recorded commands, with `pkg_resource` and other modules.
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, type ModuleDeclaration, scripted, type Trial, tryFunction } from '../../../sdk/mod.ts'
import pkgResource from '../pkg/module.ts'

interface Machine {
  grains: Record<string, Plain>
  recorded: Parameters<typeof scripted>[0]
  files?: NonNullable<Parameters<typeof MemoryHost.with>[0]['files']>
  env?: Record<string, string>
  commands?: NonNullable<Parameters<typeof MemoryHost.with>[0]['commands']>
  /** Further modules by name. */
  beside?: Record<string, ModuleDeclaration>
  opts?: Record<string, Plain>
}

const functionsOf = (module: ModuleDeclaration): string[] => Object.keys(module.functions)

export async function provider(module: ModuleDeclaration, machine: Machine) {
  const { files = {}, env = {}, commands = [] } = machine
  const host = await MemoryHost.with({ files, env, commands })
  const script = scripted(machine.recorded)
  const memory = new Map<Value, Value>()
  const others: Record<string, NonNullable<Trial['others']>[string]> = {
    ...script.others,
    'config.valid_fileproto': ([url]) => /^(?:salt|https?|ftp):\/\//.test(String(url)),
    'config.get': ([, fallback]) => fallback!,
  }
  const trial: Trial = {
    host,
    others,
    grains: fromPlain(machine.grains) as Map<Value, Value>,
    opts: fromPlain({ test: false, ...machine.opts }) as Map<Value, Value>,
    context: { memory },
  }
  const all = { pkg: module, pkg_resource: pkgResource, ...machine.beside }
  for (const [name, one] of Object.entries(all)) {
    for (const fun of functionsOf(one)) {
      others[`${name}.${fun}`] = (args: readonly Value[], kwargs: Keywords) =>
        tryFunction(one, fun, { ...trial, args, kwargs })
    }
  }
  const call = async (fun: string, args: readonly Plain[] = [], kwargs: Record<string, Plain> = {}): Promise<Plain> => {
    memory.delete('pkg.list_pkgs')
    script.ran.length = 0
    const words = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
    return toPlain(await tryFunction(module, fun, { ...trial, args: args.map((one) => fromPlain(one)), kwargs: words }))
  }
  return { call, ran: script.ran, host }
}
