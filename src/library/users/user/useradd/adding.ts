// Creating and removing users. Only useradd decides whether a user was created; later settings may fail silently, and
// the next state run sees it.
import { hasCode, recover } from '../../../../base/mod.ts'
import { contains, decodeBytes, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, requiredProgram } from '../../../../sdk/mod.ts'
import { changeGecos, changeGroups } from './changing.ts'
import { GECOS, type GecosField, kernelIs, rootOption } from './passwd.ts'

interface NewUser extends Record<GecosField, string> {
  name: string
  uid: Value
  gid: Value
  groups: Value
  home: string | null
  shell: string | null
  unique: boolean
  system: boolean
  createhome: boolean
  loginclass: string | null
  nologinit: boolean
  root: string | null
  usergroup: boolean | null
  local: boolean
}

const given = (value: Value): boolean => value !== null && value !== ''

async function lines(ctx: FunctionContext, path: string): Promise<string[]> {
  return recover(hasCode('ENOENT'), [], async () => decodeBytes(await ctx.host.read(path)).split('\n'))
}

/** Return the options for the primary group. A supplementary group with the name of the user is the primary one on systems
 * with user groups. */
async function primaryGroup(ctx: FunctionContext, user: NewUser): Promise<Value[]> {
  const { name, gid, usergroup, groups, local } = user
  if (given(gid)) return ['-g', gid]
  if (usergroup) {
    if (local) return []
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
  const { local } = user
  const isBsd = kernelIs(ctx, 'NetBSD', 'OpenBSD')
  const when = (condition: boolean, ...words: Value[]): Value[] => (condition ? words : [])
  return [
    ...when(Boolean(user.shell), '-s', user.shell),
    ...when(given(user.uid), '-u', user.uid),
    ...(await primaryGroup(ctx, user)),
    ...when(user.usergroup === false, local ? '-n' : '-N'),
    ...(user.createhome ? when(!local, '-m') : when(!isBsd, '-M')),
    ...when(user.nologinit, '-l'),
    ...when(user.home !== null, '-d', user.home),
    ...when(!user.unique && !kernelIs(ctx, 'AIX'), '-o'),
    ...when(user.system && !isBsd, '-r'),
    ...when(kernelIs(ctx, 'OpenBSD') && user.loginclass !== null, '-L', user.loginclass),
  ]
}

export async function addUser(ctx: FunctionContext, user: NewUser): Promise<boolean> {
  const { name, groups, root, local } = user
  const command = [
    await requiredProgram(ctx, local ? 'luseradd' : 'useradd'),
    ...(await options(ctx, user)),
    name,
    ...(local ? [] : rootOption(ctx, root)),
  ]
  const outcome = await ctx.call('cmd.run_all', [command], { python_shell: false })
  if (outcome.get('retcode') !== 0) return false
  if (truthy(groups)) await changeGroups(ctx, name, groups, false, root)
  for (const field of GECOS) if (user[field]) await changeGecos(ctx, name, field, user[field], root)
  return true
}

interface Removal {
  name: string
  remove: boolean
  force: boolean
  root: string | null
  local: boolean
}

export async function deleteUser(ctx: FunctionContext, removal: Removal): Promise<boolean> {
  const { local } = removal
  const forced = removal.force && !kernelIs(ctx, 'OpenBSD', 'AIX') && !local
  const command = [
    await requiredProgram(ctx, local ? 'luserdel' : 'userdel'),
    ...(removal.remove ? ['-r'] : []),
    ...(forced ? ['-f'] : []),
    removal.name,
    ...(local ? [] : rootOption(ctx, removal.root)),
  ]
  const outcome = await ctx.call('cmd.run_all', [command], { python_shell: false })
  if (outcome.get('retcode') === 0) return true
  // userdel of Debian fails for a user without a mailbox
  const noMailbox = /var\/mail|var\/spool\/mail/.test(str(outcome.get('stderr') ?? ''))
  return outcome.get('retcode') === 12 && ctx.grains.get('os_family') === 'Debian' && noMailbox
}
