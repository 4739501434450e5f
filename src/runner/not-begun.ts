// A call of a runner that could not begin, because the function or one of its arguments is missing: an event reports it.
import { newJid } from '../base/mod.ts'
import { dictFrom, type Value } from '../data/mod.ts'
import type { MasterAccess } from './access.ts'
import { announce } from './context.ts'

/** Salt's return code for a call that did not begin. */
const NOT_BEGUN = 254

export interface NotBegun {
  fun: string
  /** The arguments, in the form of a publication. */
  args: Value[]
  message: string
  jid?: string | undefined
}

export async function tellNotBegun(access: MasterAccess, { fun, args, message, jid }: NotBegun): Promise<void> {
  const number = jid || newJid()
  const event = dictFrom({ success: false, return: message, retcode: NOT_BEGUN, fun, fun_args: args, jid: number })
  await announce(access, `salt/run/${number}/ret`, event)
}
