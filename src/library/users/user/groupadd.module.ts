// Groups, through groupadd and its relatives.
import {
  contains,
  type Dict,
  decodeBytes,
  dictFrom,
  equals,
  str,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  parseGroup,
  reads,
  requiredProgram,
  ret,
  type UserGroup,
} from '../../../sdk/mod.ts'

const PLAINLY = { python_shell: false }

async function groupsOf(ctx: FunctionContext, root: string | null): Promise<UserGroup[]> {
  if (root === null) return ctx.host.groups()
  return parseGroup(decodeBytes(await ctx.host.read(`${root.replace(/\/$/, '')}/etc/group`)))
}

const infoOf = ({ name, passwd, gid, members }: UserGroup): Dict =>
  dictFrom({ name, passwd: passwd ?? 'x', gid, members: [...members] })

async function info(ctx: FunctionContext, name: Value, root: string | null): Promise<Dict> {
  const isText = typeof name === 'string'
  if (!isText && root === null) throw typeError(`getgrnam() argument 'name' must be str, not ${typeName(name)}`)
  const group =
    root === null && isText
      ? await ctx.host.group(name)
      : (await groupsOf(ctx, root)).find((group) => group.name === name)
  return group === undefined ? new Map() : infoOf(group)
}

async function getent(ctx: FunctionContext, refresh: boolean, root: string | null): Promise<Dict[]> {
  const known = ctx.memory.get('group.getent')
  if (known !== undefined && !refresh) return known as Dict[]
  const all = (await groupsOf(ctx, root)).map(infoOf)
  ctx.memory.set('group.getent', all)
  return all
}

async function succeeds(ctx: FunctionContext, command: readonly Value[]): Promise<boolean> {
  return (await ctx.call('cmd.retcode', [[...command]], PLAINLY)) === 0
}

async function done(ctx: FunctionContext, command: readonly Value[]): Promise<boolean> {
  return (await ctx.call('cmd.run_all', [[...command]], PLAINLY)).get('retcode') === 0
}

interface NewGroup {
  name: Value
  gid: Value
  system: boolean
  root: string | null
  non_unique: boolean
  local: boolean
}

async function add(ctx: FunctionContext, { name, gid, system, root, non_unique, local }: NewGroup): Promise<boolean> {
  return done(ctx, [
    await requiredProgram(ctx, local ? 'lgroupadd' : 'groupadd'),
    ...(truthy(gid) ? [`-g ${str(gid)}`] : []),
    ...(truthy(gid) && non_unique && !local ? ['-o'] : []),
    ...(system && ctx.grains.get('kernel') !== 'OpenBSD' ? ['-r'] : []),
    ...(root !== null && !local ? ['-R', root] : []),
    name,
  ])
}

async function changeId(
  ctx: FunctionContext,
  name: Value,
  gid: Value,
  root: string | null,
  shared: boolean,
): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.size === 0) return false
  if (equals(gid, before.get('gid') ?? null)) return true
  const below = root === null ? [] : ['-R', root]
  const command = [await requiredProgram(ctx, 'groupmod'), ...below, shared ? '-og' : '-g', gid, name]
  await ctx.call('cmd.run', [command], PLAINLY)
  const after = (await info(ctx, name, root)).get('gid')
  return after !== undefined && equals(after, gid)
}

/** Return whether this is SUSE 11, which has its own commands for members. */
const isOldSuse = ({ grains }: FunctionContext): boolean =>
  grains.get('os_family') === 'Suse' && grains.get('osmajorrelease') === '11'

const isLinux = ({ grains }: FunctionContext): boolean => grains.get('kernel') === 'Linux'

async function addMember(ctx: FunctionContext, name: Value, user: string, root: string | null): Promise<boolean> {
  if (!isLinux(ctx)) {
    return succeeds(ctx, [
      await requiredProgram(ctx, 'usermod'),
      '-G',
      name,
      user,
      ...(root === null ? [] : ['-R', root]),
    ])
  }
  const command = isOldSuse(ctx)
    ? [await requiredProgram(ctx, 'usermod'), '-A', name, user]
    : [await requiredProgram(ctx, 'gpasswd'), '--add', user, name]
  return succeeds(ctx, [...command, ...(root === null ? [] : ['--root', root])])
}

async function removeMember(ctx: FunctionContext, name: Value, user: string, root: string | null): Promise<boolean> {
  const members = (await info(ctx, name, null)).get('members')
  if (members === undefined || !contains(members, user)) return true
  if (isLinux(ctx)) {
    const command = isOldSuse(ctx)
      ? [await requiredProgram(ctx, 'usermod'), '-R', name, user]
      : [await requiredProgram(ctx, 'gpasswd'), '--del', user, name]
    return succeeds(ctx, [...command, ...(root === null ? [] : ['--root', root])])
  }
  if (ctx.grains.get('kernel') === 'OpenBSD') {
    const held = await ctx.call('cmd.run_stdout', [`id -Gn ${user}`], PLAINLY)
    const kept = held.split(/\s+/).filter((group) => group !== '' && group !== str(name))
    return succeeds(ctx, [await requiredProgram(ctx, 'usermod'), '-S', kept.join(','), user])
  }
  ctx.log('error', 'group.deluser is not yet supported on this platform')
  return false
}

