// Targets that no roster has: `user@host`, or a host by a name or address that can be resolved.
import { option } from '../../config/mod.ts'
import { dictFrom, textOf } from '../../data/mod.ts'
import { isValidId } from '../../wire/mod.ts'
import type { RosterRequest } from './backend.ts'
import { addressesOf } from './choose.ts'
import type { RosterEntry } from './entry.ts'

/** The source of entries from the command line. */
const COMMAND_LINE = 'the command line'

const HOST = /^[\p{L}\p{N}_][\p{L}\p{N}_.:%-]*$|^::[\da-f.:%\w]*$/iu

/** Split `user@host`; undefined where the target is of another kind. */
export function hostAndUser({ tgt, tgtType }: RosterRequest): { host: string; user?: string } | undefined {
  const text = tgtType === 'glob' ? textOf(tgt) : undefined
  if (text === undefined) return undefined
  const at = text.indexOf('@')
  const host = text.slice(at + 1).replace(/^\[|\]$/g, '')
  return at <= 0 ? { host } : { host, user: text.slice(0, at) }
}

/** Return the target that the expression itself names, if it is a host that can be resolved. */
export async function directTarget(request: RosterRequest): Promise<RosterEntry | undefined> {
  const named = hostAndUser(request)
  if (!named || !HOST.test(named.host) || !isValidId(named.host)) return undefined
  if ((await addressesOf(named.host)).length === 0) return undefined
  const { opts } = request
  const user = named.user ?? option(opts, 'ssh_user')
  const settings = dictFrom({ passwd: option(opts, 'ssh_passwd'), host: named.host, user })
  return { id: named.host, settings: new Map(settings), from: COMMAND_LINE }
}
