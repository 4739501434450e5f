// The SELinux part of `check_perms`.
import { dictFrom, failure, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, option } from '../../../../sdk/mod.ts'
import type { SelinuxContext } from '../managed-request.ts'
import { selinuxContext, setSelinuxContext } from './attributes.ts'
import type { Report } from './report.ts'

const PARTS = ['user', 'role', 'type', 'range'] as const

/** The parts of `user:role:type:range`, or undefined for anything else. */
export function contextParts(context: string): Record<(typeof PARTS)[number], string> | undefined {
  const [user, role, type, range, ...more] = context.split(':')
  if (range === undefined || more.length > 0) return undefined
  return { user: user!, role: role!, type: type!, range }
}

/** Whether a request names any part of an SELinux context. */
export const namesSelinux = (context: SelinuxContext): boolean => PARTS.some((part) => context[part])

export async function applySelinux(
  ctx: FunctionContext,
  name: string,
  context: SelinuxContext,
  report: Report,
): Promise<void> {
  if (!namesSelinux(context)) return
  const { ret, comments, changes } = report
  const current = contextParts(await selinuxContext(ctx, name))
  if (current === undefined) {
    ret.set('result', false)
    comments.push('Failed to get selinux attributes')
    return
  }
  const wanted = PARTS.filter((part) => context[part] && context[part] !== current[part])
  if (wanted.length === 0) return
  const title = (part: string): string => part[0]!.toUpperCase() + part.slice(1)
  const listed = (value: (part: (typeof PARTS)[number]) => Value): string =>
    wanted.map((part) => `${title(part)}: ${str(value(part))}`).join(' ')
  const reported = dictFrom({ Old: listed((part) => current[part]), New: listed((part) => context[part]) })
  if (option(ctx.opts, 'test')) {
    comments.splice(0, comments.length, `File ${name} selinux context to be updated`)
    ret.set('result', null)
    changes.set('selinux', reported)
    return
  }
  const change = (part: (typeof PARTS)[number]): string | null => (wanted.includes(part) ? context[part] : null)
  // chcon sets no other part without the type
  const type = change('type') ?? current.type
  const request = { user: change('user'), role: change('role'), type, range: change('range') }
  const answer = await setSelinuxContext(ctx, name, request, true)
  const fresh = answer === false ? undefined : contextParts(answer)
  if (answer === false) throw failure(`Could not set selinux context of ${name}`)
  if (fresh === undefined) {
    ret.set('result', false)
    comments.push('Failed to set selinux attributes')
    return
  }
  comments.push(`The file ${name} is set to be changed`)
  for (const part of wanted) {
    if (fresh[part] === context[part]) continue
    comments.push(`Unable to update se${part} context`)
    ret.set('result', false)
  }
  changes.set('selinux', reported)
}
