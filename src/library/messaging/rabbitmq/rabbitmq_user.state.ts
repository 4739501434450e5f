// Users of RabbitMQ, their tags and permissions.
import { type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { type Given, orError, report, runas, whenRabbit } from './state/report.ts'

type Changes = Record<string, { old?: Value; new: Value }>

const rights = (perm: Value): Dict => {
  const [configure = '', write = '', read = ''] = perm as Value[]
  return new Map([
    ['configure', configure],
    ['write', write],
    ['read', read],
  ] as [Value, Value][])
}

/** Pairs of virtual host and rights, out of a list of mappings. */
const wantedRights = (perms: Value): [Value, Dict][] =>
  (truthy(perms) ? (perms as Dict[]) : []).flatMap((entry) =>
    [...entry].map(([vhost, perm]): [Value, Dict] => [vhost, rights(perm)]),
  )

async function setTags(ctx: StateContext, given: Given, changes: Changes): Promise<void> {
  const tags = given['tags'] ?? null
  if (tags === null) return
  const { name = null, runas = null } = given
  const current = (await ctx.call('rabbitmq.list_users', [], { runas })).get(str(name)) ?? []
  const held = (typeof current === 'string' ? [] : [...(current as Value[])]) as Value[]
  const wanted = typeof tags === 'string' ? tags.split(/\s+/).filter((tag) => tag !== '') : [...(tags as Value[])]
  const same = wanted.every((tag) => held.includes(tag)) && held.every((tag) => wanted.includes(tag))
  if (same) return
  if (!ctx.test) await ctx.call('rabbitmq.set_user_tags', [name, wanted], { runas })
  changes['tags'] = { old: held, new: wanted }
}

async function setRights(ctx: StateContext, given: Given, changes: Changes): Promise<void> {
  const { name = null, runas = null } = given
  const existing = await ctx.call('rabbitmq.list_user_permissions', [name], { runas })
  const wanted = wantedRights(given['perms'] ?? null)
  if (wanted.every(([vhost, right]) => existing.has(vhost) && equals(existing.get(vhost)!, right))) return
  for (const [vhost, right] of wanted) {
    if (!ctx.test) await ctx.call('rabbitmq.set_permissions', [vhost, name, ...right.values()], { runas })
    const before = existing.get(vhost) as Dict | undefined
    if (before && equals(before, right)) continue
    if (!before) changes['perms'] = { new: new Map([[vhost, right]]) }
    else {
      const told = changes['perms'] ?? { old: new Map(), new: new Map() }
      told.old = new Map([...((told.old ?? new Map()) as Dict), ...before])
      told.new = new Map([...(told.new as Dict), [vhost, right]])
      changes['perms'] = told
    }
  }
}

async function setPassword(ctx: StateContext, given: Given, changes: Changes): Promise<void> {
  const { name = null, password = null, runas = null } = given
  if (password === null) {
    if (!ctx.test) await ctx.call('rabbitmq.clear_password', [name], { runas })
    changes['password'] = { old: 'Removed password.', new: '' }
    return
  }
  if (!ctx.test) await ctx.call('rabbitmq.change_password', [name, password], { runas })
  changes['password'] = { old: '', new: 'Set password.' }
}

async function present(ctx: StateContext, given: Given, changes: Changes): Promise<StateReturn> {
  const { password = null, force = null, tags = null, perms = null, runas = null } = given
  const name = str(given['name']!)
  const exists = truthy(await ctx.call('rabbitmq.user_exists', [name], { runas }))
  const checks = exists && password !== null
  const outdated = checks && !truthy(await ctx.call('rabbitmq.check_password', [name, password], { runas }))
  if (exists && !outdated && ![force, perms, tags].some((wish) => truthy(wish))) {
    return report(name, true, `User '${name}' is already present.`)
  }
  if (!exists) {
    changes['user'] = { old: '', new: name }
    if (ctx.test) return report(name, null, `User '${name}' is set to be created.`, changes)
    await ctx.call('rabbitmq.add_user', [name, password], { runas })
  } else if (truthy(force) || outdated) await setPassword(ctx, given, changes)
  await setTags(ctx, given, changes)
  await setRights(ctx, given, changes)
  if (Object.keys(changes).length === 0) return report(name, true, `'${name}' is already in the desired state.`)
  if (ctx.test) return report(name, null, `Configuration for '${name}' will change.`, changes)
  return report(name, true, `'${name}' was configured.`, changes)
}

async function absent(ctx: StateContext, name: string, runas: Value): Promise<StateReturn> {
  if (!truthy(await ctx.call('rabbitmq.user_exists', [name], { runas }))) {
    return report(name, true, `The user '${name}' is not present.`)
  }
  const changes = { name: { old: name, new: '' } }
  if (ctx.test) return report(name, null, `The user '${name}' will be removed.`, changes)
  await ctx.call('rabbitmq.delete_user', [name], { runas })
  return report(name, true, `The user '${name}' was removed.`, changes)
}

const name = arg.any('The name of the user')

export default defineState({
  name: 'rabbitmq_user',
  doc: 'Keep users of RabbitMQ.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'A user is there, with these tags and permissions.',
      args: {
        name,
        password: arg.any('The password', { optional: true, secret: true }),
        force: arg.any('Whether the password is set again, or taken away when none is given', { default: false }),
        tags: arg.any('Tags, as a list or with spaces between', { optional: true }),
        perms: arg.any('A list of virtual hosts, each with what may be configured, written and read', { default: [] }),
        runas,
      },
      run: (ctx, given) => {
        const changes: Changes = {}
        return orError(given.name, () => present(ctx, given, changes), changes)
      },
    }),
    absent: state({
      doc: 'A user is not there.',
      args: { name, runas },
      run: (ctx, { name, runas }) => orError(name, () => absent(ctx, str(name), runas)),
    }),
  },
})
