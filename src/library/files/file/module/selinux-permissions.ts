// The SELinux part of `check_perms`.
import { SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'
import { type SelinuxWish, selinuxContext, setSelinuxContext } from './attributes.ts'
import type { Report } from './report.ts'

const PARTS = ['user', 'role', 'type', 'range'] as const

/** The parts of `user:role:type:range`, or undefined for anything else. */
export function contextParts(context: string): Record<(typeof PARTS)[number], string> | undefined {
  const [user, role, type, range, ...more] = context.split(':')
  if (range === undefined || more.length > 0) return undefined
  return { user: user!, role: role!, type: type!, range }
}

export const wantsSelinux = (wish: SelinuxWish): boolean => PARTS.some((part) => truthy(wish[part]))

export async function applySelinux(
  ctx: FunctionContext,
  name: string,
  wish: SelinuxWish,
  report: Report,
): Promise<void> {
  if (!wantsSelinux(wish)) return
  const { ret, comments, changes } = report
  const current = contextParts(await selinuxContext(ctx, name))
  if (current === undefined) {
    ret.set('result', false)
    comments.push('Failed to get selinux attributes')
    return
  }
  const wanted = PARTS.filter((part) => truthy(wish[part]) && wish[part] !== current[part])
  if (wanted.length === 0) return
  const title = (part: string): string => part[0]!.toUpperCase() + part.slice(1)
  const tell = (value: (part: (typeof PARTS)[number]) => Value): string =>
    wanted.map((part) => `${title(part)}: ${str(value(part))}`).join(' ')
  const change = new Map<Value, Value>([
    ['Old', tell((part) => current[part])],
    ['New', tell((part) => wish[part])],
  ])
  if (option(ctx.opts, 'test')) {
    comments.splice(0, comments.length, `File ${name} selinux context to be updated`)
    ret.set('result', null)
    changes.set('selinux', change)
    return
  }
  const request = Object.fromEntries(PARTS.map((part) => [part, wanted.includes(part) ? wish[part] : null]))
  // chcon takes no other part without the type
  const answer = await setSelinuxContext(
    ctx,
    name,
    { ...request, type: request['type'] ?? current.type } as SelinuxWish,
    true,
  )
  const fresh = answer === false ? undefined : contextParts(answer)
  if (answer === false) throw new SaltError('CommandExecutionError', `Could not set selinux context of ${name}`)
  if (fresh === undefined) {
    ret.set('result', false)
    comments.push('Failed to set selinux attributes')
    return
  }
  comments.push(`The file ${name} is set to be changed`)
  for (const part of wanted) {
    if (fresh[part] === wish[part]) continue
    comments.push(`Unable to update se${part} context`)
    ret.set('result', false)
  }
  changes.set('selinux', change)
}
