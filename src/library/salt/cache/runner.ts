// The data that the master caches: grains, pillar and mine of minions, and banks of other data.
import { compareText, type Dict, fnmatch, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option, type Result } from '../../../sdk/mod.ts'
import { migrate } from './migrate.ts'

type Kind = 'grains' | 'pillar' | 'mine'

/** Return the cached data of each targeted minion; without a target, of each minion with cached grains. */
function cached(ctx: MasterContext, kind: Kind, tgt: Value, tgt_type: string): Dict {
  const bank = ctx.cache.bank(kind)
  const known = (id: string): Dict => {
    const value = bank.fetch(id)
    return value !== undefined && isDict(value) ? value : new Map()
  }
  const ids = tgt === null ? ctx.cache.bank('grains').list() : ctx.targets(tgt, tgt_type).minions
  const all = ids.map((id): [Value, Dict] => [id, known(id)])
  return new Map(tgt === null && kind === 'pillar' ? all.filter(([, value]) => value.size > 0) : all)
}

function clear(ctx: MasterContext, tgt: Value, tgt_type: string, kinds: readonly Kind[]): boolean {
  const minions = tgt === null ? [] : ctx.targets(tgt, tgt_type).minions
  for (const id of minions) for (const kind of kinds) ctx.cache.bank(kind).flush(id)
  return true
}

function clearFunction(ctx: MasterContext, tgt: Value, tgt_type: string, name: string | null): boolean {
  if (name === null) return false
  if (tgt === null) return true
  const bank = ctx.cache.bank('mine')
  for (const id of ctx.targets(tgt, tgt_type).minions) {
    const mine = bank.fetch(id)
    if (mine === undefined || !isDict(mine) || !mine.has(name)) continue
    bank.store(id, new Map([...mine].filter(([key]) => key !== name)))
  }
  return true
}

const LOCKS = ['update', 'checkout', 'mountpoint'] as const

async function clearGitLocks(
  ctx: MasterContext,
  role: string,
  remote: string | null,
  kwargs: ReadonlyMap<string, Value>,
): Promise<Result> {
  const unknown = [...kwargs].filter(([name]) => name !== 'type' && !name.startsWith('__'))
  const type = kwargs.get('type') ?? [...LOCKS]
  if (unknown.length > 0) {
    const shown = unknown.map(([name, value]) => `${name}=${str(value)}`).join(', ')
    throw misuse(`The following keyword arguments are not valid: ${shown}`)
  }
  const words = (isList(type) ? type.map(str) : str(type).split(',')).map((word) => word.trim())
  const types = LOCKS.filter((known) => words.includes(known))
  const cleared = await lockClearing(ctx, role)(types, remote)
  return cleared.length === 0 ? 'No locks were removed' : new Map([['cleared', cleared]])
}

type Clearing = (types: ReadonlyArray<(typeof LOCKS)[number]>, pattern: string | null) => string[] | Promise<string[]>

function lockClearing(ctx: MasterContext, role: string): Clearing {
  if (role === 'git_pillar' || role === 'winrepo') return (types, pattern) => ctx.clearGitLocks(role, types, pattern)
  if (role !== 'gitfs') throw misuse(`Invalid role '${role}'`)
  const locks = ctx.fileServer.backends('gitfs').flatMap((backend) => backend.locks?.() ?? [])
  return (types, pattern) => locks.flatMap((lock) => types.flatMap((type) => lock.clear(pattern, type)))
}

/**
 * Return a bank by its name. User tokens are in `tokens`: write access there gives the identity of any user, so the
 * right to call these functions does not include it.
 */
function bankOf(ctx: MasterContext, name: string): ReturnType<MasterContext['cache']['bank']> {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length === 0 || parts.includes('..')) throw misuse(`'${name}' cannot be the name of a bank`)
  if (parts[0] === 'tokens')
    throw misuse("The bank 'tokens' has the logins of users, which this function does not touch")
  return ctx.cache.bank(parts.join('/'))
}

const target = 'Target: text, or a list of minion ids'
const required = { tgt: arg.any(target), tgt_type: arg.text('Kind of the target', { default: 'glob' }) }
const optional = { ...required, tgt: arg.any(target, { optional: true }) }
const bank = arg.text('Bank, such as `cloud/active`')
const key = arg.text('Key in the bank')
const cachedir = arg.text('Ignored', { optional: true })
const further = arg.open('Ignored')

const clearing = (doc: string, kinds: readonly Kind[]) =>
  masterFn({ doc, args: optional, run: (ctx, { tgt, tgt_type }) => clear(ctx, tgt, tgt_type, kinds) })

