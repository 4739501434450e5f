// The user that the configuration names must exist; programs end where it does not, before they touch anything.
import { ownUser } from '../base/mod.ts'
import { type Dict, textOf } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { ProgramExit } from './optparse/exit.ts'

export const EX_NOUSER = 67

export async function needUser(opts: Dict): Promise<void> {
  const name = textOf(opts.get('user') ?? null) ?? ''
  if (name === '' || name === ownUser() || (await new LocalHost().user(name))) return
  const why = `Failed to prepare the Salt environment for user ${name}. The user is not available.`
  throw new ProgramExit(EX_NOUSER, { stderr: `${why}\n` })
}
