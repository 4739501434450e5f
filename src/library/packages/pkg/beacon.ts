// Events about packages that are installed, removed or upgradable.
import { type Dict, dictFrom, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { defineBeacon } from '../../../sdk/mod.ts'

export default defineBeacon({
  name: 'pkg',
  doc: 'Fire events when the state of packages changes.',
  when: (ctx) => ctx.has('pkg.upgrade_available') || 'pkg.upgrade_available is missing.',
  validate: (config) =>
    isList(config.get('pkgs') ?? null) ? undefined : 'Configuration for pkg beacon requires list of pkgs.',
  beacon: async ({ call, memory }, config) => {
    const events: Dict[] = []
    const refresh = truthy(config.get('refresh') ?? false)
    for (const name of config.get('pkgs') as Value[]) {
      const installed = await call('pkg.version', [name], { use_context: false })
      const latest = truthy(installed) ? await call('pkg.latest_version', [name], { refresh }) : ''
      const status = !truthy(installed) ? 'not-installed' : truthy(latest) ? 'upgrade' : 'installed'
      const version = !truthy(installed) ? null : truthy(latest) ? latest : installed
      const before = memory.get(str(name))
      memory.set(str(name), status)
      if (before === undefined || before === status) continue
      events.push(dictFrom({ pkg: name, version, status }))
    }
    return events
  },
})
