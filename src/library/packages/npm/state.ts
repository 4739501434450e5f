// Packages of Node that npm installs and removes.
import { type Dict, isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const user = optional('Whom npm runs as')
const dir = optional('The directory; the whole machine without one')

/** The answer, or what Salt's modules complained about. */
async function attempt(action: () => Value | Promise<Value>): Promise<{ value: Value } | { complaint: string }> {
  try {
    return { value: await action() }
  } catch (error) {
    if (error instanceof SaltError) return { complaint: error.message }
    throw error
  }
}

interface Wanted {
  name: string
  pkgs: Value
  dir: Value
  user: Value
  force_reinstall: Value
  registry: Value
  env: Value
}

/** `name@version` of an installed package that does, undefined for one that must be installed. */
function satisfying(wish: string, installed: Dict): string | undefined {
  const [, name = '', version] = /^(@?[^@\s]+)(?:@(\S+))?/.exec(wish) ?? []
  const entry = installed.get(name)
  const found = isDict(entry ?? null) ? (entry as Dict).get('version') : undefined
  if (found === undefined || (version !== undefined && version !== found)) return undefined
  return `${name}@${str(found)}`
}

async function installed(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name, dir, user, env, registry } = wanted
  const wishes = truthy(wanted.pkgs) ? (wanted.pkgs as Value[]).map((wish) => str(wish)) : [name]
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const listed = await attempt(() => ctx.call('npm.list', [], { dir, runas: user, env, depth: 0 }))
  if ('complaint' in listed) return report(false, `Error looking up '${name}': ${listed.complaint}`)
  const missing: string[] = []
  const there: string[] = []
  for (const wish of wishes) {
    const found = wanted.force_reinstall === true ? undefined : satisfying(wish, listed.value as Dict)
    if (found === undefined) missing.push(wish)
    else there.push(found)
  }
  const satisfied = `Package(s) '${wishes.join(', ')}' satisfied by ${there.join(', ')}`
  const changes = missing.length > 0 ? { old: [], new: missing } : {}
  if (ctx.test) {
    const comments = missing.length > 0 ? [`NPM package(s) '${missing.join(', ')}' are set to be installed`] : []
    if (there.length > 0) comments.push(satisfied)
    return report(there.length > 0 ? true : null, comments.join('. '), changes)
  }
  if (missing.length === 0) return report(true, satisfied)
  const options = { dir, runas: user, registry, env, pkgs: wishes }
  const outcome = await attempt(() => ctx.call('npm.install', [], options))
  if ('complaint' in outcome) return report(false, `Error installing '${wishes.join(', ')}': ${outcome.complaint}`)
  return report(true, `Package(s) '${missing.join(', ')}' successfully installed`, changes)
}

async function removed(ctx: StateContext, name: string, dir: Value, user: Value): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const listed = await attempt(() => ctx.call('npm.list', [], { dir, depth: 0 }))
  if ('complaint' in listed) return report(false, `Error uninstalling '${name}': ${listed.complaint}`)
  if (!(listed.value as Dict).has(name)) return report(true, `Package '${name}' is not installed`)
  if (ctx.test) return report(null, `Package '${name}' is set to be removed`)
  if (!truthy(await ctx.call('npm.uninstall', [], { pkg: name, dir, runas: user }))) {
    return report(false, `Error removing package '${name}'`)
  }
  return report(true, `Package '${name}' was successfully removed`, { [name]: 'Removed' })
}

async function bootstrap(ctx: StateContext, name: string, user: Value, silent: boolean): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes: StateReturn['changes'] = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const options = { dir: name, runas: user, pkg: null, silent, ...(ctx.test && { dry_run: true }) }
  const outcome = await attempt(() => ctx.call('npm.install', [], options))
  if ('complaint' in outcome) return report(false, `Error Bootstrapping '${name}': ${outcome.complaint}`)
  const { value } = outcome
  if (ctx.test) {
    if (!truthy(value)) return report(true, `${name} is already bootstrapped`)
    return report(null, `${name} is set to be bootstrapped`, { old: [], new: value })
  }
  if (!truthy(value)) return report(true, 'Directory is already bootstrapped')
  if (typeof value === 'string') return report(false, 'Could not bootstrap directory', value)
  return report(true, 'Directory was successfully bootstrapped', { [name]: 'Bootstrapped' })
}

async function cacheCleaned(ctx: StateContext, name: Value, user: Value, force: boolean): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const what = truthy(name) ? str(name) : 'packages'
  const cached = await attempt(() => ctx.call('npm.cache_list', [], { path: name, runas: user }))
  if ('complaint' in cached) return report(false, `Error looking up cached ${what}: ${cached.complaint}`)
  if (truthy(name)) {
    const root = str(await ctx.call('npm.cache_list', [], { path: null, runas: user }))[0] ?? ''
    const known = str(cached.value).includes(`${root}/${what}/`)
    if (!known) return report(true, `Package ${what} is not in the cache`)
  }
  if (ctx.test) return report(null, `Cached ${what} set to be removed`)
  const options = { path: name, runas: user, ...(force && { force }) }
  if (!truthy(await ctx.call('npm.cache_clean', [], options))) return report(false, `Error cleaning cached ${what}`)
  return report(true, `Cached ${what} successfully removed`, { [truthy(name) ? what : 'cache']: 'Removed' })
}

export default defineState({
  name: 'npm',
  doc: 'Keep packages of Node.',
  when: async ({ host }) => (await host.which('npm')) !== undefined || "'npm' binary not found on system",
  functions: {
    installed: state({
      doc: 'Packages are installed.',
      args: {
        name: arg.any('A package, with @ and its version'),
        pkgs: optional('Several of them'),
        dir,
        user,
        force_reinstall: arg.any('Whether installed ones are installed anew', { default: false }),
        registry: optional('The registry'),
        env: optional('Variables of the environment'),
      },
      run: (ctx, wanted) => installed(ctx, wanted as Wanted),
    }),
    removed: state({
      doc: 'A package is not installed.',
      args: { name: arg.text('The package'), dir, user },
      run: (ctx, { name, dir, user }) => removed(ctx, name, dir, user),
    }),
    bootstrap: state({
      doc: 'What the package.json of a directory lists is installed.',
      args: { name: arg.text('The directory'), user, silent: arg.flag('Whether npm keeps quiet', { default: true }) },
      run: (ctx, { name, user, silent }) => bootstrap(ctx, name, user, silent),
    }),
    cache_cleaned: state({
      doc: 'The cache is empty.',
      args: {
        name: optional('Only this part of it'),
        user,
        force: arg.flag('Whether npm does it', { default: false }),
      },
      run: (ctx, { name, user, force }) => cacheCleaned(ctx, name, user, force),
    }),
  },
})
