// Groups of the machine and their members.
import { recover } from '../../../base/mod.ts'
import {
  contains,
  type Dict,
  equals,
  intFromText,
  isNumeric,
  iterate,
  PyError,
  PySet,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface WantedGroup {
  name: string
  gid: Value
  system: boolean
  addusers: Value
  delusers: Value
  members: Value
  non_unique: boolean
  local: boolean
}

const isWindows = ({ grains }: StateContext): boolean => grains.get('kernel') === 'Windows'

async function groupInfo(ctx: StateContext, name: string, local: boolean): Promise<Dict> {
  const where = local && !isWindows(ctx) ? { root: '/' } : {}
  return ctx.call('group.info', [name], where)
}

/** Return the ID as a number, or undefined. */
function number(gid: Value): Value | undefined {
  return recover(
    (error) => error instanceof PyError && error.code === 'ValueError',
    undefined,
    () => (textOf(gid) !== undefined ? intFromText(textOf(gid)!) : isNumeric(gid) ? intFromText(str(gid)) : undefined),
  )
}

/** Return the changes; undefined if the group does not exist. */
async function changesOf(ctx: StateContext, wanted: WantedGroup): Promise<Dict | undefined> {
  const group = await groupInfo(ctx, wanted.name, wanted.local)
  if (group.size === 0) return undefined
  const change: Dict = new Map()
  if (truthy(wanted.gid)) {
    const gid = number(wanted.gid)
    // Salt shows this answer as changes
    if (gid === undefined) return new Map<Value, Value>([['result', false]]).set('comment', 'Invalid gid')
    if (!equals(group.get('gid')!, gid)) change.set('gid', gid)
  }
  const held = group.get('members') as Value[]
  const { members } = wanted
  if (members !== null && !equals(new PySet(held), new PySet([...iterate(members)]))) {
    if (truthy(members)) change.set('members', members)
    else change.set('delusers', new PySet(held))
  }
  const picked = (users: Value, isMember: boolean): Value[] =>
    truthy(users) ? [...iterate(users)].filter((user) => contains(held, user) === isMember) : []
  const added = picked(wanted.addusers, false)
  if (added.length > 0) change.set('addusers', added)
  const removed = picked(wanted.delusers, true)
  if (removed.length > 0) change.set('delusers', removed)
  return change
}

const joined = (users: Value): string => [...iterate(users)].map((user) => str(user)).join(',')

async function change(ctx: StateContext, wanted: WantedGroup, changes: Dict): Promise<StateReturn> {
  const { name, gid, members, non_unique } = wanted
  const lines = [...changes].map(([key, value]) => `${str(key)}: ${str(value)}\n`)
  const comment = `The following group attributes are set to be changed:\n${lines.join('')}`
  if (ctx.test) return { name, changes: {}, result: null, comment }
  for (const [key, value] of changes) {
    if (key === 'gid') await ctx.call('group.chgid', [name, gid], { non_unique })
    if (key === 'addusers') for (const user of iterate(value)) await ctx.call('group.adduser', [name, user])
    if (key === 'delusers') for (const user of iterate(value)) await ctx.call('group.deluser', [name, user])
    if (key === 'members') await ctx.call('group.members', [name, joined(members)])
  }
  ctx.memory.delete('group.getent')
  const left = await changesOf(ctx, wanted)
  if (left !== undefined && left.size > 0) {
    return { name, changes: { Failed: left }, result: false, comment: `${comment}Some changes could not be applied` }
  }
  return { name, changes: { Final: 'All changes applied successfully' }, result: true, comment }
}

async function create(ctx: StateContext, wanted: WantedGroup): Promise<StateReturn> {
  const { name, gid, system, non_unique, members, addusers, local } = wanted
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (ctx.test) return report(null, `Group ${name} set to be added`)
  const groups = await ctx.call('group.getent')
  const owner = gid === null || non_unique ? undefined : groups.find((group) => equals(group.get('gid')!, gid))
  if (owner !== undefined) {
    const taken = `gid ${str(gid)} is already taken by group ${str(owner.get('name')!)}`
    return report(false, `Group ${name} is not present but ${taken}`)
  }
  const where = isWindows(ctx) ? {} : { local }
  if (!truthy(await ctx.call('group.add', [name], { gid, system, non_unique, ...where }))) {
    return report(false, `Failed to create new group ${name}`)
  }
  const users = truthy(addusers) ? addusers : members
  if (truthy(users)) await ctx.call('group.members', [name, joined(users)])
  ctx.memory.delete('group.getent')
  const made = await groupInfo(ctx, name, local)
  const left = await changesOf(ctx, wanted)
  if (left === undefined || left.size === 0) return { ...report(true, `New group ${name} created`), changes: made }
  const comment = `Group ${name} has been created but, some changes could not be applied`
  return { ...report(false, comment), changes: { Failed: left } }
}

async function present(ctx: StateContext, wanted: WantedGroup): Promise<StateReturn> {
  const { name, members, addusers, delusers } = wanted
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (members !== null && (addusers !== null || delusers !== null)) {
    return report(
      null,
      'Error: Conflicting options "members" with "addusers" and/or "delusers" can not be used together. ',
    )
  }
  const both = truthy(addusers) && truthy(delusers)
  if (both && [...iterate(addusers)].some((user) => contains([...iterate(delusers)], user))) {
    return report(null, 'Error. Same user(s) can not be added and deleted simultaneously')
  }
  const changes = await changesOf(ctx, wanted)
  if (changes === undefined) return create(ctx, wanted)
  return changes.size > 0 ? change(ctx, wanted, changes) : report(true, `Group ${name} is present and up to date`)
}

async function absent(ctx: StateContext, name: string, local: boolean): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if ((await groupInfo(ctx, name, local)).size === 0) return report(true, 'Group not present')
  if (ctx.test) return report(null, `Group ${name} is set for removal`)
  const gone = await ctx.call('group.delete', [name], isWindows(ctx) ? {} : { local })
  if (!truthy(gone)) return report(false, `Failed to remove group ${name}`)
  return { ...report(true, `Removed group ${name}`), changes: { [name]: '' } }
}

const name = arg.string('Name of the group')
const local = arg.flag('Whether only local groups are looked at and changed', { default: false })

export default defineState({
  name: 'group',
  doc: 'Manage groups of the machine.',
  functions: {
    present: state({
      doc: 'Ensure that a group exists with the given members.',
      args: {
        name,
        gid: arg.any('Group ID; a text must be a number', { optional: true }),
        system: arg.flag('Whether it is a system group', { default: false }),
        addusers: arg.any('List of users to add', { optional: true }),
        delusers: arg.any('List of users to remove', { optional: true }),
        members: arg.any('List of all members', { optional: true }),
        non_unique: arg.flag('Whether another group may have the ID', { default: false }),
        local,
      },
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a group does not exist.',
      args: { name, local },
      run: (ctx, { name, local }) => absent(ctx, name, local),
    }),
  },
})
