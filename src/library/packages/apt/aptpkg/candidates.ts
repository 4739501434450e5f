// Available packages: candidates of the policy of apt, versions in the repositories, and upgrades.
import { type Dict, failure, splitWords, str, type Value, versionHolds } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { callApt } from './call.ts'
import { listPackages } from './installed.ts'
import { orderOf } from './versions.ts'

/** Return the candidates of `apt-cache policy` by name; empty for a package without a candidate. */
async function policy(ctx: FunctionContext, names: readonly string[], fromrepo: Value): Promise<Map<string, string>> {
  const release = fromrepo === null || fromrepo === '' ? [] : ['-o', `APT::Default-Release=${str(fromrepo)}`]
  const { stdout } = await callApt(ctx, ['apt-cache', '-q', 'policy', ...names, ...release], { scope: false })
  const short = names.map((name) => name.split(':', 1)[0])
  const candidates = new Map<string, string>()
  let current: string | undefined
  for (const raw of stdout.split('\n')) {
    const line = raw.trim()
    if (line.endsWith(':') && !line.startsWith('Version table')) {
      const name = line.slice(0, -1)
      if (names.includes(name) || short.includes(name.split(':', 1)[0])) current = name
    } else if (line.startsWith('Candidate') && current !== undefined) {
      const candidate = splitWords(line).slice(1).at(-1) ?? ''
      candidates.set(current, candidate.toLowerCase() === '(none)' ? '' : candidate)
    }
  }
  return candidates
}

export interface Newest {
  /** Newer versions by name; empty for none. */
  versions: Map<string, string>
  /** Names that apt knows, with foreign architectures. */
  names: string[]
}

/** Return newer versions than the installed ones. */
export async function newestVersions(
  ctx: FunctionContext,
  wanted: readonly string[],
  { fromrepo = null, showInstalled = false }: { fromrepo?: Value; showInstalled?: boolean } = {},
): Promise<Newest> {
  const installed = await listPackages(ctx)
  const candidates = await policy(ctx, wanted, fromrepo)
  const newest = new Map<string, string>(wanted.map((name) => [name, '']))
  const names = wanted.flatMap((name) => {
    const foreign = [...candidates.keys()].filter((candidate) => candidate.startsWith(`${name}:`))
    return candidates.has(name) ? [name] : foreign
  })
  for (const name of names) {
    const candidate = candidates.get(name) ?? ''
    const present = installed.get(name) ?? []
    const isOld = candidate !== '' && !present.some((version) => versionHolds(version, '>=', candidate, orderOf()))
    newest.set(name, present.length === 0 || showInstalled || isOld ? candidate : '')
  }
  return { versions: newest, names }
}

/** Return all versions in the repositories by name, newest first. */
export async function sourceVersions(ctx: FunctionContext, names: readonly string[]): Promise<Map<string, string[]>> {
  const words = names.length > 0 ? ['show', ...names] : ['dump']
  const { stdout } = await callApt(ctx, ['apt-cache', ...words], { scope: false, options: { ignore_retcode: true } })
  const versions = new Map<string, string[]>()
  let current: string | undefined
  for (const line of stdout.split('\n')) {
    const name = /^Package: (.+)/.exec(line)?.[1]
    if (name !== undefined) current = name
    const version = /^Version:\s+(.*\S)/.exec(line.trim())?.[1]
    if (version !== undefined && current !== undefined) {
      versions.set(current, [...(versions.get(current) ?? []), version])
    }
  }
  return versions
}

/** Return the versions after an upgrade by name. */
export async function upgrades(ctx: FunctionContext, distUpgrade: boolean, fromrepo: Value | undefined): Promise<Dict> {
  const release = fromrepo === undefined ? [] : ['-o', `APT::Default-Release=${str(fromrepo)}`]
  const call = await callApt(ctx, ['apt-get', '--just-print', distUpgrade ? 'dist-upgrade' : 'upgrade', ...release])
  if (call.retcode !== 0) {
    const said = [call.stderr, call.stdout].find(Boolean)
    const message = said === undefined ? 'Failed to get upgrades' : `Failed to get upgrades: ${said}`
    throw failure(message)
  }
  return new Map([...call.stdout.matchAll(/^Conf ([^ ]+) \(([^ ]+)/gm)].map(([, name, version]) => [name!, version!]))
}
