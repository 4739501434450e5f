// Ensures that a package source exists as wanted.
import { isFailure, splitLines, str, strip, truthy, type Value } from '../../../../data/mod.ts'
import { INTERNAL_KEYWORDS, isTrue, type StateContext, type StateReturn, textAt } from '../../../../sdk/mod.ts'
import { expandRepoDefinition } from '../sources/sources.ts'
import { differences, type Facts, factsOf, isConfigured } from './compare.ts'

export interface Managed {
  name: string
  ppa: Value
  copr: Value
  aptkey: Value
  kwargs: Map<string, Value>
}

/** The first fault of the arguments that ends the state at once. */
function fault(kwargs: Map<string, Value>): string | undefined {
  if (kwargs.has('repo')) {
    return "'repo' is not a supported argument for this state. The 'name' argument is probably what was intended."
  }
  const given = (name: string): boolean => (kwargs.get(name) ?? null) !== null
  if (given('enabled') && given('disabled')) return 'Only one of enabled/disabled is allowed'
  const insecure = str(kwargs.get('key_url') ?? '')
    .trim()
    .startsWith('http:')
  if (insecure && !truthy(kwargs.get('allow_insecure_key') ?? true)) {
    return "Cannot have 'key_url' using http with 'allow_insecure_key' set to True"
  }
  return undefined
}

interface Wanted {
  /** Name for the package manager. */
  repo: string
  options: Map<string, Value>
}

/** Return names and switches in the form of the system's package manager. */
function wantedOf(ctx: StateContext, { name, ppa, copr, kwargs }: Managed): Wanted {
  const os = str(ctx.grains.get('os_family') ?? '')
  const options = new Map([...kwargs].filter(([key]) => !['enabled', 'disabled', 'allow_insecure_key'].includes(key)))
  options.set('name', name)
  let repo = name
  const disabled = kwargs.get('disabled') ?? null
  const enabled = (kwargs.get('enabled') ?? null) === null && disabled === null ? true : (kwargs.get('enabled') ?? null)
  if (os === 'Debian') {
    if (ppa !== null) repo = `ppa:${str(ppa)}`
    options.set('disabled', enabled === null ? isTrue(disabled) : !isTrue(enabled))
  } else if (['RedHat', 'Suse', 'NILinuxRT', 'Poky'].includes(os)) {
    if (os === 'RedHat' && copr !== null) repo = `copr:${str(copr)}`
    if ((os === 'RedHat' || os === 'Suse') && options.has('humanname')) {
      options.set('name', options.get('humanname')!)
      options.delete('humanname')
    }
    options.set('enabled', disabled === null ? isTrue(enabled) : !isTrue(disabled))
  }
  for (const keyword of INTERNAL_KEYWORDS) options.delete(keyword)
  return { repo, options }
}

function expected(ctx: StateContext, { repo, options }: Wanted): Facts {
  if (ctx.grains.get('os_family') !== 'Debian') return options
  const system = { os: str(ctx.grains.get('os') ?? ''), codename: str(ctx.grains.get('oscodename') ?? '') }
  return expandRepoDefinition(repo, options, system)
}

/** Return whether a file that must hold this repository only holds more. */
async function hasOthers(ctx: StateContext, name: string, options: Map<string, Value>): Promise<boolean> {
  const file = options.get('file') ?? null
  if (!truthy(options.get('clean_file') ?? false) || !truthy(file)) return false
  const lines = splitLines((await textAt(ctx.host, str(file))) ?? '').map((line) => strip(line))
  return lines.some((line) => line !== '' && !line.startsWith('#') && line !== strip(name))
}

export async function managed(ctx: StateContext, given: Managed): Promise<StateReturn> {
  const { name, kwargs } = given
  const done = (result: boolean | null, comment: string, changes: Map<Value, Value> = new Map()): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  await ctx.module('pkg')
  if (!ctx.has('pkg.get_repo')) return done(false, 'Repo management not implemented on this platform')
  const problem = fault(kwargs)
  if (problem !== undefined) return done(false, problem)
  const wanted = wantedOf(ctx, given)
  const { repo, options } = wanted
  const read = async (): Promise<Facts> =>
    new Map(factsOf(await ctx.call('pkg.get_repo', [], new Map([...options, ['repo', repo as Value]]))))
  let present: Facts
  try {
    present = await read()
  } catch (error) {
    if (!isFailure(error)) throw error
    return done(false, `Failed to examine repo '${name}': ${error.message}`)
  }
  const facts = expected(ctx, wanted)
  if (present.size > 0 && !(await hasOthers(ctx, name, options))) {
    present.delete('file')
    facts.delete('file')
    if (isConfigured(ctx, facts, present, options)) return done(true, `Package repo '${name}' already configured`)
  }
  if (ctx.grains.get('os_family') === 'Debian') takeAddress(options, facts, present)
  if (ctx.test) {
    const comment = `Package repo '${name}' would be configured. This may cause pkg states to behave differently than stated if this action is repeated without test=True, due to the differences in the configured repositories.`
    return done(null, comment, present.size > 0 ? differences(facts.keys(), present, facts) : new Map([['repo', name]]))
  }
  if (truthy(options.get('clean_file') ?? false)) await ctx.host.write(str(options.get('file') ?? null), '')
  try {
    await configure(ctx, wanted, given.aptkey)
  } catch (error) {
    return done(false, `Failed to configure repo '${name}': ${messageOf(error)}`)
  }
  try {
    const now = await read()
    const changes = present.size > 0 ? differences(facts.keys(), present, now) : new Map<Value, Value>([['repo', repo]])
    if (changes.size > 0) ctx.memory.delete('pkg._avail')
    return done(true, `Configured package repo '${name}'`, changes)
  } catch (error) {
    return done(false, `Failed to confirm config of repo '${name}': ${messageOf(error)}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Another address than the present one is to be set too. */
function takeAddress(options: Map<string, Value>, facts: Facts, present: Facts): void {
  if (!options.has('uri') && present.has('uri') && present.get('uri') !== facts.get('uri')) {
    options.set('uri', facts.get('uri')!)
  }
  const uris = (facts.get('uris') ?? []) as Value[]
  const known = (present.get('uris') ?? []) as Value[]
  if (!options.has('uris') && present.has('uris') && uris.length > 0 && !known.includes(uris[0]!)) {
    options.set('uris', uris)
  }
}

async function configure(ctx: StateContext, { repo, options }: Wanted, aptkey: Value): Promise<void> {
  if (ctx.grains.get('os_family') !== 'Debian') await ctx.call('pkg.mod_repo', [repo], options)
  else {
    const useAptKey = truthy(aptkey) && (await ctx.host.which('apt-key')) !== undefined
    const call = new Map<string, Value>([...options, ['saltenv', ctx.env], ['aptkey', useAptKey]])
    await ctx.call('pkg.mod_repo', [repo], call)
  }
}
