// The report of a dry run about packages to install, with their versions.
import { type Dict, dictFrom, isDict, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { nestedText, type StateContext } from '../../../../sdk/mod.ts'
import { desiredName, type Report, report } from './provider.ts'
import type { InstallRequest, Targets } from './targets.ts'

const change = (fresh: Value, old: Value = ''): Dict => dictFrom({ new: fresh, old })

/** `old` and `new` by package; the word `installed` where no version is known. */
export async function installableVersions(
  ctx: StateContext,
  targets: Dict,
  { current = new Map(), refresh }: { current?: Dict; refresh: boolean },
): Promise<Dict> {
  const newest = [...targets].filter(([, version]) => !truthy(version)).map(([name]) => name)
  const exact = [...targets.keys()].filter((name) => !newest.includes(name))
  const versions: Dict = new Map()
  if (newest.length > 0) {
    const answer = await ctx.call('pkg.latest_version', newest, { refresh })
    if (isDict(answer)) for (const [name, version] of answer) versions.set(name, version)
    else versions.set(newest[0]!, answer)
  }
  if (exact.length > 0 && ctx.has('pkg.list_repo_pkgs')) {
    const names = exact.map((name) => desiredName(name, targets))
    const available = await ctx.call('pkg.list_repo_pkgs', names)
    for (const [name, list] of available) if (truthy(list)) versions.set(name, firstVersion(list))
  }
  const shown = (name: Value): Value => (truthy(versions.get(name) ?? null) ? versions.get(name)! : 'installed')
  return new Map([...targets.keys()].map((name) => [name, change(shown(name), current.get(name) ?? '')]))
}

const firstVersion = (list: Value): Value => (Array.isArray(list) ? (list as Value[])[0]! : (textOf(list)?.[0] ?? list))

export async function plannedReport(ctx: StateContext, request: InstallRequest, found: Targets): Promise<Report> {
  const { install, reinstall, unpurge } = found
  const comments: string[] = []
  const changes: Dict = new Map()
  const isFile = truthy(request.sources)
  if (install.size > 0) {
    const refresh = request.refresh && !found.refreshed
    const versions = isFile ? undefined : await installableVersions(ctx, install, { refresh })
    for (const name of install.keys()) changes.set(name, versions?.get(name) ?? change('installed'))
    comments.push(`The following packages would be installed/updated: ${[...install.keys()].join(', ')}`)
  }
  if (unpurge.length > 0) {
    comments.push(
      `The following packages would have their selection status changed from 'purge' to 'install': ${unpurge.join(', ')}`,
    )
    for (const name of unpurge) changes.set(name, change('installed'))
  }
  const shown = (name: Value): string => (isFile ? String(name) : desiredName(name, reinstall))
  if (reinstall.size > 0 && request.reinstall) {
    const names = [...reinstall.keys()].map(shown)
    for (const name of names) changes.set(name, change('installed'))
    comments.push(`The following packages would be reinstalled: ${names.join(', ')}`)
  } else {
    for (const name of reinstall.keys()) {
      comments.push(`Package '${shown(name)}' would be reinstalled because the following files have been altered:`)
      comments.push(nestedText(found.altered.get(name) ?? null))
      changes.set(name, new Map())
    }
  }
  return report(request.name, null, comments.join('\n'), changes)
}
