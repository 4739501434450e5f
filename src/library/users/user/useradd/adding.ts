// Making and removing users. Only useradd decides whether a user was made; what is set afterwards may fail quietly, and
// the next state run sees it.
import { contains, decodeBytes, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { changeGecos, changeGroups } from './changing.ts'
import { GECOS, type GecosField, kernelIs, program, rootOption } from './passwd.ts'

export interface NewUser extends Record<GecosField, Value> {
  name: Value
  uid: Value
  gid: Value
  groups: Value
  home: Value
  shell: Value
  unique: Value
  system: Value
  createhome: Value
  loginclass: Value
  nologinit: Value
  root: Value
  usergroup: Value
  local: Value
}

const given = (value: Value): boolean => value !== null && value !== ''

async function lines(ctx: FunctionContext, path: string): Promise<string[]> {
  try {
    return decodeBytes(await ctx.host.read(path)).split('\n')
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return []
    throw error
  }
}

/** Options for the primary group. A group with the user's name among the further ones is it, where that is usual. */
async function primaryGroup(ctx: FunctionContext, user: NewUser): Promise<Value[]> {
  const { name, gid, usergroup, groups, local } = user
  if (given(gid)) return ['-g', gid]
  if (truthy(usergroup)) {
    if (truthy(local)) return []
    if (!kernelIs(ctx, 'Linux')) ctx.log('warning', "'usergroup' is only supported on GNU/Linux hosts.")
    return ['-U']
  }
  if (groups === null || !contains(groups, name)) return []
  if (kernelIs(ctx, 'OpenBSD')) {
    const line = (await lines(ctx, '/etc/usermgmt.conf')).find((line) => line.startsWith('group'))
    return line === undefined ? [] : ['-g', line.trim().split(/\s+/).at(-1)!]
  }
  const line = (await lines(ctx, '/etc/login.defs')).find((line) => line.startsWith('USERGROUPS_ENAB'))
  return line?.includes('yes') ? ['-g', await ctx.call('file.group_to_gid', [name])] : []
}

async function options(ctx: FunctionContext, user: NewUser): Promise<Value[]> {
  const local = truthy(user.local)
  const isBsd = kernelIs(ctx, 'NetBSD', 'OpenBSD')
  const when = (condition: boolean, ...words: Value[]): Value[] => (condition ? words : [])
  return [
    ...when(truthy(user.shell), '-s', user.shell),
    ...when(given(user.uid), '-u', user.uid),
    ...(await primaryGroup(ctx, user)),
    ...when(user.usergroup === false, local ? '-n' : '-N'),
    ...(truthy(user.createhome) ? when(!local, '-m') : when(!isBsd, '-M')),
    ...when(truthy(user.nologinit), '-l'),
    ...when(user.home !== null, '-d', user.home),
    ...when(!truthy(user.unique) && !kernelIs(ctx, 'AIX'), '-o'),
    ...when(truthy(user.system) && !isBsd, '-r'),
    ...when(kernelIs(ctx, 'OpenBSD') && user.loginclass !== null, '-L', user.loginclass),
  ]
}

export async function addUser(ctx: FunctionContext, user: NewUser): Promise<boolean> {
  const { name, groups, root } = user
  const local = truthy(user.local)
  const command = [
    await program(ctx, local ? 'luseradd' : 'useradd'),
    ...(await options(ctx, user)),
    name,
    ...(local ? [] : rootOption(ctx, root)),
  ]
  const outcome = await ctx.call('cmd.run_all', [command], { python_shell: false })
  if (outcome.get('retcode') !== 0) return false
  if (truthy(groups)) await changeGroups(ctx, name, groups, false, root)
  for (const field of GECOS) if (truthy(user[field])) await changeGecos(ctx, name, field, user[field], root)
  return true
}

export interface Removal {
  name: Value
  remove: Value
  force: Value
  root: Value
  local: Value
}

export async function deleteUser(ctx: FunctionContext, removal: Removal): Promise<boolean> {
  const local = truthy(removal.local)
  const forced = truthy(removal.force) && !kernelIs(ctx, 'OpenBSD', 'AIX') && !local
  const command = [
    await program(ctx, local ? 'luserdel' : 'userdel'),
    ...(truthy(removal.remove) ? ['-r'] : []),
    ...(forced ? ['-f'] : []),
    removal.name,
    ...(local ? [] : rootOption(ctx, removal.root)),
  ]
  const outcome = await ctx.call('cmd.run_all', [command], { python_shell: false })
  if (outcome.get('retcode') === 0) return true
  // Debian's userdel complains about a mailbox that never was
  const noMailbox = /var\/mail|var\/spool\/mail/.test(str(outcome.get('stderr') ?? ''))
  return outcome.get('retcode') === 12 && ctx.grains.get('os_family') === 'Debian' && noMailbox
}
