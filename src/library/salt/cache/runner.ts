// The data that the master caches: grains, pillar and mine of minions, and banks of other data.
import { compareText, type Dict, fnmatch, isDict, misuse, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

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
      doc: 'Remove the locks of interrupted Git updates.',
      args: {
        role: arg.text('Role: gitfs, git_pillar or winrepo'),
        remote: arg.text('Ignored', { optional: true }),
        kwargs: arg.open('Ignored'),
      },
      examples: ['salt-run cache.clear_git_lock gitfs'],
      run: (_ctx, { role }) => {
        if (['gitfs', 'git_pillar', 'winrepo'].includes(role)) return 'No locks were removed'
        throw misuse(`Invalid role '${role}'`)
      },
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
        ctx.cache.bank(bank).store(key, data)
        return null
      },
    }),
    list: masterFn({
      doc: 'Return the keys of a bank.',
      args: { bank, cachedir },
      examples: ['salt-run cache.list cloud/active/ec2/myec2'],
      run: (ctx, { bank }) => ctx.cache.bank(bank).list().sort(compareText),
    }),
    fetch: masterFn({
      doc: 'Return the value of a key of a bank.',
      args: { bank, key, cachedir },
      examples: ['salt-run cache.fetch cloud/active/ec2/myec2 myminion'],
      run: (ctx, { bank, key }) => ctx.cache.bank(bank).fetch(key) ?? new Map(),
    }),
    flush: masterFn({
      doc: 'Remove a key of a bank, or the whole bank.',
      args: { bank, key: arg.text('Key in the bank. Default: all keys', { optional: true }), cachedir },
      examples: ['salt-run cache.flush cloud/active/ec2/myec2 cachedir=/var/cache/salt/'],
      run: (ctx, { bank, key }) => {
        const kept = ctx.cache.bank(bank)
        const isThere = key === null ? kept.list().length > 0 : kept.list().includes(key)
        kept.flush(key === null ? undefined : key)
        return isThere
      },
    }),
  },
})
