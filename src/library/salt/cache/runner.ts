// What the master remembers about minions: grains, pillar and mine; and banks of other data.
import { compareText, type Dict, fnmatch, isDict, SaltError, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

type Kind = 'grains' | 'pillar' | 'mine'

/** Each of the minions asked for, with nothing where nothing is known; without a target those of whom something is. */
function remembered(ctx: MasterContext, kind: Kind, tgt: Value, tgt_type: string): Dict {
  const bank = ctx.cache.bank(kind)
  const known = (id: string): Dict => {
    const value = bank.fetch(id)
    return value !== undefined && isDict(value) ? value : new Map()
  }
  const asked = tgt === null ? ctx.cache.bank('grains').list() : ctx.targets(tgt, tgt_type).minions
  const all = asked.map((id): [Value, Dict] => [id, known(id)])
  return new Map(tgt === null && kind === 'pillar' ? all.filter(([, value]) => value.size > 0) : all)
}

function forget(ctx: MasterContext, tgt: Value, tgt_type: string, kinds: readonly Kind[]): boolean {
  const minions = tgt === null ? [] : ctx.targets(tgt, tgt_type).minions
  for (const id of minions) for (const kind of kinds) ctx.cache.bank(kind).flush(id)
  return true
}

function forgetFunction(ctx: MasterContext, tgt: Value, tgt_type: string, name: Value): boolean {
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

const required = { tgt: arg.any('Which minions'), tgt_type: arg.text('How they are meant', { default: 'glob' }) }
const optional = { ...required, tgt: arg.any('Which minions', { optional: true }) }
const bank = arg.text('The bank')
const key = arg.text('The key')
const cachedir = arg.any('Accepted for compatibility', { optional: true })
const further = arg.open('Ignored')

const clearing = (doc: string, kinds: readonly Kind[]) =>
  masterFn({ doc, args: optional, run: (ctx, { tgt, tgt_type }) => forget(ctx, tgt, tgt_type, kinds) })

export default defineRunner({
  name: 'cache',
  doc: 'What the master remembers about minions.',
  functions: {
    grains: masterFn({
      doc: 'The grains that the master has seen of minions.',
      args: { ...required, kwargs: further },
      examples: ["salt-run cache.grains '*'"],
      run: (ctx, { tgt, tgt_type }) => remembered(ctx, 'grains', tgt, tgt_type),
    }),
    pillar: masterFn({
      doc: 'The pillar that minions got last.',
      args: { ...optional, kwargs: further },
      examples: ["salt-run cache.pillar tgt='*'"],
      run: (ctx, { tgt, tgt_type }) => remembered(ctx, 'pillar', tgt, tgt_type),
    }),
    mine: masterFn({
      doc: 'What minions left in the mine.',
      args: { ...optional, kwargs: further },
      examples: ["salt-run cache.mine tgt='*'"],
      run: (ctx, { tgt, tgt_type }) => remembered(ctx, 'mine', tgt, tgt_type),
    }),
    clear_pillar: clearing('Forgets the pillar of minions.', ['pillar']),
    clear_grains: clearing('Forgets the grains of minions.', ['grains']),
    clear_mine: clearing('Forgets what minions left in the mine.', ['mine']),
    clear_mine_func: masterFn({
      doc: 'Forgets one function of what minions left in the mine.',
      args: { ...optional, clear_mine_func_flag: arg.any('The function', { optional: true }) },
      examples: ["salt-run cache.clear_mine_func tgt='*' clear_mine_func_flag='network.interfaces'"],
      run: (ctx, { tgt, tgt_type, clear_mine_func_flag }) => forgetFunction(ctx, tgt, tgt_type, clear_mine_func_flag),
    }),
    clear_all: clearing('Forgets grains, pillar and mine of minions.', ['pillar', 'grains', 'mine']),
    clear_git_lock: masterFn({
      doc: 'Removes locks that updates from git left behind.',
      args: {
        role: arg.text('gitfs, git_pillar or winrepo'),
        remote: arg.any('Only of remotes like this', { optional: true }),
        kwargs: arg.open('`type`: update, checkout, mountpoint'),
      },
      examples: ['salt-run cache.clear_git_lock gitfs'],
      run: (_ctx, { role }) => {
        if (['gitfs', 'git_pillar', 'winrepo'].includes(role)) return 'No locks were removed'
        throw new SaltError('SaltInvocationError', `Invalid role '${role}'`)
      },
    }),
    cloud: masterFn({
      doc: 'Machines in the cloud that the master remembers.',
      args: { tgt: arg.text('Globs of their names'), provider: arg.any('Only of this provider', { optional: true }) },
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
      doc: 'Keeps a value under a key of a bank.',
      args: { bank, key, data: arg.any('The value'), cachedir },
      examples: ["salt-run cache.store mycache mykey 'The time has come the walrus said'"],
      run: (ctx, { bank, key, data }) => {
        ctx.cache.bank(bank).store(key, data)
        return null
      },
    }),
    list: masterFn({
      doc: 'The keys of a bank.',
      args: { bank, cachedir },
      examples: ['salt-run cache.list cloud/active/ec2/myec2'],
      run: (ctx, { bank }) => ctx.cache.bank(bank).list().sort(compareText),
    }),
    fetch: masterFn({
      doc: 'The value of a key of a bank.',
      args: { bank, key, cachedir },
      examples: ['salt-run cache.fetch cloud/active/ec2/myec2 myminion'],
      run: (ctx, { bank, key }) => ctx.cache.bank(bank).fetch(key) ?? new Map(),
    }),
    flush: masterFn({
      doc: 'Removes a key of a bank, or all of it.',
      args: { bank, key: arg.text('The key', { optional: true }), cachedir },
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
