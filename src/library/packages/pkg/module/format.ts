// Installed packages with their facts, in the shapes that `list_pkgs` answers.
import { type Dict, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

const FACTS = ['epoch', 'version', 'release', 'arch', 'install_date', 'install_date_time_t']

export function formatVersion(epoch: Value, version: Value, release: Value): string {
  const full = truthy(epoch) ? `${str(epoch)}:${str(version)}` : str(version)
  return truthy(release) ? `${full}-${str(release)}` : full
}

const factsOf = (attr: Value): string[] =>
  attr === 'all' ? FACTS : FACTS.filter((fact) => ['version', 'arch', ...(attr as Value[])].includes(fact))

async function nameAndArch(ctx: FunctionContext, name: Value): Promise<{ name: Value; arch: Value }> {
  if (!ctx.has('pkg.parse_arch')) return { name, arch: null }
  const parsed = await ctx.call('pkg.parse_arch', [name])
  return { name: parsed.get('name') ?? null, arch: parsed.get('arch') ?? null }
}

export async function formatPackages(
  ctx: FunctionContext,
  packages: Dict,
  versionsAsList: boolean,
  attr: Value,
): Promise<Dict> {
  const formatted: Dict = new Map()
  const installs = (list: Value): Dict[] => (list as Value[]).filter(isDict)
  if (!truthy(attr)) {
    for (const [name, list] of packages) {
      const fact = (install: Dict, key: string): Value => install.get(key) ?? null
      const versions = installs(list).map((one) =>
        formatVersion(fact(one, 'epoch'), fact(one, 'version'), fact(one, 'release')),
      )
      formatted.set(name, versionsAsList ? versions : versions.join(','))
    }
    return formatted
  }
  const wanted = factsOf(attr)
  for (const [name, list] of packages) {
    const own = await nameAndArch(ctx, name)
    const facts = installs(list).map((install) => new Map([...install].filter(([key]) => wanted.includes(str(key)))))
    const bare = truthy(own.name) && facts.some((install) => (install.get('arch') ?? null) === own.arch)
    const key = bare ? own.name : name
    formatted.set(key, [...((formatted.get(key) ?? []) as Value[]), ...facts])
  }
  return formatted
}