async function setMembers(ctx: FunctionContext, name: Value, list: string, root: string | null): Promise<boolean> {
  if (isLinux(ctx)) {
    const below = root === null ? [] : ['--root', root]
    if (!isOldSuse(ctx))
      return succeeds(ctx, [await requiredProgram(ctx, 'gpasswd'), '--members', list, name, ...below])
    for (const member of (await info(ctx, name, null)).get('members') as Value[]) {
      await ctx.call('cmd.run', [`${await requiredProgram(ctx, 'groupmod')} -R ${str(member)} ${str(name)}`], PLAINLY)
    }
    return succeeds(ctx, [await requiredProgram(ctx, 'groupmod'), '-A', list, name, ...below])
  }
  if (ctx.grains.get('kernel') === 'OpenBSD') return remakeWithMembers(ctx, name, list)
  ctx.log('error', 'group.members is not yet supported on this platform')
  return false
}

/** Create a group again with other members, since OpenBSD cannot remove members. */
async function remakeWithMembers(ctx: FunctionContext, name: Value, list: string): Promise<boolean> {
  const held = await info(ctx, name, null)
  if (held.size === 0) return false
  await ctx.call('cmd.run', [`${await requiredProgram(ctx, 'groupdel')} ${str(name)}`], PLAINLY)
  const add = `${await requiredProgram(ctx, 'groupadd')} -g ${str(held.get('gid')!)} ${str(name)}`
  await ctx.call('cmd.run', [add], PLAINLY)
  for (const user of list.split(',').filter((user) => user !== '')) {
    if (!(await succeeds(ctx, [await requiredProgram(ctx, 'usermod'), '-G', name, user]))) return false
  }
  return true
}

const name = arg.any('Name of the group; anything but a text is an error')
const root = arg.text('Directory of another root file system', { optional: true })
const username = arg.text('Name of the user')

export default defineModule({
  name: 'groupadd',
  virtual: 'group',
  doc: 'Manage groups.',
  when: ({ grains }) =>
    contains(['Linux', 'OpenBSD', 'NetBSD'], grains.get('kernel') ?? '') ||
    'The groupadd execution module cannot be loaded:  only available on Linux, OpenBSD and NetBSD',
  functions: {
    add: changes({
      doc: 'Create a group.',
      args: {
        name,
        gid: arg.any('Group ID', { optional: true }),
        system: arg.flag('Whether it is a system group', { default: false }),
        root,
        non_unique: arg.flag('Whether another group may have the ID', { default: false }),
        local: arg.flag('Whether lgroupadd is used, which sees only local groups', { default: false }),
      },
      returns: ret.boolean('Whether the group was created'),
      example: 'group.add foo 3456',
      run: add,
    }),
    delete: changes({
      doc: 'Remove a group.',
      args: {
        name,
        root,
        local: arg.flag('Whether lgroupdel is used, which sees only local groups', { default: false }),
      },
      returns: ret.boolean('Whether the group was removed'),
      example: 'group.delete foo',
      run: async (ctx, { name, root, local }) => {
        const below = root !== null && !local ? ['-R', root] : []
        return done(ctx, [await requiredProgram(ctx, local ? 'lgroupdel' : 'groupdel'), ...below, name])
      },
    }),
    info: reads({
      doc: 'Return the facts about a group.',
      args: { name, root },
      returns: ret.dict('Facts; empty without such a group'),
      example: 'group.info foo',
      run: (ctx, { name, root }) => info(ctx, name, root),
    }),
    getent: reads({
      doc: 'Return the facts about all groups.',
      args: { refresh: arg.boolean('Whether remembered facts are read again', { default: false }), root },
      returns: ret.dicts('Facts about each group'),
      run: (ctx, { refresh, root }) => getent(ctx, refresh, root),
    }),
    chgid: changes({
      doc: 'Change the ID of a group.',
      args: {
        name,
        gid: arg.any('New group ID, compared with the present one'),
        root,
        non_unique: arg.boolean('Whether another group may have the ID', { default: false }),
      },
      returns: ret.boolean('Whether the group has the ID now'),
      example: 'group.chgid foo 4376',
      run: (ctx, { name, gid, root, non_unique }) => changeId(ctx, name, gid, root, non_unique),
    }),
    adduser: changes({
      doc: 'Add a user to a group.',
      args: { name, username, root },
      returns: ret.boolean('Whether the command succeeded'),
      example: 'group.adduser foo bar',
      run: (ctx, { name, username, root }) => addMember(ctx, name, username, root),
    }),
    deluser: changes({
      doc: 'Remove a user from a group.',
      args: { name, username, root },
      returns: ret.boolean('Whether the user is not in the group'),
      example: 'group.deluser foo bar',
      run: (ctx, { name, username, root }) => removeMember(ctx, name, username, root),
    }),
    members: changes({
      doc: 'Set the members of a group.',
      args: { name, members_list: arg.text('Names of users, separated by commas'), root },
      returns: ret.boolean('Whether the command succeeded'),
      example: "group.members foo 'user1,user2,user3'",
      run: (ctx, { name, members_list, root }) => setMembers(ctx, name, members_list, root),
    }),
  },
})
