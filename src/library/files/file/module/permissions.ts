// `check_perms`: set the owner, group, mode, attributes and SELinux context of a file, verify them, and report the changes. A
// dry run only reports them.
import { type Dict, dictFrom, isInt, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { expandUser, type FunctionContext, isDirectory, isHostError, isLink, option } from '../../../../sdk/mod.ts'
import type { SelinuxContext } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { changeAttributes, compareAttributes, listAttributes } from './attributes.ts'
import type { Report } from './report.ts'
import { applySelinux } from './selinux-permissions.ts'
import { chown, lchown, type Ownership, ownership, setMode } from './stats.ts'

export interface Permissions {
  user: Value
  group: Value
  mode: Value
  attrs?: Value
  follow?: boolean
  /** The mode of the file before the caller set the wanted one; reported as a change. */
  before?: string
  selinux?: SelinuxContext
}

export const inTestMode = (ctx: FunctionContext): boolean => option(ctx.opts, 'test')

const differs = (wanted: Value, name: Value, id: number): boolean => wanted !== name && wanted !== id

function begin(name: string, given: Value): { report: Report; before: Value } {
  const isNew = !truthy(given)
  const ret: Dict = isNew ? dictFrom({ name, changes: new Map(), comment: [], result: true }) : (given as Dict)
  const before = isNew ? '' : (ret.get('comment') ?? '')
  return { report: { ret, changes: ret.get('changes') as Dict, comments: [] }, before }
}

export async function checkPermissions(
  ctx: FunctionContext,
  file: Value,
  given: Value,
  wanted: Permissions,
): Promise<{ ret: Dict; perms: Dict }> {
  const name = await expandUser(ctx, file)
  const mode = normalizeMode(wanted.mode)
  const follow = wanted.follow ?? false
  const { report, before } = begin(name, given)
  const { ret, comments } = report
  const current = await ownership(ctx, name, follow)
  const linked = await isLink(ctx, name)
  const untouchable = linked && !follow
  const perms: Dict = new Map<Value, Value>([
    ['luser', isInt(wanted.user) ? current.uid : current.user],
    ['lgroup', isInt(wanted.group) ? current.gid : current.group],
    ['lmode', current.mode],
  ])
  await changeOwner(ctx, { name, wanted, current, perms, report, linked, untouchable })
  if (mode !== null && ctx.opts.get('test') !== true && !untouchable) {
    if (mode !== (wanted.before ?? current.mode)) perms.set('cmode', mode)
    if (mode !== current.mode) await setMode(ctx, name, mode)
  }
  await verify(ctx, { name, wanted, mode: untouchable ? null : mode, perms, report, follow })
  if (textOf(wanted.attrs ?? null) !== undefined && !untouchable && !(await isDirectory(ctx, name))) {
    await applyAttributes(ctx, name, textOf(wanted.attrs!)!, report)
  }
  if (wanted.selinux) await applySelinux(ctx, name, wanted.selinux, report)
  if (typeof before === 'string') {
    if (before !== '') comments.unshift(before)
    ret.set('comment', comments.join('; '))
  } else {
    ret.set('comment', comments)
  }
  if (ctx.opts.get('test') === true && report.changes.size > 0) ret.set('result', null)
  return { ret, perms }
}

interface OwnerChange {
  name: string
  wanted: Permissions
  current: Ownership
  perms: Dict
  report: Report
  linked: boolean
  untouchable: boolean
}

async function changeOwner(ctx: FunctionContext, change: OwnerChange): Promise<void> {
  const { name, wanted, current, perms, report, linked, untouchable } = change
  const { user, group } = wanted
  if (truthy(user) && differs(user, current.user, current.uid)) perms.set('cuser', user)
  if (truthy(group) && differs(group, current.group, current.gid)) perms.set('cgroup', group)
  if ((!perms.has('cuser') && !perms.has('cgroup')) || inTestMode(ctx)) return
  try {
    const set = untouchable ? lchown : chown
    const error = await set(ctx, name, user ?? current.user, group ?? current.group)
    if (error !== null) {
      report.ret.set('result', false)
      report.comments.push(error)
    } else if (!linked) {
      // a change of owner clears setuid and setgid
      await setMode(ctx, name, current.mode)
    }
  } catch (error) {
    if (!isHostError(error)) throw error
    report.ret.set('result', false)
  }
}

interface Verification {
  name: string
  wanted: Permissions
  mode: string | null
  perms: Dict
  report: Report
  follow: boolean
}

async function verify(
  ctx: FunctionContext,
  { name, wanted, mode, perms, report, follow }: Verification,
): Promise<void> {
  const after = await ownership(ctx, name, follow)
  const judge = (what: 'user' | 'group' | 'mode', value: Value, isWrong: boolean): void => {
    if (!isWrong) {
      if (perms.has(`c${what}`)) report.changes.set(what, value)
    } else if (ctx.opts.get('test') === true) {
      report.changes.set(what, value)
    } else {
      report.ret.set('result', false)
      report.comments.push(`Failed to change ${what} to ${str(value)}`)
    }
  }
  // an owner that is not requested stays as it was
  if (truthy(wanted.user)) judge('user', wanted.user, differs(wanted.user, after.user, after.uid))
  if (truthy(wanted.group)) judge('group', wanted.group, differs(wanted.group, after.group, after.gid))
  if (mode !== null) judge('mode', mode, mode !== after.mode)
}

async function applyAttributes(ctx: FunctionContext, name: string, attrs: string, report: Report): Promise<void> {
  const difference = await compareAttributes(ctx, name, attrs)
  if (!difference || (difference.added === '' && difference.removed === '')) return
  const letters = async (): Promise<string> =>
    (((await listAttributes(ctx, name))?.get(name) ?? []) as string[]).join('')
  const old = await letters()
  let fresh = attrs
  if (ctx.opts.get('test') !== true) {
    for (const [operator, attributes] of [
      ['add', difference.added],
      ['remove', difference.removed],
    ] as const) {
      if (attributes !== '') await changeAttributes(ctx, [name], { operator, attributes, flags: null, version: null })
    }
    const left = await compareAttributes(ctx, name, attrs)
    if (left && (left.added !== '' || left.removed !== '')) {
      report.ret.set('result', false)
      report.comments.push(`Failed to change attributes to ${attrs}`)
      fresh = await letters()
    }
  }
  if (old !== fresh) {
    report.changes.set('attrs', dictFrom({ old, new: fresh }))
  }
}
