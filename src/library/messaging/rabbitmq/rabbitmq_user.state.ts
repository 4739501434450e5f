// Users of RabbitMQ, their tags and permissions.
import { type Dict, dictFrom, equals, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { orError, report, runas, whenRabbit } from './state/report.ts'

type Changes = Record<string, { old?: Value; new: Value }>

const name = arg.text('Name of the user')
const userArgs = {
  name,
  password: arg.text('Password. Default: none', { optional: true, secret: true }),
  force: arg.flag('Whether the password is set again; removed if none is given', { default: false }),
  tags: arg.any('Tags: a list, or a text with blanks', { optional: true }),
  perms: arg.list('List of dicts: the rights to configure, write and read by virtual host', { default: [] }),
  runas,
}

type User = Bound<typeof userArgs>

function rights(perm: Value): Dict {
  const [configure = '', write = '', read = ''] = Array.isArray(perm) ? perm : []
  return dictFrom({ configure, write, read })
}

/** Return pairs of virtual host and rights from a list of dicts. */
const wantedRights = (perms: Value[]): [Value, Dict][] =>
  perms.filter(isDict).flatMap((entry) => [...entry].map(([vhost, perm]): [Value, Dict] => [vhost, rights(perm)]))

async function setTags(ctx: StateContext, { name, tags, runas }: User, changes: Changes): Promise<void> {
  if (tags === null) return
  const current = (await ctx.call('rabbitmq.list_users', [], { runas })).get(name) ?? []
  const held = Array.isArray(current) ? [...current] : []
  const wanted = Array.isArray(tags)
    ? [...tags]
    : str(tags)
        .split(/\s+/)
        .filter((tag) => tag !== '')
  const same = wanted.every((tag) => held.includes(tag)) && held.every((tag) => wanted.includes(tag))
  if (same) return
  if (!ctx.test) await ctx.call('rabbitmq.set_user_tags', [name, wanted], { runas })
  changes['tags'] = { old: held, new: wanted }
}

async function setRights(ctx: StateContext, { name, perms, runas }: User, changes: Changes): Promise<void> {
  const existing = await ctx.call('rabbitmq.list_user_permissions', [name], { runas })
  const wanted = wantedRights(perms)
  const isHeld = (vhost: Value, right: Dict): boolean => equals(existing.get(vhost) ?? null, right)
  if (wanted.every(([vhost, right]) => isHeld(vhost, right))) return
  let old: Dict = new Map()
  let now: Dict = new Map()
  for (const [vhost, right] of wanted) {
    if (!ctx.test) await ctx.call('rabbitmq.set_permissions', [vhost, name, ...right.values()], { runas })
    if (isHeld(vhost, right)) continue
    const before = existing.get(vhost) ?? null
    if (isDict(before)) {
      old = new Map([...old, ...before])
      now = new Map([...now, [vhost, right]])
      changes['perms'] = { old, new: now }
    } else {
      now = new Map([[vhost, right]])
      changes['perms'] = { new: now }
    }
  }
}

async function setPassword(ctx: StateContext, { name, password, runas }: User, changes: Changes): Promise<void> {
  if (password === null) {
    if (!ctx.test) await ctx.call('rabbitmq.clear_password', [name], { runas })
    changes['password'] = { old: 'Removed password.', new: '' }
    return
  }
  if (!ctx.test) await ctx.call('rabbitmq.change_password', [name, password], { runas })
  changes['password'] = { old: '', new: 'Set password.' }
}

async function present(ctx: StateContext, given: User, changes: Changes): Promise<StateReturn> {
  const { name, password, force, tags, perms, runas } = given
  const exists = truthy(await ctx.call('rabbitmq.user_exists', [name], { runas }))
  const checks = exists && password !== null
  const outdated = checks && !truthy(await ctx.call('rabbitmq.check_password', [name, password], { runas }))
  if (exists && !outdated && ![force, perms, tags].some(truthy)) {
    return report(name, true, `User '${name}' is already present.`)
  }
  if (!exists) {
    changes['user'] = { old: '', new: name }
    if (ctx.test) return report(name, null, `User '${name}' is set to be created.`, changes)
    await ctx.call('rabbitmq.add_user', [name, password], { runas })
  } else if (force || outdated) await setPassword(ctx, given, changes)
  await setTags(ctx, given, changes)
  await setRights(ctx, given, changes)
  if (Object.keys(changes).length === 0) return report(name, true, `'${name}' is already in the desired state.`)
  if (ctx.test) return report(name, null, `Configuration for '${name}' will change.`, changes)
  return report(name, true, `'${name}' was configured.`, changes)
}

async function absent(ctx: StateContext, name: string, runas: string | null): Promise<StateReturn> {
  if (!truthy(await ctx.call('rabbitmq.user_exists', [name], { runas }))) {
    return report(name, true, `The user '${name}' is not present.`)
  }
  const changes = { name: { old: name, new: '' } }
  if (ctx.test) return report(name, null, `The user '${name}' will be removed.`, changes)
  await ctx.call('rabbitmq.delete_user', [name], { runas })
  return report(name, true, `The user '${name}' was removed.`, changes)
}

export default defineState({
  name: 'rabbitmq_user',
  doc: 'Manage users of RabbitMQ.',
  when: whenRabbit,
  functions: {
    present: state({
      doc: 'Ensure that a user exists with the given tags and permissions.',
      args: userArgs,
      run: (ctx, given) => {
        const changes: Changes = {}
        return orError(given.name, () => present(ctx, given, changes), changes)
      },
    }),
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name, runas },
      run: (ctx, { name, runas }) => orError(name, () => absent(ctx, name, runas)),
    }),
  },
})
