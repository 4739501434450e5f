// Sites, modules and configuration snippets of Apache on Debian, which links enable.
import { isDict, type Value } from '../../../../data/mod.ts'
import {
  arg,
  defineState,
  type StateContext,
  type StateDeclaration,
  type StateReturn,
  state,
} from '../../../../sdk/mod.ts'

interface Kind {
  /** The word in a2enmod. */
  word: 'site' | 'mod' | 'conf'
  /** The word in comments. */
  title: 'site' | 'module' | 'conf'
}

async function settle(ctx: StateContext, kind: Kind, name: string, on: boolean): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const done = on ? 'enabled' : 'disabled'
  if ((await ctx.call(`apache.check_${kind.word}_enabled`, [name])) === on)
    return report(true, `${name} already ${done}.`)
  const changes = on ? { old: null, new: name } : { old: name, new: null }
  if (ctx.test) return report(null, `Apache ${kind.title} ${name} is set to be ${done}.`, changes)
  const answer: Value = await ctx.call(`apache.a2${on ? 'en' : 'dis'}${kind.word}`, [name])
  const status = isDict(answer) ? answer.get('Status') : undefined
  if (typeof status === 'string' && status.includes(done)) return report(true, '', changes)
  const why = typeof status === 'string' ? ` (${status})` : ''
  return report(false, `Failed to ${on ? 'enable' : 'disable'} ${name} Apache ${kind.title}${why}`)
}

export function switchStates(kind: Kind): StateDeclaration {
  const name = arg.text(`Name of the ${kind.title}`)
  const make = (on: boolean) =>
    state({
      doc: `Ensure that a ${kind.title} of Apache is ${on ? 'enabled' : 'disabled'}.`,
      args: { name },
      run: (ctx, { name }) => settle(ctx, kind, name, on),
    })
  return defineState({
    name: `apache_${kind.title}`,
    doc: `Enable and disable a ${kind.title} of Apache, on Debian systems.`,
    when: async ({ host }) =>
      (await host.which(`a2en${kind.word}`)) !== undefined || 'apache module could not be loaded',
    functions: { enabled: make(true), disabled: make(false) },
  })
}
