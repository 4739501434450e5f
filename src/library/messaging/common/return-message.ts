// The text of a return for people, as chat services get it.
import { type Dict, str } from '../../../data/mod.ts'

/** Return the lines of a message; `shown` is the text of the returned value. */
export function returnMessage(ret: Dict, shown: string = str(ret.get('return') ?? null)): string {
  const of = (name: string): string => str(ret.get(name) ?? null)
  const lines = [`id: ${of('id')}`, `function: ${of('fun')}`, `function args: ${of('fun_args')}`, `jid: ${of('jid')}`]
  return `${[...lines, `return: ${shown}`].join('\r\n')}\r\n`
}

/** Return the lines of a message about an event. */
export function eventMessage(event: Dict): string {
  const data = event.get('data') ?? null
  const lines = [...(data instanceof Map ? data : [])].map(([key, value]) => `${str(key)}: ${str(value)}`)
  return `${[`tag: ${str(event.get('tag') ?? '')}`, ...lines].join('\r\n')}\r\n`
}