export default defineRunner({
  name: 'cache',
  doc: 'Read and clear the data that the master caches.',
  functions: {
    grains: masterFn({
      doc: 'Return the cached grains of minions.',
      args: { ...required, kwargs: further },
      examples: ["salt-run cache.grains '*'"],
      run: (ctx, { tgt, tgt_type }) => cached(ctx, 'grains', tgt, tgt_type),
    }),
    pillar: masterFn({
      doc: 'Return the cached pillar of minions.',
      args: { ...optional, kwargs: further },
      examples: ["salt-run cache.pillar tgt='*'"],
      run: (ctx, { tgt, tgt_type }) => cached(ctx, 'pillar', tgt, tgt_type),
    }),
    mine: masterFn({
      doc: 'Return the cached mine data of minions.',
      args: { ...optional, kwargs: further },
      examples: ["salt-run cache.mine tgt='*'"],
      run: (ctx, { tgt, tgt_type }) => cached(ctx, 'mine', tgt, tgt_type),
    }),
    clear_pillar: clearing('Clear the cached pillar of minions.', ['pillar']),
    clear_grains: clearing('Clear the cached grains of minions.', ['grains']),
    clear_mine: clearing('Clear the cached mine data of minions.', ['mine']),
    clear_mine_func: masterFn({
      doc: 'Clear one function of the cached mine data of minions.',
      args: { ...optional, clear_mine_func_flag: arg.text('Function', { optional: true }) },
      examples: ["salt-run cache.clear_mine_func tgt='*' clear_mine_func_flag='network.interfaces'"],
      run: (ctx, { tgt, tgt_type, clear_mine_func_flag }) => clearFunction(ctx, tgt, tgt_type, clear_mine_func_flag),
    }),
    clear_all: clearing('Clear the cached grains, pillar and mine data of minions.', ['pillar', 'grains', 'mine']),
    clear_git_lock: masterFn({
      doc: 'Remove the lock files of Git remotes. Return what was removed.',
      args: {
        role: arg.text('Role: gitfs, git_pillar or winrepo'),
        remote: arg.text('Glob of URLs. Default: all', { optional: true }),
        kwargs: arg.open('`type`: kinds of locks, as a list or with commas: update, checkout, mountpoint'),
      },
      examples: [
        'salt-run cache.clear_git_lock gitfs',
        'salt-run cache.clear_git_lock git_pillar type=update,checkout',
      ],
      run: (ctx, { role, remote, kwargs }) => clearGitLocks(ctx, role, remote, kwargs),
    }),
    cloud: masterFn({
      doc: 'Return the cached cloud machines.',
      args: { tgt: arg.text('Glob of names'), provider: arg.text('Provider. Default: all', { optional: true }) },
      examples: ["salt-run cache.cloud 'web*'"],
      run: (ctx, { tgt, provider }) => {
        const known = ctx.cache.bank('cloud/active')
        const wanted = known.list().filter((name) => fnmatch(name, tgt))
        const machines = wanted.map((name): [Value, Value] => [name, known.fetch(name) ?? null])
        const isOf = (machine: Value): boolean =>
          provider === null || (isDict(machine) && machine.get('provider') === provider)
        return new Map(machines.filter(([, machine]) => isOf(machine)))
      },
    }),
    store: masterFn({
      doc: 'Store a value under a key of a bank.',
      args: { bank, key, data: arg.any('Value of any type'), cachedir },
      examples: ["salt-run cache.store mycache mykey 'The time has come the walrus said'"],
      run: (ctx, { bank, key, data }) => {
        bankOf(ctx, bank).store(key, data)
        return null
      },
    }),
    list: masterFn({
      doc: 'Return the keys of a bank.',
      args: { bank, cachedir },
      examples: ['salt-run cache.list cloud/active/ec2/myec2'],
      run: (ctx, { bank }) => bankOf(ctx, bank).list().sort(compareText),
    }),
    fetch: masterFn({
      doc: 'Return the value of a key of a bank.',
      args: { bank, key, cachedir },
      examples: ['salt-run cache.fetch cloud/active/ec2/myec2 myminion'],
      run: (ctx, { bank, key }) => bankOf(ctx, bank).fetch(key) ?? new Map(),
    }),
    migrate: masterFn({
      doc: 'Copy the values of all banks from one driver of the cache to another. Return how many there are.',
      args: {
        src_driver: arg.text('Driver that has the values', { default: 'localfs' }),
        dst_driver: arg.text('Driver that gets the values. Default: that of the option `cache`', { optional: true }),
        bank: arg.text('Bank to copy, with those below it. Default: all', { optional: true }),
        cachedir,
        dry_run: arg.flag('Whether values are only counted', { default: false }),
      },
      examples: ['salt-run cache.migrate dst_driver=redis dry_run=True', 'salt-run cache.migrate dst_driver=redis'],
      run: (ctx, { src_driver, dst_driver, bank, dry_run }) => {
        const target = dst_driver ?? option(ctx.opts, 'cache')
        return migrate(ctx, { from: src_driver, to: target, only: bank, isTrial: dry_run })
      },
    }),
    flush: masterFn({
      doc: 'Remove a key of a bank, or the whole bank.',
      args: { bank, key: arg.text('Key in the bank. Default: all keys', { optional: true }), cachedir },
      examples: ['salt-run cache.flush cloud/active/ec2/myec2 cachedir=/var/cache/salt/'],
      run: (ctx, { bank, key }) => {
        const kept = bankOf(ctx, bank)
        const isThere = key === null ? kept.list().length > 0 : kept.list().includes(key)
        kept.flush(key === null ? undefined : key)
        return isThere
      },
    }),
  },
})
