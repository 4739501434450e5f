// Ensures that a package source is absent.
import { isDict, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { SourceLine } from '../sources/source-line.ts'
import { stripUri } from '../sources/sources.ts'

const isFailure = (error: unknown, ...codes: string[]): error is SaltError =>
  error instanceof SaltError && codes.includes(error.code)

/** A personal archive or a Copr repository by its own name. */
function nameOf(ctx: StateContext, name: string, kwargs: Map<string, Value>): string {
  const take = (option: 'ppa' | 'copr'): string => {
    const given = str(kwargs.get(option)!)
    kwargs.delete(option)
    return given.startsWith(`${option}:`) ? given : `${option}:${given}`
  }
  if (kwargs.has('ppa') && ['Ubuntu', 'Mint'].includes(str(ctx.grains.get('os') ?? ''))) return take('ppa')
  if (kwargs.has('copr') && 'RedHat'.includes(str(ctx.grains.get('os_family') ?? ''))) return take('copr')
  return name
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((one) => b.includes(one)) && b.every((one) => a.includes(one))

/** Return the matching entry; on Debian only one with the same architectures. */
async function findRepo(ctx: StateContext, definition: string, kwargs: Map<string, Value>): Promise<Value> {
  const repo = await ctx.call('pkg.get_repo', [definition], kwargs)
  if (!isDict(repo) || repo.size === 0 || ctx.grains.get('os_family') !== 'Debian') return repo
  if (definition.startsWith('ppa:')) return repo
  const here = ((repo.get('architectures') ?? []) as Value[]).map(str)
  return sameSet(new SourceLine(definition).architectures, here) ? repo : null
}

export async function absent(ctx: StateContext, given: string, options: Map<string, Value>): Promise<StateReturn> {
  const done = (result: boolean | null, comment: string, changes = new Map<Value, Value>()): StateReturn => ({
    name: given,
    changes,
    result,
    comment,
  })
  await ctx.module('pkg')
  const kwargs = new Map(options)
  const name = nameOf(ctx, given, kwargs)
  const dropKey = ['keyid', 'keyid_ppa'].some((option) => (kwargs.get(option) ?? null) !== null)
  if (dropKey && !ctx.has('pkg.del_repo_key')) {
    return done(false, 'Repo key management is not implemented for this platform')
  }
  const definition = ctx.grains.get('os_family') === 'Debian' ? stripUri(name) : name
  let repo: Value
  try {
    repo = await findRepo(ctx, definition, kwargs)
  } catch (error) {
    if (!isFailure(error, 'CommandExecutionError')) throw error
    return done(false, `Failed to configure repo '${name}': ${error.message}`)
  }
  if (!truthy(repo)) return done(true, `Package repo ${name} is absent`)
  if (ctx.test) {
    return done(
      null,
      `Package repo '${name}' will be removed. This may cause pkg states to behave differently than stated if this action is repeated without test=True, due to the differences in the configured repositories.`,
    )
  }
  try {
    await ctx.call('pkg.del_repo', [], new Map<string, Value>([...kwargs, ['repo', definition]]))
  } catch (error) {
    if (!isFailure(error, 'CommandExecutionError', 'SaltInvocationError')) throw error
    return done(false, error.message)
  }
  if ((await ctx.call('pkg.list_repos')).has(definition)) {
    return done(false, `Failed to remove repo ${name}`)
  }
  const changes = new Map<Value, Value>([['repo', name]])
  if (!dropKey) return done(true, `Removed repo ${name}`, changes)
  try {
    const keyid = await ctx.call('pkg.del_repo_key', [definition], kwargs)
    return done(true, `Removed repo ${name}, and keyid ${str(keyid)}`, changes.set('keyid', keyid))
  } catch (error) {
    if (!isFailure(error, 'CommandExecutionError', 'SaltInvocationError')) throw error
    return done(false, `Removed repo ${name}, but failed to remove key: ${error.message}`, changes)
  }
}
