// All installed packages, with one query of rpm.
import { type Dict, dictFrom, splitLines, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf } from '../../../../sdk/mod.ts'
import { parsePackage, QUERYFORMAT } from './package.ts'

/** Installed packages with the facts of each version, lowest first. */
export async function queryInstalled(ctx: FunctionContext, options: readonly string[]): Promise<Dict> {
  const format = `${QUERYFORMAT.replace('%{REPOID}', '(none)')}\n`
  const query = ['rpm', ...options, '--queryformat', format]
  const output = await outputOf(ctx, query, { output_loglevel: 'trace' })
  const osarch = str(ctx.grains.get('osarch') ?? '')
  const packages: Dict = new Map()
  for (const line of splitLines(output)) {
    const found = parsePackage(line, osarch)
    if (!found) continue
    const [, epoch = null, version, release = null] = /^(?:(.*?):)?([^-]*)(?:-(.*))?$/.exec(found.version)!
    const { arch, install_date, install_date_time_t } = found
    const facts = { epoch, version: version!, release, arch, install_date, install_date_time_t }
    const list = (packages.get(found.name) ?? []) as Value[]
    packages.set(found.name, [...list, dictFrom(facts)])
  }
  const versionIn = (facts: Value): string => str((facts as Dict).get('version')!)
  for (const list of packages.values()) {
    ;(list as Value[]).sort((a, b) => (versionIn(a) < versionIn(b) ? -1 : versionIn(a) > versionIn(b) ? 1 : 0))
  }
  return packages
}
